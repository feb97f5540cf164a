package book_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// events writes the events of a window: "head", "row 2", "A2=v", "end 2", "tail".
func events(t testing.TB, wb *book.Workbook, w book.Window) []string {
	t.Helper()
	var out []string
	for s, err := range wb.Rows(context.Background(), xlsxtest.Sheet1, w) {
		require.NoError(t, err)
		switch s.Event {
		case sheetml.HeadEnd:
			out = append(out, "head")
		case sheetml.RowStart:
			out = append(out, fmt.Sprintf("row %d", s.Row))
		case sheetml.WholeCell:
			out = append(out, cellref.Name(s.Cell.Row, s.Cell.Col)+"="+string(s.Text(s.Cell.Value)))
		case sheetml.RowEnd:
			out = append(out, fmt.Sprintf("end %d", s.Row))
		case sheetml.DataEnd:
			out = append(out, "tail")
		}
	}
	return out
}

func TestRowsOfAWindow(t *testing.T) {
	wb := open(t, xlsxtest.Raw(t, nil, xlsxtest.Grid("1", "", "3|4", "5")))
	all := []string{"head", "row 1", "A1=1", "end 1", "row 3", "A3=3", "B3=4", "end 3", "row 4", "A4=5", "end 4", "tail"}
	for _, c := range []struct {
		w    book.Window
		want []string
	}{
		{book.Window{}, all},
		{book.Window{First: 3}, all}, // a small part is read from its start
		{book.Window{Last: 4}, all},
		{book.Window{Last: 3}, all[:8]},
		{book.Window{Last: 2}, all[:4]},
		{book.Window{First: 1, Last: 1}, all[:4]},
	} {
		require.Equal(t, c.want, events(t, wb, c.w), "%+v", c.w)
	}
}

// A reader that has enough ends the pass; nothing is read behind it.
func TestRowsEndEarly(t *testing.T) {
	wb := open(t, xlsxtest.Raw(t, nil, xlsxtest.Grid("1", "2")+`<broken`))
	n := 0
	for s, err := range wb.Rows(context.Background(), xlsxtest.Sheet1, book.Window{}) {
		require.NoError(t, err)
		if n++; s.Event == sheetml.WholeCell {
			break
		}
	}
	require.Equal(t, 3, n, "head, row, cell")
}

func TestRowsOfMissingAndEmptySheets(t *testing.T) {
	wb := open(t, xlsxtest.Raw(t, nil, `<dimension ref="A1"/>`, `<dimension ref="B2"/><sheetData/>`))
	for _, err := range wb.Rows(context.Background(), "xl/none.xml", book.Window{}) {
		require.Error(t, err)
	}
	errs := 0
	for s, err := range wb.Rows(context.Background(), xlsxtest.Sheet1, book.Window{}) {
		errs++
		require.ErrorIs(t, err, sheetml.ErrNoCells)
		require.Contains(t, string(s.HeadXML), `<dimension ref="A1"/>`)
		require.NoError(t, book.IgnoreNoCells(err))
	}
	require.Equal(t, 1, errs)
	_, err := wb.SheetHead(context.Background(), xlsxtest.Sheet1)
	require.ErrorIs(t, err, sheetml.ErrNoCells)
	head, err := wb.SheetHead(context.Background(), xlsxtest.Sheet2)
	require.NoError(t, err)
	require.Contains(t, string(head), `<dimension ref="B2"/>`)
	require.ErrorIs(t, book.IgnoreNoCells(context.Canceled), context.Canceled)
	require.NoError(t, wb.EachSheetCell(context.Background(), wb.Sheets[0], func(*sheetml.RowScanner) error { t.Fatal("a cell"); return nil }))
}

// A sheet in UTF-16, whose bytes cannot be scanned, reads as the same sheet in
// UTF-8.
func TestRowsOfUTF16(t *testing.T) {
	sheet := xlsxtest.Worksheet(xlsxtest.Grid("Größe|1", "€|=A1&\"ü\"→Größeü"))
	plain := open(t, xlsxtest.Raw(t, map[string]string{xlsxtest.Sheet1: sheet}, ""))
	want := events(t, plain, book.Window{})
	require.Contains(t, want, "B2=Größeü")
	for _, little := range []bool{true, false} {
		var sb strings.Builder
		for _, u := range append([]uint16{0xFEFF}, utf16.Encode([]rune(sheet))...) {
			if little {
				sb.Write([]byte{byte(u), byte(u >> 8)})
			} else {
				sb.Write([]byte{byte(u >> 8), byte(u)})
			}
		}
		wb := open(t, xlsxtest.Raw(t, map[string]string{xlsxtest.Sheet1: sb.String()}, ""))
		require.Equal(t, want, events(t, wb, book.Window{}))
		require.Equal(t, want, events(t, wb, book.Window{First: 1}))
	}
}

// a pass over rows ends soon after its context, with its error.
func TestRowsEndWithTheirContext(t *testing.T) {
	wb := open(t, xlsxtest.Raw(t, nil, xlsxtest.Grid(strings.Split(strings.Repeat("1|2|3\n", 3000), "\n")...)))
	pass := func(limit int64) (cells int, asked int64, err error) {
		ctx := xlsxtest.NewCounted(limit)
		err = wb.EachSheetCell(ctx, wb.Sheets[0], func(*sheetml.RowScanner) error { cells++; return nil })
		return cells, ctx.Asked(), err
	}
	all, asked, err := pass(1 << 40)
	require.NoError(t, err)
	require.Equal(t, 9000, all)
	cells, again, err := pass(asked / 2)
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, cells, 6000)
	require.LessOrEqual(t, again, asked/2+8)
}

// A large sheet that was read before is read from a place near the first row that
// is wanted, with the masters of shared formulas above it; the window shows the
// same cells as a pass over all of the sheet.
func TestRowsOfALargeSheet(t *testing.T) {
	const rows = 1200
	var sb strings.Builder
	fmt.Fprintf(&sb, `<sheetData>`)
	for r := 1; r <= rows; r++ {
		f := `<f t="shared" si="0"/>`
		if r == 1 {
			f = `<f t="shared" si="0" ref="A1:A1200">C1*2</f>`
		}
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d">%s</c><c r="B%d" t="str"><v>%d %s</v></c></row>`, r, r, f, r, r, xlsxtest.LongText(r, 8000))
	}
	wb := open(t, xlsxtest.Raw(t, nil, sb.String()+"</sheetData>"))
	book.PartIndex.Clear()
	t.Cleanup(book.PartIndex.Clear)
	read := func(first, last int) (cells []string, begin int) {
		d := display(t, wb)
		for s, err := range wb.Rows(context.Background(), xlsxtest.Sheet1, book.Window{First: first, Last: last, Display: d}) {
			require.NoError(t, err)
			if s.Event != sheetml.WholeCell {
				continue
			}
			if begin == 0 {
				begin = s.Cell.Row
			}
			if s.Cell.Row >= first {
				cells = append(cells, cellref.Name(s.Cell.Row, s.Cell.Col)+": "+book.Clip(d.Show(s), 20))
			}
		}
		return cells, begin
	}
	want, begin := read(1190, 1191)
	require.Equal(t, 1, begin, "nothing is known yet")
	require.Equal(t, []string{"A1190: =C1190*2", "B1190: 1190 " + xlsxtest.LongText(1190, 15) + "…", "A1191: =C1191*2", "B1191: 1191 " + xlsxtest.LongText(1191, 15) + "…"}, want)
	again, begin := read(1190, 1191)
	require.Equal(t, want, again)
	require.Greater(t, begin, 400)
	require.LessOrEqual(t, begin, 1190)
	top, begin := read(2, 2)
	require.Equal(t, 1, begin)
	require.Equal(t, []string{"A2: =C2*2", "B2: 2 " + xlsxtest.LongText(2, 18) + "…"}, top)
}
