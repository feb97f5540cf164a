package reader

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// estimates reads row 1 of sheet S1 with estimates: one text for each formula.
func estimates(t *testing.T, formulas []string, parts map[string]string, more ...string) []string {
	t.Helper()
	row := "=" + strings.Join(formulas, "|=")
	sheets := append([]string{xlsxtest.Grid(append([]string{row}, more...)...)}, xlsxtest.Grid("7|text|#N/A", "TRUE|=1/0→#DIV/0!|=A1*2→14"))
	text := readBook(t, xlsxtest.Raw(t, parts, sheets...), formats.Selector{Range: "S1!1:1", Include: []string{formats.IncludeEstimates}}).Text
	_, line, _ := strings.Cut(text, "\n")
	line, _, _ = strings.Cut(line, "\n")
	var out []string
	for i, f := range formulas {
		at := strings.Index(line, fmt.Sprintf("%c1: =%s", 'A'+i, f))
		require.GreaterOrEqual(t, at, 0, "%s in %s", f, line)
		rest := line[at+len(fmt.Sprintf("%c1: =%s", 'A'+i, f)):]
		rest, _, _ = strings.Cut(rest, fmt.Sprintf(", %c1: =", 'A'+i+1))
		out = append(out, strings.TrimSuffix(strings.TrimPrefix(rest, " → ~"), " (estimate)"))
	}
	return out
}

// Estimates over cells of the sheet and of others, errors too; none for what is not known.
func TestEstimates(t *testing.T) {
	cases := []struct{ f, want string }{
		{"1+2*3", "7"}, {"SUM(A3:C3)", "6"}, {"A3&\"x\"", "1x"}, {"IF(A3>0,\"yes\",\"no\")", "yes"}, {"A3=1", "TRUE"}, {"S2!A1*2", "14"}, {"S2!C2+1", "15"},
		{"ROUND(2.345,2)", "2.35"}, {"COUNTIF(A3:C3,\">1\")", "2"}, {"LEFT(S2!B1,2)", "te"}, {"A4+1", "4"}, {"IF(S2!A2,1,0)", "1"}, {"AVERAGE(A3:C3)", "2"},
		{"VLOOKUP(1,A3:C3,1)", "1"}, {"SUM(3:3)", "6"}, {"S2!C1", "#N/A"}, {"S2!B2", "#DIV/0!"}, {"1/0", "#DIV/0!"}, {"Rate*2", "#NAME?"}, {"{1,2}", "1"}, {"S9!A1", "#REF!"}, {"S1:S2!A1", "#VALUE!"},
		{"NOW()", ""}, {"RAND()", ""}, {"D4", ""}, {"SUM(A:A)", ""},
	}
	for len(cases) > 0 {
		n := min(12, len(cases))
		var fs []string
		for _, c := range cases[:n] {
			fs = append(fs, c.f)
		}
		// A4 is a formula of formulas; D4 and E4 refer to each other.
		for i, got := range estimates(t, fs, nil, "", "1|2|3", "=B4+1|=C4+1|=A3|=E4|=D4") {
			require.Equal(t, cases[i].want, got, cases[i].f)
		}
		cases = cases[n:]
	}
}

// The estimate is shown in the format of its cell.
func TestFormatOfAnEstimate(t *testing.T) {
	sheet := `<sheetData><row r="1"><c r="A1" s="1"><f>1/4</f></c><c r="B1" s="2"><f>43800+32</f></c></row></sheetData>`
	text := readBook(t, xlsxtest.Raw(t, map[string]string{"xl/styles.xml": xlsxtest.Styles("0.0%", "yyyy-mm-dd")}, sheet), formats.Selector{Include: []string{formats.IncludeEstimates}}).Text
	require.Equal(t, "Sheet: S1\nA1: =1/4 → ~25.0% (estimate), B1: =43800+32 → ~2020-01-02 (estimate)", text)
}

// a workbook of which not all texts are held has no estimates, and says why.
func TestEstimatesOfALargeWorkbook(t *testing.T) {
	wb := opened(t, xlsxtest.Raw(t, nil, xlsxtest.Grid("1|2", "3|=A1+1", "|5")))
	ctx := context.Background()
	d, err := wb.Display(ctx)
	require.NoError(t, err)
	e, err := wb.estimator(ctx, d)
	require.NoError(t, err)
	require.Empty(t, e.note())
	d.Strings.Wanted = map[int]string{}
	e, err = wb.estimator(ctx, d)
	require.NoError(t, err)
	require.Equal(t, "(no estimates: the workbook is too large for estimates)", e.note())
	_, ok := e.value("S1", &sheetml.Cell{Row: 2, Col: 2})
	require.False(t, ok)
	require.Empty(t, (*estimator)(nil).note())
}

// A chain of formulas has an estimate however deep it is, and so has one that reads a
// large block.
func TestDeepEstimates(t *testing.T) {
	var rows []string
	for r := 1; r <= 6000; r++ {
		rows = append(rows, fmt.Sprintf("=A%d+1", r+1))
	}
	b := xlsxtest.Raw(t, nil, xlsxtest.Grid(append(rows, "1")...))
	require.Equal(t, "Sheet: S1\nA1: =A2+1 → ~6001 (estimate)", readBook(t, b, formats.Selector{Range: "A1", Include: []string{formats.IncludeEstimates}}).Text)
	require.Equal(t, []string{"0", "6"}, estimates(t, []string{"SUM(SG1:SH2)", "SUM(A3:SF20001)"}, nil, "", "1|2|3"))
}
