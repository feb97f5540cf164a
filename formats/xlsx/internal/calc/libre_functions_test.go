package calc

import (
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/formula"
)

// The cells A1:F12 of the sheet Data that the formulas of testdata read: two
// samples, a column with gaps, texts and truth values, a flow of cash and days.
var sampleRows = []string{
	"3.5|12|7|-1000|45000|x",
	"1.25|9|text|300|45100|1",
	"8|15||420|45200|2",
	"4.75|11|2|-50|45390|3",
	"2|8|TRUE|680|45700|4",
	"9.5|20|5|120|46000|5",
	"6|13|1|90|46100|6",
	"7.25|14|9||46200|7",
	"4.75|10|3||46300|8",
	"1|6|2||46400|9",
	"5|12|8||46500|10",
	"3|7|2||46600|11",
}

// Each line of testdata/libreoffice.txt is a formula that is calculated as
// LibreOffice calculates it. Formulas for which another program is known to be
// wrong are not there.
func TestFunctionsAgreeWithLibreOffice(t *testing.T) {
	text, err := os.ReadFile("testdata/libreoffice.txt")
	require.NoError(t, err)
	var formulas []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			formulas = append(formulas, line)
		}
	}
	b := loadFile(t, formatstest.LibreOffice(t, sampleBook(t, formulas), "xlsx"))
	require.NotNil(t, b)
	e := NewEvaluator(t.Context(), b, english)
	for i, text := range formulas {
		f := &form{row: i + 1, col: 8, text: text}
		b.parseForm(f)
		got, err := e.calculateForm(At(0, i+1, 8), f)
		require.NoError(t, err)
		want := b.load(b.find(At(0, i+1, 8)))
		if !near(got, want, strings.HasPrefix(text, "BESSELK")) {
			t.Errorf("%s: calculated %s, LibreOffice has %s", text, precise(got), precise(want))
		}
	}
	formatstest.Report(t, "calc: %d formulas compared with LibreOffice", len(formulas))
}

// sampleBook writes a workbook with the sample and formulas in column H.
func sampleBook(t *testing.T, formulas []string) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	require.NoError(t, f.SetSheetName("Sheet1", "Data"))
	for r, row := range sampleRows {
		for c, cell := range strings.Split(row, "|") {
			var v any = cell
			if x, err := strconv.ParseFloat(cell, 64); err == nil {
				v = x
			} else if cell == "TRUE" {
				v = true
			} else if cell == "" {
				continue
			}
			require.NoError(t, f.SetCellValue("Data", cellName(t, c+1, r+1), v))
		}
	}
	for i, text := range formulas {
		require.NoError(t, f.SetCellFormula("Data", cellName(t, 8, i+1), libreName.Replace(formula.Stored(text))))
	}
	path := filepath.Join(t.TempDir(), "functions.xlsx")
	require.NoError(t, f.SaveAs(path))
	return path
}

// libreName gives functions the names by which LibreOffice finds them in a file.
var libreName = strings.NewReplacer("_xlfn.IM", "IM", "BAHTTEXT", "_xlfn.BAHTTEXT")

func cellName(t *testing.T, col, row int) string {
	t.Helper()
	name, err := excelize.CoordinatesToCellName(col, row)
	require.NoError(t, err)
	return name
}

// near reports whether two results are equal in 11 digits, the rough ones of
// approximations in 7. LibreOffice writes #VALUE! for errors that a file cannot hold, so
// all errors are alike.
func near(a, b Value, rough bool) bool {
	if a.IsError() && b.IsError() {
		return true
	}
	if a.kind == Number && b.kind == Number {
		size := max(math.Abs(a.num), math.Abs(b.num))
		return math.Abs(a.num-b.num) <= max(1e-11*size, 1e-15) || rough && math.Abs(a.num-b.num) <= 1e-7*size
	}
	if a.kind == Text && b.kind == Text && strings.HasSuffix(a.str, b.str[max(len(b.str)-1, 0):]) {
		c := &Call{Evaluator: &Evaluator{}}
		x, bad := c.complex(a)
		y, bad2 := c.complex(b)
		if !bad.IsError() && !bad2.IsError() {
			return cmplx.Abs(x.complex128-y.complex128) <= 1e-11*cmplx.Abs(x.complex128)
		}
	}
	return a.kind == b.kind && a.num == b.num && a.str == b.str
}

func precise(v Value) string {
	if v.kind == Number {
		return strconv.FormatFloat(v.num, 'g', 16, 64)
	}
	if v.kind == Unknown {
		return "?" + v.Reason().Text
	}
	return shownValue(v)
}
