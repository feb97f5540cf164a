package local

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// methods are what the tests call.
type methods struct {
	mu       sync.Mutex
	canceled int
	hold     chan struct{}
}

func (m *methods) Has(method string) bool { return method != "nothing" }

func (m *methods) Call(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case "echo":
		return params, nil
	case "fail":
		return nil, &engine.ErrorInfo{ErrorCode: engine.CodeValidationFailed, Detail: "no", Hint: "try"}
	case "wait":
		select {
		case <-m.hold:
			return "waited", nil
		case <-ctx.Done():
			m.mu.Lock()
			defer m.mu.Unlock()
			m.canceled++
			return nil, &engine.ErrorInfo{ErrorCode: engine.CodeUserCanceled, Detail: "canceled"}
		}
	}
	return struct{}{}, nil
}

func (m *methods) cancels() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.canceled
}

// rig is a server with its methods.
type rig struct {
	*methods
	address string
	stop    func() // ends the server and waits for it
	mu      sync.Mutex
	notify  []func(engine.Notification)
}

func newRig(t *testing.T, change ...func(*Options)) *rig {
	t.Helper()
	home, err := os.MkdirTemp("", "at")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	l, err := Listen(home)
	require.NoError(t, err)
	r := &rig{methods: &methods{hold: make(chan struct{})}, address: l.Address()}
	opt := Options{Version: "1", Drain: 10 * time.Second, Admit: func(_ context.Context, h Hello, tell func(string, any)) (Session, error) {
		if h.Workbench == "refuse" {
			return Session{}, errors.New("refused it")
		}
		tell("command/greeting", map[string]string{"id": h.Workbench})
		return Session{r.methods, func(f func(engine.Notification)) func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.notify = append(r.notify, f)
			return func() {}
		}}, nil
	}}
	for _, f := range change {
		f(&opt)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { New(l, opt).Serve(ctx); close(done) }()
	r.stop = func() { cancel(); <-done }
	t.Cleanup(r.stop)
	return r
}

func (r *rig) dial(t *testing.T, notify func(string, json.RawMessage)) *Client {
	t.Helper()
	if notify == nil {
		notify = func(string, json.RawMessage) {}
	}
	c, err := Dial(t.Context(), r.address, Hello{Version: "1", Workbench: "w"}, notify)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func TestCalls(t *testing.T) {
	r := newRig(t)
	var told []string
	c := r.dial(t, func(method string, _ json.RawMessage) { told = append(told, method) })
	got, err := c.Call(t.Context(), "echo", json.RawMessage(`{"a":"<&>"}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"a":"<&>"}`, string(got))
	require.Equal(t, []string{"command/greeting"}, told)
	_, err = c.Call(t.Context(), "fail", nil)
	var info *engine.ErrorInfo
	require.ErrorAs(t, err, &info)
	require.Equal(t, "try", info.Hint)
	_, err = c.Call(t.Context(), "nothing", nil)
	require.ErrorContains(t, err, "method not found")
	_, err = c.Call(t.Context(), "echo", json.RawMessage(`"`+strings.Repeat("x", 17<<20)+`"`))
	require.ErrorContains(t, err, "larger than 16 MiB")
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if _, err := c.Call(t.Context(), "echo", json.RawMessage(`{}`)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// A call that its caller cancels is canceled in the server, and so is one whose client
// goes away.
func TestCancel(t *testing.T) {
	r := newRig(t)
	c := r.dial(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := c.Call(ctx, "wait", nil)
	require.ErrorContains(t, err, "canceled")
	require.Equal(t, 1, r.cancels())
	go c.Call(t.Context(), "wait", nil)
	time.Sleep(50 * time.Millisecond)
	c.Close()
	require.Eventually(t, func() bool { return r.cancels() == 2 }, 10*time.Second, 5*time.Millisecond)
	var gone *engine.HolderGone
	_, err = c.Call(t.Context(), "echo", nil)
	require.ErrorAs(t, err, &gone)
}

// A server that ends lets calls in progress end, and closes the others' connections.
func TestServerEnds(t *testing.T) {
	r := newRig(t)
	busy, idle := r.dial(t, nil), r.dial(t, nil)
	got := make(chan error, 1)
	go func() { _, err := busy.Call(t.Context(), "wait", nil); got <- err }()
	time.Sleep(50 * time.Millisecond)
	ended := make(chan struct{})
	go func() { r.stop(); close(ended) }()
	require.Eventually(t, func() bool { _, err := idle.Call(t.Context(), "echo", nil); return err != nil }, 10*time.Second, 5*time.Millisecond)
	select {
	case <-ended:
		t.Fatal("it does not wait for the call")
	case <-time.After(50 * time.Millisecond):
	}
	close(r.hold)
	require.NoError(t, <-got)
	<-ended
	_, err := Dial(t.Context(), r.address, Hello{Version: "1"}, nil)
	require.Error(t, err)
}

func TestServerCancelsWhatDoesNotEnd(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Drain = 50 * time.Millisecond })
	c := r.dial(t, nil)
	got := make(chan error, 1)
	go func() { _, err := c.Call(t.Context(), "wait", nil); got <- err }()
	time.Sleep(50 * time.Millisecond)
	r.stop()
	require.ErrorContains(t, <-got, "canceled")
}

func TestRefusals(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		hello Hello
		want  string
	}{{Hello{Version: "2"}, `it is version "1" of Atelier, and this is 2`}, {Hello{Version: "1", Workbench: "refuse"}, "refused it"}} {
		_, err := Dial(t.Context(), r.address, c.hello, nil)
		require.ErrorContains(t, err, c.want)
	}
	c, err := connect(t.Context(), r.address)
	require.NoError(t, err)
	defer c.Close()
	in := bufio.NewReader(c)
	_, err = in.ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, sendLine(c, Hello{Version: "2"}))
	line, err := in.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "it is version 2 of the program, this is 1")
	_, err = in.ReadString('\n')
	require.ErrorIs(t, err, io.EOF)
}

// Clients that send garbage, too much, nothing, or that do not read, end with their
// own connection.
func TestHostileClients(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Waiting = 1 << 20 })
	raw := func() (conn, *bufio.Reader) {
		c, err := connect(t.Context(), r.address)
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		in := bufio.NewReader(c)
		_, err = in.ReadString('\n')
		require.NoError(t, err)
		return c, in
	}
	closed := func(in *bufio.Reader) {
		t.Helper()
		_, err := io.Copy(io.Discard, in)
		require.True(t, err == nil || strings.Contains(err.Error(), "reset"), "%v", err)
	}
	c, in := raw()
	io.WriteString(c, "\x00\xff garbage\n")
	closed(in)
	c, in = raw()
	for range 64 {
		if _, err := io.WriteString(c, strings.Repeat("x", 1<<16)); err != nil {
			break
		}
	}
	closed(in)

	// After it was admitted: garbage and 50 MiB are answered with errors.
	c, in = raw()
	require.NoError(t, sendLine(c, Hello{Version: "1", Workbench: "w"}))
	go func() {
		io.WriteString(c, "garbage\n")
		for range 50 {
			io.WriteString(c, strings.Repeat("y", 1<<20))
		}
		io.WriteString(c, "\n")
		io.WriteString(c, `{"jsonrpc":"2.0","id":7,"method":"echo","params":{}}`+"\n")
	}()
	var all strings.Builder
	for !strings.Contains(all.String(), `"id":7`) {
		line, err := in.ReadString('\n')
		require.NoError(t, err)
		all.WriteString(line)
	}
	require.Contains(t, all.String(), "the line is not JSON")
	require.Contains(t, all.String(), "message too large")

	// One that calls and never reads: its call is canceled when too much waits.
	c, _ = raw()
	require.NoError(t, sendLine(c, Hello{Version: "1", Workbench: "w"}))
	io.WriteString(c, `{"jsonrpc":"2.0","id":1,"method":"wait","params":{}}`+"\n")
	before := r.cancels()
	require.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, f := range r.notify {
			f(engine.Notification{Method: "WorkbenchFilesChanged", Params: engine.WorkbenchFilesChanged{WorkbenchID: "w", Added: []string{strings.Repeat("z", 1<<18)}}})
		}
		return r.cancels() > before
	}, 30*time.Second, time.Millisecond)
	good := r.dial(t, nil)
	_, err := good.Call(t.Context(), "echo", json.RawMessage(`{}`))
	require.NoError(t, err)
}

// A server that does not take the connection is told from one that does.
func TestSilentServer(t *testing.T) {
	home, err := os.MkdirTemp("", "at")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	l, err := Listen(home)
	require.NoError(t, err)
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = Dial(ctx, l.Address(), Hello{Version: "1"}, nil)
	require.ErrorContains(t, err, "it does not answer")
}

// A listener that is closed ends accept, and a second time does nothing.
func TestCloseEndsAccept(t *testing.T) {
	home, err := os.MkdirTemp("", "at")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	l, err := Listen(home)
	require.NoError(t, err)
	ended := make(chan error)
	go func() {
		_, err := l.accept()
		ended <- err
	}()
	time.Sleep(10 * time.Millisecond) // accept waits, most times
	l.Close()
	require.ErrorIs(t, <-ended, net.ErrClosed)
	_, err = l.accept()
	require.ErrorIs(t, err, net.ErrClosed)
	l.Close()
	_, err = Dial(t.Context(), l.Address(), Hello{Version: "1"}, nil)
	require.Error(t, err)
}
