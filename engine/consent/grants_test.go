package consent

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine/egress"
)

func TestScopeAndGrants(t *testing.T) {
	s := NewScope([]string{"b", "a", "b"})
	require.Equal(t, []string{"a", "b"}, s.Files)
	require.Equal(t, s.Hash, NewScope([]string{"a", "b"}).Hash)
	require.NotEqual(t, s.Hash, NewScope([]string{"a", "b", "c"}).Hash)
	require.NotEqual(t, NewScope([]string{"ab"}).Hash, s.Hash)

	l, err := egress.Open(t.TempDir(), "w1")
	require.NoError(t, err)
	defer l.Close()
	ctx := t.Context()
	p, other := Party{"p", "https://a:443", "m"}, Party{"p", "https://a:443", "n"}
	check := func(g *grants) {
		t.Helper()
		require.True(t, g.any(p))
		require.Equal(t, []string{"c"}, g.missing(p, []string{"a", "b", "c"}))
	}
	require.NoError(t, storeGrants(ctx, l, p, s.Files))
	require.NoError(t, storeGrants(ctx, l, p, s.Files), "twice is once")
	require.NoError(t, storeGrants(ctx, l, other, nil))
	g, err := loadGrants(ctx, l, p)
	require.NoError(t, err)
	check(g)
	var sum grants
	sum.merge(g)
	check(&sum)
	g, err = loadGrants(ctx, l, other)
	require.NoError(t, err)
	require.True(t, g.any(other), "a consent to no files is one")
	require.Equal(t, []string{"a"}, g.missing(other, []string{"a"}))
	for _, q := range []Party{{"q", "https://a:443", "m"}, {"p", "https://b:443", "m"}} {
		g, err = loadGrants(ctx, l, q)
		require.NoError(t, err)
		require.False(t, g.any(q))
	}
	n, err := revokeGrants(ctx, l, Party{Model: "m"})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	g, err = loadGrants(ctx, l, p)
	require.NoError(t, err)
	require.False(t, g.any(p))
	require.Equal(t, 1, sum.revoke(Party{Provider: "p"}))

	none, err := egress.Read(t.TempDir(), "w")
	require.NoError(t, err)
	require.Nil(t, none)
}

// What is gone counts for the hash, and is named apart from what is there.
func TestScopeWithEarlierFiles(t *testing.T) {
	s := NewScope([]string{"b.txt", "a.txt"})
	require.Equal(t, s, s.with([]string{"a.txt", "b.txt"}))
	require.Equal(t, s, s.with(nil))
	more := s.with([]string{"z.txt", "a.txt", "aa.txt", "z.txt"})
	require.Equal(t, []string{"a.txt", "aa.txt", "b.txt", "z.txt"}, more.Files)
	require.Equal(t, []string{"aa.txt", "z.txt"}, more.Earlier)
	require.Equal(t, NewScope([]string{"a.txt", "aa.txt", "b.txt", "z.txt"}).Hash, more.Hash)
	require.NotEqual(t, s.Hash, more.Hash)
}
