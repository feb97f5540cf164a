package reader

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// rowsOf reads the rows of a table, with their numbers.
func rowsOf(t testing.TB, b []byte, sheet, rng string) (rows [][]Value, numbers []int) {
	t.Helper()
	r, err := Rows(context.Background(), xlsxtest.Source(b), sheet, rng)
	require.NoError(t, err)
	defer r.Close()
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, numbers
		}
		require.NoError(t, err)
		rows, numbers = append(rows, slices.Clone(row)), append(numbers, r.Row())
	}
}

// The values of cells of each type, in both date systems.
func TestTypedValues(t *testing.T) {
	text := func(s string) Value { return Value{Kind: TextValue, Text: s} }
	num := func(v float64) Value { return Value{Kind: NumberValue, Number: v} }
	date := func(s string, v float64) Value { return Value{Kind: DateValue, Text: s, Number: v} }
	for _, c := range []struct {
		cell           string
		want, from1904 Value // from1904: where it is another one
	}{
		{`<c><v>1.5</v></c>`, num(1.5), Value{}},
		{`<c><v> -2e3 </v></c>`, num(-2000), Value{}},
		{`<c><v>two</v></c>`, text("two"), Value{}},
		{`<c t="b"><v>1</v></c>`, Value{Kind: BoolValue, Number: 1}, Value{}},
		{`<c t="b"><v>false</v></c>`, Value{Kind: BoolValue}, Value{}},
		{`<c t="e"><v>#N/A</v></c>`, Value{Kind: ErrorValue, Text: "#N/A"}, Value{}},
		{`<c t="s"><v>1</v></c>`, text("rich"), Value{}},
		{`<c t="inlineStr"><is><t> a </t></is></c>`, text(" a "), Value{}},
		{`<c t="str"><v>a_x000A_b</v></c>`, text("a\nb"), Value{}},
		{`<c><f>1+1</f></c>`, Value{Kind: Uncalculated}, Value{}},
		{`<c t="str"><f>""</f></c>`, Value{Kind: Uncalculated}, Value{}},
		{`<c><f>1+1</f><v>2</v></c>`, num(2), Value{}},
		{`<c t="d"><v>2020-01-02T06:00:00</v></c>`, date("2020-01-02T06:00:00", 43832.25), date("2020-01-02T06:00:00", 42370.25)},
		{`<c t="d"><v>some day</v></c>`, text("some day"), Value{}},
		{`<c s="1"><v>43832</v></c>`, date("2020-01-02", 43832), date("2024-01-03", 43832)},
		{`<c s="1"><v>43832.5</v></c>`, date("2020-01-02T12:00:00", 43832.5), date("2024-01-03T12:00:00", 43832.5)},
		{`<c s="1"><v>0.25</v></c>`, date("06:00:00", 0.25), Value{}},
		{`<c s="1"><v>43832.123456</v></c>`, date("2020-01-02T02:57:46.598", 43832.123456), date("2024-01-03T02:57:46.598", 43832.123456)},
		{`<c s="1"><v>-1</v></c>`, num(-1), Value{}},
		{`<c s="2"><v>1.5</v></c>`, num(1.5), Value{}}, // a time that elapsed is a number
	} {
		for _, date1904 := range []string{"0", "1"} {
			b := xlsxtest.Raw(t, map[string]string{
				xlsxtest.Main:          xlsxtest.Book(`<workbookPr date1904="` + date1904 + `"/><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets>`),
				"xl/styles.xml":        xlsxtest.Styles("yyyy-mm-dd hh:mm", "[h]:mm"),
				"xl/sharedStrings.xml": xlsxtest.SharedStrings("<t>no</t>", "<r><t>ri</t></r><r><t>ch</t></r>"),
			}, `<sheetData><row r="1">`+c.cell+`</row></sheetData>`)
			want := c.want
			if date1904 == "1" && c.from1904 != (Value{}) {
				want = c.from1904
			}
			rows, _ := rowsOf(t, b, "", "")
			require.Equal(t, [][]Value{{want}}, rows, "%s date1904=%s", c.cell, date1904)
			is, err := Date1904(context.Background(), xlsxtest.Source(b))
			require.NoError(t, err)
			require.Equal(t, date1904 == "1", is)
		}
	}
	empty := xlsxtest.Raw(t, nil, `<sheetData><row r="1"><c r="A1" t="s"><v>7</v></c><c r="B1" t="str"><v></v></c><c r="C1"><v> </v></c><c r="D1" t="inlineStr"><is/></c></row></sheetData>`)
	rows, _ := rowsOf(t, empty, "", "")
	require.Empty(t, rows)
}

func TestBlocksOfTypedRows(t *testing.T) {
	b := xlsxtest.Raw(t, map[string]string{"xl/tables/table1.xml": `<table displayName="T" ref="B2:C5" totalsRowCount="1"><tableColumns><tableColumn name="h"/><tableColumn name="i"/></tableColumns></table>`},
		xlsxtest.Grid("x", "1|h|i|2", "", "|3|4", "|sum|7|8", "||9"), xlsxtest.Grid("5"))
	shape := func(sheet, rng string) (out []string) {
		rows, numbers := rowsOf(t, b, sheet, rng)
		for i, row := range rows {
			s := strconv.Itoa(numbers[i]) + ":"
			for _, v := range row {
				s += " " + v.Text
				if v.Kind == NumberValue {
					s += strconv.Itoa(int(v.Number))
				}
			}
			out = append(out, s)
		}
		return out
	}
	require.Equal(t, []string{"1: x", "2: 1 h i 2", "4:  3 4", "5:  sum 7 8", "6:   9"}, shape("", ""))
	require.Equal(t, []string{"2: h i", "4: 3 4"}, shape("", "T"), "totals are no row of the table")
	require.Equal(t, []string{"2: h i", "4: 3 4"}, shape("", "B2:C5"), "by its range too")
	require.Equal(t, []string{"2: h i", "4: 3 4", "5: sum 7", "6:  9"}, shape("", "B2:C6"))
	require.Equal(t, []string{"4: 4"}, shape("S1", "C3:C4"))
	require.Equal(t, []string{"1: 5"}, shape("s2", ""))
	require.Empty(t, shape("", "F1:G9"))
	r, err := Rows(context.Background(), xlsxtest.Source(b), "", "T")
	require.NoError(t, err)
	require.Equal(t, []any{"S1", "T", true, false, 2}, []any{r.Sheet, r.Table, r.HasHeader, r.NoHeader, r.FirstColumn()})
	require.NoError(t, r.Close(), "in the middle")
	_, err = r.Next()
	require.ErrorIs(t, err, io.EOF)
	_, err = Rows(context.Background(), xlsxtest.Source(b), "", "A1,B2")
	require.EqualError(t, err, "A1,B2 names 2 ranges; a table is one")
	var at [][2]int
	require.NoError(t, Filled(context.Background(), xlsxtest.Source(b), "S2", func(r, c int) error { at = append(at, [2]int{r, c}); return nil }))
	require.Equal(t, [][2]int{{1, 1}}, at)
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(Filled(context.Background(), xlsxtest.Source(b), "S3", nil)))
	stop := errors.New("stop")
	require.Equal(t, stop, Filled(context.Background(), xlsxtest.Source(b), "", func(int, int) error { return stop }))
	chart := xlsxtest.Raw(t, map[string]string{"xl/_rels/workbook.xml.rels": xlsxtest.Rels("chartsheet worksheets/sheet1.xml")}, "<sheetData/>")
	_, err = Rows(context.Background(), xlsxtest.Source(chart), "", "")
	require.EqualError(t, err, `the sheet "S1" is a chartsheet: it has no cells`)
	damaged := xlsxtest.Raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c`)
	r, err = Rows(context.Background(), xlsxtest.Source(damaged), "", "")
	require.NoError(t, err)
	_, err = r.Next()
	require.NoError(t, err)
	_, err = r.Next()
	require.Error(t, err)
	_, again := r.Next()
	require.Equal(t, err, again, "the error stays")
}

// The values of real workbooks are those that a second program reads.
func TestTypedRowsAgainstASecondReader(t *testing.T) {
	cells := 0
	for i, path := range formatstest.Corpus(t, "xlsx") {
		if info, err := os.Stat(path); err != nil || info.Size() > 16_000 || i%2 != 0 {
			continue
		}
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		r, err := Rows(context.Background(), xlsxtest.Source(b), "", "")
		f, failed := excelize.OpenReader(bytes.NewReader(b))
		if err != nil || failed != nil {
			continue
		}
		theirs, err := f.GetRows(r.Sheet, excelize.Options{RawCellValue: true})
		require.NoError(t, err)
		require.NoError(t, f.Close())
		for n := 0; n < 200; n++ {
			row, err := r.Next()
			if err != nil {
				require.ErrorIs(t, err, io.EOF, path)
				break
			}
			for c, v := range row {
				want := ""
				if line := theirs[r.Row()-1]; c < len(line) {
					want = line[c]
				}
				switch v.Kind {
				case TextValue:
					require.Equal(t, want, v.Text, "%s row %d column %d", path, r.Row(), c+1)
				case NumberValue, DateValue:
					n, err := strconv.ParseFloat(want, 64)
					require.NoError(t, err, "%s row %d column %d", path, r.Row(), c+1)
					require.InDelta(t, n, v.Number, 1e-9)
				}
				cells++
			}
		}
		require.NoError(t, r.Close())
	}
	require.Greater(t, cells, 50)
}
