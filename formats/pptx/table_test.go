package pptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/formatstest"
)

// spanned returns a table of four rows and two columns: the first cell reaches
// over rows 1 to 3, the head over both columns.
func spanned(t testing.TB) []byte {
	cell := func(attrs, text string) string {
		return `<a:tc` + attrs + `><a:txBody><a:bodyPr/><a:lstStyle/>` + para(text) + `</a:txBody><a:tcPr/></a:tc>`
	}
	row := func(id int, cells ...string) string {
		return `<a:tr h="100">` + strings.Join(cells, "") + fmt.Sprintf(`<a:extLst><a:ext uri="{0D108BD9-81ED-4DB2-BD59-A6C34878D82A}"><a16:rowId xmlns:a16="http://schemas.microsoft.com/office/drawing/2014/main" val="%d"/></a:ext></a:extLst></a:tr>`, id)
	}
	tbl := `<a:tbl><a:tblPr/><a:tblGrid><a:gridCol w="1"/><a:gridCol w="1"/></a:tblGrid>` +
		row(7, cell(` gridSpan="2"`, "Kopf"), cell(` hMerge="1"`, "")) +
		row(8, cell(` rowSpan="3"`, "Gruppe"), cell("", "eins")) +
		row(9, cell(` vMerge="1"`, ""), cell("", "zwei")) +
		row(10, cell(` vMerge="1"`, ""), cell("", "drei")) + `</a:tbl>`
	return deckWith(t, `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="8" name="Tabelle"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="400"/></p:xfrm><a:graphic><a:graphicData uri="`+nsTable+`">`+tbl+`</a:graphicData></a:graphic></p:graphicFrame>`)
}

// peers.md: tables can be edited, cell by cell, keeping the cell's formatting.
func TestPeerTablesCannotBeEdited(t *testing.T) {
	deck := with(t, spanned(t), map[string]func(string) string{slide1: replace(t, para("zwei"), `<a:p><a:pPr algn="r"/><a:r><a:rPr b="1"/><a:t>zwei</a:t></a:r></a:p>`)})
	out, rep := editReport(t, deck, `{"op":"set_table_cell","index":0,"shape_id":8,"row":2,"column":1,"text":"2 & 3\nmehr"}`)
	require.Equal(t, 1, rep.Ops[0].Cells)
	require.Contains(t, part(t, out, slide1), `<a:p><a:pPr algn="r"/><a:r><a:rPr b="1"/><a:t>2 &amp; 3</a:t></a:r></a:p>`)
	formatstest.SameParts(t, deck, out, slide1)
	formatstest.SameParts(t, deck, edit(t, out, `{"op":"set_table_cell","index":0,"row":2,"column":1,"text":"zwei"}`))
	for op, want := range map[string]string{
		`"row":2,"column":0,"text":"x"`:              "the cell at row 2, column 0 is merged into that at row 1, column 0; set that one",
		`"row":0,"column":1,"text":"x"`:              "the cell at row 0, column 1 is merged into that at row 0, column 0; set that one",
		`"row":4,"column":0,"text":"x"`:              "the table has no row 4; it has 4, counted from 0",
		`"row":0,"column":2,"text":"x"`:              "the table has no column 2; it has 2, counted from 0",
		`"row":0,"text":"x"`:                         "column is required: counted from 0",
		`"column":0,"text":"x"`:                      "row is required: counted from 0",
		`"column":0,"row":0`:                         "text or paragraphs is required",
		`"column":0,"row":0,"text":"x","shape_id":3`: `the slide has no shape with the id 3; it has 8 "Tabelle"`,
	} {
		_, _, err := tryEdit(deck, `{"op":"set_table_cell","index":0,`+op+`}`)
		require.EqualError(t, err, "operation 1 (set_table_cell): "+want)
	}
	two := deckWith(t, table+strings.Replace(table, `id="8"`, `id="9"`, 1))
	_, _, err := tryEdit(two, `{"op":"set_table_cell","index":0,"row":0,"column":0,"text":"x"}`)
	require.ErrorContains(t, err, `the slide has 2 shapes of the kind table; shape_id must say which: 8 "Tabelle", 9 "Tabelle"`)
	_, _, err = tryEdit(deckWith(t, sp(2, "T", "", para("x"))), `{"op":"set_table_cell","index":0,"row":0,"column":0,"text":"x"}`)
	require.ErrorContains(t, err, `the slide has no table; it has 2 "T"`)
	_, _, err = tryEdit(deckWith(t, sp(2, "T", "", para("x"))), `{"op":"set_table_cell","index":0,"shape_id":2,"row":0,"column":0,"text":"x"}`)
	require.ErrorContains(t, err, `the shape "T" is no table but a text`)
}

// A new row looks like its neighbour; cells that reach over it reach on.
func TestAddTableRow(t *testing.T) {
	deck := spanned(t)
	out, rep := editReport(t, deck, `{"op":"add_table_row","index":0,"cells":["neu",4]}`)
	require.Equal(t, "row 4", rep.Ops[0].Made)
	require.Equal(t, "# Slide 1\nKopf\nGruppe\teins\n\tzwei\n\tdrei\nneu\t4", readSlide(t, out, 0))
	require.Contains(t, part(t, out, slide1), `cy="500"`)
	require.Contains(t, part(t, out, slide1), `val="11"`, "the row has an id of its own")
	in := edit(t, deck, `{"op":"add_table_row","index":0,"row":2,"cells":["","zwischen"]}`)
	require.Contains(t, part(t, in, slide1), `rowSpan="4"`)
	require.Equal(t, "# Slide 1\nKopf\nGruppe\teins\n\tzwischen\n\tzwei\n\tdrei", readSlide(t, in, 0))
	first := edit(t, deck, `{"op":"add_table_row","index":0,"row":0,"cells":["a","b"]}`)
	require.Equal(t, "# Slide 1\na\tb\nKopf\nGruppe\teins\n\tzwei\n\tdrei", readSlide(t, first, 0))
	for _, made := range [][]byte{out, in, first} {
		validate(t, formatstest.Write(t, "before.pptx", deck), made)
	}
	for op, want := range map[string]string{`"cells":["a","b","c"]`: "cells has 3 texts, the table has 2 columns", `"row":5`: "row must be 0 to 4, the place the new row gets, not 5", `"cells":[[]]`: "cells: expected a text, got []"} {
		_, _, err := tryEdit(deck, `{"op":"add_table_row","index":0,`+op+`}`)
		require.EqualError(t, err, "operation 1 (add_table_row): "+want)
	}
}

func TestDeleteTableRow(t *testing.T) {
	deck := spanned(t)
	heir := edit(t, deck, `{"op":"delete_table_row","index":0,"row":1}`)
	require.Equal(t, "# Slide 1\nKopf\nGruppe\tzwei\n\tdrei", readSlide(t, heir, 0))
	require.Contains(t, part(t, heir, slide1), `<a:tc rowSpan="2">`)
	last := edit(t, deck, `{"op":"delete_table_row","index":0,"row":3}`, `{"op":"delete_table_row","index":0,"row":2}`)
	require.NotContains(t, part(t, last, slide1), "rowSpan")
	require.Contains(t, part(t, last, slide1), `cy="200"`)
	one := edit(t, last, `{"op":"delete_table_row","index":0,"row":0}`)
	_, _, err := tryEdit(one, `{"op":"delete_table_row","index":0,"row":0}`)
	require.EqualError(t, err, "operation 1 (delete_table_row): the table has no other row; use delete_shape to delete it")
	for _, made := range [][]byte{heir, last, one} {
		validate(t, formatstest.Write(t, "before.pptx", deck), made)
	}
}

// A row that is added and deleted again leaves every byte of the slide.
func TestAddAndDeleteRow(t *testing.T) {
	deck := spanned(t)
	rapid.Check(t, func(r *rapid.T) {
		at := rapid.IntRange(0, 4).Draw(r, "row")
		there := edit(t, deck, fmt.Sprintf(`{"op":"add_table_row","index":0,"row":%d,"cells":["x"]}`, at))
		formatstest.SameParts(t, deck, edit(t, there, fmt.Sprintf(`{"op":"delete_table_row","index":0,"row":%d}`, at)))
	})
}
