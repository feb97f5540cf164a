package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"atelier/internal/campaign"
	"atelier/workshop"
)

var ctx = context.Background()

// loopback are the local addresses that a test allows.
var loopback = prefixes("127.0.0.0/8 ::1/128")

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func requireRefused(t *testing.T, err error, args ...any) {
	t.Helper()
	require.Error(t, err, args...)
	require.True(t, workshop.IsFault(err, workshop.Forbidden) || workshop.IsFault(err, workshop.Invalid), "%v", err)
}

// S-19, C-42: the default refuses every request.
func TestDeny(t *testing.T) {
	_, err := Read(ctx, Deny{}, "https://example.com")
	require.True(t, workshop.IsFault(err, workshop.Forbidden))
	require.Contains(t, err.Error(), "network access is disabled")
}

// fake counts its requests (S-17).
type fake struct {
	asked []string
	res   Response
}

func (f *fake) Fetch(_ context.Context, uri string) (*Response, error) {
	f.asked = append(f.asked, uri)
	r := f.res
	r.URL = uri
	return &r, nil
}

// S-18: the rules for types and statuses.
func TestReadByType(t *testing.T) {
	for _, c := range []struct{ contentType, body, kind, want, err string }{
		{"text/plain; charset=utf-8", "a\n<b>", "text", "a\n<b>", ""},
		{"text/markdown", "# a\r\n*b*", "markdown", "# a\r\n*b*", ""},
		{"TEXT/HTML", "<title>T</title><p>hello <b>you</b></p>", "markdown", "# T\n\nhello **you**\n", ""},
		{"", "<!doctype html><p>sniffed</p>", "markdown", "sniffed\n", ""},
		{"", "just words", "text", "just words", ""},
		{"text/plain", "\xef\xbb\xbfbom", "text", "bom", ""},
		{"text/plain; charset=iso-8859-1", "caf\xe9", "text", "café", ""},
		{"text/html", `<meta charset="windows-1252"><p>caf` + "\xe9 \x93q\x94</p>", "markdown", "café “q”\n", ""},
		{"text/plain; charset=utf-16le", utf16le("grüß"), "text", "grüß", ""},
		{"text/plain; charset=koi8-r", koi8("привет"), "text", "привет", ""},
		{"text/plain; charset=made-up", "abc", "text", "abc", ""},
		{"text/plain", "", "text", "", ""},
		{"text/html", "", "markdown", "\n", ""},
		{"application/pdf", "%PDF", "", "", "is application/pdf; only HTML, plain text and Markdown"},
		{"image/png", "x", "", "", "is image/png"},
		{"application/json; charset=utf-8", "{}", "", "", "is application/json"},
		{"text/html; charset=\"broken", "<p>x</p>", "markdown", "x\n", ""},
	} {
		f := &fake{res: Response{Status: 200, ContentType: c.contentType, Body: []byte(c.body)}}
		doc, err := Read(ctx, f, "https://example.com/p")
		if c.err != "" {
			require.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err, "%+v", c)
		require.Equal(t, []string{c.kind, c.want}, []string{doc.Kind, doc.Text}, "%+v", c)
		require.Equal(t, []string{"https://example.com/p"}, f.asked, "once")
	}
	_, err := Read(ctx, &fake{res: Response{Status: 404, StatusText: "Not Found"}}, "https://example.com")
	require.EqualError(t, err, "Failed to fetch URL: 404 Not Found")
}

func utf16le(s string) string {
	out, _ := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String(s)
	return out
}

func koi8(s string) string { out, _ := charmap.KOI8R.NewEncoder().String(s); return out }

// S-18: the main content of a page, with complete links, and without its
// surroundings.
func TestReadMainContent(t *testing.T) {
	para := strings.Repeat("This sentence is part of the article, and it goes on for a while. ", 8)
	page := `<html><head><title>The Article</title><script>evil()</script><style>p{}</style></head><body>
		<nav><a href="/home">HOME LINK</a> <a href="/about">ABOUT LINK</a></nav>
		<article><h1>The Article</h1><p>` + para + `</p><h2>Numbers</h2><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
		<ul><li>one<li>two</ul><p>` + para + `See <a href="/more?x=1">more</a>.</p><pre><code>x := 1</code></pre><p>` + para + `</p></article>
		<footer>COPYRIGHT NOTICE <a href="/imprint">imprint</a></footer></body></html>`
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new", http.StatusMovedPermanently)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, page)
	})
	doc, err := Read(ctx, NewHTTP(Options{Allow: loopback}), base+"/old")
	require.NoError(t, err)
	require.Equal(t, base+"/new", doc.URL)
	for _, want := range []string{"# The Article", "part of the article", "## Numbers", "| a", "- one", "](" + base + "/more?x=1)", "x := 1"} {
		require.Contains(t, doc.Text, want)
	}
	for _, not := range []string{"evil", "p{}", "HOME LINK", "COPYRIGHT", "<p>", "<table"} {
		require.NotContains(t, doc.Text, not)
	}
	// A page that is not an article is returned as a whole.
	list := `<title>List</title><ul>` + strings.Repeat(`<li><a href="/x">item</a></li>`, 30) + `</ul>`
	require.Equal(t, 30, strings.Count(markdown(list, base), "[item]"))
}

// S-19, A-09: addresses that are refused before anything is sent.
func TestRefusedAddresses(t *testing.T) {
	h := NewHTTP(Options{Resolve: func(context.Context, string) ([]netip.Addr, error) {
		t.Error("nothing is looked up")
		return nil, errors.New("no")
	}})
	for _, uri := range []string{
		"", "x", "//example.com", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "sila://space/x", "javascript:alert(1)", "data:text/plain,x", "http:example.com", "http://", "http:///x", "https://?q", "http://:80/",
		"http://user@example.com/", "http://user:pw@example.com/", "http://example.com@127.0.0.1/", "http://127.0.0.1#@example.com/", "http://example.com\\@127.0.0.1/",
		"http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://017700000001/", "http://127.0.0.1./", "http://127.0.0.0x1/",
		"http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://[2001:0:7f00:1::]/", "http://[fe80::1]/", "http://[fe80::1%25eth0]/", "http://[fc00::1]/", "http://[fd00:ec2::254]/", "http://[ff02::1]/", "http://[2001:db8::1]/", "http://[fec0::1]/",
		"http://0.0.0.0/", "http://0/", "http://10.0.0.1/", "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.1.1/", "http://169.254.169.254/latest/meta-data/", "http://100.64.0.1/", "http://100.100.100.200/", "http://168.63.129.16/", "http://192.0.0.192/", "http://198.18.0.1/", "http://224.0.0.1/", "http://255.255.255.255/", "http://240.0.0.1/",
		"http://exa mple.com/", "http://example.com:port/", "http://[::1", "http://%31%32%37.0.0.1/", "http://a%00b/", "http://" + strings.Repeat("a", maxURL),
	} {
		_, err := h.Fetch(ctx, uri)
		requireRefused(t, err, uri)
		require.Less(t, len(err.Error()), 500)
	}
}

func TestPublic(t *testing.T) {
	for _, a := range []string{"8.8.8.8", "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.0", "192.0.1.1", "2606:4700::1111", "2a00::1", "::ffff:8.8.8.8"} {
		require.True(t, public(netip.MustParseAddr(a)), a)
	}
	for _, p := range append(special, special6...) {
		require.False(t, public(p.Addr()), p)
	}
}

// S-19: a name that resolves to a private address, immediately or the second
// time, is refused at the connection.
func TestNamesThatResolveToPrivateAddresses(t *testing.T) {
	var hits atomic.Int64
	base := serve(t, func(w http.ResponseWriter, r *http.Request) { hits.Add(1); io.WriteString(w, "secret") })
	u, err := url.Parse(base)
	require.NoError(t, err)
	for name, addrs := range map[string][]string{
		"loopback": {"127.0.0.1"}, "mapped": {"::ffff:127.0.0.1"}, "several": {"10.1.2.3", "127.0.0.1", "::1", "169.254.169.254"},
	} {
		h := NewHTTP(Options{Resolve: func(context.Context, string) ([]netip.Addr, error) {
			var out []netip.Addr
			for _, a := range addrs {
				out = append(out, netip.MustParseAddr(a))
			}
			return out, nil
		}})
		_, err := h.Fetch(ctx, "http://rebind.example:"+u.Port()+"/")
		require.True(t, workshop.IsFault(err, workshop.Forbidden), "%s: %v", name, err)
		require.Contains(t, err.Error(), "not public")
	}
	// The name is public at the first look-up and private afterwards: the
	// connection goes to the address that was checked.
	var asked atomic.Int64
	h := NewHTTP(Options{Timeout: time.Second, Allow: prefixes("127.0.0.2/32"), Resolve: func(context.Context, string) ([]netip.Addr, error) {
		if asked.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("127.0.0.2")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}})
	_, err = h.Fetch(ctx, "http://rebind.example:"+u.Port()+"/")
	require.Error(t, err)
	require.EqualValues(t, 1, asked.Load(), "looked up once for one connection")
	require.Zero(t, hits.Load(), "the private server was never reached")
	// The socket is checked even if the address check was passed.
	require.Error(t, h.checkSocket("tcp", "127.0.0.1:80", nil))
	require.Error(t, h.checkSocket("tcp", "[::ffff:127.0.0.1]:80", nil))
	require.Error(t, h.checkSocket("tcp", "nonsense", nil))
	require.NoError(t, h.checkSocket("tcp", "8.8.8.8:80", nil))
}

// S-19: each redirect is checked; five are followed; no referrer is sent.
func TestRedirects(t *testing.T) {
	var secret atomic.Int64
	inside := serve(t, func(w http.ResponseWriter, r *http.Request) { secret.Add(1) })
	in, err := url.Parse(inside)
	require.NoError(t, err)
	outside := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Referer() != "" {
			t.Errorf("a referrer was sent: %s", r.Referer())
		}
		switch r.URL.Path {
		case "/count":
			var n int
			fmt.Sscan(r.URL.Query().Get("n"), &n)
			if n == 0 {
				io.WriteString(w, "arrived")
				return
			}
			http.Redirect(w, r, fmt.Sprintf("/count?n=%d", n-1), http.StatusFound)
		default:
			http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
		}
	})
	h := NewHTTP(Options{Allow: prefixes("127.0.0.2/32"), Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
		if host == "inside.example" {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.2")}, nil
	}})
	out, err := url.Parse(outside)
	require.NoError(t, err)
	// The outer server is reached as 127.0.0.2, which is allowed, the inner
	// one is not.
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip("127.0.0.2 cannot be listened on here: ", err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxied, err := http.NewRequest(r.Method, "http://"+out.Host+r.URL.String(), nil)
		if err != nil {
			panic(err)
		}
		proxied.Header = r.Header
		res, err := http.DefaultTransport.RoundTrip(proxied)
		if err != nil {
			panic(err)
		}
		defer res.Body.Close()
		w.Header().Set("Location", res.Header.Get("Location"))
		w.WriteHeader(res.StatusCode)
		io.Copy(w, res.Body)
	})}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	from := "http://out.example:" + fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	for _, to := range []string{inside, "http://inside.example:" + in.Port() + "/", "http://2130706433:" + in.Port(), "http://[::ffff:127.0.0.1]:" + in.Port(), "http://out.example@127.0.0.1:" + in.Port(), "file:///etc/passwd", "ftp://out.example/", "//127.0.0.1:" + in.Port() + "/x"} {
		_, err := h.Fetch(ctx, from+"/?to="+url.QueryEscape(to))
		requireRefused(t, err, to)
	}
	require.Zero(t, secret.Load())
	res, err := h.Fetch(ctx, from+"/count?n=5")
	require.NoError(t, err)
	require.Equal(t, "arrived", string(res.Body))
	_, err = h.Fetch(ctx, from+"/count?n=6")
	require.ErrorContains(t, err, "redirects more than 5 times")
}

// S-12, S-19: bodies are limited after decompression; headers and time are
// limited too.
func TestBounds(t *testing.T) {
	hang := make(chan struct{})
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/exact":
			io.WriteString(w, strings.Repeat("x", MaxBody))
		case "/over":
			io.WriteString(w, strings.Repeat("x", MaxBody+1))
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			chunk := make([]byte, 1<<20)
			for range 2000 {
				if _, err := z.Write(chunk); err != nil {
					return
				}
			}
			z.Close()
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, "plain at last")
			z.Close()
		case "/br":
			w.Header().Set("Content-Encoding", "br")
			io.WriteString(w, "??")
		case "/headers":
			for i := range 100 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("y", 2000))
			}
		case "/slow":
			w.WriteHeader(200)
			for {
				if _, err := io.WriteString(w, "x"); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				select {
				case <-hang:
					return
				case <-time.After(10 * time.Millisecond):
				}
			}
		case "/silent":
			<-hang
		case "/gone":
			w.WriteHeader(http.StatusGone)
			io.WriteString(w, strings.Repeat("x", 3*MaxBody))
		case "/cut":
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "only this")
		}
	})
	defer close(hang)
	h := NewHTTP(Options{Allow: loopback})
	res, err := h.Fetch(ctx, base+"/exact")
	require.NoError(t, err)
	require.Len(t, res.Body, MaxBody)
	for _, path := range []string{"/over", "/bomb"} {
		_, err = h.Fetch(ctx, base+path)
		require.ErrorContains(t, err, "too large", path)
	}
	res, err = h.Fetch(ctx, base+"/gzip")
	require.NoError(t, err)
	require.Equal(t, "plain at last", string(res.Body))
	_, err = h.Fetch(ctx, base+"/br")
	require.ErrorContains(t, err, `"br"`)
	_, err = h.Fetch(ctx, base+"/headers")
	require.Error(t, err)
	_, err = h.Fetch(ctx, base+"/cut")
	require.Error(t, err, "half a page is no page")
	_, err = Read(ctx, h, base+"/gone")
	require.EqualError(t, err, "Failed to fetch URL: 410 Gone")
	quick := NewHTTP(Options{Allow: loopback, Timeout: 200 * time.Millisecond})
	for _, path := range []string{"/slow", "/silent"} {
		_, err = quick.Fetch(ctx, base+path)
		require.ErrorContains(t, err, "within 200ms", path)
		require.True(t, workshop.AsFault(err).Retryable)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = h.Fetch(cancelled, base+"/exact")
	require.ErrorIs(t, err, context.Canceled)
}

// S-19: neither proxies from the environment nor cookies nor credentials are
// used.
func TestNothingElseIsSent(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	t.Setenv("ALL_PROXY", "http://127.0.0.1:1")
	var got http.Header
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "track", Value: "1"})
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/next", http.StatusFound)
			return
		}
		got = r.Header
	})
	_, err := NewHTTP(Options{Allow: loopback}).Fetch(ctx, base+"/")
	require.NoError(t, err)
	for name := range got {
		require.Contains(t, []string{"User-Agent", "Accept", "Accept-Encoding", "Connection"}, name)
	}
}

// Pages made to break the reader: deep, wide, unclosed. They give text or an
// error in bounded time.
func TestHostilePages(t *testing.T) {
	campaign.Slow(t)
	size := MaxBody
	if campaign.Small() {
		size /= 4
	}
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, page := range map[string]string{
		"deep": fill("<div>"), "deep lists": fill("<ul><li>"), "deep tables": fill("<table><tr><td>"), "formatting": fill("<b><i>"), "unclosed": fill("<a href='"), "wide": fill("<p>x</p>"),
		"entities": fill("&amp;"), "attributes": "<p " + fill("a=b "), "links": fill("<a href=x>y</a>"), "brs": fill("<br>"), "comment": "<!--" + fill("-"), "script": fill("<script>"), "nul": fill("\x00"), "table cells": "<table>" + fill("<td>x"), "quotes": fill("<blockquote>x"), "spans": "<p>" + fill("<span>a</span> "), "markup": fill("*_`[]()#"),
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := Readable(ctx, &Response{URL: "http://h/", Status: 200, ContentType: "text/html", Body: []byte(page)})
			if err != nil {
				require.ErrorContains(t, err, "too long to convert")
			}
			require.Less(t, len(doc.Text), 20<<20)
		})
	}
}

func FuzzReadable(f *testing.F) {
	f.Add([]byte("<p>x</p>"), "text/html")
	f.Add([]byte("\xff\xfea"), "text/plain; charset=utf-16")
	f.Add([]byte("<table><tr><td><ul><li>"), "text/html; charset=x")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		doc, err := Readable(ctx, &Response{URL: "http://h/", Status: 200, ContentType: contentType, Body: body})
		if err == nil && !strings.Contains("text markdown", doc.Kind) || bytes.Contains([]byte(doc.Text), []byte("\xff")) {
			t.Fatalf("%q", doc)
		}
	})
}
