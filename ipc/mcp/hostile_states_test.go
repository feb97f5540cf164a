package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// hostileRig is a rig whose calls can be held: the tool wait ends when its call is
// canceled, and the model of translate answers when its request is.
type hostileRig struct {
	*rig
	waiting atomic.Int64 // calls of wait at work
	asked   atomic.Int64 // requests to the model of translate
	chats   atomic.Int64 // of them those that translate
	answers atomic.Bool  // the model answers what it is asked beside translating
}

func newHostileRig(t *testing.T, calls int) *hostileRig {
	t.Helper()
	h := &hostileRig{}
	wait := tools.Direct("wait", tools.New("wait", "Waits.", tools.Read, func(ctx context.Context, _ *tools.Env, _ struct{}) (any, error) {
		h.waiting.Add(1)
		defer h.waiting.Add(-1)
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	c, err := tools.NewCatalogue(tools.Style{Name: "workshop"}, append(catalogue.Workshop().Bindings(), wait)...)
	require.NoError(t, err)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked.Add(1)
		chat := strings.HasSuffix(r.URL.Path, "/chat/completions")
		if chat {
			h.chats.Add(1)
		} else if h.answers.Load() {
			http.NotFound(w, r)
			return
		}
		io.Copy(io.Discard, r.Body) //nolint:errcheck // else the server does not see that the client goes
		<-r.Context().Done()
	}))
	t.Cleanup(model.Close)
	h.rig = newRig(t, func(o *Options, eo *engine.Options) {
		o.Catalogue, o.Calls = c, calls
		eo.Model, eo.BaseURL, eo.APIKey = "slow", model.URL+"/v1", "key"
		eo.Limits.ToolTimeout = time.Hour
		eo.HTTPClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	})
	return h
}

// idle waits until no call is at work or waits, and no session is open.
func (h *hostileRig) idle() {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		return len(h.srv.places) == 0 && len(h.srv.queue) == 0 && h.waiting.Load() == 0 && h.srv.Sessions() == 0
	}, 20*time.Second, 10*time.Millisecond)
}

const (
	initializeLine  = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"raw","version":"0"}}}`
	initializedLine = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// callLine is a call of a tool; id and arguments are JSON.
func callLine(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"progressToken":%s}}}`, id, tool, arguments, id)
}

func cancelLine(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"test"}}`, id)
}

// A hostileState is one in which a client cancels or vanishes.
type hostileState struct {
	name  string
	id    string // of the request that is canceled
	reach func(h *hostileRig, c *raw)
}

var hostileStates = []hostileState{
	{"nothing was said", `"none"`, func(*hostileRig, *raw) {}},
	{"initialize was sent", `"init"`, func(_ *hostileRig, c *raw) { c.send(initializeLine) }},
	{"initialized", `"init"`, func(_ *hostileRig, c *raw) { c.begin() }},
	{"listing", "1", func(_ *hostileRig, c *raw) {
		c.begin()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	}},
	{"a call is at work", "1", func(h *hostileRig, c *raw) {
		c.begin()
		c.send(callLine("1", "wait", "{}"))
		h.until("the call is at work", func() bool { return h.waiting.Load() == 1 })
	}},
	{"a call waits for a place", "3", func(h *hostileRig, c *raw) {
		c.begin()
		c.send(callLine("1", "wait", "{}"), callLine("2", "wait", "{}"), callLine("3", "wait", "{}"))
		h.until("a call waits", func() bool { return len(h.srv.queue) == 3 && h.waiting.Load() == 2 })
	}},
	{"the person is asked", "1", func(_ *hostileRig, c *raw) {
		c.begin()
		c.send(callLine("1", askTool, `{"questions":[{"name":"a","question":"b?","schema":{"type":"string"}}]}`))
		require.Equal(c.t, "elicitation/create", c.next().Method)
	}},
	{"a translation is at work", "1", func(h *hostileRig, c *raw) {
		h.answers.Store(true)
		c.begin()
		c.send(callLine("1", "translate", `{"to":"en","paths":["notas.md"],"wait_seconds":600}`))
		h.until("the model translates", func() bool { return h.chats.Load() > 0 })
	}},
	{"a translation begins", "1", func(h *hostileRig, c *raw) {
		c.begin()
		c.send(callLine("1", "translate", `{"to":"en","paths":["notas.md"],"wait_seconds":600}`))
		h.until("the model is asked", func() bool { return h.asked.Load() > 0 })
	}},
}

func (h *hostileRig) until(what string, is func() bool) {
	h.t.Helper()
	require.Eventually(h.t, is, 20*time.Second, 5*time.Millisecond, what)
}

// begin initializes the session and reads the answer.
func (c *raw) begin() {
	c.t.Helper()
	c.send(initializeLine)
	require.NotNil(c.t, c.next().Result)
	c.send(initializedLine)
}

// A client that cancels in any state is served on; one that vanishes, or is there when the
// server stops, leaves no call, no session and no goroutine.
func TestHostileStates(t *testing.T) {
	for _, state := range hostileStates {
		for _, ends := range []string{"cancels", "vanishes", "is left by the server"} {
			t.Run(state.name+", "+ends, func(t *testing.T) {
				h := newHostileRig(t, 2)
				c := h.raw()
				state.reach(h, c)
				if ends == "cancels" {
					c.send(cancelLine(state.id))
					if state.id == "3" { // the others are at work still
						c.send(cancelLine("1"), cancelLine("2"))
					}
					c.lives()
				}
				if strings.HasPrefix(ends, "is left") {
					c.stop()
					read := make(chan struct{})
					go func() { // the client is there still, and reads
						defer close(read)
						for c.out.Scan() {
						}
					}()
					select {
					case <-c.end:
					case <-time.After(20 * time.Second):
						t.Fatal("the server did not stop")
					}
					<-read
				} else {
					c.vanish()
				}
				h.idle()
				if h.chats.Load() > 0 { // the job outlives its call, until it is stopped
					s := h.connect("", nil)
					require.Equal(t, "canceled", h.must(s, "translate", args{"to": "en", "paths": []any{"notas.md"}, "stop": true})["status"])
				}
			})
		}
	}
}

// lives requires that a new request is answered, whatever comes before.
func (c *raw) lives() {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
	for {
		if a := c.next(); string(a.ID) == `"alive"` {
			require.Nil(c.t, a.Error)
			return
		}
	}
}

// vanish ends both streams and waits until the server has noticed.
func (c *raw) vanish() {
	c.t.Helper()
	c.gone()
	select {
	case <-c.end:
	case <-time.After(20 * time.Second):
		c.t.Fatal("the server did not end the session")
	}
}

// More calls than may wait are refused at once, with what to do; the others keep their
// places.
func TestFloodOfCalls(t *testing.T) {
	h := newHostileRig(t, 2)
	c := h.raw()
	c.begin()
	const sent, kept = 200, 17 * 2
	for i := range sent {
		c.send(callLine(fmt.Sprint(i), "wait", "{}"))
	}
	refused := 0
	for range sent - kept {
		a := c.next()
		require.NotNil(t, a.Error)
		require.Contains(t, a.Error.Message, "too many requests")
		refused++
	}
	h.until("two are at work", func() bool { return h.waiting.Load() == 2 })
	c.lives()
	for i := range sent {
		c.send(cancelLine(fmt.Sprint(i)))
	}
	c.lives()
	read := make(chan struct{})
	go func() { // a call that tells its progress ends when that is read
		defer close(read)
		for c.out.Scan() {
		}
	}()
	t.Cleanup(func() {
		c.gone()
		<-read
	})
	h.until("all calls end", func() bool { return len(h.srv.queue) == 0 && h.waiting.Load() == 0 })
	c.vanish()
	h.idle()
}

// Wrong ids, and what comes out of order, are answered or ignored, and the connection
// lives.
func TestWrongIDsAndOrder(t *testing.T) {
	h := newHostileRig(t, 4)
	c := h.raw()
	for _, early := range []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_files"}}`, `{"jsonrpc":"2.0","id":2,"method":"resources/list"}`} {
		c.send(early)
		require.NotNil(t, c.next().Error, "before initialize: %s", early)
	}
	c.begin()
	c.send(initializeLine)
	require.Equal(t, `"init"`, string(c.next().ID), "initialize again is answered")
	for _, id := range []string{`1.5`, `-7`, `9007199254740993`, `""`, `"` + strings.Repeat("i", 100_000) + `"`} {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id))
		require.NotEmpty(t, c.next().ID, "%.40s", id)
	}
	c.send(callLine("5", "wait", "{}"))
	h.until("the call is at work", func() bool { return h.waiting.Load() == 1 })
	c.send(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	require.Contains(t, c.next().Error.Message, "has no answer yet")
	for _, l := range []string{cancelLine(`"5"`), cancelLine("6"), cancelLine("null"), cancelLine(`{"a":1}`),
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1}}`,
		`{"jsonrpc":"2.0","id":5,"result":{"action":"accept","content":{"publish":true}}}`, `{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"x"}}`} {
		c.send(l)
	}
	c.lives()
	require.EqualValues(t, 1, h.waiting.Load(), "the call is at work still")
	c.send(cancelLine("5"))
	h.until("the call ends", func() bool { return h.waiting.Load() == 0 })
	c.lives()
	c.vanish()
	h.idle()
}

// An answer that is not what was asked for publishes nothing.
func TestWrongAnswers(t *testing.T) {
	h := newHostileRig(t, 4)
	for _, answer := range []string{`"result":17`, `"result":{}`, `"result":{"action":"accept"}`, `"result":{"action":"accept","content":{"publish":"yes"}}`, `"result":{"action":"accept","content":{"discard":true}}`, `"result":{"action":"ACCEPT","content":{"publish":true}}`, `"error":{"code":-32601,"message":"no"}`} {
		c := h.raw()
		c.begin()
		c.send(callLine("1", "write_text_file", `{"path":"a.txt","content":"x"}`))
		c.next()
		c.send(callLine("2", "publish", "{}"))
		q := c.next()
		require.Equal(t, "elicitation/create", q.Method)
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, q.ID, answer))
		said := c.next()
		var res struct {
			IsError           bool
			StructuredContent struct{ Published []string }
		}
		require.NoError(t, json.Unmarshal(said.Result, &res))
		require.Empty(t, res.StructuredContent.Published, answer)
		require.NoFileExists(t, h.folder+"/a.txt", answer)
		c.vanish()
	}
	h.idle()
}

// A session over HTTP that is deleted, or open when the server ends, does not wait for
// its calls.
func TestCallsEndWithTheirSession(t *testing.T) {
	for _, ends := range []string{"deleted", "drained"} {
		h := newHostileRig(t, 4)
		served := h.srv.HTTP()
		web := httptest.NewServer(served.Loopback("secret"))
		t.Cleanup(web.Close)
		session := ""
		post := func(ctx context.Context, method, body string) {
			req, err := http.NewRequestWithContext(ctx, method, web.URL+"/mcp", strings.NewReader(body))
			require.NoError(t, err)
			for k, v := range map[string]string{"Authorization": "Bearer secret", "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": session} {
				req.Header.Set(k, v)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return
			}
			defer resp.Body.Close()
			if session == "" {
				session = resp.Header.Get("Mcp-Session-Id")
			}
			io.Copy(io.Discard, resp.Body) //nolint:errcheck // it may break
		}
		post(t.Context(), http.MethodPost, initializeLine)
		post(t.Context(), http.MethodPost, initializedLine)
		var calls sync.WaitGroup
		calls.Go(func() { post(t.Context(), http.MethodPost, callLine("1", "wait", "{}")) })
		h.until("the call is at work", func() bool { return h.waiting.Load() == 1 })
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if ends == "deleted" {
			post(ctx, http.MethodDelete, "")
		} else {
			soon, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			served.Drain(soon)
			cancel()
		}
		require.NoError(t, ctx.Err(), ends)
		cancel()
		calls.Wait()
		h.idle()
	}
}
