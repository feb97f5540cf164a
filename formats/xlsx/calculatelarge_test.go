package xlsx

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/calc"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// held sets how large a workbook may be to be held, and to be calculated at all.
func held(t testing.TB, hold, calculate int64) {
	was, all := maxHeldXML, maxCalculatedXML
	t.Cleanup(func() { maxHeldXML, maxCalculatedXML = was, all })
	maxHeldXML, maxCalculatedXML = hold, calculate
}

// calculatedCells calculates the formulas of a workbook that have no value.
func calculatedCells(t *testing.T, in []byte, blank map[string]*cellref.Set) map[calc.Place]string {
	t.Helper()
	wb, err := open(t.Context(), formats.FromBytes("book.xlsx", in))
	require.NoError(t, err)
	p := &pass{wb: wb, ed: wb.Package.Edit(), rep: &formats.Report{}}
	s := &structure{wb: wb, ed: p.ed, opt: formats.ApplyOptions{Now: time.Unix(1e9, 0), Language: "en-US"}}
	c, err := s.calculate(t.Context(), blank, nil)
	require.NoError(t, err)
	if c == nil {
		return nil
	}
	out := map[calc.Place]string{}
	for i := range c.cells {
		if r := &c.cells[i]; resultOf(r) != nil {
			out[r.At] = shownValue(*resultOf(r))
		} else {
			out[r.At] = "?" + string(r.New.Reason().Code)
		}
	}
	return out
}

// Workbooks too large to hold are calculated from the cells that are read: in the corpus
// with the values of all that are held.
func TestLargeWorkbooksAreCalculatedInParts(t *testing.T) {
	cells, other := 0, 0
	files := formatstest.CorpusFiles(t, "xlsx/*.xls[xm]")
	if len(files) == 0 {
		t.Skip("the corpus is not there: set ATELIER_CORPUS")
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes("book.xlsx", data)
		if _, err := open(t.Context(), src); err != nil || len(data) > 1<<20 {
			continue
		}
		in, removed := data, 0
		for name, doc := range formatstest.Parts(t, data) {
			if !strings.HasPrefix(name, "xl/worksheets/sheet") || strings.Contains(string(doc), "RAND") {
				continue
			}
			in = edited(t, in, name, func(s string) string {
				return cellXML.ReplaceAllStringFunc(s, func(c string) string {
					if !strings.Contains(c, "<f") || !strings.Contains(c, "<v>") {
						return c
					}
					if removed++; removed%3 != 0 {
						return c
					}
					return valueXML.ReplaceAllString(c, "")
				})
			})
		}
		if removed < 3 {
			continue
		}
		whole := calculatedCells(t, in, nil)
		held(t, 0, 1<<30)
		for at, v := range calculatedCells(t, in, nil) {
			if cells++; v == "?limit" {
				other++
				continue
			}
			require.Equal(t, whole[at], v, "%s %v", path, at)
			delete(whole, at)
		}
		held(t, 128<<20, 1<<30)
	}
	formatstest.Report(t, "workbooks calculated in parts: %d cells, %d of them may read any cell", cells, other)
	require.Greater(t, cells, 1000)
	require.Less(t, other*20, cells)
}

// Of a workbook too large to hold, formulas without a value that the calculated ones read
// are calculated too; those that may read any cell are not, and the limit is told.
func TestPartsOfLargeWorkbooks(t *testing.T) {
	in := raw(t, map[string]string{}, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B2" si="0">A1*2</f><v>2</v></c><c r="C1"><f>Z1+1</f></c><c r="D1"><f>Z1+2</f></c><c r="E1"><f>INDIRECT("A"&amp;A1)</f><v>1</v></c></row><row r="2"><c r="A2"><v>5</v></c><c r="B2"><f t="shared" si="0"/><v>10</v></c><c r="C2"><f>C1+A1+SUM(S2!A:A)</f><v>3</v></c><c r="D2" t="str"><f>TEXT(A2,"mmm")</f><v>Jan</v></c><c r="E2"><f>VLOOKUP(A1,A:B,2,FALSE)</f><v>2</v></c></row></sheetData>`,
		`<sheetData><row r="1"><c r="A1"><v>7</v></c><c r="B1"><f>A1</f></c></row></sheetData>`)
	ops := `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":5}]}]`
	want, whole := calculated(t, in, ops)
	held(t, 0, 1<<30)
	out, rep := calculated(t, in, ops)
	text := strings.Replace(sheetData(t, want), `<f>INDIRECT("A"&amp;A1)</f><v>0</v>`, `<f>INDIRECT("A"&amp;A1)</f>`, 1)
	require.Regexp(t, regexp.MustCompile(`<f>C1\+A1\+SUM\(S2!A:A\)</f><v>13</v>`), text)
	require.Equal(t, text, sheetData(t, out))
	require.Equal(t, part(t, want, "xl/worksheets/sheet2.xml"), part(t, out, "xl/worksheets/sheet2.xml"))
	require.NotEqual(t, whole.Warnings, rep.Warnings)
	require.Contains(t, strings.Join(rep.Warnings, "\n"), "S1!E1 (it may read any cell, and the workbook is too large to hold all)")

	held(t, 0, 100)
	_, rep = calculated(t, in, ops)
	require.Contains(t, strings.Join(rep.Warnings, "\n"), "the workbook is too large to calculate its formulas here: its sheets have more than 1 GiB, or its formulas read too many cells")
}

// BenchmarkLargeWorkbook edits a cell of a workbook of 200 MiB of XML, on which 1,000 of
// 400,000 formulas depend.
func BenchmarkLargeWorkbook(b *testing.B) {
	var sb strings.Builder
	sb.WriteString("<sheetData>")
	for r := 1; r <= 400_000; r++ {
		fmt.Fprintf(&sb, `<row r="%d">`, r)
		for c := 1; c <= 9; c++ {
			fmt.Fprintf(&sb, `<c r="%s" s="0"><v>%d.123456789012</v></c>`, cellref.Name(r, c), r*c)
		}
		ref := "$A$2"
		if r%400 == 0 {
			ref = "$A$1"
		}
		fmt.Fprintf(&sb, `<c r="J%d"><f>%s*B%d+SUM(C%d:I%d)</f><v>1</v></c></row>`, r, ref, r, r, r)
	}
	in := xlsxtest.Raw(b, nil, sb.String()+"</sheetData>")
	b.Logf("%d MiB of XML", sb.Len()>>20)
	for name, limit := range map[string]int64{"in parts": 128 << 20, "held": 1 << 30} {
		b.Run(name, func(b *testing.B) {
			held(b, limit, 1<<30)
			benchmarkEdit(b, in, 1000)
		})
	}
}
