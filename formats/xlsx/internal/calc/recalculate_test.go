package calc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// results lists "S1!A1 old→new" of all cells that changed.
func results(b *Book, r *Results) string {
	var out []string
	for _, c := range r.Cells {
		if old, now := shownValue(c.Old), shownValue(c.New); old != now {
			out = append(out, b.sheets[c.At.Sheet].name+"!"+cellref.Name(c.At.Row, c.At.Col)+" "+old+"→"+now)
		}
	}
	return strings.Join(out, "; ")
}

// calculated returns a book of which all formulas have values.
func calculated(t *testing.T, b *Book) *Book {
	t.Helper()
	_, err := b.Recalculate(t.Context(), Request{Options: english, All: true})
	require.NoError(t, err)
	for _, s := range b.sheets {
		for _, r := range s.grid.rows {
			for k := range r.cells {
				r.cells[k].state = stored
			}
		}
	}
	return b
}

// A question what would be: inputs are set and only what reads them is calculated.
func TestRecalculateInputs(t *testing.T) {
	b := calculated(t, sheetOf("1|=A1*2|=B1+1", "5|=A2*2|=SUM(B:B)", "||=NOW()"))
	r, err := b.Recalculate(t.Context(), Request{Inputs: []Input{{At: At(0, 1, 1), Value: Num(10)}}})
	require.NoError(t, err)
	require.Equal(t, "S1!B1 2→20; S1!C1 3→21; S1!C2 12→30", results(b, r))
	require.Len(t, r.Cells, 3)
	r, err = b.Recalculate(t.Context(), Request{Inputs: []Input{{At: At(0, 1, 1), Formula: "MACRO()"}}})
	require.NoError(t, err)
	require.Equal(t, ReasonFunction, r.Cells[len(r.Cells)-1].New.Reason().Code)
	require.Equal(t, At(0, 1, 1), r.Cells[len(r.Cells)-1].New.Reason().From)
}

// What may read a changed cell is found through names, tables, 3-D references and
// chains against the order of the cells.
func TestDependants(t *testing.T) {
	b := sheetOf("1|=A3|=rate*2|=SUM(S1:S2!A1)|=INDIRECT(\"A1\")", "=A1+1", "=A2+1")
	b.DefineName("rate", -1, "S1!$A$1")
	calculated(t, b)
	r, err := b.Recalculate(t.Context(), Request{Inputs: []Input{{At: At(0, 1, 1), Value: Num(2)}}})
	require.NoError(t, err)
	require.Equal(t, "S1!B1 3→4; S1!C1 2→4; S1!D1 1→2; S1!E1 1→2; S1!A2 2→3; S1!A3 3→4", results(b, r))
}

// Dynamic arrays take the room their result needs, and what reads it follows.
func TestSpills(t *testing.T) {
	b := sheetOf("3|||=SUM(B1:B9)|=SUM(_xlfn.ANCHORARRAY(B1))")
	b.SetArrayFormula(0, cellref.Block(1, 2, 2, 2), "ROW(INDIRECT(\"1:\"&A1))", true)
	r, err := b.Recalculate(t.Context(), Request{Options: english})
	require.NoError(t, err)
	require.Equal(t, "S1!B1 empty→1; S1!D1 empty→6; S1!E1 empty→6; S1!B2 empty→2; S1!B3 empty→3", results(b, r))
	require.Equal(t, cellref.Block(1, 2, 3, 2), r.Cells[0].Spill)
	b.SetValue(At(0, 4, 2), Num(100))
	r, err = b.Recalculate(t.Context(), Request{Options: english, Inputs: []Input{{At: At(0, 1, 1), Value: Num(4)}}})
	require.NoError(t, err)
	require.Contains(t, results(b, r), "S1!B1 1→#SPILL!")
	require.Contains(t, results(b, r), "S1!D1 6→#SPILL!")
	require.Contains(t, results(b, r), "S1!B3 3→empty")
}

// A workbook is read with shared formulas, array formulas, tables, hidden rows and
// texts; what has no value is calculated from what has one.
func TestLoad(t *testing.T) {
	file := xlsxtest.Raw(t, nil, `<sheetData>
<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B3" si="0">A1*2</f><v>2</v></c><c r="C1" t="str"><f>"x"&amp;A1</f><v>kept</v></c><c r="D1"><f t="array" ref="D1:D2">A1:A2*10</f></c></row>
<row r="2" hidden="1"><c r="A2"><v>2</v></c><c r="B2"><f t="shared" si="0"/></c><c r="C2" t="e"><v>#N/A</v></c><c r="D2"><v>7</v></c></row>
<row r="3"><c r="A3" t="inlineStr"><is><t>t</t></is></c><c r="B3"><f t="shared" si="0"/></c><c r="C3" t="b"><v>1</v></c><c r="E3"><f>C1&amp;D2</f></c><c r="F3"><f t="dataTable" ref="F3:F4" r1="A1"/><v>1</v></c></row>
</sheetData>`)
	wb, err := book.Open(t.Context(), xlsxtest.Source(file))
	require.NoError(t, err)
	b, err := Load(t.Context(), wb)
	require.NoError(t, err)
	r, err := b.Recalculate(t.Context(), Request{})
	require.NoError(t, err)
	require.Equal(t, `S1!D1 empty→10; S1!B2 empty→4; S1!D2 7→20; S1!B3 empty→#VALUE!; S1!E3 empty→"kept20"; S1!F4 empty→0`, results(b, r))
	require.True(t, b.sheets[0].grid.rows[1].hidden)
}

// The language of a workbook shows in the values that its program stored. Where it may be
// one of several, a result is known that is the same in all.
func TestLanguage(t *testing.T) {
	for _, c := range []struct{ stored, otherwise, want, long, joined string }{
		{`TEXT(A1,"mmmm")=January`, "", "en", `"Friday"`, `"1.5 kg"`},
		{`TEXT(A1,"mmmm")=enero`, "", "es|es-MX", `"viernes"`, `?language`},
		{`TEXT(A1,"mmmm")=enero`, "es-ES", "es-ES", `"viernes"`, `"1,5 kg"`},
		{`TEXT(A1,"mmmm")=enero`, "de", "es|es-MX", `"viernes"`, `?language`},
		{`A2&"x"=1,5x`, "", "de|fr|es|it|pt|pt-PT|nl|pl|ru|sv|da|nb|fi|cs|tr", `?form`, `"1,5 kg"`},
		{`A2&"x"=1,5x`, "de-DE", "de-DE", `?form`, `"1,5 kg"`},
		{`TEXT(A1,"TT.MM.JJJJ")=01.01.2021`, "", "de|de-CH", `?form`, `?language`},
		{`TEXT(A1,"mmmm")=január`, "de-DE", "", `?language`, `"1.5 kg"`},
		{`A2&"x"=1.5y`, "", "", `?language`, `"1.5 kg"`},
	} {
		b := sheetOf("44197", "1.5")
		formula, value, _ := strings.Cut(c.stored, "=")
		b.SetFormula(At(0, 1, 2), formula)
		b.store(b.find(At(0, 1, 2)), Str(value), stored)
		b.SetFormula(At(0, 1, 3), `TEXT(A1,"dddd")`)
		b.SetFormula(At(0, 1, 4), `A2&" kg"`)
		r, err := b.Recalculate(t.Context(), Request{Options: Options{Otherwise: c.otherwise}})
		require.NoError(t, err)
		require.Equal(t, c.want, r.Language, c.stored)
		require.Equal(t, []string{c.long, c.joined}, []string{shownValue(r.Cells[0].New), shownValue(r.Cells[1].New)}, c)
	}
}

// Formulas without a value tell nothing of the language, and are not calculated before it
// is known.
func TestLanguageIsFoundFromValuesOnly(t *testing.T) {
	b := sheetOf("44197|=A1*1|=TEXT(B1,\"mmmm\")|=TEXT(A1,\"mmmm\")")
	b.store(b.find(At(0, 1, 3)), Str("enero"), stored)
	r, err := b.Recalculate(t.Context(), Request{Options: Options{Otherwise: "it"}})
	require.NoError(t, err)
	require.Equal(t, "it", r.Language)
	require.Equal(t, `S1!B1 empty→44197; S1!D1 empty→"gennaio"`, results(b, r))
}

// An edit with very many dependants finds and calculates them.
func TestManyDependants(t *testing.T) {
	const n = 100_000
	b := NewBook("S1")
	b.SetValue(At(0, 1, 1), Num(1))
	for row := 2; row <= n; row++ {
		b.SetFormula(At(0, row, 1), fmt.Sprintf("A%d+1", row-1))
	}
	calculated(t, b)
	r, err := b.Recalculate(t.Context(), Request{Inputs: []Input{{At: At(0, 1, 1), Value: Num(2)}}})
	require.NoError(t, err)
	require.Len(t, r.Cells, n-1)
	require.Equal(t, float64(n+1), r.Cells[n-2].New.Num())
}
