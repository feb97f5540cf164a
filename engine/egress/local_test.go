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
