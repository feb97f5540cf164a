package xlsx

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

func TestReadShape(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		f.SetSheetName("Sheet1", "Sales")
		f.SetSheetRow("Sales", "A1", &[]any{"Product", "Price"})
		f.SetSheetRow("Sales", "A3", &[]any{"Tea\nbag", nil, true})
		f.NewSheet("Empty")
	})
	require.Equal(t, "Sheet: Sales\nA1: Product, B1: Price\nA3: Tea\\nbag, C3: TRUE\n\nSheet: Empty", read(t, in, formats.Selector{}))
	require.Equal(t, "Sheet: Sales\nB1: Price", read(t, in, formats.Selector{Sheet: "sales", Range: "B1"}))
	require.Equal(t, "Sheet: Sales\nA3: Tea\\nbag, C3: TRUE", read(t, in, formats.Selector{Range: "3:9"}), "a range alone is of the first sheet (W-37)")
	require.Equal(t, "Sheet: Sales\nB1: Price\nC3: TRUE", read(t, in, formats.Selector{Range: "Sales!$B:C"}))
	for _, bad := range []string{"A1:", "1A", "A1:XFE2", "A0", "A1:3"} {
		_, err := Format().Reader.Read(context.Background(), src(in), formats.Selector{Range: bad})
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), bad)
	}
	_, err := Format().Reader.Read(context.Background(), src(in), formats.Selector{Sheet: "X"})
	require.EqualError(t, err, "unknown sheet: X")
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))
}

func TestReadValues(t *testing.T) {
	in := raw(t, map[string]string{
		"xl/styles.xml":        `<styleSheet xmlns="` + sheetml.Namespace + `"><numFmts count="1"><numFmt numFmtId="170" formatCode="yyyy\-mm\-dd"/></numFmts><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="10"/><xf numFmtId="4"/></cellXfs></styleSheet>`,
		"xl/sharedStrings.xml": `<sst xmlns="` + sheetml.Namespace + `"><si><r><t>ri</t></r><r><rPr><b/></rPr><t>ch_x0041_</t></r><rPh sb="0" eb="1"><t>no</t></rPh></si><si/></sst>`,
	}, `<sheetData><row r="1"><c r="A1" s="1"><v>43832</v></c><c r="B1" s="2"><v>0.1234</v></c><c r="C1" s="3"><v>-1234.5</v></c><c r="D1" t="s"><v>0</v></c><c r="E1" t="s"><v>99</v></c><c r="F1" t="e"><v>#DIV/0!</v></c><c r="G1" t="d" s="1"><v>2020-01-02T00:00:00</v></c><c r="H1"><v>0.30000000000000004</v></c></row>
<row r="2"><c r="A2"><f t="shared" ref="A2:A3" si="0">$A1+B1</f></c><c r="B2"><f>1+1</f><v>2</v></c><c r="C2" t="str"><f>""</f><v></v></c><c r="D2"><v><![CDATA[5]]></v></c></row><row r="3"><!-- <c r="Z9"/> --><c r="A3"><f t="shared" si="0"/></c></row></sheetData>`)
	require.Equal(t, "Sheet: S1\nA1: 2020-01-02, B1: 12.34%, C1: -1,234.50, D1: richA, F1: #DIV/0!, G1: 2020-01-02, H1: 0.3\nA2: =$A1+B1, B2: 2, D2: 5\nA3: =$A2+B2", read(t, in, formats.Selector{}))
}

func TestWindowsAndChunks(t *testing.T) { // X-12, W-42
	rows := func(n, cols int, dim string) []byte {
		var sb strings.Builder
		sb.WriteString(dim + "<sheetData>")
		for r := 1; r <= n; r++ {
			fmt.Fprintf(&sb, `<row r="%d">`, r)
			for c := 1; c <= cols; c++ {
				fmt.Fprintf(&sb, `<c r="%s"><v>%d</v></c>`, cellref.Name(r, c), r)
			}
			sb.WriteString("</row>")
		}
		return raw(t, nil, sb.String()+"</sheetData>")
	}
	for _, dim := range []string{"", `<dimension ref="A1:B450"/>`, `<dimension ref="A1"/>`} {
		text, err := Format().Reader.Read(context.Background(), src(rows(450, 2, dim)), formats.Selector{})
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(text.Text, "A200: 200, B200: 200\n... (truncated at 200 rows)"))
		require.Equal(t, &formats.ChunkInfo{ChunkIndex: 0, TotalChunks: 9, HasMore: true, Range: "A1:B200", Next: `sheet="S1" range="A201:B400"`}, text.Chunk)
	}
	text, err := Format().Reader.Read(context.Background(), src(rows(450, 2, `<dimension ref="A1:B450"/>`)), formats.Selector{Sheet: "S1", Range: "A101:B150"})
	require.NoError(t, err)
	require.Equal(t, &formats.ChunkInfo{ChunkIndex: 2, TotalChunks: 9, HasMore: true, Range: "A101:B150", Next: `sheet="S1" range="A151:B200"`}, text.Chunk)
	text, err = Format().Reader.Read(context.Background(), src(rows(200, 50, "")), formats.Selector{})
	require.NoError(t, err)
	require.Nil(t, text.Chunk)
	require.NotContains(t, text.Text, "truncated")
	text, err = Format().Reader.Read(context.Background(), src(rows(2, 60, "")), formats.Selector{})
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(text.Text, "AX2: 2\n... (truncated at 50 columns)"))
	require.Equal(t, `sheet="S1" range="AY1:BH2"`, text.Chunk.Next)
}

func TestChartsheetsAreListed(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		require.NoError(t, f.AddChartSheet("Plot", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{{Values: "Sheet1!$A$1"}}}))
	})
	require.Contains(t, read(t, in, formats.Selector{}), "Sheet: Plot\n(a chartsheet: it has no cells)")
	_, _, err := tryApply(t, in, `[{"op":"set_cells","sheet":"Plot","cells":[{"cell":"A1","value":1}]}]`)
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
}

func TestCancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Format().Reader.Read(ctx, src(raw(t, nil, `<sheetData/>`)), formats.Selector{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestDamagedSheets(t *testing.T) {
	for _, xml := range []string{`<sheetData><row r="1"><c r="A1"><v>1`, `<sheetData><row`, `<sheetData><row r="1"><c r="A1"><!-- `} {
		doc := `<worksheet xmlns="` + sheetml.Namespace + `">` + xml
		in := raw(t, map[string]string{sheet1: doc}, "")
		_, err := Format().Reader.Read(context.Background(), src(in), formats.Selector{})
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), xml)
		_, _, err = tryApply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":1}]}]`)
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), xml)
	}
	for name, b := range map[string][]byte{"empty": {}, "ole": []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and more"), "text": []byte("hello world")} {
		_, err := Format().Mapper.Map(context.Background(), src(b), formats.MapOptions{})
		require.NotEmpty(t, formats.CodeOf(err), name)
	}
}
