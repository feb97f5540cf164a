package toolservers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// discoverTime is how long a program has to answer server/discover, the first request of
// revision 2026-07-28, before it is taken for one of an earlier revision: some ignore
// requests that they do not know.
const discoverTime = 5 * time.Second

const (
	maxBatch    = 1000 // messages of a line, in the revision that has batches
	maxOutgoing = 64   // messages that wait until the program reads
	maxNoise    = 1000 // lines in a row that are no messages
)

var errTooLarge = fmt.Errorf("it sent a message of more than %d MiB", MaxMessage>>20)

// stdioTransport is the transport to a program. Unlike the SDK's it bounds lines, leaves
// out lines that are no messages, and does not wait for a program that reads nothing.
type stdioTransport struct {
	p     *process
	fail  func(error)  // told why the connection ends
	count func() error // counts what the program sends unasked
}

// Connect implements mcp.Transport.
func (t *stdioTransport) Connect(context.Context) (mcp.Connection, error) {
	c := &stdioConn{p: t.p, fail: t.fail, count: t.count, lines: make(chan []byte, 16), own: make(chan jsonrpc.Message, 1), out: make(chan []byte, maxOutgoing), closed: make(chan struct{})}
	c.work.Go(c.readLines)
	c.work.Go(c.writeLines)
	return c, nil
}

type stdioConn struct {
	p      *process
	fail   func(error)
	count  func() error
	lines  chan []byte
	own    chan jsonrpc.Message // answers that the program did not give
	out    chan []byte
	closed chan struct{}
	once   sync.Once
	work   sync.WaitGroup
	queue  []jsonrpc.Message // of a batch; used by Read only
	noise  int               // used by Read only

	mu       sync.Mutex // protects the fields below
	discover jsonrpc.ID // that has no answer yet
	late     *time.Timer
}

// readLines hands on lines until the pipe ends.
func (c *stdioConn) readLines() {
	defer close(c.lines)
	for {
		b, err := readLine(c.p.out)
		if err != nil && !errors.Is(err, io.EOF) {
			if errors.Is(err, errTooLarge) {
				c.fail(err)
			}
			return
		}
		if len(bytes.TrimSpace(b)) > 0 {
			select {
			case c.lines <- b:
			case <-c.closed:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine returns the next line in at most MaxMessage bytes.
func readLine(r *bufio.Reader) ([]byte, error) {
	var out []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(out)+len(part) > MaxMessage {
			return nil, errTooLarge
		}
		out = append(out, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return out, err
		}
	}
}

// writeLines writes what waits; the end of the program's input ends it.
func (c *stdioConn) writeLines() {
	for {
		select {
		case b := <-c.out:
			if _, err := c.p.in.Write(append(b, '\n')); err != nil {
				return // the program is gone, which Read notices
			}
		case <-c.closed:
			return
		}
	}
}

// Read implements mcp.Connection.
func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			m := c.queue[0]
			c.queue = c.queue[1:]
			return m, c.arrived(m)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case m := <-c.own:
			return m, nil
		case b, ok := <-c.lines:
			if !ok {
				return nil, io.EOF
			}
			c.take(bytes.TrimSpace(b))
			if c.noise > maxNoise {
				err := fmt.Errorf("it wrote %d lines that are no messages of the protocol", c.noise)
				c.fail(err)
				return nil, err
			}
		}
	}
}

// take queues the messages of a line. A line that has none is kept with what the program
// wrote to standard error: some programs print there.
func (c *stdioConn) take(text []byte) {
	all := []json.RawMessage{text}
	if text[0] == '[' && json.Unmarshal(text, &all) == nil && len(all) > maxBatch {
		all = all[:maxBatch]
	}
	for _, one := range all {
		m, err := jsonrpc.DecodeMessage(one)
		if err != nil {
			c.noise++
			_, _ = c.p.stderr.Write(append(append([]byte(nil), one[:min(len(one), 300)]...), '\n'))
			continue
		}
		c.noise = 0
		c.queue = append(c.queue, m)
	}
}

// arrived counts a message that is not an answer, and notes that of server/discover.
func (c *stdioConn) arrived(m jsonrpc.Message) error {
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return c.count()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.late != nil && r.ID == c.discover {
		c.late.Stop()
	}
	return nil
}

// Write implements mcp.Connection.
func (c *stdioConn) Write(ctx context.Context, m jsonrpc.Message) error {
	b, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.Method == "server/discover" {
		c.expect(r.ID)
	}
	select {
	case c.out <- b:
		return nil
	case <-c.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// expect answers server/discover when the program does not.
func (c *stdioConn) expect(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.discover = id
	c.late = time.AfterFunc(discoverTime, func() {
		select {
		case c.own <- &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no answer"}}:
		default:
		}
	})
}

// Close implements mcp.Connection: it ends the program.
func (c *stdioConn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.mu.Lock()
		if c.late != nil {
			c.late.Stop()
		}
		c.mu.Unlock()
		c.p.end()
		c.p.closePipes()
		c.work.Wait()
	})
	return nil
}

// SessionID implements mcp.Connection.
func (c *stdioConn) SessionID() string { return "" }
