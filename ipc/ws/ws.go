package ws

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"atelier/engine"
	"atelier/ipc/jsonrpc"
)

// Options configure a Handler; the zero value works.
type Options struct {
	Log *slog.Logger
	// Connections at once; more are refused with 503. 0 is 64.
	Connections int
	// Waiting is how many bytes may wait for a client that does not read, before
	// its connection is closed; 0 is 64 MiB.
	Waiting int
	// WriteTimeout is the time in which a client has to read one message; 0 is
	// 30 s.
	WriteTimeout time.Duration
	// PingEvery is the time between two pings, and that in which one has to be
	// answered; 0 is 20 s.
	PingEvery time.Duration
	// Admit, if set, decides who may use a connection, before anything else is
	// read or sent. It has AdmitTime, and messages of at most 4 KiB. After an error
	// the connection is closed with the status 4401, or with 1013 if the error is
	// ErrConnectAgain.
	Admit func(ctx context.Context, r *http.Request, x Exchange) (Admitted, error)
	// AdmitTime is the time that Admit has; 0 is 10 s.
	AdmitTime time.Duration
}

// Admitted says what a connection may do; the zero value may do everything.
type Admitted struct {
	// Calls carries out its calls instead of the engine.
	Calls jsonrpc.Methods
	// Before is called before each message is sent; what the message says is known outside
	// after it returned. An error ends the connection. nil: nothing is called.
	Before func(ctx context.Context) error
	// Until, when it is done, ends the connection with the status 4401, or with
	// 1001 if its cause is ErrConnectAgain. Calls in progress continue.
	Until context.Context
}

// ErrConnectAgain ends a connection whose client may connect again.
var ErrConnectAgain = errors.New("connect again")

// Engine is the part of *engine.Engine that the transport uses.
type Engine interface {
	jsonrpc.Methods
	Subscribe(f func(engine.Notification)) (cancel func())
}

// Exchange sends and receives the messages of Options.Admit, as JSON.
type Exchange struct {
	Send    func(v any) error
	Receive func(v any) error
}

// StatusNotAdmitted closes a connection that Options.Admit refused.
const StatusNotAdmitted = websocket.StatusCode(4401)

// admitMessage is the most bytes of a message of Exchange.
const admitMessage = 4 << 10

// admit asks Options.Admit about a connection.
func (h *Handler) admit(r *http.Request, c *websocket.Conn) (Admitted, error) {
	if h.opt.Admit == nil {
		return Admitted{}, nil
	}
	ctx, cancel := context.WithTimeout(h.work, h.opt.AdmitTime)
	defer cancel()
	c.SetReadLimit(admitMessage)
	return h.opt.Admit(ctx, r, Exchange{
		Send:    func(v any) error { return wsjson.Write(ctx, c, v) },
		Receive: func(v any) error { return wsjson.Read(ctx, c, v) },
	})
}

// Handler upgrades requests to WebSockets and serves them.
type Handler struct {
	eng  Engine
	opt  Options
	work context.Context // of calls, done when Shutdown gives up
	stop context.CancelFunc

	mu     sync.Mutex // protects the fields below
	conns  map[*websocket.Conn]bool
	slots  int  // connections and their calls, also of closed ones
	closed bool // nothing is accepted any more
	served sync.WaitGroup
}

// New makes a handler for the engine's methods and notifications.
func New(eng Engine, opt Options) *Handler {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	opt.Connections = cmp.Or(opt.Connections, 64)
	opt.Waiting = cmp.Or(opt.Waiting, 64<<20)
	opt.WriteTimeout = cmp.Or(opt.WriteTimeout, 30*time.Second)
	opt.PingEvery = cmp.Or(opt.PingEvery, 20*time.Second)
	opt.AdmitTime = cmp.Or(opt.AdmitTime, 10*time.Second)
	h := &Handler{eng: eng, opt: opt, conns: map[*websocket.Conn]bool{}}
	h.work, h.stop = context.WithCancel(context.Background())
	return h
}

// ServeHTTP implements http.Handler. It returns when the connection has ended
// and its calls are done.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.enter() {
		http.Error(w, "too many connections", http.StatusServiceUnavailable)
		return
	}
	defer h.leave()
	c, err := websocket.Accept(w, r, nil) // it refuses a foreign Origin
	if err != nil {
		h.opt.Log.Info("a WebSocket was refused", "err", err)
		return
	}
	if !h.add(c) {
		c.Close(websocket.StatusGoingAway, "the program ends")
		return
	}
	defer h.remove(c)
	admitted, err := h.admit(r, c)
	if err != nil {
		h.opt.Log.Info("a WebSocket was refused", "err", err)
		if errors.Is(err, ErrConnectAgain) {
			c.Close(websocket.StatusTryAgainLater, "connect again")
			return
		}
		c.Close(StatusNotAdmitted, "not admitted")
		return
	}
	h.serve(c, admitted)
}

func (h *Handler) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.slots >= h.opt.Connections {
		return false
	}
	h.slots++
	h.served.Add(1)
	return true
}

func (h *Handler) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.slots--
	h.served.Done()
}

func (h *Handler) add(c *websocket.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.conns[c] = true
	}
	return !h.closed
}

func (h *Handler) remove(c *websocket.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, c)
}

// Shutdown closes all connections. Calls in progress have until ctx is done;
// then they are canceled, and Shutdown returns the error of ctx without waiting
// for them.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	for c := range h.conns {
		go c.Close(websocket.StatusGoingAway, "the program ends")
	}
	h.mu.Unlock()
	defer h.stop()
	done := make(chan struct{})
	go func() { h.served.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// serve answers a connection until it has ended and its calls are done.
func (h *Handler) serve(c *websocket.Conn, admitted Admitted) {
	conn, end := context.WithCancelCause(h.work) // of the connection
	defer end(nil)
	box := jsonrpc.NewOutboxOf(func(message []byte) error {
		if admitted.Before != nil {
			if err := admitted.Before(conn); err != nil {
				return err
			}
		}
		ctx, cancel := context.WithTimeout(conn, h.opt.WriteTimeout)
		defer cancel()
		return c.Write(ctx, websocket.MessageText, message)
	}, h.opt.Waiting)
	unfail := context.AfterFunc(box.Failed(), func() {
		end(context.Cause(box.Failed()))
		c.CloseNow()
	})
	defer unfail()
	if admitted.Until != nil {
		defer context.AfterFunc(admitted.Until, func() {
			if errors.Is(context.Cause(admitted.Until), ErrConnectAgain) {
				c.Close(websocket.StatusGoingAway, "connect again")
				return
			}
			c.Close(StatusNotAdmitted, "the session has ended")
		})()
	}
	calls := admitted.Calls
	if calls == nil {
		calls = h.eng
	}
	unsubscribe := h.eng.Subscribe(box.Notify)
	go h.ping(conn, c, end)
	c.SetReadLimit(-1) // read has a limit of its own
	ended := func() { unsubscribe() }
	err := jsonrpc.Start(h.work, calls, func() ([]byte, error) { return read(conn, c) }, box, ended, h.opt.Log)()
	unsubscribe()
	h.opt.Log.Debug("a WebSocket has ended", "err", err, "cause", context.Cause(conn))
	end(err)
	c.CloseNow()
	box.Close()
}

// ping closes a connection that does not answer.
func (h *Handler) ping(conn context.Context, c *websocket.Conn, end context.CancelCauseFunc) {
	for {
		select {
		case <-conn.Done():
			return
		case <-time.After(h.opt.PingEvery):
		}
		ctx, cancel := context.WithTimeout(conn, h.opt.PingEvery)
		err := c.Ping(ctx)
		cancel()
		if err != nil {
			end(err)
			c.CloseNow()
			return
		}
	}
}

// read returns the next message. One that is too large is read to its end and
// discarded: jsonrpc.ErrTooLarge.
func read(ctx context.Context, c *websocket.Conn) ([]byte, error) {
	kind, r, err := c.Reader(ctx)
	if err != nil {
		return nil, err
	}
	if kind != websocket.MessageText {
		c.Close(websocket.StatusUnsupportedData, "messages are text")
		return nil, errors.New("a message that is not text")
	}
	b, err := io.ReadAll(io.LimitReader(r, jsonrpc.MaxMessage+1))
	if err != nil || len(b) <= jsonrpc.MaxMessage {
		if err != nil {
			b = nil // a part of a message is none
		}
		return b, err
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return nil, err
	}
	return nil, jsonrpc.ErrTooLarge
}
