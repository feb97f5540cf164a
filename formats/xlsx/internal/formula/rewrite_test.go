package formula

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/cellref"
)

// What becomes of a formula in sheet "s" when rows or columns of it move.
func TestFormulasFollowMovedCells(t *testing.T) {
	rows := func(at, n int) cellref.Shift { return cellref.Shift{At: at, Count: n} }
	cols := func(at, n int) cellref.Shift { return cellref.Shift{Cols: true, At: at, Count: n} }
	for _, c := range []struct {
		shift    cellref.Shift
		was, now string
		resized  bool
	}{
		{rows(3, 2), "A1+A3+A9", "A1+A5+A11", false},
		{rows(3, 2), "$A$3+B$9", "$A$5+B$11", false},
		{rows(3, 2), "SUM(A1:A2)", "SUM(A1:A2)", false},
		{rows(3, 2), "SUM(A2:A3)", "SUM(A2:A5)", true},
		{rows(3, 2), "SUM(A3:A4)", "SUM(A5:A6)", false},
		{rows(3, 2), "SUM(3:5)+SUM(A:B)", "SUM(5:7)+SUM(A:B)", false},
		{rows(3, -1), "A3", "#REF!", true},
		{rows(3, -1), "A2+A4", "A2+A3", false},
		{rows(3, -2), "SUM(A2:A9)", "SUM(A2:A7)", true},
		{rows(3, -2), "SUM(A3:A4)", "SUM(#REF!)", true},
		{rows(3, -2), "SUM(A4:A9)", "SUM(A3:A7)", true},
		{rows(3, -2), "SUM(A9:A2)", "SUM(A7:A2)", true},
		{cols(2, 1), "A1+B1+$C1", "A1+C1+$D1", false},
		{cols(2, 1), "SUM(A:C)+SUM(1:2)", "SUM(A:D)+SUM(1:2)", true},
		{cols(2, -1), "B1&C1", "#REF!&B1", true},
		{rows(1, 1), `"A1"&A1&"A1"`, `"A1"&A2&"A1"`, false},
		{rows(1, 1), "Other!A1+S!A1+'s'!A1", "Other!A1+S!A2+'s'!A2", false},
		{rows(1, 1), "[1]S!A1+Rate+LOG10(5)", "[1]S!A1+Rate+LOG10(5)", false},
	} {
		rw := &Rewriter{Sheet: "s", Shift: &c.shift}
		now, changed, resized := rw.Formula(c.was, Place{Sheet: "s"})
		require.Equal(t, c.now, now, "%s, %+v", c.was, c.shift)
		require.Equal(t, c.now != c.was, changed, c.was)
		require.Equal(t, c.resized, resized, c.was)
		elsewhere, changed := rw.Text(strings.ReplaceAll(c.was, "S!", "T!"), Place{Sheet: "t"})
		if !strings.Contains(c.was, "!") {
			require.Equal(t, c.was, elsewhere, "a formula of another sheet")
			require.False(t, changed)
		}
	}
}

// What becomes of a formula when sheets, tables and columns get other names or go.
func TestFormulasFollowNames(t *testing.T) {
	rename := &Rewriter{Names: map[string]string{"old": "New one", "two": "Zwei"}}
	gone := &Rewriter{}
	gone.DeleteSheet("Old", []string{"one", "old", "two", "three"})
	tables := &Rewriter{}
	tables.ChangeTable("T", TableChange{Now: "Sales", Renamed: map[string]string{"a": "b]c"}, Gone: map[string]bool{"x": true}})
	tables.ChangeTable("Dead", TableChange{Removed: true})
	for _, c := range []struct {
		rw       *Rewriter
		was, now string
	}{
		{rename, "Old!A1+OLD!B2", "'New one'!A1+'New one'!B2"},
		{rename, "'Old'!A1", "'New one'!A1"},
		{rename, "Two!A1", "Zwei!A1"},
		{rename, "SUM(Old:Two!A1)", "SUM('New one:Zwei'!A1)"},
		{rename, `INDIRECT("Old!A1")`, `INDIRECT("'New one'!A1")`},
		{rename, `HYPERLINK("#Old!A1","go")`, `HYPERLINK("#'New one'!A1","go")`},
		{rename, "Older!A1+[1]Old!A1", "Older!A1+[1]Old!A1"},
		{rename, "Old", "Old"},
		{gone, "Old!A1*2", "#REF!*2"},
		{gone, "One!A1", "One!A1"},
		{gone, "SUM(Old:Three!A1)", "SUM('two:three'!A1)"},
		{gone, "SUM(One:Old!A1)", "SUM('one'!A1)"},
		{gone, "SUM(One:Three!A1)", "SUM(One:Three!A1)"},
		{tables, "SUM(T[a])", "SUM(Sales[b']c])"},
		{tables, "T[[#This Row],[a]]+t[other]", "Sales[[#This Row],[b']c]]+Sales[other]"},
		{tables, "T[x]", "#REF!"},
		{tables, "SUM(Dead[a])+ROWS(Dead)", "SUM(#REF!)+ROWS(#REF!)"},
		{tables, "Tx[a]+Ta", "Tx[a]+Ta"},
		{&Rewriter{}, "Old!A1+T[a]", "Old!A1+T[a]"},
	} {
		now, changed := c.rw.Text(c.was, Place{})
		require.Equal(t, c.now, now, c.was)
		require.Equal(t, c.now != c.was, changed, c.was)
	}
	require.True(t, (&Rewriter{}).Idle())
	require.False(t, rename.Idle())
	require.False(t, gone.Idle())
	require.False(t, tables.Idle())
}

// Relative references of a defined name keep their distance, those of a rule move
// with its first cell.
func TestFormulasThatKeepTheirDistance(t *testing.T) {
	rw := &Rewriter{Sheet: "s", Shift: &cellref.Shift{At: 3, Count: 2}}
	for _, c := range []struct {
		p        Place
		was, now string
	}{
		{Place{Sheet: "s", Keep: true}, "S!A3+S!$A$3", "S!A3+S!$A$5"},
		{Place{Sheet: "s", Keep: true, Delta: 2}, "A3>$A$1", "A5>$A$1"},
		{Place{Sheet: "s", Keep: true, Delta: 2}, "$A$3>A1", "$A$5>A3"},
		{Place{Sheet: "s", Keep: true, Delta: -3}, "A3", "#REF!"},
	} {
		now, _ := rw.Text(c.was, c.p)
		require.Equal(t, c.now, now, "%s, %+v", c.was, c.p)
	}
}
