package xlsx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumberFormats(t *testing.T) {
	for _, c := range []struct {
		code string
		v    float64
		want string
	}{
		{"General", 1234567.891, "1234567.891"}, {"", 0.1 + 0.2, "0.3"}, {"General", 1e25, "1E+25"}, {"General", -5, "-5"},
		{"0", 2.5, "3"}, {"0", -0.4, "0"}, {"0.00", 1.005, "1.01"}, {"0.00", 0.995, "1.00"}, {"#,##0", 1234567, "1,234,567"}, {"#,##0", 12, "12"},
		{"#,##0.00", -1234.5, "-1,234.50"}, {"0%", 0.256, "26%"}, {"0.0#", 1.5, "1.5"}, {"0.0#", 1.257, "1.26"}, {"#.##", 0.5, ".5"}, {"000", 7, "007"},
		{"#,##0,", 1234567, "1,235"}, {"0.0,,", 1234567, "1.2"}, {`"EUR" 0.00`, 3, "EUR 3.00"}, {`0 "pcs"`, 3, "3 pcs"}, {`[$€-407] #,##0.00`, 1234.5, "€ 1,234.50"},
		{`_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)`, -12.5, "$(12.50)"}, {`_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)`, 0, "-"}, {`0;(0)`, -3, "(3)"}, {`0;-0;"zero"`, 0, "zero"}, {`0;;`, -3, ""},
		{`[>=100]"big";[<0]"neg";0.0`, 150, "big"}, {`[>=100]"big";[<0]"neg";0.0`, 5, "5.0"}, {`[Red][<0]-0;0`, -4, "-4"},
		{"0.00E+00", 12345, "1.23E+04"}, {"0.00E+00", 0.00012, "1.20E-04"}, {"##0.0E+0", 12345, "12.3E+3"}, {"0E+0", 0, "0E+0"},
		{"# ?/?", 1.25, "1 1/4"}, {"# ??/??", 3.14159, "3 14/99"}, {"?/8", 0.3, "2/8"}, {"# ?/?", 2, "2"},
		{"000-00-0000", 123456789, "123-45-6789"}, {"(000) 000-0000", 5551234567, "(555) 123-4567"},
		{"yyyy-mm-dd", 43832, "2020-01-02"}, {"m/d/yyyy", 59, "2/28/1900"}, {"m/d/yyyy", 1, "1/1/1900"}, {"d mmmm yyyy", 43832, "2 January 2020"}, {"ddd, mmm d", 43832, "Thu, Jan 2"},
		{"h:mm AM/PM", 0.75, "6:00 PM"}, {"h:mm:ss", 0.99998, "23:59:58"}, {"hh:mm", 43832.5, "12:00"}, {"[h]:mm", 1.5, "36:00"}, {"mm:ss.0", 0.0001, "00:08.6"}, {"[mm]:ss", 0.05, "72:00"}, {"yyyy-mm-dd hh:mm:ss", 43832.0000001, "2020-01-02 00:00:00"},
		{"yyyy", -1, "-1"}, {"@", 5, "5"}, {`"n="General`, 5, "n=5"},
	} {
		require.Equal(t, c.want, parseNumFormat(c.code).number(c.v, false), "%s of %v", c.code, c.v)
	}
	require.Equal(t, "2024-01-02", parseNumFormat("yyyy-mm-dd").number(43831, true), "1904 system")
	require.Equal(t, "<x>", parseNumFormat(`0;0;0;"<"@">"`).text("x"))
	for _, code := range []string{`"`, `\`, `[`, `[h`, `_`, `*`, `E+`, `;;;;;;`, `0/0/0`, `?/`, `General General`, "\xff", "[$", `[>x]0`} {
		require.NotPanics(t, func() {
			for _, v := range []float64{0, -1.5, 1e300, -1e-300, 43832.5} {
				parseNumFormat(code).number(v, false)
			}
			parseNumFormat(code).text("x")
		}, code)
	}
}

func TestShiftFormula(t *testing.T) {
	for in, want := range map[string]string{
		"A1+$B$2":             "B3+$B$2",
		"SUM(A1:B2,$A3,C$4)":  "SUM(B3:C4,$A5,D$4)",
		`"A1"&'A1 x'!A1&X1()`: `"A1"&'A1 x'!B3&X1()`,
		"A:A+1:1+Sheet1!A1":   "B:B+3:3+Sheet1!B3",
		"XFD1":                "#REF!",
		"T[A1]+LOG10(A1)+1E5": "T[A1]+LOG10(B3)+1E5",
		"[1]S!A1":             "[1]S!A1",
		"TRUE+name.A1":        "TRUE+name.A1",
	} {
		require.Equal(t, want, shiftFormula(in, 2, 1), in)
	}
}

func TestRewriteFormula(t *testing.T) {
	rw := &rewriter{deleted: map[string]bool{"gone": true}, order: []string{"a", "gone", "c"}}
	rw.renameColumn("T", "Old", "New")
	for in, want := range map[string]string{
		"Gone!A1+A1":              "#REF!+A1",
		"SUM('gone'!A1:B2)&GoneX": "SUM(#REF!)&GoneX",
		`"Gone!A1"`:               `"Gone!A1"`,
		"SUM(A:Gone!A1)":          "SUM('a'!A1)",
		"T[Old]+U[Old]+T[[#This Row],[Old]]+T[[Old]:[X]]": "T[New]+U[Old]+T[[#This Row],[New]]+T[[New]:[X]]",
	} {
		got, _ := rw.formula(in)
		require.Equal(t, want, got)
	}
}
