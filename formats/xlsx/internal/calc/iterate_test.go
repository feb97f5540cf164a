package calc

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/xlsxtest"
	"atelier/internal/campaign"
)

const iteratesXML = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S1" sheetId="1" r:id="rId1"/></sheets><calcPr iterate="1" iterateCount="%d" iterateDelta="%g"/></workbook>`

// circularBook reads a workbook that iterates.
func circularBook(t *testing.T, count int, delta float64, xml string) (*Book, []byte) {
	t.Helper()
	data := xlsxtest.Raw(t, map[string]string{"xl/workbook.xml": fmt.Sprintf(iteratesXML, count, delta)}, xml)
	wb, err := book.Open(t.Context(), xlsxtest.Source(data))
	require.NoError(t, err)
	require.True(t, wb.Iterates)
	b, err := Load(t.Context(), wb)
	require.NoError(t, err)
	return b, data
}

// outcome lists values with what became of them.
func outcome(r *Results) string {
	var out []string
	for _, c := range r.Cells {
		out = append(out, cellref.Name(c.At.Row, c.At.Col)+" "+shownValue(c.New)+[]string{"", " settled", " kept"}[c.Repeated])
	}
	return strings.Join(out, "; ")
}

// Circular formulas settle at a fixed point, which LibreOffice finds too: interest on a
// balance that the interest changes, two circles one behind the other, a square root.
func TestIteration(t *testing.T) {
	const xml = `<sheetData>
<row r="1"><c r="A1"><f>1000+B1</f></c><c r="B1"><f>A1*0.1</f></c><c r="C1"><f>A1*2</f></c></row>
<row r="2"><c r="A2"><f>IF(B2=0,1,(B2+2/B2)/2)</f></c><c r="B2"><f>A2</f></c></row>
<row r="3"><c r="A3"><f>C1/4+B3</f></c><c r="B3"><f>A3/3</f></c><c r="C3"><f>SUM(A1:B3)</f></c></row>
</sheetData>`
	b, data := circularBook(t, 100, 1e-6, xml)
	r, err := b.Recalculate(t.Context(), Request{Options: english})
	require.NoError(t, err)
	theirs := loadFile(t, formatstest.LibreOffice(t, formatstest.Write(t, "circle.xlsx", data), "xlsx"))
	require.Len(t, r.Cells, 8)
	for _, c := range r.Cells {
		require.Equal(t, Settled, c.Repeated)
		require.InDelta(t, c.New.Num(), theirs.ValueAt(c.At).Num(), 1e-4, cellref.Name(c.At.Row, c.At.Col))
	}
	require.InDelta(t, 10000.0/9, b.ValueAt(At(0, 1, 1)).Num(), 1e-5)
	require.InDelta(t, math.Sqrt2, b.ValueAt(At(0, 2, 1)).Num(), 1e-6)
	for _, c := range r.Cells {
		v, err := NewEvaluator(t.Context(), b, english).calculateForm(c.At, b.formulas[b.find(c.At).formula-1])
		require.NoError(t, err)
		require.InDelta(t, c.New.Num(), v.Num(), 1e-5, "the formula gives its value again")
	}
}

// What does not settle keeps its value with what reads it, or has none; without iteration circles are unknown.
func TestIterationThatDoesNotSettle(t *testing.T) {
	for _, c := range []struct{ xml, want string }{
		{`<c r="A1"><f>A1+1</f><v>7</v></c><c r="B1"><f>A1*2</f><v>14</v></c><c r="C1"><f>Z1+1</f><v>0</v></c>`, "A1 7 kept; B1 14 kept; C1 1"},
		{`<c r="A1"><f>A1+1</f></c><c r="B1"><f>A1*2</f></c>`, "A1 ?circular; B1 ?circular"},
		{`<c r="A1"><f>1-A1</f><v>0.5</v></c>`, "A1 0.5 settled"},
		{`<c r="A1"><f>1/A1</f></c><c r="B1"><f>IFERROR(A1,0)</f></c>`, "A1 ?circular; B1 ?circular"},
		{`<c r="A1" t="e"><f>1/A1</f><v>#DIV/0!</v></c>`, "A1 #DIV/0! settled"},
		{`<c r="A1" t="str"><f>LEFT(A1&amp;"x",3)</f><v>ab</v></c>`, `A1 "abx" settled`},
		{`<c r="A1"><f>A1+RAND()</f><v>3</v></c>`, "A1 3 kept"},
		{`<c r="A1"><f>A1+MYMACRO()</f><v>3</v></c>`, "A1 ?function"},
		{`<c r="A1"><f>IF(B1&gt;2,5,A1)</f><v>1</v></c><c r="B1"><v>3</v></c>`, "A1 5"},
		{`<c r="A1"><f>IF(A1=1,B1,1)</f></c><c r="B1"><f>IF(A1=1,A1,0)</f></c>`, "A1 1 settled; B1 1 settled"},
	} {
		b, _ := circularBook(t, 50, 0.001, `<sheetData><row r="1">`+c.xml+`</row></sheetData>`)
		r, err := b.Recalculate(t.Context(), Request{Options: Options{Language: "en", Random: NewRandom(1)}, All: true})
		require.NoError(t, err)
		require.Equal(t, c.want, outcome(r), c.xml)
	}
	b := sheetOf("=A1+1|=A1")
	r, err := b.Recalculate(t.Context(), Request{Options: english})
	require.NoError(t, err)
	require.Equal(t, "A1 ?circular; B1 ?circular", outcome(r))
}

// A large circle ends with the limits or the context.
func TestIterationIsBounded(t *testing.T) {
	campaign.Slow(t)
	b := NewBook("S1")
	b.Iterates = &Iteration{Count: 32767, Delta: 1e-9}
	const n = 20_000
	for row := 1; row <= n; row++ {
		b.SetFormula(At(0, row, 1), fmt.Sprintf("A%d+1", row%n+1))
	}
	r, err := b.Recalculate(t.Context(), Request{Options: english})
	require.NoError(t, err)
	require.Len(t, r.Cells, n)
	require.Equal(t, "?circular", shownValue(r.Cells[0].New))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.Forget()
	_, err = b.Recalculate(ctx, Request{Options: english})
	require.ErrorIs(t, err, context.Canceled)
}

// A question what would be iterates too.
func TestTrialsIterate(t *testing.T) {
	b, _ := circularBook(t, 100, 1e-7, `<sheetData><row r="1"><c r="A1"><v>1000</v></c><c r="B1"><f>A1+C1</f><v>1111.1111</v></c><c r="C1"><f>B1*0.1</f><v>111.11111</v></c><c r="D1"><f>D1+A1</f><v>1</v></c></row></sheetData>`)
	trial, err := b.Try(t.Context(), english, []Input{{At: At(0, 1, 1), Value: Num(2000)}})
	require.NoError(t, err)
	require.InDelta(t, 20000.0/9, b.ValueAt(At(0, 1, 2)).Num(), 1e-5)
	require.Equal(t, "?circular", shownValue(b.ValueAt(At(0, 1, 4))))
	trial.Close()
	require.InDelta(t, 1111.1111, b.ValueAt(At(0, 1, 2)).Num(), 0)
}
