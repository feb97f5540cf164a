package endpoint

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"atelier/llm"
)

// maxRedirects is how often a request may be redirected within its endpoint.
const maxRedirects = 5

// noRedirects ends a request that the endpoint redirects to another host, port or
// scheme, which would take the documents and the key to somebody whom nobody
// named. A redirect within the endpoint passes, unless the request would lose its
// body on the way.
type noRedirects struct{ base http.RoundTripper }

func (t noRedirects) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(req)
	if err != nil || resp.StatusCode < 300 || resp.StatusCode >= 400 {
		return resp, err
	}
	keeps := resp.StatusCode == http.StatusTemporaryRedirect || resp.StatusCode == http.StatusPermanentRedirect
	follows := keeps || resp.StatusCode == http.StatusMovedPermanently || resp.StatusCode == http.StatusFound || resp.StatusCode == http.StatusSeeOther
	to, err := resp.Location()
	why := ""
	switch {
	case err != nil:
		why = "it answered with a redirect that does not say where to"
	case !sameOrigin(req.URL, to):
		why = "it redirects to " + place(to) + ", and a request is not sent on to another host, port or scheme; if this is where the endpoint is now, set it as its address"
	case !follows || !keeps && req.Method != http.MethodGet:
		why = "it redirects to " + place(to) + " in a way that the request cannot follow; if this is where the endpoint is now, set it as its address"
	default:
		return resp, nil
	}
	resp.Body.Close()
	return nil, redirectError(resp.StatusCode, why, secretOf(req))
}

func redirectError(status int, why, secret string) *llm.Error {
	return &llm.Error{Kind: llm.KindInvalid, Status: status, Message: Clean(why, secret)}
}

func secretOf(req *http.Request) string {
	return cmp.Or(strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer "), req.Header.Get("X-Api-Key"))
}

// limitRedirects ends redirects in a circle.
func limitRedirects(req *http.Request, via []*http.Request) error {
	if len(via) <= maxRedirects {
		return nil
	}
	status := 0
	if req.Response != nil {
		status = req.Response.StatusCode
	}
	return redirectError(status, "it redirects more than five times, last to "+place(req.URL), secretOf(req))
}

func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case strings.EqualFold(u.Scheme, "https"):
		return "443"
	case strings.EqualFold(u.Scheme, "http"):
		return "80"
	}
	return ""
}

// place returns an address without what could be secret in it.
func place(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
