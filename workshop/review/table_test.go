package review

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// tableEdit is a change of a table of the test: a cell, a row that comes behind another
// one, a row that goes.
type tableEdit struct {
	row, col int
	kind     string
	text     string
}

// tableOf writes a table with some edits.
func tableOf(rows, cols int, edits []tableEdit, end string) string {
	var lines []string
	for r := range rows {
		var fields []string
		for c := range cols {
			f := fmt.Sprintf("cell %d of %d", c, r)
			for _, e := range edits {
				if e.kind == "cell" && e.row == r && e.col == c {
					f = e.text
				}
			}
			if c%2 == 1 {
				f = `"` + f + `, quoted ""so"""`
			}
			fields = append(fields, f)
		}
		gone := slices.ContainsFunc(edits, func(e tableEdit) bool { return e.kind == "gone" && e.row == r })
		if !gone {
			lines = append(lines, strings.Join(fields, ","))
		}
		for _, e := range edits {
			if e.kind == "new" && e.row == r {
				lines = append(lines, e.text+strings.Repeat(",", cols-1))
			}
		}
	}
	return strings.Join(lines, "\n") + end
}

// Rejecting the changes of some edits of a csv file gives what the other edits alone
// give, and rejecting all gives the bytes before.
func TestRejectCells(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		rows, cols, end := 3+r.IntN(20), 3+r.IntN(4), []string{"", "\n"}[r.IntN(2)]
		var edits []tableEdit
		for row := range rows {
			switch mark := fmt.Sprintf("edit %d", row); r.IntN(8) {
			case 0:
				edits = append(edits, tableEdit{row, r.IntN(cols), "cell", mark})
			case 1:
				if n := len(edits); n > 0 && edits[n-1].kind == "new" && edits[n-1].row == row-1 {
					continue // which of both comes first is not known
				}
				edits = append(edits, tableEdit{row, 0, "gone", ""})
			case 2:
				edits = append(edits, tableEdit{row, 0, "new", mark})
			}
		}
		old, now := tableOf(rows, cols, nil, end), tableOf(rows, cols, edits, end)
		if old == now || len(edits) >= rows {
			continue
		}
		d, err := compareTables(context.Background(), "a.csv", formats.FromBytes("a.csv", []byte(old)), formats.FromBytes("a.csv", []byte(now)))
		require.NoError(t, err)
		require.NotNil(t, d)
		require.Len(t, d.items, len(edits), "%s\n%s", old, now)
		var all, some []string
		var rest []tableEdit
		for _, e := range edits {
			i := slices.IndexFunc(d.items, func(it formats.DiffItem) bool {
				return e.kind == "gone" && it.At == rowName(e.row) && it.Change == formats.Removed || e.text != "" && (it.New == e.text || strings.HasPrefix(it.New, e.text+","))
			})
			require.GreaterOrEqual(t, i, 0, "%v in %v", e, d.items)
			if all = append(all, d.items[i].ID); r.IntN(2) == 0 {
				some = append(some, d.items[i].ID)
			} else {
				rest = append(rest, e)
			}
		}
		require.Equal(t, old, d.without(all).String())
		require.Equal(t, tableOf(rows, cols, rest, end), d.without(some).String(), "%s\nwithout %v of %v", old, some, edits)
	}
}

// What rows and fields do not tell is compared by lines.
func TestNoTable(t *testing.T) {
	for name, c := range map[string][2]string{
		"the same":       {"a,b\n1,2\n", "a,b\n1,2\n"},
		"a delimiter":    {"a,b\n1,2\n", "a;b\n1;2\n"},
		"ends of lines":  {"a,b\n1,2\n", "a,b\r\n1,2\r\n"},
		"mixed ends":     {"a,b\r\n1,2\n3,4\n", "a,b\r\n1,2\n3,5\n"},
		"a last end":     {"a,b\n1,2\n", "a,b\n1,3"},
		"a blank line":   {"a,b\n1,2\n", "a,b\n\n1,3\n"},
		"nothing before": {"", "a,b\n"},
	} {
		d, err := compareTables(context.Background(), "a.csv", formats.FromBytes("a.csv", []byte(c[0])), formats.FromBytes("a.csv", []byte(c[1])))
		require.NoError(t, err, name)
		require.Nil(t, d, name)
	}
	d, err := compareTables(context.Background(), "a.txt", formats.FromBytes("a.txt", []byte("a,b\n")), formats.FromBytes("a.txt", []byte("a,c\n")))
	require.NoError(t, err)
	require.Nil(t, d)
}

// A review of a table tells cells, rows that moved, other quotes, and formulas.
func TestTableItems(t *testing.T) {
	old := "name,n,of\nann,1,x\nbob,2,x\ncat,3,x\ndan,4,x\neve,5,x\n"
	now := "name,n,of\nann,=1+1,x\neve,5,x\nbob,2,x\n\"cat\",3,x\ndan,4,x\n"
	d, err := compareTables(context.Background(), "a.csv", formats.FromBytes("a.csv", []byte(old)), formats.FromBytes("a.csv", []byte(now)))
	require.NoError(t, err)
	out := d.diff(100)
	var said []string
	for _, it := range out.Groups[0].Items {
		said = append(said, fmt.Sprintln(it.Change, it.At, it.From, it.Old, it.New, it.Notes))
	}
	require.Equal(t, []string{"modified B2  1 =1+1 []\n", "moved row 3 row 6  eve, 5, x []\n", "modified A5  cat \"cat\" [written with other quotes]\n"}, said)
	require.Equal(t, []string{"B2 has text that a spreadsheet takes for a formula: =1+1"}, out.Warnings)
	require.Equal(t, "2 cells, 1 row moved", out.Summary)
	require.Equal(t, old, d.without([]string{d.items[0].ID, d.items[1].ID, d.items[2].ID}).String())
	require.Equal(t, "name,n,of\nann,=1+1,x\nbob,2,x\n\"cat\",3,x\ndan,4,x\neve,5,x\n", d.without([]string{d.items[1].ID}).String())
	require.Equal(t, 1, d.diff(2).Omitted)
}

// A table whose rows all changed in most fields, as after a translation, is told cell by
// cell; where more rows came than went in one place, they are told as rows.
func TestRowsInPlace(t *testing.T) {
	told := func(before, after string) (lines []string) {
		d, err := compareTables(context.Background(), "a.csv", formats.FromBytes("a.csv", []byte(before)), formats.FromBytes("a.csv", []byte(after)))
		require.NoError(t, err)
		for _, it := range d.items {
			lines = append(lines, fmt.Sprint(it.Change, " ", it.At, " ", it.Old, "→", it.New))
		}
		return lines
	}
	require.Equal(t, []string{"modified B1 nombre→name", "modified C1 ciudad→city", "modified D1 nota→note", "modified B2 uno→one", "modified C2 aquí→here", "modified D2 no→yes"},
		told("id,nombre,ciudad,nota\n1,uno,aquí,no\n", "id,name,city,note\n1,one,here,yes\n"))
	require.Equal(t, []string{"removed row 2 a, b→", "added row 2 →c, d", "added row 3 →e, f"}, told("k,l\na,b\nm,n\n", "k,l\nc,d\ne,f\nm,n\n"))
}
