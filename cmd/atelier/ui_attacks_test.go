package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// jsAttack tries what a page can do to a server at another origin, and lists what it
// achieved.
const jsAttack = `(async (target, paths) => {
	const got = [];
	const attempt = async (what, f) => { try { const r = await f(); if (r) got.push(what + ": " + r); } catch { /* refused */ } };
	const loads = (el) => new Promise((done, fail) => { el.onload = () => done("loaded"); el.onerror = fail; document.body.append(el); setTimeout(fail, 5000); });
	for (const path of paths) {
		await attempt("reading " + path, async () => (await (await fetch(target + path, { credentials: "include" })).text()).slice(0, 50));
		await attempt("script " + path, () => loads(Object.assign(document.createElement("script"), { src: target + path })));
		await attempt("picture " + path, () => loads(Object.assign(new Image(), { src: target + path })));
		await attempt("module " + path, async () => Object.keys(await import(target + path)).join());
	}
	await attempt("a socket", () => new Promise((done, fail) => {
		const w = new WebSocket(target.replace("http", "ws") + "/session/ws");
		w.onopen = () => done("open");
		w.onmessage = (m) => done(m.data);
		w.onerror = fail;
	}));
	for (const path of ["/session", "/session/end", "/hello"]) {
		await attempt("posting " + path, async () => (await fetch(target + path, { method: "POST", credentials: "include", body: "{}" })).status);
		await fetch(target + path, { method: "POST", mode: "no-cors", credentials: "include", body: "{}" }).catch(() => {}); // what it does shows below
	}
	const frame = Object.assign(document.createElement("iframe"), { src: target + "/" });
	document.body.append(frame);
	await new Promise((done) => { frame.onload = done; setTimeout(done, 3000); });
	await attempt("a frame", () => frame.contentWindow.document.body.innerText);
	return got;
})`

// stranger serves a page of another origin. Its host is the one of servers at a
// loopback address, so that browsers take both for one site.
func stranger(t *testing.T) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>Another page</title><body>Another page")
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// attack opens the other page in the browser of a page and has it attack target.
func (p *uiPage) attack(target string) []string {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Navigate(stranger(p.t.(*testing.T)))))
	p.waitText("Another page")
	got, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](jsAttack+"("+quoted(target)+`, ["/", "/app.js", "/icon.svg", "/session/ws"])`, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err)
	return got
}

// TestUIPageOfAnotherOrigin: another page in the browser that is let in gets nothing
// and changes nothing, at the page of one person and at that of a server.
func TestUIPageOfAnotherOrigin(t *testing.T) {
	campaign.Slow(t)
	t.Run("a server without protection", func(t *testing.T) { // shows that the attacks work
		open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
			w.Header().Set("Access-Control-Allow-Credentials", "true")
			switch {
			case r.Header.Get("Upgrade") != "":
				if c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}); err == nil {
					c.CloseNow()
				}
			case strings.HasSuffix(r.URL.Path, ".js"):
				w.Header().Set("Content-Type", "text/javascript")
				io.WriteString(w, "export const secret = 1")
			default:
				w.Header().Set("Content-Type", "image/svg+xml")
				io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>`)
			}
		}))
		t.Cleanup(open.Close)
		got := strings.Join((&uiProgram{t: t}).open(stranger(t)).attack(open.URL), "\n")
		for _, want := range []string{"reading /: <svg", "picture /icon.svg: loaded", "module /app.js: secret", "a socket: open", "posting /session/end: 200"} {
			require.Contains(t, got, want)
		}
	})
	t.Run("ui", func(t *testing.T) {
		_, p, page := workingUI(t)
		origin, _, _ := strings.Cut(p.address, "/#")
		require.Empty(t, page.attack(origin))
		require.NoError(t, chromedp.Do(page.ctx, chromedp.Navigate(origin+"/")))
		page.waitText("What should be done?")
	})
	t.Run("http", func(t *testing.T) {
		u := startUsersUI(t)
		page := u.enter(u.ann)
		page.waitText("Contracts of Ann")
		require.Empty(t, page.attack(u.origin))
		require.NoError(t, chromedp.Do(page.ctx, chromedp.Navigate(u.origin+"/")))
		page.waitText("Contracts of Ann") // nobody has signed the user out
	})
}
