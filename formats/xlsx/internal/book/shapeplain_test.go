package book

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The relative form of plain formulas is that which their tokens give.
func TestRelativeFormsWithoutTokensAreTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"A1", "$B$2", "C3:D9", "D9:C3", "$A5:B$7", "AB12", "XFD1", "XFE1", "A1048577", "A0", "a1", "a1:$b2", "12", "1E5", "SUM(", "LOG10(", ")", ",", "+", "*", " ", ":", `"x,A1:B2"`, `"`, "'a b'!A1", "Sheet2!B2", "T[x]", "A:C", "3:9", "TRUE", "name", "OFFSET(", "#REF!", "é", "_x", ".", "B2#", "{1}", "%"})
		f := strings.Join(rapid.SliceOfN(piece, 1, 6).Draw(t, "pieces"), "")
		row, col := rapid.IntRange(1, 20).Draw(t, "row"), rapid.IntRange(1, 20).Draw(t, "col")
		require.Equal(t, "x"+string(appendTokensForm(nil, f, row, col)), string(AppendRelativeForm([]byte("x"), f, row, col)), f)
	})
}
