package httpapi

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRate: each user has a separate rate and gets the time to wait.
func TestRate(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Rate = 2 })
	_, err := r.accounts.AddMember(t.Context(), r.ws, r.eve.ID)
	require.NoError(t, err)
	ls := `{"tool":"ls"}`
	for range 4 { // the bucket is for two seconds' worth
		require.Equal(t, 200, r.tool(ls).Status)
	}
	a := r.tool(ls)
	assert.Equal(t, 429, a.Status)
	assert.Equal(t, "1", a.Header.Get("Retry-After"))
	assert.Contains(t, a.Body, `"code":"RATE_LIMITED"`)
	assert.Equal(t, 200, r.tool(ls, "Authorization", "Bearer "+r.eveToken).Status, "another user is not held up")
	assert.Equal(t, 429, r.tool(ls).Status, "a refusal costs nothing and gives nothing")
	r.clock.advance(time.Second)
	assert.Equal(t, 200, r.tool(ls).Status)
}

// TestRateForgets: the buckets of inactive users are dropped.
func TestRateForgets(t *testing.T) {
	c := &clock{at: time.Now()}
	l := newRates(1, c.now)
	l.of("a", c.now())
	c.advance(forget + time.Second)
	l.of("b", c.now())
	assert.Len(t, l.users, 1)
}

// TestMaxCalls: calls over the limit wait for a place, and are refused if
// none becomes free.
func TestMaxCalls(t *testing.T) {
	r := newRig(t, func(o *Options) { o.MaxCalls, o.Wait = 1, 20*time.Millisecond })
	r.tools.hold, r.tools.held = make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { assert.Equal(t, 200, r.tool(`{"tool":"wait"}`).Status) })
	<-r.tools.held
	a := r.tool(`{"tool":"ls"}`)
	assert.Equal(t, 503, a.Status)
	assert.Equal(t, `{"error":"The server is busy; try again","code":"UNAVAILABLE"}`, a.Body)
	assert.NotEmpty(t, a.Header.Get("Retry-After"))
	assert.Equal(t, 200, r.request("GET", "/api/v1/health", "").Status)
	close(r.tools.hold)
	wg.Wait()
	assert.Equal(t, 200, r.tool(`{"tool":"ls"}`).Status)
}

// TestCORS: off by default; allowed origins may call, also with the cookie.
func TestCORS(t *testing.T) {
	r := newRig(t)
	a := r.tool(`{"tool":"ls"}`, "Origin", "https://app.example.org")
	assert.Equal(t, 200, a.Status)
	assert.Empty(t, a.Header.Get("Access-Control-Allow-Origin"))

	r = newRig(t, func(o *Options) { o.AllowOrigins = []string{"https://app.example.org"} })
	a = r.tool(`{"tool":"ls"}`, "Origin", "https://app.example.org")
	assert.Equal(t, "https://app.example.org", a.Header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, "true", a.Header.Get("Access-Control-Allow-Credentials"))
	assert.Equal(t, "Origin", a.Header.Get("Vary"))
	a = r.tool(`{"tool":"ls"}`, "Origin", "https://evil.example")
	assert.Empty(t, a.Header.Get("Access-Control-Allow-Origin"))
	pre := []string{"Authorization", "", "Origin", "https://app.example.org", "Access-Control-Request-Method", "POST"}
	a = r.request("OPTIONS", r.toolsPath(), "", pre...)
	assert.Equal(t, 204, a.Status)
	assert.Contains(t, a.Header.Get("Access-Control-Allow-Headers"), "Authorization")

	r = newRig(t, func(o *Options) { o.AllowOrigins = []string{"*"} })
	a = r.tool(`{"tool":"ls"}`, "Origin", "https://any.example")
	assert.Equal(t, "*", a.Header.Get("Access-Control-Allow-Origin"))
	assert.Empty(t, a.Header.Get("Access-Control-Allow-Credentials"), "never for everybody")
	_, err := New(Options{Engine: r.engine, Tools: r.tools, AllowOrigins: []string{"app.example.org/x"}})
	assert.Error(t, err)
}

// TestDrain: when the server stops, a call in progress gets its answer and a
// new one no connection.
func TestDrain(t *testing.T) {
	r := newRig(t)
	r.tools.hold, r.tools.held = make(chan struct{}), make(chan struct{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- r.srv.Serve(ctx, l) }()
	post := func(tool string) (*http.Response, error) {
		req, err := http.NewRequest("POST", "http://"+l.Addr().String()+r.toolsPath(), strings.NewReader(`{"tool":"`+tool+`"}`))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+r.annToken)
		return (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		resp, err := post("wait")
		if assert.NoError(t, err) {
			assert.Equal(t, 200, resp.StatusCode)
			resp.Body.Close()
		}
	})
	<-r.tools.held
	stop()
	require.Eventually(t, func() bool {
		resp, err := post("ls")
		if err == nil {
			resp.Body.Close()
		}
		return err != nil
	}, 10*time.Second, time.Millisecond, "the port stayed open")
	close(r.tools.hold)
	wg.Wait()
	require.NoError(t, <-served)
}

// TestHurry: a server told to hurry does not wait for running calls.
func TestHurry(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Drain = time.Hour })
	r.tools.hold, r.tools.held = make(chan struct{}), make(chan struct{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- r.srv.Serve(ctx, l) }()
	r.http.URL = "http://" + l.Addr().String()
	cut := make(chan error, 1)
	go func() {
		req, _ := http.NewRequest("POST", r.http.URL+r.toolsPath(), strings.NewReader(`{"tool":"wait"}`))
		req.Header.Set("Authorization", "Bearer "+r.annToken)
		_, err := http.DefaultClient.Do(req)
		cut <- err
	}()
	<-r.tools.held
	stop()
	r.srv.Hurry()
	require.NoError(t, <-served)
	require.Error(t, <-cut)
}
