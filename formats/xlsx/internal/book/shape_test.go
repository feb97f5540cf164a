package book_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/formula"
)

func TestRelativeForm(t *testing.T) {
	for f, want := range map[string]string{ // in C5
		"A1":               "R[-4]C[-2]",
		"$A$1":             "R1C1",
		"$A1+A$1":          "R[-4]C1+R1C[-2]",
		"C5":               "R[0]C[0]",
		"SUM(A1:B2)*2":     "SUM(R[-4]C[-2]:R[-3]C[-1])*2",
		"SUM(A:$B)":        "SUM(C[-2]:C2)",
		"SUM(3:$4)":        "SUM(R[-2]:R4)",
		"Data!D6":          "Data!R[1]C[1]",
		"'A b'!D6&\"A1\"":  "'A b'!R[1]C[1]&\"A1\"",
		"LOG10(1)+Rate":    "LOG10(1)+Rate",
		"Table1[Total]*D5": "Table1[Total]*R[0]C[1]",
		"":                 "",
	} {
		require.Equal(t, want, book.RelativeForm(f, 5, 3), f)
	}
}

func TestShape(t *testing.T) {
	for f, want := range map[string]string{
		"A1+B2":               "+",
		"$A$1+12":             "+",
		"SUM(A1:B2)":          "SUM(:)",
		"Data!A1*Rate":        "*Rate",
		"'A b'!A1*2.5":        "*2.5",
		"'it''s'!$A$1":        "",
		"#REF!+A1":            "+",
		"#N/A":                "#N/A",
		"IF(A1,\"yes\",\"\")": "IF(,\"yes\",\"\")",
		"ABCDEF1":             "ABCDEF1", // too many letters for a column
		"LOG10(A1)":           "()",      // it reads like a cell
		"A1B":                 "A1B",
		"1+'cut":              "+",
		"'a'+1":               "+",
	} {
		require.Equal(t, want, string(book.AppendShape([]byte(">"), f)[1:]), f)
	}
}

// A formula that is moved keeps its relative form and its shape.
func TestFormsOfMovedFormulas(t *testing.T) {
	refs := rapid.SampledFrom([]string{"D9", "$D9", "D$9", "$D$9", "D9:F12", "Data!D9", "'a b'!$D9:E10", "2", "\"D9\"", "Rate"})
	rapid.Check(t, func(rt *rapid.T) {
		f := refs.Draw(rt, "first")
		for range rapid.IntRange(0, 4).Draw(rt, "more") {
			f += rapid.SampledFrom([]string{"+", "*", "&"}).Draw(rt, "operator") + refs.Draw(rt, "ref")
		}
		dr, dc := rapid.IntRange(-5, 50).Draw(rt, "down"), rapid.IntRange(-3, 20).Draw(rt, "right")
		moved := formula.Move(f, dr, dc)
		require.Equal(rt, book.RelativeForm(f, 20, 10), book.RelativeForm(moved, 20+dr, 10+dc), "%s → %s", f, moved)
		require.Equal(rt, string(book.AppendShape(nil, f)), string(book.AppendShape(nil, moved)), "%s → %s", f, moved)
	})
}
