package calc

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// What plainDecimal reads is what strconv.ParseFloat reads, to the bit.
func TestPlainDecimalIsParseFloat(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const chars = "0123456789012345678901234567890123456789.-+eE_x "
	check := func(s string) bool {
		got, ok := plainDecimal([]byte(s))
		if !ok {
			return false
		}
		want, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err, s)
		require.Equal(t, math.Float64bits(want), math.Float64bits(got), s)
		return true
	}
	for _, s := range []string{"0", "-0", "0.1", ".5", "5.", "-.5", "999999999999999", "0.00000000000001", "123456.789012345"} {
		require.True(t, check(s), s)
	}
	for _, s := range []string{"", "-", ".", "-.", "1e5", "+1", "1.2.3", "1234567890123456", "0x1", "Inf", "1_0", "--1"} {
		require.False(t, check(s), s)
	}
	known := 0
	for range 300_000 {
		b := make([]byte, r.IntN(18))
		for i := range b {
			b[i] = chars[r.IntN(len(chars))]
		}
		if check(string(b)) {
			known++
		}
		x := strconv.FormatFloat(r.NormFloat64()*math.Pow10(r.IntN(12)-3), 'f', r.IntN(8), 64)
		if check(x) {
			known++
		}
	}
	require.Greater(t, known, 200_000)
}
