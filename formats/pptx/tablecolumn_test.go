package pptx

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/formatstest"
)

var gridWidth = regexp.MustCompile(`<a:gridCol w="(\d+)"`)

// columnWidths returns those of all tables of the first slide.
func columnWidths(t testing.TB, deck []byte) (widths []int, sum int) {
	for _, m := range gridWidth.FindAllStringSubmatch(part(t, deck, slide1), -1) {
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		widths, sum = append(widths, n), sum+n
	}
	return widths, sum
}

// wide is spanned with real widths.
func wide(t testing.TB, widths ...int) []byte {
	var sb strings.Builder
	for i, w := range widths {
		fmt.Fprintf(&sb, `<a:gridCol w="%d"><a:extLst><a:ext uri="{9D8B030D-6E8A-4147-A177-3AD203B41FA5}"><a16:colId xmlns:a16="http://schemas.microsoft.com/office/drawing/2014/main" val="%d"/></a:ext></a:extLst></a:gridCol>`, w, i+5)
	}
	return with(t, spanned(t), map[string]func(string) string{slide1: replace(t, `<a:gridCol w="1"/><a:gridCol w="1"/>`, sb.String())})
}

// A new column looks like its neighbour; cells that reach over its place reach
// on; the table stays as wide as it was.
func TestAddTableColumn(t *testing.T) {
	deck := wide(t, 3000, 1001)
	out, rep := editReport(t, deck, `{"op":"add_table_column","index":0,"cells":["oben",1,"zwei & mehr"]}`)
	require.Equal(t, "column 2", rep.Ops[0].Made)
	require.Equal(t, 3, rep.Ops[0].Cells)
	require.Equal(t, "# Slide 1\nKopf\t\toben\nGruppe\teins\t1\n\tzwei\tzwei & mehr\n\tdrei", readSlide(t, out, 0))
	widths, sum := columnWidths(t, out)
	require.Equal(t, []int{2000, 668, 1333}, widths)
	require.Equal(t, 4001, sum)
	require.Contains(t, part(t, out, slide1), `val="7"`, "the column has an id of its own")

	in := edit(t, deck, `{"op":"add_table_column","index":0,"column":1,"cells":["","m"]}`)
	require.Contains(t, part(t, in, slide1), `gridSpan="3"`)
	require.Contains(t, readSlide(t, in, 0), "Gruppe\tm\teins")
	first := edit(t, deck, `{"op":"add_table_column","index":0,"column":0,"cells":["k","a","b","c"]}`)
	require.Equal(t, "# Slide 1\nk\tKopf\na\tGruppe\teins\nb\t\tzwei\nc\t\tdrei", readSlide(t, first, 0))
	for _, made := range [][]byte{out, in, first} {
		validate(t, formatstest.Write(t, "before.pptx", deck), made)
	}
	for op, want := range map[string]string{
		`"cells":["a","b","c","d","e"]`: "cells has 5 texts, the table has 4 rows",
		`"column":3`:                    "column must be 0 to 2, the place the new column gets, not 3",
		`"column":1,"cells":["x"]`:      "the cell at row 0, column 0 reaches over the place of the new column: leave its text in cells empty",
	} {
		_, _, err := tryEdit(deck, `{"op":"add_table_column","index":0,`+op+`}`)
		require.EqualError(t, err, "operation 1 (add_table_column): "+want)
	}
	uneven := with(t, deck, map[string]func(string) string{slide1: replace(t, `<a:tc hMerge="1">`, `<a:tc/><a:tc hMerge="1">`)})
	_, _, err := tryEdit(uneven, `{"op":"add_table_column","index":0}`)
	require.EqualError(t, err, "operation 1 (add_table_column): row 0 of the table has 3 cells for 2 columns; its columns cannot be changed")
}

func TestDeleteTableColumn(t *testing.T) {
	deck := wide(t, 3000, 1001)
	heir := edit(t, deck, `{"op":"delete_table_column","index":0,"column":0}`)
	require.Equal(t, "# Slide 1\nKopf\neins\nzwei\ndrei", readSlide(t, heir, 0))
	require.NotContains(t, part(t, heir, slide1), "gridSpan")
	_, sum := columnWidths(t, heir)
	require.Equal(t, 4001, sum)
	last := edit(t, deck, `{"op":"delete_table_column","index":0,"column":1}`)
	require.Equal(t, "# Slide 1\nKopf\nGruppe", readSlide(t, last, 0))
	require.NotContains(t, part(t, last, slide1), "hMerge")
	_, _, err := tryEdit(last, `{"op":"delete_table_column","index":0,"column":0}`)
	require.EqualError(t, err, "operation 1 (delete_table_column): the table has no other column; use delete_shape to delete it")
	_, _, err = tryEdit(deck, `{"op":"delete_table_column","index":0,"column":2}`)
	require.EqualError(t, err, "operation 1 (delete_table_column): the table has no column 2; it has 2, counted from 0")
	_, _, err = tryEdit(deck, `{"op":"delete_table_column","index":0}`)
	require.EqualError(t, err, "operation 1 (delete_table_column): column is required: counted from 0")
	for _, made := range [][]byte{heir, last} {
		validate(t, formatstest.Write(t, "before.pptx", deck), made)
	}
}

// Property: a column that is added and deleted again leaves every byte of the
// slide where columns are even, and else all but the last EMU of widths; the
// table never changes its own width.
func TestAddAndDeleteColumn(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := rapid.SliceOfN(rapid.IntRange(1000, 5_000_000), 2, 2).Draw(r, "widths")
		if rapid.Bool().Draw(r, "even") {
			w[1] = w[0]
		}
		deck := wide(t, w...)
		before, sum := columnWidths(t, deck)
		at := rapid.IntRange(0, 2).Draw(r, "column")
		there := edit(t, deck, fmt.Sprintf(`{"op":"add_table_column","index":0,"column":%d,"cells":["","x"]}`, at))
		_, now := columnWidths(t, there)
		require.Equal(r, sum, now)
		back := edit(t, there, fmt.Sprintf(`{"op":"delete_table_column","index":0,"column":%d}`, at))
		after, now := columnWidths(t, back)
		require.Equal(r, sum, now)
		for i := range before {
			require.InDelta(r, before[i], after[i], 1)
		}
		plain := func(b []byte) string { return gridWidth.ReplaceAllString(part(t, b, slide1), "<a:gridCol") }
		require.Equal(r, plain(deck), plain(back))
		if w[0] == w[1] {
			formatstest.SameParts(t, deck, back)
		}
	})
}
