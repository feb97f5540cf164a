package calc

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/xlsxtest"
	"atelier/internal/campaign"
)

// A loan: rate B1, periods B2, amount B3, payment B5; a table over the rate in D5:E8 with
// two formulas, one over periods in D10:G11, one over both in D13:G16, and formulas that
// read them.
const tablesXML = `<sheetData>
<row r="1"><c r="A1" t="inlineStr"><is><t>rate</t></is></c><c r="B1"><v>0.05</v></c></row>
<row r="2"><c r="B2"><v>10</v></c></row>
<row r="3"><c r="B3"><v>1000</v></c></row>
<row r="4"><c r="E4"><f>B5</f></c><c r="F4"><f>B5*B2</f></c></row>
<row r="5"><c r="B5"><f>PMT(B1,B2,-B3)</f></c><c r="D5"><v>0.01</v></c><c r="E5"><f t="dataTable" ref="E5:F8" dt2D="0" dtr="0" r1="B1"/></c></row>
<row r="6"><c r="D6"><v>0.03</v></c></row>
<row r="7"><c r="D7"><f>D6+0.02</f></c></row>
<row r="8"><c r="D8"><v>0.1</v></c></row>
<row r="10"><c r="E10"><v>5</v></c><c r="F10"><v>10</v></c><c r="G10"><v>20</v></c></row>
<row r="11"><c r="D11"><f>B5</f></c><c r="E11"><f t="dataTable" ref="E11:G11" dt2D="0" dtr="1" r1="B2"/></c></row>
<row r="13"><c r="D13"><f>ROUND(B5,4)&amp;"x"</f></c><c r="E13"><v>5</v></c><c r="F13"><v>10</v></c><c r="G13"><v>20</v></c></row>
<row r="14"><c r="D14"><v>0.01</v></c><c r="E14"><f t="dataTable" ref="E14:G16" dt2D="1" dtr="1" r1="B2" r2="B1"/></c></row>
<row r="15"><c r="D15"><v>0.02</v></c></row>
<row r="16"><c r="D16"><v>0.03</v></c></row>
<row r="18"><c r="A18"><f>SUM(E5:F8)</f></c><c r="B18"><f>E16&amp;"!"</f></c></row>
</sheetData>`

func tablesBook(t *testing.T, xml string) (*Book, string) {
	t.Helper()
	data := xlsxtest.Raw(t, nil, xml)
	wb, err := book.Open(t.Context(), xlsxtest.Source(data))
	require.NoError(t, err)
	b, err := Load(t.Context(), wb)
	require.NoError(t, err)
	return b, formatstest.Write(t, "tables.xlsx", data)
}

// Data tables have the values of LibreOffice, and so has what reads them.
func TestDataTables(t *testing.T) {
	b, path := tablesBook(t, tablesXML)
	r, err := b.Recalculate(t.Context(), Request{Options: english})
	require.NoError(t, err)
	require.Greater(t, len(r.Cells), 25)
	theirs := loadFile(t, formatstest.LibreOffice(t, path, "xlsx"))
	for _, c := range r.Cells {
		want := theirs.ValueAt(c.At)
		require.True(t, near(c.New, want, false), "%s: %s, LibreOffice has %s", cellref.Name(c.At.Row, c.At.Col), shownValue(c.New), shownValue(want))
	}
	require.Equal(t, `"218.3546x!"`, shownValue(b.ValueAt(At(0, 18, 2))))
	require.InDelta(t, 0.05, b.ValueAt(At(0, 1, 2)).Num(), 0, "the input is as before")
	require.InDelta(t, 129.504574965, b.ValueAt(At(0, 5, 2)).Num(), 1e-8)

	// An edit of what the formula reads changes the tables; an edit elsewhere does not.
	_, err = b.Recalculate(t.Context(), Request{Options: english, Inputs: []Input{{At: At(0, 3, 2), Value: Num(2000)}}})
	require.NoError(t, err)
	require.Equal(t, `"436.7091x!"`, shownValue(b.ValueAt(At(0, 18, 2))))
	r, err = b.Recalculate(t.Context(), Request{Options: english, Inputs: []Input{{At: At(0, 30, 1), Value: Num(1)}}})
	require.NoError(t, err)
	require.Empty(t, r.Cells)

	// A question what would be has them too, and puts all back.
	trial, err := b.Try(t.Context(), english, []Input{{At: At(0, 3, 2), Value: Num(1000)}})
	require.NoError(t, err)
	require.Equal(t, `"218.3546x!"`, shownValue(b.ValueAt(At(0, 18, 2))))
	require.NoError(t, trial.Again(t.Context(), Num(4000)))
	require.Equal(t, `"873.4183x!"`, shownValue(b.ValueAt(At(0, 18, 2))))
	trial.Close()
	require.Equal(t, `"436.7091x!"`, shownValue(b.ValueAt(At(0, 18, 2))))
}

// A table that reads itself, one whose input is gone and one that reads another over its
// own input have no values; the other formulas have theirs.
func TestDataTablesWithoutValues(t *testing.T) {
	for xml, want := range map[string]string{
		`<c r="B1"><f>A1+C2</f></c></row><row r="2"><c r="A2"><v>5</v></c><c r="B2"><f t="dataTable" ref="B2:C2" r1="A1"/></c>`:                      "?form",
		`<c r="B1"><f>A1+1</f></c></row><row r="2"><c r="A2"><v>5</v></c><c r="B2"><f t="dataTable" ref="B2:B2" r1="A1" del1="1"/></c>`:              "?form",
		`<c r="B1"><f>A1+1</f></c></row><row r="2"><c r="A2"><v>5</v></c><c r="B2"><f t="dataTable" ref="B2:B2" r1="#REF!"/></c>`:                    "?form",
		`<c r="B1"><f>A1+1</f></c></row><row r="2"><c r="A2"><v>5</v></c><c r="B2"><f t="dataTable" ref="B2:XFD1048576" r1="A1"/></c>`:               "?limit",
		`<c r="B1"><f>MYMACRO(A1)</f></c></row><row r="2"><c r="A2"><v>5</v></c><c r="B2"><f t="dataTable" ref="B2:B2" r1="A1"/></c>`:                "?function",
		`<c r="B1"><f>1/A1</f></c></row><row r="2"><c r="A2"><v>0</v></c><c r="B2"><f t="dataTable" ref="B2:B2" r1="A1"/></c>`:                       "#DIV/0!",
		`<c r="B1"><f>SUM(_xlfn.ANCHORARRAY(C1))</f></c></row><row r="2"><c r="A2"><v>2</v></c><c r="B2"><f t="dataTable" ref="B2:B2" r1="A1"/></c>`: "#REF!",
		`<c r="B1"><f>A1</f></c></row><row r="2"><c r="A2"/><c r="B2"><f t="dataTable" ref="B2:B2" r1="A1"/></c>`:                                    "0",
	} {
		b, _ := tablesBook(t, `<sheetData><row r="1"><c r="A1"><v>1</v></c>`+xml+`</row><row r="9"><c r="A9"><f>A1+1</f></c></row></sheetData>`)
		_, err := b.Recalculate(t.Context(), Request{Options: english})
		require.NoError(t, err)
		require.Equal(t, want, shownValue(b.ValueAt(At(0, 2, 2))), xml)
		require.Equal(t, "2", shownValue(b.ValueAt(At(0, 9, 1))))
	}
}

// Many large tables end with the limits or the context.
func TestDataTablesAreBounded(t *testing.T) {
	campaign.Slow(t)
	var sb strings.Builder
	sb.WriteString(`<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>SUMPRODUCT((ROW(C40001:C42000)+A1)*1)</f></c></row><row r="2"><c r="A2"><v>5</v></c><c r="B2"><f t="dataTable" ref="B2:B30000" r1="A1"/></c></row>`)
	for row := 3; row <= 30000; row++ {
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d"><v>%d</v></c></row>`, row, row, row)
	}
	b, _ := tablesBook(t, sb.String()+`</sheetData>`)
	_, err := b.Recalculate(t.Context(), Request{Options: english})
	require.NoError(t, err)
	require.Equal(t, "82011000", shownValue(b.ValueAt(At(0, 2, 2))))
	require.Equal(t, "?limit", shownValue(b.ValueAt(At(0, 30000, 2))))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.Forget()
	_, err = b.Recalculate(ctx, Request{Options: english, All: true})
	require.ErrorIs(t, err, context.Canceled)
}
