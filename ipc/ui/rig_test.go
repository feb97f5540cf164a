package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/stretchr/testify/require"

	"atelier/engine"
)

type obj = map[string]any

// rig is a page that is served, and can be stopped and started again.
type rig struct {
	t      *testing.T
	home   string
	e      *engine.Engine
	id     *Identity
	l      *Listener
	srv    *Server
	wb     string
	change []func(*Options) // of each start
	stop   func()
}

func newRig(t *testing.T, change ...func(*Options)) *rig {
	r := &rig{t: t, home: t.TempDir(), change: change}
	r.start("")
	t.Cleanup(func() { r.stop() })
	return r
}

func (r *rig) start(addr string) {
	r.t.Helper()
	var err error
	r.e, err = engine.New(engine.Options{Home: r.home, Model: engine.PseudoModel})
	require.NoError(r.t, err)
	if r.wb == "" {
		made, err := r.e.Call(context.Background(), "WorkbenchCreate", json.RawMessage(`{"name":"w"}`))
		require.NoError(r.t, err)
		r.wb = made.(engine.WorkbenchCreated).WorkbenchID
	}
	r.id, err = OpenIdentity(filepath.Join(r.home, "ui"), "x")
	require.NoError(r.t, err)
	r.l, err = Listen(r.id, addr)
	require.NoError(r.t, err)
	opt := Options{WorkbenchID: r.wb, Folder: "/folder"}
	for _, c := range r.change {
		c(&opt)
	}
	r.srv, err = New(r.e, r.id, r.l, opt)
	require.NoError(r.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.srv.Serve(ctx) }()
	r.stop = func() {
		cancel()
		require.NoError(r.t, <-ended)
		require.NoError(r.t, r.id.Close())
		require.NoError(r.t, r.e.Close())
		r.stop = func() {}
	}
}

// browser is what a browser keeps and sends: it finds names below localhost, and
// gives the cookie to every port of the host that set it, below its path.
type browser struct {
	r       *rig
	at      string // host and port that it opened
	cookie  *http.Cookie
	session string
	key     []byte
}

func (r *rig) browser() *browser { return &browser{r: r, at: r.id.Host()} }

var toLoopback = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
	_, port, _ := net.SplitHostPort(addr)
	return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
}}}

// do sends a request to the page with these headers; "Host" replaces the host.
func (b *browser) do(method, path string, body any, header map[string]string) (*http.Response, []byte) {
	b.r.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(b.r.t, err)
	req, err := http.NewRequest(method, "http://"+b.at+path, bytes.NewReader(text))
	require.NoError(b.r.t, err)
	for k, v := range header {
		if k == "Host" {
			req.Host = v
			continue
		}
		req.Header.Set(k, v)
	}
	resp, err := toLoopback.Do(req)
	require.NoError(b.r.t, err)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	require.NoError(b.r.t, err)
	return resp, got
}

// enter uses a token, and keeps what it gives.
func (b *browser) enter(token string) int {
	b.r.t.Helper()
	resp, body := b.do("POST", "/session", obj{"token": token}, map[string]string{"Origin": "http://" + b.at})
	if resp.StatusCode != http.StatusOK {
		return resp.StatusCode
	}
	var made struct {
		Session string
		Key     []byte
	}
	require.NoError(b.r.t, json.Unmarshal(body, &made))
	b.session, b.key = made.Session, made.Key
	if c := resp.Cookies(); len(c) > 0 {
		b.cookie = c[0]
	}
	return resp.StatusCode
}

// connect opens the WebSocket as the page does. change changes what it sends.
func (b *browser) connect(change func(header http.Header, first obj)) (*websocket.Conn, obj, error) {
	b.r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	h := http.Header{"Origin": {"http://" + b.at}}
	if b.cookie != nil {
		h.Set("Cookie", b.cookie.Name+"="+b.cookie.Value)
	}
	first := obj{"session": b.session, "nonce": newNonce()}
	if change != nil {
		change(h, first)
	}
	c, resp, err := websocket.Dial(ctx, "ws://"+b.at+"/session/ws", &websocket.DialOptions{HTTPClient: toLoopback, HTTPHeader: h})
	if err != nil {
		if resp != nil {
			return nil, obj{"status": resp.StatusCode}, err
		}
		return nil, nil, err
	}
	b.r.t.Cleanup(func() { c.CloseNow() })
	var hello struct{ Nonce string }
	if err := wsjson.Read(ctx, c, &hello); err != nil {
		return nil, nil, err
	}
	if _, ok := first["proof"]; !ok {
		first["proof"] = prove(b.key, rolePage, b.at, hello.Nonce, first["nonce"].(string))
	}
	if err := wsjson.Write(ctx, c, first); err != nil {
		return nil, nil, err
	}
	var ready obj
	if err := wsjson.Read(ctx, c, &ready); err != nil {
		return nil, nil, err
	}
	nonce, _ := first["nonce"].(string)
	require.True(b.r.t, proven(ready["proof"].(string), b.key, roleServer, b.at, nonce, hello.Nonce), "the server proves itself")
	return c, ready, nil
}

// works connects and makes a call.
func (b *browser) works() obj {
	b.r.t.Helper()
	c, ready, err := b.connect(nil)
	require.NoError(b.r.t, err)
	require.NoError(b.r.t, wsjson.Write(context.Background(), c, obj{"jsonrpc": "2.0", "id": 1, "method": "WorkbenchList"}))
	var answer obj
	require.NoError(b.r.t, wsjson.Read(context.Background(), c, &answer))
	require.Contains(b.r.t, answer, "result")
	require.NoError(b.r.t, c.Close(websocket.StatusNormalClosure, ""))
	return ready
}
