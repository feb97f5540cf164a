package ws

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm/replay"
)

type obj = map[string]any

// rig is an engine behind a real server.
type rig struct {
	t   *testing.T
	e   *engine.Engine
	h   *Handler
	srv *httptest.Server
	wb  string
}

func newRig(t *testing.T, opt Options) *rig {
	t.Helper()
	return newRigOf(t, opt, engine.Options{Model: engine.PseudoModel})
}

func newRigOf(t *testing.T, opt Options, of engine.Options) *rig {
	t.Helper()
	of.Home = t.TempDir()
	e, err := engine.New(of)
	require.NoError(t, err)
	r := &rig{t: t, e: e, h: New(e, opt)}
	r.srv = httptest.NewUnstartedServer(r.h)
	r.srv.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateNew {
			c.(*net.TCPConn).SetWriteBuffer(4096) // so that little is enough to fill it
		}
	}
	r.srv.Start()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, r.h.Shutdown(ctx))
		r.srv.Close()
		require.NoError(t, e.Close())
	})
	made, err := e.Call(context.Background(), "WorkbenchCreate", json.RawMessage(`{"name":"w"}`))
	require.NoError(t, err)
	r.wb = made.(engine.WorkbenchCreated).WorkbenchID
	return r
}

// write changes the draft n times, which gives notifications.
func (r *rig) write(n int) {
	r.t.Helper()
	for i := range n {
		_, err := r.e.Call(context.Background(), "ToolCall", json.RawMessage(fmt.Sprintf(`{"workbench_id":%q,"tool":"write_text_file","args":{"path":"a.txt","content":"%d %d\n"}}`, r.wb, i, time.Now().UnixNano())))
		require.NoError(r.t, err)
	}
}

type message struct {
	ID     int
	Method string
	Params obj
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    struct {
			ErrorCode string `json:"error_code"`
		}
	}
}

type page struct {
	t     *testing.T
	c     *websocket.Conn
	id    int
	notes []message // notifications in order
}

func (r *rig) page() *page {
	r.t.Helper()
	c, _, err := websocket.Dial(context.Background(), "ws"+strings.TrimPrefix(r.srv.URL, "http"), nil)
	require.NoError(r.t, err)
	c.SetReadLimit(-1)
	r.t.Cleanup(func() { c.CloseNow() })
	return &page{t: r.t, c: c}
}

func (p *page) read() message {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, b, err := p.c.Read(ctx)
	require.NoError(p.t, err)
	var m message
	require.NoError(p.t, json.Unmarshal(b, &m))
	if m.Method != "" {
		p.notes = append(p.notes, m)
	}
	return m
}

// call gives the answer; notifications before it are kept.
func (p *page) call(method string, params obj) message {
	p.t.Helper()
	p.id++
	b, err := json.Marshal(obj{"jsonrpc": "2.0", "id": p.id, "method": method, "params": params})
	require.NoError(p.t, err)
	require.NoError(p.t, p.c.Write(context.Background(), websocket.MessageText, b))
	for {
		if m := p.read(); m.Method == "" {
			require.Equal(p.t, p.id, m.ID)
			return m
		}
	}
}

// next waits for a notification of that method.
func (p *page) next(method string) message {
	p.t.Helper()
	for {
		if m := p.read(); m.Method == method {
			return m
		}
	}
}

func positions(ms []message) (list []float64) {
	for _, m := range ms {
		list = append(list, m.Params["position"].(float64))
	}
	return list
}

// TestTwoPages: both see what one does, in the same order; one that did not ask
// for the workbench sees nothing.
func TestTwoPages(t *testing.T) {
	r := newRig(t, Options{})
	one, two, other := r.page(), r.page(), r.page()
	require.Nil(t, one.call("EventsResume", obj{"workbench_id": r.wb}).Error)
	require.Nil(t, two.call("EventsResume", obj{"workbench_id": r.wb}).Error)
	for i := range 5 {
		m := one.call("ToolCall", obj{"workbench_id": r.wb, "tool": "write_text_file", "args": obj{"path": "a.txt", "content": fmt.Sprint(i, "\n")}})
		require.Nil(t, m.Error, "%+v", m.Error)
	}
	require.NotEmpty(t, one.notes, "they come before the answer")
	for len(two.notes) < len(one.notes) {
		two.read()
	}
	require.Equal(t, one.notes, two.notes)
	other.call("EngineGetInfo", obj{})
	require.Empty(t, other.notes)
}

// TestOneAnswers: a question that two pages show is answered by one; the other
// is told, and its own answer is refused.
func TestOneAnswers(t *testing.T) {
	r := newRig(t, Options{})
	one, two := r.page(), r.page()
	one.call("EventsResume", obj{"workbench_id": r.wb})
	two.call("EventsResume", obj{"workbench_id": r.wb})
	asked := one.call("ToolCall", obj{"workbench_id": r.wb, "tool": "ask_user", "args": obj{"questions": []obj{{"name": "n", "question": "How many?", "schema": obj{"type": "integer"}}}}})
	require.Nil(t, asked.Error, "%+v", asked.Error)
	id := two.next("WorkshopQuestionPending").Params["question_id"]
	answer := obj{"workbench_id": r.wb, "question_id": id, "answers": obj{"n": 3}}
	require.Nil(t, one.call("WorkshopAnswerQuestion", answer).Error)
	require.Equal(t, id, two.next("WorkshopQuestionAnswered").Params["question_id"])
	late := two.call("WorkshopAnswerQuestion", answer)
	require.NotNil(t, late.Error)
	require.Equal(t, engine.CodeNotFound, late.Error.Data.ErrorCode)
}

// TestConnectionLost: a page whose connection broke gets what it missed once and
// in order, then what is new, while the workbench is changed all the time.
func TestConnectionLost(t *testing.T) {
	r := newRig(t, Options{})
	watcher := r.page()
	watcher.call("EventsResume", obj{"workbench_id": r.wb})
	done := make(chan struct{})
	go func() { defer close(done); r.write(60) }()
	var got []message
	position := 0.0
	for round := 0; len(got) < 60; round++ {
		p := r.page()
		p.call("EventsResume", obj{"workbench_id": r.wb, "position": position})
		for len(p.notes) < 7 && len(got)+len(p.notes) < 60 {
			p.read()
		}
		got = append(got, p.notes...)
		position = got[len(got)-1].Params["position"].(float64)
		require.NoError(t, p.c.CloseNow())
	}
	<-done
	for len(watcher.notes) < len(got) {
		watcher.read()
	}
	require.Equal(t, positions(watcher.notes)[:len(got)], positions(got))
}

// TestRunWithoutAPage: a run goes on when its page is gone and waits with its
// question; the next page gets the question, answers it and sees the end.
func TestRunWithoutAPage(t *testing.T) {
	f, err := replay.Parse([]byte("-- model-1 --\n" + `{"call":{"id":"tc-1","name":"ask_user","arguments":{"questions":[{"name":"n","question":"How many?","schema":"{}"}]}}}` +
		"\n-- model-2 --\n{\"text\":\"Three, then.\"}\n"))
	require.NoError(t, err)
	model, err := replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	defer model.Close()
	r := newRigOf(t, Options{}, engine.Options{Model: "m", BaseURL: model.URL, APIKey: "k"})
	r.write(1)
	one := r.page()
	var at struct{ Position float64 }
	require.NoError(t, json.Unmarshal(one.call("EventsResume", obj{"workbench_id": r.wb}).Result, &at))
	var sent struct {
		MessageID string `json:"message_id"`
	}
	require.NoError(t, json.Unmarshal(one.call("WorkshopSendUserMessage", obj{"workbench_id": r.wb, "text": "Ask me."}).Result, &sent))
	require.Equal(t, "WorkshopConversationChanged", one.notes[len(one.notes)-1].Method)
	require.NoError(t, json.Unmarshal(one.call("EventsResume", obj{"workbench_id": r.wb}).Result, &at))
	one.notes = nil
	b, err := json.Marshal(obj{"jsonrpc": "2.0", "id": 99, "method": "WorkshopRunAgent", "params": obj{"workbench_id": r.wb, "message_id": sent.MessageID}})
	require.NoError(t, err)
	require.NoError(t, one.c.Write(context.Background(), websocket.MessageText, b))
	one.next("WorkshopQuestionPending")
	require.NoError(t, one.c.CloseNow())

	two := r.page()
	state := func() (s struct {
		Running     bool
		RunPosition float64 `json:"run_position"`
	}) {
		require.NoError(t, json.Unmarshal(two.call("WorkshopGetState", obj{"workbench_id": r.wb}).Result, &s))
		return s
	}
	begun := state()
	require.True(t, begun.Running)
	require.Equal(t, at.Position, begun.RunPosition, "where a page that comes now can begin")
	two.call("EventsResume", obj{"workbench_id": r.wb, "position": begun.RunPosition})
	for _, p := range []*page{one, two} {
		for _, n := range p.notes {
			delete(n.Params, "seq") // counts on each connection
		}
	}
	require.Equal(t, one.notes, two.notes, "what the first page saw")
	id := two.notes[len(two.notes)-1].Params["question_id"]
	require.NotEmpty(t, id)
	require.Nil(t, two.call("WorkshopAnswerQuestion", obj{"workbench_id": r.wb, "question_id": id, "answers": obj{"n": 3}}).Error)
	two.next("WorkshopAssistantMessageComplete")
	text := ""
	for _, m := range two.notes {
		if d, ok := m.Params["token_delta"].(string); ok {
			text += d
		}
	}
	require.Equal(t, "Three, then.", text)
	require.Eventually(t, func() bool { s := state(); return !s.Running && s.RunPosition == 0 }, 60*time.Second, 10*time.Millisecond)
	require.Eventually(t, func() bool { return r.connected() == 1 }, 60*time.Second, 10*time.Millisecond, "the first page's call has ended")
}

// TestMessageTooLarge: 50 MB are answered with an error, and the connection
// goes on.
func TestMessageTooLarge(t *testing.T) {
	r := newRig(t, Options{})
	p := r.page()
	require.NoError(t, p.c.Write(context.Background(), websocket.MessageText, []byte(`{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("x", 50_000_000)+`"}`)))
	m := p.read()
	require.Equal(t, -32600, m.Error.Code)
	require.Contains(t, m.Error.Message, "too large")
	require.Nil(t, p.call("EngineGetInfo", obj{}).Error)
	require.NoError(t, p.c.Write(context.Background(), websocket.MessageText, []byte(`{not json`)))
	require.Equal(t, -32700, p.read().Error.Code)

	require.NoError(t, p.c.Write(context.Background(), websocket.MessageBinary, []byte(`{}`)))
	_, _, err := p.c.Read(context.Background())
	require.Equal(t, websocket.StatusUnsupportedData, websocket.CloseStatus(err))
}

// connected is how many connections the handler has.
func (r *rig) connected() int {
	r.h.mu.Lock()
	defer r.h.mu.Unlock()
	return r.h.slots
}

// silent connects by hand, sends one call, and never reads a byte.
func (r *rig) silent(calls ...string) net.Conn {
	r.t.Helper()
	c, err := net.Dial("tcp", r.srv.Listener.Addr().String())
	require.NoError(r.t, err)
	r.t.Cleanup(func() { c.Close() })
	require.NoError(r.t, c.(*net.TCPConn).SetReadBuffer(4096))
	_, err = fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", r.srv.Listener.Addr())
	require.NoError(r.t, err)
	for _, call := range calls {
		// A frame of text, masked with zeros.
		frame := append([]byte{0x81, 0x80 | 126, byte(len(call) >> 8), byte(len(call)), 0, 0, 0, 0}, call...)
		_, err = c.Write(frame)
		require.NoError(r.t, err)
	}
	return c
}

// TestNeverRead: a client that does not read is dropped, by what waits for it or
// by the time that one message takes; another client gets everything meanwhile.
func TestNeverRead(t *testing.T) {
	for name, opt := range map[string]Options{
		"waiting":   {Waiting: 1 << 20, WriteTimeout: time.Hour, PingEvery: time.Hour},
		"writing":   {Waiting: 1 << 40, WriteTimeout: 100 * time.Millisecond, PingEvery: time.Hour},
		"no answer": {Waiting: 1 << 40, WriteTimeout: time.Hour, PingEvery: 200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, opt)
			r.write(100)
			var calls []string
			if name != "no answer" {
				for range 150 { // each sends all notifications again
					calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","method":"EventsResume","params":{"workbench_id":%q,"position":0},"id":null}`, r.wb))
				}
			}
			silent := r.silent(calls...)
			p := r.page()
			p.call("EventsResume", obj{"workbench_id": r.wb})
			written := make(chan struct{})
			go func() { // while the page reads, and so answers pings
				defer close(written)
				r.write(3)
			}()
			for len(p.notes) < 3 {
				p.read()
			}
			<-written
			stop := make(chan struct{})
			go func() { // answers pings
				defer close(stop)
				p.c.Read(context.Background())
			}()
			require.Eventually(t, func() bool { return r.connected() == 1 }, 60*time.Second, 10*time.Millisecond, "the silent client stays connected")
			require.NoError(t, silent.Close())
			p.c.CloseNow()
			<-stop
		})
	}
}

// TestWhoIsRefused: pages of other origins, what is no WebSocket, and more
// connections than allowed.
func TestWhoIsRefused(t *testing.T) {
	r := newRig(t, Options{Connections: 1})
	url := "ws" + strings.TrimPrefix(r.srv.URL, "http")
	_, resp, err := websocket.Dial(context.Background(), url, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"http://evil.example"}}})
	require.Error(t, err)
	require.Equal(t, http.StatusForbidden, resp.StatusCode)
	plain, err := http.Get(r.srv.URL)
	require.NoError(t, err)
	plain.Body.Close()
	require.Equal(t, http.StatusUpgradeRequired, plain.StatusCode)
	require.Eventually(t, func() bool { return r.connected() == 0 }, 60*time.Second, 10*time.Millisecond)
	p := r.page()
	_, resp, err = websocket.Dial(context.Background(), url, nil)
	require.Error(t, err)
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	require.Nil(t, p.call("EngineGetInfo", obj{}).Error)
}

// TestShutdownTellsPages: the connection is closed with a status that says why.
func TestShutdownTellsPages(t *testing.T) {
	r := newRig(t, Options{})
	p := r.page()
	p.call("EngineGetInfo", obj{})
	ended := make(chan error, 1)
	go func() {
		_, _, err := p.c.Read(context.Background())
		ended <- err
	}()
	require.NoError(t, r.h.Shutdown(context.Background()))
	require.Equal(t, websocket.StatusGoingAway, websocket.CloseStatus(<-ended))
}
