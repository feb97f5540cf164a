package calc

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/cellref"
)

// Operators bind and convert as in Excel.
func TestOperators(t *testing.T) {
	b := sheetOf("1|2|x", "3|4|'5", "||TRUE")
	checkFormulas(t, b,
		`1+2*3`, `7`,
		`-2^2`, `4`,
		`2^-1`, `0.5`,
		`2^3^2`, `64`,
		`50%`, `0.5`,
		`-5%%`, `-0.0005`,
		`1.5E+3+1e-1`, `1500.1`,
		`"a"&1&TRUE`, `"a1TRUE"`,
		`"3"*"4"`, `12`,
		`1/0`, `#DIV/0!`,
		`"x"+1`, `#VALUE!`,
		`#N/A+1/0`, `#N/A`,
		`0^0`, `#NUM!`,
		`"a"="A"`, `TRUE`,
		`"a"<1`, `FALSE`,
		`TRUE>"z"`, `TRUE`,
		`D9=0`, `TRUE`,
		`D9=""`, `TRUE`,
		`D9&"x"`, `"x"`,
		`0.1+0.2=0.3`, `TRUE`,
		`0.5-0.4-0.1`, `0`,
		`(0.5-0.4-0.1)*1=0`, `FALSE`,
		`1<>2`, `TRUE`,
		`A1:B2 B2:C3`, `4`,
		`A1 B2`, `#NULL!`,
		`SUM((A1,B2:B2,A1))`, `6`,
		`SUM(A1:INDEX(A1:B2,2,2))`, `10`,
		`C2+1`, `6`,
		`SUM(C2,"5",TRUE)`, `6`,
		`+"x"`, `"x"`,
		`--"12"`, `12`,
		` 1 + ( 2 ) `, `3`,
		`100000000000000000000&""`, `"100000000000000000000"`,
		`1/3&""`, `"0.333333333333333"`,
		`0.1*3&""`, `"0.3"`,
		`A1:A2*10`, `#VALUE!`,
		`{=A1:A2*{10,100}}`, `{10,100;30,300}`,
		`{=A1:B2+{1;2;3}}`, `{2,3;5,6;#N/A,#N/A}`,
		`{1,2;3,4}`, `1`,
		`{1,-2;"a",TRUE}`, `1`,
		`S2!A1+'Net sales'!B9`, `0`,
		`Nowhere!A1`, `#REF!`,
		`#REF!`, `#REF!`,
	)
}

// What cannot be calculated is unknown, with the reason, and so is what reads it.
func TestUnknown(t *testing.T) {
	b := sheetOf("=MACRO(1)", "=A1+1", "=IFERROR(A2,5)", "=NOW()", "=A6", "=A5", "=SUM(A1:A1)*0", "=[1]Sheet1!A1", "=nothing", "=IF(TRUE,1,A1)", "=1+", "=COUNT(A1:A3)")
	for cell, want := range map[string]string{
		"A1": "?function", "A2": "?function", "A3": "?function", "A4": "?volatile", "A5": "?circular", "A6": "?circular",
		"A7": "?function", "A8": "?external", "A9": "#NAME?", "A10": "1", "A11": "?syntax", "A12": "?function",
	} {
		require.Equal(t, want, valueAt(t, b, cell), cell)
	}
	v, err := NewEvaluator(t.Context(), b, english).Value(At(0, 3, 1))
	require.NoError(t, err)
	require.Equal(t, At(0, 1, 1), v.Reason().From)
	require.Equal(t, "the function MACRO: it is of a macro or an add-in", v.Reason().Text)
}

// Chains of any length need little stack, in either direction, and also where each
// link is a sum over a range.
func TestLongChains(t *testing.T) {
	const n = 200_000
	b := NewBook("S1")
	for row := 1; row <= n; row++ {
		if row == n {
			b.SetValue(At(0, row, 1), Num(1))
		} else {
			b.SetFormula(At(0, row, 1), fmt.Sprintf("A%d+1", row+1))
		}
		b.SetFormula(At(0, row, 2), fmt.Sprintf("SUM(A%d:A%d)", row, row))
	}
	require.Equal(t, "200000", valueAt(t, b, "A1"))
	require.Equal(t, "200000", valueAt(t, b, "B1"))
	require.Equal(t, fmt.Sprint(n*(n+1)/2), func() string {
		v, err := NewEvaluator(t.Context(), b, english).calculateForm(At(0, 1, 5), mustForm(b, "SUM(B:B)"))
		require.NoError(t, err)
		return fmt.Sprint(int(v.Num()))
	}())
}

func mustForm(b *Book, text string) *form {
	f := &form{text: text, row: 1, col: 5}
	b.parseForm(f)
	return f
}

// A long circle ends.
func TestLongCircle(t *testing.T) {
	const n = 10_000
	b := NewBook("S1")
	for row := 1; row <= n; row++ {
		b.SetFormula(At(0, row, 1), fmt.Sprintf("A%d+1", row%n+1))
	}
	require.Equal(t, "?circular", valueAt(t, b, "A1"))
}

// Formulas made to need much time, memory or stack end as unknown.
func TestHostileFormulas(t *testing.T) {
	b := sheetOf("1")
	b.DefineName("loop", -1, "loop+1")
	deep := strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000)
	checkFormulas(t, b,
		deep, `?syntax`,
		strings.Repeat("-", 500)+"1", `?syntax`,
		strings.Repeat("1+", 4000)+"1", `4001`,
		`loop`, `?circular`,
		`{=SUM(A1:XFD1048576*1)}`, `?limit`,
		`SUM(A:XFD)`, `1`,
		`{=SUM(ROW(1:1048576)*COLUMN(A:XFD))}`, `?limit`,
		strings.Repeat("x", 40000), `?syntax`,
	)
}

// A calculation ends soon after its context.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := sheetOf("=SUM(B:B)")
	for row := range 70_000 {
		b.SetValue(At(0, row+1, 2), Num(1))
	}
	_, err := NewEvaluator(ctx, b, english).Value(At(0, 1, 1))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "70000", valueAt(t, b, "A1"), "it can be calculated again")
}

// Names are calculated as array formulas from the place of the formula; those of a
// sheet come first.
func TestNames(t *testing.T) {
	b := sheetOf("1|10", "2|20", "3|30")
	b.DefineName("rate", -1, "0.5")
	b.DefineName("rate", 0, "2")
	b.DefineName("left", -1, "S1!Y1")
	b.DefineName("data", -1, "S1!$A$1:$A$3")
	b.DefineName("twice", -1, "_xlfn.LAMBDA(_xlpm.x,_xlpm.x*2)")
	b.SetValue(At(0, 50, 25), Num(9))
	b.DefineName("beside", -1, "S1!XFD1")
	checkFormulas(t, b,
		`rate`, `2`,
		`S2!rate`, `0.5`,
		`SUM(data)`, `6`,
		`SUMPRODUCT(data*data)`, `14`,
		`beside`, `9`,
	)
}

// An array formula fills its cells; cells of its block read it.
func TestArrayFormulas(t *testing.T) {
	b := sheetOf("1|2", "3|4")
	block, err := cellref.ParseRange("D1:E3")
	require.NoError(t, err)
	b.SetArrayFormula(0, block, "A1:B2*10", false)
	b.SetFormula(At(0, 1, 7), "SUM(D1:E2)+E2")
	for cell, want := range map[string]string{"E2": "40", "D1": "10", "E3": "#N/A", "G1": "140"} {
		require.Equal(t, want, valueAt(t, b, cell), cell)
	}
}
