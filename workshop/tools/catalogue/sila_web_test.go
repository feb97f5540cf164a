package catalogue_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"atelier/workshop/web"
)

// S-18, S-19: read over a real connection: HTML becomes Markdown, text stays,
// a status is told; without permission the same server is out of reach.
func TestS18Pages(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
			io.WriteString(w, "<title>Pr\xe9cis</title><script>x()</script><p>One <em>word</em> and <a href='/there'>a link</a>.</p>")
		case "/text":
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, "a < b\n")
		case "/pdf":
			w.Header().Set("Content-Type", "application/pdf")
			io.WriteString(w, "%PDF-1.7")
		default:
			http.NotFound(w, r)
		}
	}))
	defer srv.Close()
	p := newProfile(t, "sila", false, map[string]string{"a.md": "near"})
	read := func(uri string) string { return p.call("read", `{"uri":"`+uri+`"}`).Text }

	p.env.Fetch = web.NewHTTP(web.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	assert.Equal(t, "# Précis\n\nOne *word* and [a link]("+srv.URL+"/there).\n", read(srv.URL+"/page"))
	assert.Equal(t, "a < b\n", read(srv.URL+"/text"))
	assert.Equal(t, "Error: Failed to fetch URL: 404 Not Found", read(srv.URL+"/nowhere"))
	assert.Contains(t, read(srv.URL+"/pdf"), "is application/pdf; only HTML, plain text and Markdown can be read")
	assert.Equal(t, "near", read("file:///a.md"))
	assert.Contains(t, read("sila://space/x"), `the scheme "sila" is refused`)

	p.env.Fetch = web.NewHTTP(web.Options{})
	assert.Contains(t, read(srv.URL+"/text"), "its address 127.0.0.1 is not public")
	p.env.Fetch = web.Deny{}
	assert.Contains(t, read(srv.URL+"/text"), "network access is disabled")
}
