package formula

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/xlsx/internal/cellref"
)

// What plain formulas read is what their tokens say, and nothing else is in them.
func TestPlainRefsAreThoseOfTokens(t *testing.T) {
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"A1", "$B$2", "C3:D9", "AB12", "XFD1", "XFE1", "A1048577", "A0", "12", "1.5", "1E5", "SUM(", "IF(", ")", ",", "+", "*", " ", ":", `"x,A1"`, `"`, "'a b'!A1", "Sheet2!B2", "[1]S!A1", "T[x]", "A:C", "3:9", "TRUE", "name", "OFFSET(", "ROW(", "#REF!", "é", "_x", ".", "$", "B2#", "@A1", "{1}", "%"})
		f := strings.Join(rapid.SliceOfN(piece, 1, 6).Draw(t, "pieces"), "")
		got, ok := PlainRefs(nil, f)
		if !ok {
			return
		}
		plain++
		var want []cellref.Range
		for tok := range Tokens(f) {
			switch tok.Kind {
			case Ref:
				require.Empty(t, tok.Sheet, f)
				want = append(want, tok.Range())
			case Function:
				require.NotEqual(t, "OFFSET", f[tok.Start:tok.End], f)
			case Name:
				c := f[tok.Body]
				require.True(t, c >= '0' && c <= '9' || c == '.', f)
			case Other:
				require.NotEqual(t, byte(':'), f[tok.Start], f)
			case String:
			default:
				require.Fail(t, "another token", f)
			}
		}
		require.Equal(t, want, got, f)
	})
	require.Positive(t, plain)
}
