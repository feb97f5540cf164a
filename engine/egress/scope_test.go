package egress

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http/httpproxy"
)

func TestLocalIsThisMachineForCertain(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "127.8.9.1", "::1", "[::1]", "::ffff:127.0.0.1", "localhost"} {
		require.True(t, Local(ctx, host), host)
	}
	for _, host := range []string{"", "0.0.0.0", "::", "10.0.0.1", "192.168.1.2", "172.16.0.1", "169.254.1.1", "fd00::1", "fe80::1", "8.8.8.8", "::1%eth0",
		"127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.1.example.com", "localhost.example.com", "a.localhost", "localhost.", "LocalHost", "printer", "x.local", "api.openai.com", "::ffff:10.0.0.1"} {
		require.False(t, Local(ctx, host), host)
	}
	// No proxy of the environment gets what is local.
	proxy := (&httpproxy.Config{HTTPProxy: "http://proxy.example.com", HTTPSProxy: "http://proxy.example.com"}).ProxyFunc()
	for _, host := range []string{"127.0.0.1", "127.8.9.1", "[::1]", "[::ffff:127.0.0.1]", "localhost"} {
		via, err := proxy(&url.URL{Scheme: "http", Host: host + ":11434"})
		require.NoError(t, err)
		require.Nil(t, via, host)
	}
	// A name service that gives localhost another address is not believed.
	defer func(f func(context.Context, string, string) ([]netip.Addr, error)) { lookup = f }(lookup)
	for _, answer := range [][]netip.Addr{nil, {netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("203.0.113.5")}} {
		lookup = func(context.Context, string, string) ([]netip.Addr, error) { return answer, nil }
		require.False(t, Local(ctx, "localhost"))
	}
	lookup = func(context.Context, string, string) ([]netip.Addr, error) { return nil, errors.New("down") }
	require.False(t, Local(ctx, "localhost"))
}

func TestOriginOf(t *testing.T) {
	for in, want := range map[string]string{
		"https://API.example.com/v1":       "https://api.example.com:443",
		"https://api.example.com:443/x?y":  "https://api.example.com:443",
		"http://api.example.com":           "http://api.example.com:80",
		"http://[fd00::1]:8080/v1":         "http://[fd00::1]:8080",
		"https://user:pw@api.example.com/": "https://api.example.com:443",
	} {
		u, err := url.Parse(in)
		require.NoError(t, err)
		require.Equal(t, want, OriginOf(u))
	}
}

func TestScopeAndGrants(t *testing.T) {
	s := NewScope([]string{"b", "a", "b"})
	require.Equal(t, []string{"a", "b"}, s.Files)
	require.Equal(t, s.Hash, NewScope([]string{"a", "b"}).Hash)
	require.NotEqual(t, s.Hash, NewScope([]string{"a", "b", "c"}).Hash)
	require.NotEqual(t, NewScope([]string{"ab"}).Hash, s.Hash)

	l := openLog(t)
	p, other := Party{"p", "https://a:443", "m"}, Party{"p", "https://a:443", "n"}
	check := func(g *Grants) {
		t.Helper()
		require.True(t, g.Any(p))
		require.Equal(t, []string{"c"}, g.Missing(p, []string{"a", "b", "c"}))
	}
	require.NoError(t, l.Grant(ctx, p, s.Files))
	require.NoError(t, l.Grant(ctx, p, s.Files), "twice is once")
	require.NoError(t, l.Grant(ctx, other, nil))
	g, err := l.Granted(ctx, p)
	require.NoError(t, err)
	check(g)
	var sum Grants
	sum.Merge(g)
	check(&sum)
	g, err = l.Granted(ctx, other)
	require.NoError(t, err)
	require.True(t, g.Any(other), "a consent to no files is one")
	require.Equal(t, []string{"a"}, g.Missing(other, []string{"a"}))
	for _, q := range []Party{{"q", "https://a:443", "m"}, {"p", "https://b:443", "m"}} {
		g, err = l.Granted(ctx, q)
		require.NoError(t, err)
		require.False(t, g.Any(q))
	}
	n, err := l.Revoke(ctx, Party{Model: "m"})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	g, err = l.Granted(ctx, p)
	require.NoError(t, err)
	require.False(t, g.Any(p))
	require.Equal(t, 1, sum.Revoke(Party{Provider: "p"}))

	none, err := Read(t.TempDir(), "w")
	require.NoError(t, err)
	require.Nil(t, none)
}

// What is gone counts for the hash, and is named apart from what is there.
func TestScopeWithEarlierFiles(t *testing.T) {
	s := NewScope([]string{"b.txt", "a.txt"})
	require.Equal(t, s, s.With([]string{"a.txt", "b.txt"}))
	require.Equal(t, s, s.With(nil))
	more := s.With([]string{"z.txt", "a.txt", "aa.txt", "z.txt"})
	require.Equal(t, []string{"a.txt", "aa.txt", "b.txt", "z.txt"}, more.Files)
	require.Equal(t, []string{"aa.txt", "z.txt"}, more.Earlier)
	require.Equal(t, NewScope([]string{"a.txt", "aa.txt", "b.txt", "z.txt"}).Hash, more.Hash)
	require.NotEqual(t, s.Hash, more.Hash)
}
