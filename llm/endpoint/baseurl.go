package endpoint

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"atelier/internal/lazyregexp"
	"atelier/llm"
)

// Location is a base URL made ready: base has no trailing slash and no query.
type Location struct {
	Base, Query, host string
	Name              string // the host without its port
	local, Azure      bool
}

// hasVersion matches a path that ends in the version of an API.
var hasVersion = lazyregexp.New(`/v\d[a-z0-9]*$`)

// parseBaseURL reads what people write: with or without scheme, /v1, a trailing
// slash or the path of requests. A query (Azure's api-version) goes with every
// request.
func parseBaseURL(s string, api API) (Location, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		s = api.Home
	}
	if !strings.Contains(s, "://") {
		host, _, _ := strings.Cut(s, "/")
		scheme := "https://"
		if h, _, err := net.SplitHostPort(host); isLocal(host) || err == nil && isLocal(h) {
			scheme = "http://"
		}
		s = scheme + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// The address may hold a password, so it is not repeated.
		return Location{}, &llm.Error{Kind: llm.KindInvalid, Message: "the base URL is not an http(s) address; it should look like " + api.Home}
	}
	e := Location{Query: u.RawQuery, host: u.Host, Name: u.Hostname(), local: isLocal(u.Hostname()), Azure: strings.HasSuffix(u.Hostname(), ".azure.com")}
	path := strings.TrimRight(u.Path, "/")
	path = strings.TrimRight(strings.TrimSuffix(path, api.Path), "/")
	switch {
	case path == "" && e.Azure:
		path = "/openai/v1"
	case path == "", api.Versioned && !hasVersion.MatchString(path):
		path += "/v1"
	}
	u.Path, u.RawPath, u.RawQuery, u.Fragment = path, "", "", ""
	e.Base = u.String()
	return e, nil
}

// HostOf returns the host of a base URL, as people write it, without port; "" when it
// is unusable or empty.
func HostOf(baseURL string) string {
	if strings.TrimSpace(baseURL) == "" {
		return ""
	}
	at, err := parseBaseURL(baseURL, API{})
	if err != nil {
		return ""
	}
	return strings.ToLower(at.Name)
}

// isLocal reports whether host is on this machine or network, where endpoints
// need no key: loopback and private addresses, names without a dot, and the
// names reserved for such use.
func isLocal(host string) bool {
	host = strings.ToLower(strings.Trim(host, "[]"))
	if a, err := netip.ParseAddr(host); err == nil {
		a = a.Unmap()
		return a.IsLoopback() || a.IsPrivate() || a.IsUnspecified() || a.IsLinkLocalUnicast()
	}
	if host == "" || strings.Contains(host, ":") {
		return false
	}
	for _, suffix := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa"} {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return !strings.Contains(host, ".")
}

// Address returns the base URL that requests go to, "" when it is unusable.
func (c *Base) Address() string {
	if c.err != nil {
		return ""
	}
	return c.At.Base
}
