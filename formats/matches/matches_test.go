package matches_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/matches"
)

// All finds what the standard library finds, but for matches of no extent.
func TestAllIsFindAll(t *testing.T) {
	exprs := []string{`a`, `(a)(b)?`, `\b(\w+)\b`, `(?m)^(.)`, `(?i)A(b|c)*`, `x*`, `(a|ab)(c|bcd)(d*)`, `\B(a)`, `^(a)`, `(é)|(.)`, `(a)$`, `(?s)(.)\n`, `(a*)(b)`}
	rapid.Check(t, func(rt *rapid.T) {
		re := regexp.MustCompile(rapid.SampledFrom(exprs).Draw(rt, "expr"))
		text := rapid.StringOf(rapid.SampledFrom([]rune("aabbcdx \né_"))).Draw(rt, "text")
		var want, ends [][]int
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			if m[1] > m[0] {
				want, ends = append(want, m), append(ends, m[:2])
			}
		}
		got, err := matches.All(context.Background(), re, text, true)
		require.NoError(rt, err)
		require.Equal(rt, want, got, "%s in %q", re, text)
		got, err = matches.All(context.Background(), re, text, false)
		require.NoError(rt, err)
		require.Equal(rt, ends, got)
	})
}

// An expression that reads the rest of the text for each match ends when its
// context does: whole, this one takes minutes.
func TestAllLooksAtItsContext(t *testing.T) {
	text := strings.Repeat("a ", 500_000)
	ctx, stop := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer stop()
	from := time.Now()
	_, err := matches.All(ctx, regexp.MustCompile(`a(?:.*b)?`), text, true)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(from), 2*time.Second)
}
