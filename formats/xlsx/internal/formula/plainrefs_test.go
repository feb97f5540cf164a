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

// Plain formulas are rewritten and moved as others are.
func TestPlainFormulasAreRewrittenAlike(t *testing.T) {
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"A1", "$B$2", "C3:D9", "D9:C3", "$A5:B$7", "AB12", "XFD1", "A1048576", "A1:A1048576", "12", "SUM(", "LOG10(", ")", ",", "+", "*", " ", ":", `"x,A1"`, "Sheet2!B2", "A:C", "3:9", "TRUE", "A0", "a1", "B$4", "A6:A6"})
		f := strings.Join(rapid.SliceOfN(piece, 1, 6).Draw(t, "pieces"), "")
		count := rapid.SampledFrom([]int{1, 3, -1, -2}).Draw(t, "count")
		sh := cellref.NewShift(rapid.Bool().Draw(t, "cols"), []cellref.Run{{At: rapid.IntRange(1, 9).Draw(t, "at"), Count: count}, {At: 14, Count: count}})
		place := Place{Sheet: "s"}
		rw, slow := &Rewriter{Sheet: "s", Shift: &sh}, &Rewriter{Sheet: "s", Shift: &sh, Names: map[string]string{"other": "else"}}
		now, changed, resized := rw.Formula(f, place)
		want, wantChanged, wantResized := slow.Formula(f, place)
		require.Equal(t, []any{want, wantChanged, wantResized}, []any{now, changed, resized}, "%s %+v", f, sh)
		if _, _, _, ok := rw.plain(f, place); ok {
			plain++
		}
		dr, dc := rapid.IntRange(-3, 3).Draw(t, "rows"), rapid.IntRange(-3, 3).Draw(t, "columns")
		if moved, ok := movePlain(f, dr, dc); ok && (dr != 0 || dc != 0) {
			var sb strings.Builder
			pos := 0
			for tok := range Tokens(f) {
				if tok.Kind != Ref {
					continue
				}
				sb.WriteString(f[pos:tok.Body])
				pos = tok.End
				a, _ := tok.From.Move(dr, dc)
				sb.WriteString(a)
				if tok.To.Kind != cellref.NoEnd {
					b, _ := tok.To.Move(dr, dc)
					sb.WriteString(":" + b)
				}
			}
			require.Equal(t, sb.String()+f[pos:], moved, "%s by %d, %d", f, dr, dc)
		}
	})
	require.Positive(t, plain)
}
