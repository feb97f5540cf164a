package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/ipc/jsonrpc"
)

// Stdio is the transport over two streams, one message a line. Unlike the SDK's, it
// answers what is no message of the protocol instead of ending the connection, reads no
// more while many requests wait for an answer, and at the end of input lets calls in
// progress end.
func Stdio(in io.Reader, out io.WriteCloser) mcp.Transport { return stdio{in, out, lastCalls} }

type stdio struct {
	in   io.Reader
	out  io.WriteCloser
	last time.Duration // for calls in progress when the input has ended
}

const (
	maxPending = 1000 // requests without an answer, before no more are read
	lastCalls  = 10 * time.Second
)

// Connect implements mcp.Transport.
func (t stdio) Connect(context.Context) (mcp.Connection, error) {
	c := &stdioConn{last: t.last, pending: map[sdk.ID]bool{}, in: bufio.NewReaderSize(t.in, 64<<10), out: t.out, lines: make(chan line), closed: make(chan struct{})}
	c.answered = sync.NewCond(&c.mu)
	go c.read()
	return c, nil
}

type line struct {
	text []byte
	err  error
}

type stdioConn struct {
	last   time.Duration
	in     *bufio.Reader
	out    io.WriteCloser
	lines  chan line
	closed chan struct{}
	once   sync.Once

	queue []sdk.Message // of a batch; used by Read only

	writing sync.Mutex // one message at a time

	mu       sync.Mutex      // protects the fields below
	answered *sync.Cond      // a request was answered, or the connection closed
	pending  map[sdk.ID]bool // ids of requests of the client without an answer
	open     int             // requests of the client whose answer has not been written
	asked    int             // requests to the client without an answer
	over     bool
}

// read hands on lines; a read of standard input cannot be interrupted.
func (c *stdioConn) read() {
	for {
		text, err := jsonrpc.ReadLine(c.in)
		select {
		case c.lines <- line{text, err}:
		case <-c.closed:
			return
		}
		if err != nil && !errors.Is(err, jsonrpc.ErrTooLarge) {
			return
		}
	}
}

// Read implements mcp.Connection.
func (c *stdioConn) Read(ctx context.Context) (sdk.Message, error) {
	for {
		if len(c.queue) > 0 {
			m := c.queue[0]
			c.queue = c.queue[1:]
			return m, nil
		}
		c.throttle() // not within a batch, which is of requests without an answer itself
		var l line
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case l = <-c.lines:
		}
		switch {
		case errors.Is(l.err, jsonrpc.ErrTooLarge):
			c.refuse(nil, sdk.CodeInvalidRequest, "the message is too large")
		case l.err != nil && len(bytes.TrimSpace(l.text)) == 0:
			c.drain()
			return nil, l.err
		default:
			c.take(bytes.TrimSpace(l.text))
			if l.err != nil { // the last line has no line end
				go func() {
					select {
					case c.lines <- line{nil, l.err}:
					case <-c.closed:
					}
				}()
			}
		}
	}
}

// take queues the messages of a line, and answers what is none.
func (c *stdioConn) take(text []byte) {
	switch {
	case len(text) == 0:
		return
	case !json.Valid(text):
		c.refuse(nil, sdk.CodeParseError, "the line is not JSON")
		return
	}
	all := []json.RawMessage{text}
	if text[0] == '[' { // revisions before 2025-06-18 have batches
		if json.Unmarshal(text, &all) != nil || len(all) == 0 || len(all) > maxPending {
			c.refuse(nil, sdk.CodeInvalidRequest, "the batch has no messages, or more than 1000")
			return
		}
	}
	for _, one := range all {
		m, err := sdk.DecodeMessage(one)
		if err != nil {
			var head struct {
				ID json.RawMessage `json:"id"`
			}
			_ = json.Unmarshal(one, &head) // without it, the answer names no request
			c.refuse(head.ID, sdk.CodeInvalidRequest, "invalid message: "+err.Error())
			continue
		}
		if !c.came(m) {
			c.refuse(nil, sdk.CodeInvalidRequest, "the id of this request is that of another one that has no answer yet")
			continue
		}
		c.queue = append(c.queue, m)
	}
}

// refuse answers what is no message.
func (c *stdioConn) refuse(id json.RawMessage, code int64, message string) {
	if len(id) == 0 || id[0] == '{' || id[0] == '[' {
		id = json.RawMessage("null")
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
	if err == nil {
		_ = c.write(b) // an error means that the client is gone, which Read will notice
	}
}

// Write implements mcp.Connection.
func (c *stdioConn) Write(_ context.Context, m sdk.Message) error {
	if r, ok := m.(*sdk.Response); ok { // who has read the answer may use its id again
		c.mu.Lock()
		delete(c.pending, r.ID)
		c.mu.Unlock()
	}
	b, err := sdk.EncodeMessage(m)
	if err == nil {
		err = c.write(b)
	}
	c.sent(m)
	return err
}

func (c *stdioConn) write(b []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(b, '\n'))
	return err
}

// came notes a message of the client; false for a request whose id is in use: the SDK
// does not answer it.
func (c *stdioConn) came(m sdk.Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m := m.(type) {
	case *sdk.Request:
		if !m.ID.IsValid() {
			return true
		}
		if c.pending[m.ID] {
			return false
		}
		c.pending[m.ID] = true
		c.open++
	case *sdk.Response:
		c.asked = max(c.asked-1, 0)
		c.answered.Broadcast()
	}
	return true
}

// sent notes a message to the client.
func (c *stdioConn) sent(m sdk.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m := m.(type) {
	case *sdk.Request:
		if m.ID.IsValid() {
			c.asked++
			c.answered.Broadcast()
		}
	case *sdk.Response:
		c.open--
		c.answered.Broadcast()
	}
}

// throttle waits while too many requests have no answer.
func (c *stdioConn) throttle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.open >= maxPending && c.asked <= 0 && !c.over {
		c.answered.Wait()
	}
}

// drain lets calls in progress end when the input has ended; those that wait for an
// answer of the client cannot.
func (c *stdioConn) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	late := false
	defer time.AfterFunc(c.last, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		late = true
		c.answered.Broadcast()
	}).Stop()
	for c.open > 0 && c.asked <= 0 && !late && !c.over {
		c.answered.Wait()
	}
}

// Close implements mcp.Connection.
func (c *stdioConn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.over = true
		c.answered.Broadcast()
	})
	return c.out.Close()
}

// SessionID implements mcp.Connection.
func (c *stdioConn) SessionID() string { return "" }
