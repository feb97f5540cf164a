package lazyregexp_test

import (
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/lazyregexp"
)

// An expression matches like one that is compiled at once, from any number of goroutines.
func TestMatchesLikeRegexp(t *testing.T) {
	const expr = `(\w)(\d+)`
	lazy, eager := lazyregexp.New(expr), regexp.MustCompile(expr)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { lazy.MatchString("a1") })
	}
	group.Wait()
	for _, s := range []string{"", "none", "a1", "a1 b22 c333"} {
		b := []byte(s)
		require.Equal(t, eager.MatchString(s), lazy.MatchString(s))
		require.Equal(t, eager.Match(b), lazy.Match(b))
		require.Equal(t, eager.FindString(s), lazy.FindString(s))
		require.Equal(t, eager.FindStringIndex(s), lazy.FindStringIndex(s))
		require.Equal(t, eager.FindIndex(b), lazy.FindIndex(b))
		require.Equal(t, eager.FindStringSubmatch(s), lazy.FindStringSubmatch(s))
		require.Equal(t, eager.FindSubmatch(b), lazy.FindSubmatch(b))
		require.Equal(t, eager.FindStringSubmatchIndex(s), lazy.FindStringSubmatchIndex(s))
		require.Equal(t, eager.FindSubmatchIndex(b), lazy.FindSubmatchIndex(b))
		require.Equal(t, eager.FindAllString(s, 2), lazy.FindAllString(s, 2))
		require.Equal(t, eager.FindAllStringIndex(s, -1), lazy.FindAllStringIndex(s, -1))
		require.Equal(t, eager.FindAllIndex(b, -1), lazy.FindAllIndex(b, -1))
		require.Equal(t, eager.FindAllStringSubmatch(s, -1), lazy.FindAllStringSubmatch(s, -1))
		require.Equal(t, eager.FindAllStringSubmatchIndex(s, -1), lazy.FindAllStringSubmatchIndex(s, -1))
		require.Equal(t, eager.ReplaceAllString(s, "$2"), lazy.ReplaceAllString(s, "$2"))
		require.Equal(t, eager.ReplaceAllStringFunc(s, func(m string) string { return m + m }), lazy.ReplaceAllStringFunc(s, func(m string) string { return m + m }))
		require.Equal(t, eager.ReplaceAll(b, []byte("x")), lazy.ReplaceAll(b, []byte("x")))
		require.Equal(t, eager.Split(s, -1), lazy.Split(s, -1))
	}
	require.Same(t, lazy.Regexp(), lazy.Regexp())
	require.Panics(t, func() { lazyregexp.New(`(`).MatchString("") })
}
