package ui

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"atelier/ipc/ws"
)

func tokenOf(t *testing.T, address string) string {
	u, err := url.Parse(address)
	require.NoError(t, err)
	require.Len(t, u.Fragment, 64)
	return u.Fragment
}

// TestFirstMinute: the token makes a session with a cookie that scripts and other
// sites do not get, which is kept when the program starts again.
func TestFirstMinute(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	require.Regexp(t, `^http://[0-9a-f]{32}\.localhost:\d+/#[0-9a-f]{64}$`, r.srv.Address())
	require.Equal(t, http.StatusOK, b.enter(tokenOf(t, r.srv.Address())))
	require.True(t, b.cookie.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, b.cookie.SameSite)
	require.Equal(t, "/session", b.cookie.Path)
	require.Empty(t, b.cookie.Domain)
	select {
	case <-r.srv.Used():
	default:
		t.Fatal("the token counts as not used")
	}
	ready := b.works()
	require.Equal(t, r.wb, ready["workbench_id"])

	was := r.id.Host()
	r.stop()
	r.start("")
	require.Equal(t, was, r.id.Host(), "name and port are those of before")
	again := b.works()
	require.NotEqual(t, ready["instance"], again["instance"])
	info, err := os.Stat(filepath.Join(r.home, "ui", "x.json"))
	require.NoError(t, err)
	if runtime.GOOS != "windows" { // there the data folder is the user's alone
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	stored, err := os.ReadFile(filepath.Join(r.home, "ui", "x.json"))
	require.NoError(t, err)
	require.NotContains(t, string(stored), b.cookie.Value)
}

// TestStolenAddress: an address that was used lets nobody in, nor does one of an
// earlier start or a guess.
func TestStolenAddress(t *testing.T) {
	r := newRig(t)
	token := tokenOf(t, r.srv.Address())
	require.Equal(t, http.StatusForbidden, r.browser().enter(strings.Repeat("0", 64)))
	require.Equal(t, http.StatusOK, r.browser().enter(token))
	require.Equal(t, http.StatusForbidden, r.browser().enter(token))
	require.Equal(t, http.StatusBadRequest, r.browser().enter(""))
	r.stop()
	r.start("")
	require.Equal(t, http.StatusForbidden, r.browser().enter(token))
}

// TestForgedHost: a name that leads to this machine (DNS rebinding) gets nothing,
// not even the page.
func TestForgedHost(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	port := strconv.Itoa(r.l.port())
	for _, host := range []string{"evil.example", "evil.example:" + port, "localhost:" + port, "0.0.0.0:" + port, "x.localhost:" + port, "127.0.0.1"} {
		header := map[string]string{"Host": host, "Origin": "http://" + host}
		for _, path := range []string{"/", "/session", "/hello", "/session/ws"} {
			resp, body := b.do("POST", path, obj{"token": tokenOf(t, r.srv.Address())}, header)
			require.Equal(t, http.StatusMisdirectedRequest, resp.StatusCode, "%s %s", host, path)
			require.NotContains(t, string(body), "<")
		}
	}
	require.Equal(t, http.StatusOK, b.enter(tokenOf(t, r.srv.Address())), "the token was not used up")
}

// TestForeignOrigin: pages of other sites, and of other ports of this machine,
// can neither call nor connect, even with the cookie.
func TestForeignOrigin(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	require.Equal(t, http.StatusOK, b.enter(tokenOf(t, r.srv.Address())))
	host, _, err := net.SplitHostPort(b.at)
	require.NoError(t, err)
	for _, origin := range []string{"", "null", "http://evil.example", "http://" + host + ":1", "https://" + b.at, "http://" + b.at + ".evil.example", "http://" + r.l.host} {
		for _, path := range []string{"/session", "/hello"} {
			resp, _ := b.do("POST", path, obj{"session": b.session, "nonce": newNonce(), "token": "x"}, map[string]string{"Origin": origin})
			require.Equal(t, http.StatusForbidden, resp.StatusCode, "%q %s", origin, path)
		}
		_, got, err := b.connect(func(h http.Header, _ obj) { h.Set("Origin", origin) })
		require.Error(t, err, "%q", origin)
		require.Equal(t, http.StatusForbidden, got["status"])
	}
	resp, _ := b.do("GET", "/", nil, nil)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Empty(t, resp.Header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "same-origin", resp.Header.Get("Cross-Origin-Resource-Policy"))
	require.Contains(t, resp.Header.Get("Content-Security-Policy"), "default-src 'none'")
	require.Contains(t, resp.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	require.Contains(t, resp.Header.Get("Content-Security-Policy"), "require-trusted-types-for 'script'")
	b.works()
}

// TestNeedsCookieAndKey: the cookie alone, the key alone, a proof of another
// address or of another connection, and a session at another address are refused.
func TestNeedsCookieAndKey(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	require.Equal(t, http.StatusOK, b.enter(tokenOf(t, r.srv.Address())))
	for name, change := range map[string]func(http.Header, obj){
		"no cookie":                  func(h http.Header, _ obj) { h.Del("Cookie") },
		"a wrong cookie":             func(h http.Header, _ obj) { h.Set("Cookie", "atelier=x") },
		"no proof":                   func(_ http.Header, first obj) { first["proof"] = "" },
		"the key instead of a proof": func(_ http.Header, first obj) { first["proof"] = ""; first["key"] = b.key },
		"a proof of another address": func(_ http.Header, first obj) {
			first["proof"] = prove(b.key, rolePage, "127.0.0.1:1", "n", first["nonce"].(string))
		},
		"another session": func(_ http.Header, first obj) { first["session"] = "x" },
		"no nonce":        func(_ http.Header, first obj) { first["nonce"] = "" },
		"a large message": func(_ http.Header, first obj) { first["session"] = strings.Repeat("x", 5000) },
	} {
		_, _, err := b.connect(change)
		require.Error(t, err, name)
	}
	plain := *b
	plain.at = r.l.host
	_, _, err := plain.connect(nil)
	require.Error(t, err, "a session of the name at the address")
	require.Equal(t, ws.StatusNotAdmitted, websocket.CloseStatus(err))
	b.works()
}

// TestPlainAddress: a browser that does not find the name has a session without a
// cookie, since other local servers would get that.
func TestPlainAddress(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	b.at = r.l.host
	require.Equal(t, http.StatusOK, b.enter(tokenOf(t, r.srv.PlainAddress())))
	require.Nil(t, b.cookie)
	b.works()
	other := *b
	other.key = randomBytes(32)
	_, _, err := other.connect(nil)
	require.Error(t, err)
}

// TestStrangerOnThePort: a server that has the port after the page's server ended
// gets no proof that it could use, cannot prove itself, and makes the page move
// with all sessions ended.
func TestStrangerOnThePort(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	require.Equal(t, http.StatusOK, b.enter(tokenOf(t, r.srv.Address())))
	nonce := newNonce()
	_, body := b.do("POST", "/hello", obj{"session": b.session, "nonce": nonce}, map[string]string{"Origin": "http://" + b.at})
	var hello struct{ Proof string }
	require.NoError(t, json.Unmarshal(body, &hello))
	require.True(t, proven(hello.Proof, b.key, roleServer, b.at, nonce))
	require.False(t, proven(hello.Proof, b.key, roleServer, b.at, newNonce()), "a recorded proof is of no use")

	port := r.l.port()
	r.stop()
	stranger, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	require.NoError(t, err)
	was := b.at
	r.start("")
	defer stranger.Close()
	require.True(t, r.l.Moved())
	require.NotEqual(t, port, r.l.port())
	require.NotEqual(t, was[:32], r.id.Host()[:32])
	moved := *b
	moved.at = r.id.Host()
	_, got, err := moved.connect(nil)
	require.Error(t, err)
	require.Equal(t, http.StatusUnauthorized, got["status"], "the cookie that the stranger may have is of no use")
	fresh := r.browser()
	require.Equal(t, http.StatusOK, fresh.enter(tokenOf(t, r.srv.Address())))
	fresh.works()
}

// TestOtherMachines: at an address for other machines a browser without
// cryptography sends its key; names are refused there too.
func TestOtherMachines(t *testing.T) {
	r := newRig(t)
	r.stop()
	r.start("0.0.0.0")
	require.False(t, r.l.Local())
	b := r.browser()
	b.at = net.JoinHostPort("127.0.0.1", strconv.Itoa(r.l.port()))
	require.Equal(t, http.StatusOK, b.enter(tokenOf(t, r.srv.PlainAddress())))
	require.Nil(t, b.cookie)
	byKey := func(key []byte) func(http.Header, obj) {
		return func(_ http.Header, first obj) { first["proof"] = ""; first["key"] = key }
	}
	_, _, err := b.connect(byKey(b.key))
	require.NoError(t, err)
	_, _, err = b.connect(byKey(randomBytes(32)))
	require.Error(t, err)
	_, _, err = b.connect(byKey(nil))
	require.Error(t, err)
	for _, host := range []string{"evil.example:" + strconv.Itoa(r.l.port()), "0.0.0.0:" + strconv.Itoa(r.l.port()), "10.1.2.3:" + strconv.Itoa(r.l.port())} {
		resp, _ := b.do("GET", "/", nil, map[string]string{"Host": host})
		require.Equal(t, http.StatusMisdirectedRequest, resp.StatusCode, host)
	}
}

// TestSilentConnections: who connects and says nothing is dropped.
func TestSilentConnections(t *testing.T) {
	r := newRig(t, func(o *Options) { o.WS.AdmitTime = 500 * time.Millisecond })
	b := r.browser()
	require.Equal(t, http.StatusOK, b.enter(tokenOf(t, r.srv.Address())))
	h := http.Header{"Origin": {"http://" + b.at}, "Cookie": {b.cookie.Name + "=" + b.cookie.Value}}
	c, _, err := websocket.Dial(context.Background(), "ws://"+b.at+"/session/ws", &websocket.DialOptions{HTTPClient: toLoopback, HTTPHeader: h})
	require.NoError(t, err)
	_, _, err = c.Read(context.Background())
	require.NoError(t, err, "its nonce")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, _, err = c.Read(ctx)
	require.Error(t, err)
	require.NoError(t, ctx.Err())
}

// TestTwoServers: a page is served by one process.
func TestTwoServers(t *testing.T) {
	r := newRig(t)
	_, err := OpenIdentity(filepath.Join(r.home, "ui"), "x")
	require.ErrorIs(t, err, ErrServed)
	require.ErrorContains(t, err, r.id.Host())
}

// TestSessionsAreBounded: the least recently used are dropped, old ones end, and a
// damaged file makes a new identity.
func TestSessionsAreBounded(t *testing.T) {
	dir := t.TempDir()
	id, err := OpenIdentity(dir, "x")
	require.NoError(t, err)
	now := time.Now()
	id.now = func() time.Time { return now }
	var first, last session
	for i := range maxSessions + 3 {
		now = now.Add(time.Minute)
		s, _, err := id.admit(true)
		require.NoError(t, err)
		if i == 0 {
			first = s
		}
		last = s
	}
	_, ok := id.session(first.ID)
	require.False(t, ok)
	_, ok = id.session(last.ID)
	require.True(t, ok)
	require.Len(t, id.state.Sessions, maxSessions)
	now = now.Add(sessionLife + time.Second)
	_, ok = id.session(last.ID)
	require.False(t, ok)
	name := id.state.ID
	require.NoError(t, id.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.json"), []byte(`{"id":`), 0o600))
	id, err = OpenIdentity(dir, "x")
	require.NoError(t, err)
	require.NotEqual(t, name, id.state.ID)
	require.Len(t, id.state.ID, 32)
	require.NoError(t, id.Close())
}

// TestPageIsSmall: all files of the page together, compressed, are below 300 KB,
// and each has a kind that a browser may use.
func TestPageIsSmall(t *testing.T) {
	all, err := readAssets(false)
	require.NoError(t, err)
	sum := 0
	for name, a := range all {
		sum += len(a.gzip)
		require.NotContains(t, string(a.plain), "https://", name)
	}
	require.NotNil(t, all["/"])
	require.Less(t, sum, 300_000)
	t.Logf("%d files, %d bytes compressed", len(all), sum)
}

// TestTidy: identities that nobody used for long, and files of killed programs, are
// removed; what is in use stays.
func TestTidy(t *testing.T) {
	dir := t.TempDir()
	used, err := OpenIdentity(dir, "used")
	require.NoError(t, err)
	_, _, err = used.admit(true)
	require.NoError(t, err)
	idle, err := OpenIdentity(dir, "idle")
	require.NoError(t, err)
	_, _, err = idle.admit(true)
	require.NoError(t, err)
	require.NoError(t, idle.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "open-1.html"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "open-2.html"), nil, 0o600))
	long := time.Now().Add(-2 * sessionLife)
	for _, name := range []string{"used.json", "idle.json", "open-1.html"} {
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), long, long))
	}
	other, err := OpenIdentity(dir, "other")
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(dir, "used.json"))
	require.NoFileExists(t, filepath.Join(dir, "idle.json"))
	require.NoFileExists(t, filepath.Join(dir, "open-1.html"))
	require.FileExists(t, filepath.Join(dir, "open-2.html"))
	require.NoError(t, used.Close())
	require.NoError(t, other.Close())
}
