package matches_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/matches"
)

func all(t require.TestingT, re *regexp.Regexp, text string) (out [][]int) {
	x, err := matches.New(re)
	require.NoError(t, err)
	for m, err := range x.All(context.Background(), text) {
		require.NoError(t, err)
		out = append(out, m)
	}
	return out
}

// All finds what the standard library finds, except empty matches.
func TestInIsFindAll(t *testing.T) {
	exprs := []string{`a`, `(a)(b)?`, `\b(\w+)\b`, `(?m)^(.)`, `(?m)(.)$`, `(?i)A(b|c)*`, `x*`, `(a|ab)(c|bcd)(d*)`, `\B(a)`, `^(a)`, `(é)|(.)`, `(a)$`, `(?s)(.)\n`, `(a*)(b)`,
		`\b`, `^`, `a*?`, `(?:\b|c)a`, `(?P<n>a)|^b`, `\Aa|b\z`, `\b\Qa`, `(?U)a+|\bb+`, `a|\b(?i:B)`}
	rapid.Check(t, func(rt *rapid.T) {
		re := regexp.MustCompile(rapid.SampledFrom(exprs).Draw(rt, "expr"))
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "a", "b", "b", "c", "d", "x", " ", "\n", "é", "_", "\xff", "\xe2\x82", "€"})).Draw(rt, "text"), "")
		var want [][]int
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			if m[1] > m[0] {
				want = append(want, m)
			}
		}
		require.Equal(rt, want, all(rt, re, text), "%s in %q", re, text)
	})
}

// An expression that reads the rest of the text for each match ends when its
// context does: whole, this one takes minutes.
func TestInLooksAtItsContext(t *testing.T) {
	for _, expr := range []string{`a(?:.*b)?`, `\ba(?:.*b)?`} {
		x, err := matches.Compile(expr)
		require.NoError(t, err)
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		n, last := 0, error(nil)
		for _, err := range x.All(ctx, strings.Repeat("a ", 500_000)) {
			if n++; n == 10 {
				stop()
			}
			last = err
		}
		require.Equal(t, 11, n, "ten matches and the error")
		require.ErrorIs(t, last, context.Canceled)
	}
}

// What is found in a long text of many hits takes time by its length.
func BenchmarkIn(b *testing.B) {
	text := strings.Repeat("word 12 ", 100_000)
	for _, expr := range []string{`12`, `(?i)word`, `\bword\b`, `[0-9]+`} {
		x, err := matches.Compile(expr)
		require.NoError(b, err)
		b.Run("in "+expr, func(b *testing.B) {
			for b.Loop() {
				for range x.All(context.Background(), text) {
				}
			}
		})
		b.Run("all "+expr, func(b *testing.B) {
			for b.Loop() {
				x.FindAllStringSubmatchIndex(text, -1)
			}
		})
	}
}
