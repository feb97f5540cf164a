package calc

import (
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/xlsxtest"
	"atelier/internal/campaign"
)

// formulaMaker makes random formulas over the cells A1:D12, of which A and B have
// numbers, C texts, D numbers in order.
type formulaMaker struct{ *rand.Rand }

func (m formulaMaker) one(options ...string) string { return options[m.IntN(len(options))] }

func (m formulaMaker) column(letters string) string {
	c := string(letters[m.IntN(len(letters))])
	from := 1 + m.IntN(6)
	return fmt.Sprintf("%s%d:%s%d", c, from, c, from+1+m.IntN(6))
}

// number makes a formula whose value is a number.
func (m formulaMaker) number(depth int) string {
	n := func() string { return m.number(depth - 1) }
	if depth <= 0 {
		return m.one(fmt.Sprint(m.IntN(20)-5), "2.5", "0.1", fmt.Sprintf("A%d", 1+m.IntN(12)), fmt.Sprintf("B%d", 1+m.IntN(12)))
	}
	switch m.IntN(16) {
	case 0, 1:
		return "(" + n() + m.one("+", "-", "*", "/") + n() + ")"
	case 2:
		return m.one("SUM", "AVERAGE", "MIN", "MAX", "COUNT", "COUNTA", "PRODUCT", "SUMSQ") + "(" + m.column("AB") + "," + n() + ")"
	case 3:
		return m.one("ROUND", "ROUNDUP", "ROUNDDOWN") + "(" + n() + "," + m.one("0", "1", "2", "-1") + ")"
	case 4:
		return m.one("ABS", "SIGN", "EVEN", "ODD", "-", "SIN", "ATAN") + "(" + n() + ")"
	case 5:
		return "IF(" + m.truth(depth-1) + "," + n() + "," + n() + ")"
	case 6:
		return m.one("LEN", "ISTEXT", "N") + "(" + m.text(depth-1) + ")*1"
	case 7:
		return "SUMPRODUCT((" + "A1:A6" + m.one(">", "<=", "<>") + n() + ")*B1:B6)"
	case 8:
		return m.one("SUMIF(C1:C12,\"a*\",A1:A12)", "COUNTIF(C1:C12,\"?e*\")", "COUNTIF(A1:A12,\">\"&"+n()+")", "SUMIFS(A1:A12,B1:B12,\">2\",C1:C12,\"<>beta\")", "AVERAGEIF(B1:B12,\"<9\")")
	case 9:
		return "IFERROR(" + m.one("MATCH", "VLOOKUP") + "(" + n() + ",D1:D12," + m.one("1", "1", "0") + ")," + n() + ")"
	case 10:
		return "IFERROR(INDEX(A1:B12," + m.one("1", "2", "7", "0", "13") + "," + m.one("1", "2") + "),1)"
	case 11:
		return m.one("YEAR", "MONTH", "DAY", "WEEKDAY") + "(DATE(2020+" + m.one("0", "3", "-7") + "," + m.one("1", "14", "-2") + "," + m.one("1", "31", "0", "60") + "))"
	case 12:
		return m.one("EDATE", "EOMONTH") + "(43861," + m.one("1", "-3", "12", "13") + ")"
	case 13:
		return m.days()
	}
	return "MOD(" + n() + ",7)"
}

// days makes a formula of two days, the second after the first.
func (m formulaMaker) days() string {
	from := 40000 + m.IntN(6000)
	two := fmt.Sprintf("(%d,%d", from, from+m.IntN(1500))
	switch m.IntN(6) {
	case 0:
		return "DATEDIF" + two + "," + m.one(`"D"`, `"M"`, `"Y"`, `"YM"`, `"MD"`, `"YD"`) + ")"
	case 1:
		return "DAYS360" + two + m.one("", ",TRUE") + ")"
	case 2:
		return "YEARFRAC" + two + m.one(",2", ",3", ",4") + ")"
	case 3:
		return fmt.Sprintf("WEEKNUM(%d,%s)", from, m.one("1", "2", "11", "13", "17", "21"))
	case 4:
		return "NETWORKDAYS.INTL" + two + m.one("", ",3", ",16", `,"0101010"`) + ")"
	}
	return fmt.Sprintf("WORKDAY.INTL(%d,%d%s)", from, m.IntN(900)-400, m.one("", ",7", ",12", `,"1100000"`))
}

func (m formulaMaker) truth(depth int) string {
	switch m.IntN(3) {
	case 0:
		return m.one("AND", "OR") + "(" + m.number(depth-1) + ">" + m.number(depth-1) + "," + m.number(depth-1) + "<3)"
	case 1:
		return m.text(depth-1) + m.one("=", "<>") + m.text(depth-1)
	}
	return m.number(depth-1) + m.one(">", "<=", "=", "<>") + m.number(depth-1)
}

// text makes a formula whose value is a text.
func (m formulaMaker) text(depth int) string {
	if depth <= 0 {
		return m.one(`"ab c"`, `""`, `"Alpha"`, fmt.Sprintf("C%d", 1+m.IntN(12)))
	}
	s := func() string { return m.text(depth - 1) }
	switch m.IntN(6) {
	case 0:
		return m.one("LEFT", "RIGHT") + "(" + s() + "," + m.one("0", "1", "3", "99") + ")"
	case 1:
		return "MID(" + s() + "," + m.one("1", "2", "9") + "," + m.one("0", "2", "99") + ")"
	case 2:
		return m.one("UPPER", "LOWER", "TRIM", "PROPER") + "(" + s() + ")"
	case 3:
		return "SUBSTITUTE(" + s() + `,"a","é")`
	case 4:
		return "REPT(" + s() + "," + m.one("0", "2") + ")"
	}
	return "(" + s() + "&" + s() + ")"
}

// Random formulas over random cells have the values that LibreOffice calculates.
// Errors are left out: programs name them differently.
func TestAgainstLibreOffice(t *testing.T) {
	m := formulaMaker{rand.New(rand.NewPCG(campaign.Seed(), 75))}
	var rows [400]strings.Builder
	texts := []string{"alpha", "beta", "Gamma ray", "delta", " eps ", "zeta", "Ärger", "beta", "theta", "iota", "a", "ab"}
	for i := range 12 {
		fmt.Fprintf(&rows[i], `<c r="A%d"><v>%d</v></c><c r="B%d"><v>%g</v></c><c r="C%d" t="inlineStr"><is><t xml:space="preserve">%s</t></is></c><c r="D%d"><v>%d</v></c>`,
			i+1, m.IntN(40)-10, i+1, float64(m.IntN(2000)-500)/100, i+1, texts[i], i+1, i*3)
	}
	formulas := map[cellref.Cell]string{}
	for i := range rows {
		for col := 6; col < 16; col++ {
			f := m.number(3)
			if m.IntN(4) == 0 {
				f = m.text(3)
			}
			formulas[cellref.At(i+1, col)] = f
			fmt.Fprintf(&rows[i], `<c r="%s"><f>%s</f></c>`, cellref.Name(i+1, col), html.EscapeString(f))
		}
	}
	var sheet strings.Builder
	for i := range rows {
		fmt.Fprintf(&sheet, `<row r="%d">%s</row>`, i+1, rows[i].String())
	}
	path := formatstest.Write(t, "random.xlsx", xlsxtest.Raw(t, nil, "<sheetData>"+sheet.String()+"</sheetData>"))
	theirs := loadFile(t, formatstest.LibreOffice(t, path, "xlsx"))
	ours := loadFile(t, path)
	_, err := ours.Recalculate(t.Context(), Request{Options: english})
	require.NoError(t, err)
	same, unknown, errors := 0, 0, 0
	for at, f := range formulas {
		a, b := ours.load(ours.find(Place{0, at})), theirs.load(theirs.find(Place{0, at}))
		switch {
		case a.kind == Unknown:
			unknown++
		case a.kind == Err || b.kind == Err:
			assert.Equal(t, a.kind, b.kind, "%s =%s: %s, LibreOffice has %s", cellref.Name(at.Row, at.Col), f, shownValue(a), shownValue(b))
			errors++
		default:
			close := a.kind == Number && b.kind == Number && math.Abs(a.num-b.num) < 1e-9*max(1, math.Abs(a.num))
			assert.True(t, close || sameResult(a, b), "%s =%s: %s, LibreOffice has %s", cellref.Name(at.Row, at.Col), f, shownValue(a), shownValue(b))
			same++
		}
	}
	formatstest.Report(t, "calc against LibreOffice: %d random formulas equal, %d errors in both, %d unknown", same, errors, unknown)
	require.Greater(t, same, len(formulas)*3/5)
}
