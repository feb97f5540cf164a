package reader

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// Of merged cells only the first is shown; what odd files hold below it is not
//
func TestMergedCellsOfARead(t *testing.T) {
	grid := xlsxtest.Grid("1|2|3", "4|5|6")
	for tail, want := range map[string]string{
		"": "A1: 1, B1: 2, C1: 3\nA2: 4, B2: 5, C2: 6",
		`<mergeCells count="1"><mergeCell ref="A1:B2"/></mergeCells>`:                           "A1: 1, C1: 3\nC2: 6",
		`<mergeCells count="2"><mergeCell ref="A1:A2"/><mergeCell  ref='B2:C2' /></mergeCells>`: "A1: 1, B1: 2, C1: 3\nB2: 5",
		`<mergeCells><mergeCell ref="bad"/><mergeCell ref="C1:C2"></mergeCell></mergeCells>`:    "A1: 1, B1: 2, C1: 3\nA2: 4, B2: 5",
		`<mergeCells><mergeCell ref="A1:C1"`:                                                    "",
	} {
		text, err := Reader{}.Read(context.Background(), xlsxtest.Source(xlsxtest.Raw(t, nil, grid+tail)), formats.Selector{})
		if want == "" {
			continue // damaged behind the rows: not a matter of merges
		}
		require.NoError(t, err, tail)
		require.Equal(t, "Sheet: S1\n"+want, text.Text, tail)
	}
	require.Equal(t, "Sheet: S1", readBook(t, xlsxtest.Raw(t, nil, grid+`<mergeCells><mergeCell ref="A1:B2"/></mergeCells>`), formats.Selector{Range: "B2"}).Text)
}

// Cells that show nothing are not listed, and do not count as content.
func TestCellsThatShowNothing(t *testing.T) {
	b := xlsxtest.Raw(t, map[string]string{"xl/styles.xml": xlsxtest.Styles(";;;")}, `<sheetData><row r="1"><c r="A1" s="1"><v>5</v></c><c r="B1" t="str"><v></v></c><c r="C1" t="inlineStr"><is><t/></is></c><c r="D1"/></row><row r="3"><c r="B3"><v>7</v></c></row></sheetData>`)
	require.Equal(t, "Sheet: S1\nB3: 7", readBook(t, b, formats.Selector{}).Text)
}

// What a read of a range says of the rest of the sheet.
func TestChunkOfARange(t *testing.T) {
	rows := make([]string, 120)
	for r := range rows {
		rows[r] = fmt.Sprintf("%d|x", r+1)
	}
	b := xlsxtest.Raw(t, nil, `<dimension ref="A1:B120"/>`+xlsxtest.Grid(rows...))
	undimensioned := xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...))
	for _, c := range []struct {
		rng  string
		want *formats.ChunkInfo
	}{
		{"A1:B10", &formats.ChunkInfo{ChunkIndex: 0, TotalChunks: 3, HasMore: true, Range: "A1:B10", Next: `sheet="S1" range="A11:B60"`}},
		{"A51:A100", &formats.ChunkInfo{ChunkIndex: 1, TotalChunks: 3, HasMore: true, Range: "A51:A100", Next: `sheet="S1" range="A101:A120"`}},
		{"B1:B119", &formats.ChunkInfo{ChunkIndex: 0, TotalChunks: 3, HasMore: true, Range: "B1:B119", Next: `sheet="S1" range="B120"`}},
		{"A:B", nil},
		{"A100:B500", nil},
		{"A1:B120", nil},
		{"A200:B210", nil},
	} {
		require.Equal(t, c.want, readBook(t, b, formats.Selector{Range: c.rng}).Chunk, c.rng)
	}
	require.Equal(t, &formats.ChunkInfo{ChunkIndex: 0, TotalChunks: 3, HasMore: true, Range: "A1:B10", Next: `sheet="S1" range="A11:B60"`},
		readBook(t, undimensioned, formats.Selector{Range: "A1:B10"}).Chunk, "the sheet does not say how long it is, so it is read on")
	require.Nil(t, readBook(t, undimensioned, formats.Selector{Range: "A100:B120"}).Chunk)
	require.Nil(t, readBook(t, undimensioned, formats.Selector{Range: "A100:B500"}).Chunk)
	require.Nil(t, readBook(t, b, formats.Selector{Range: "A119:B125,A1:B10"}).Chunk, "of several ranges")
}

func TestMergesOfAPart(t *testing.T) {
	wb := opened(t, xlsxtest.Raw(t, nil, xlsxtest.Grid("mergeCell ref=\"A1:B9\"")+`<mergeCells><mergeCell ref="C1:D2"/></mergeCells>`, `<sheetData/>`))
	got, err := wb.covered(context.Background(), xlsxtest.Sheet1)
	require.NoError(t, err)
	require.Equal(t, []cellref.Range{cellref.Block(1, 3, 2, 4)}, got)
	got, err = wb.covered(context.Background(), xlsxtest.Sheet2)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestCalculationOnLoad(t *testing.T) {
	for calc, want := range map[string]bool{"": false, `<calcPr/>`: false, `<calcPr fullCalcOnLoad="1"/>`: true, `<calcPr fullCalcOnLoad="true"/>`: true, `<calcPr fullCalcOnLoad="0"/>`: false} {
		wb := opened(t, xlsxtest.Raw(t, map[string]string{xlsxtest.Main: xlsxtest.Book(`<sheets/>` + calc)}, ""))
		require.Equal(t, want, wb.calcOnLoad(), calc)
	}
}

// comments beyond 4 MiB of text are not listed, which is told.
func TestManyCommentsOfARead(t *testing.T) {
	var sb strings.Builder
	sb.WriteString(`<comments><commentList>`)
	for r := range 700 {
		fmt.Fprintf(&sb, `<comment ref="A%d"><text><t>%s</t></text></comment>`, r+1, xlsxtest.LongText(r, 7000))
	}
	b := xlsxtest.Raw(t, map[string]string{commentsPart: sb.String() + `</commentList></comments>`}, xlsxtest.Grid("1"))
	text := readBook(t, b, formats.Selector{Include: []string{formats.IncludeComments}}).Text
	require.True(t, strings.HasSuffix(text, "\n... (truncated: more comments; read a smaller range)"))
	require.Less(t, len(text), maxReadBytes+10_000)
}

// a read ends soon after its context.
func TestReadsEndWithTheirContext(t *testing.T) {
	rows := make([]string, 6000)
	for r := range rows {
		rows[r] = "1|a text|=A1*2→2"
	}
	b := xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...))
	for name, run := range map[string]func(ctx context.Context) error{
		"read": func(ctx context.Context) error {
			_, err := Reader{}.Read(ctx, xlsxtest.Source(b), formats.Selector{Range: "A5999"})
			return err
		},
		"fitting": func(ctx context.Context) error {
			_, err := Reader{}.ReadFitting(ctx, xlsxtest.Source(b), formats.Selector{Range: "A5999", Limit: formats.TextLimit{Whole: 9999, Part: 9999}})
			return err
		},
		"parts": func(ctx context.Context) error {
			return Reader{}.Parts(ctx, xlsxtest.Source(b), func(formats.Part) error { return nil })
		},
		"filled": func(ctx context.Context) error {
			return Filled(ctx, xlsxtest.Source(b), "", func(int, int) error { return nil })
		},
	} {
		whole := xlsxtest.NewCounted(1 << 40)
		require.NoError(t, run(whole), name)
		half := xlsxtest.NewCounted(whole.Asked() / 2)
		require.ErrorIs(t, run(half), context.Canceled, name)
		require.LessOrEqual(t, half.Asked(), whole.Asked()/2+8, name)
	}
}
