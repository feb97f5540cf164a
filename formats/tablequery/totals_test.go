package tablequery

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// isNumeral agrees with the plain way of asking the same, over texts made of the
// characters that matter.
func TestIsNumeral(t *testing.T) {
	plain := func(s string) bool {
		_, err := strconv.ParseFloat(strings.NewReplacer(",", ".", " ", "", "%", "", "€", "", "$", "").Replace(s), 64)
		return err == nil || strings.Trim(s, "0123456789., -+%€$£") == ""
	}
	require.True(t, isNumeral([]byte("1.234,50 €")))
	require.True(t, isNumeral([]byte("2020-01-31")))
	require.True(t, isNumeral([]byte("1e5")))
	require.False(t, isNumeral([]byte("Total")))
	pieces := []string{"0", "1", "9", ".", ",", " ", "-", "+", "%", "€", "$", "£", "e", "E", "x", "0x", "p", "_", "inf", "Infinity", "NaN", "a", "F", "o", "ü", "\xff", "T", "y", "\t", "\u00a0"}
	r := rand.New(rand.NewPCG(1, 2))
	yes := 0
	for range 300_000 {
		var sb strings.Builder
		for range r.IntN(6) {
			sb.WriteString(pieces[r.IntN(len(pieces))])
		}
		want := plain(sb.String())
		if want {
			yes++
		}
		require.Equal(t, want, isNumeral([]byte(sb.String())), "%q", sb.String())
	}
	require.Greater(t, yes, 1000)
}
