package local

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"atelier/engine"
	"atelier/ipc/jsonrpc"
)

// How long a command waits for the server.
const (
	dialTime   = 5 * time.Second  // until it has admitted the command
	silentTime = 60 * time.Second // for any sign; the server gives one every aliveEvery
	cancelTime = 15 * time.Second // for the answer of a call that was canceled
)

// maxAnswer is the longest message of a server in bytes.
const maxAnswer = 1 << 30

// Client calls the methods of a Server. It is an engine.HolderConn.
type Client struct {
	conn   conn
	notify func(method string, params json.RawMessage)

	writing sync.Mutex // held while a message is written

	mu      sync.Mutex // protects the fields below
	last    int64      // id of the last call
	waiting map[int64]chan answer
	gone    error // why no more answers come; nil: they do
}

// answer is the end of a call.
type answer struct {
	result json.RawMessage
	err    error
}

// message is what a server sends.
type message struct {
	ID     *int64          `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"` // an ErrorInfo when the engine failed
	} `json:"error"`
}

// Dial connects to the server at address. notify is called with each notification,
// one at a time, and before the results that come after it; it must not call the
// client. The error is a sentence for the person.
func Dial(ctx context.Context, address string, hello Hello, notify func(method string, params json.RawMessage)) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	conn, err := connect(ctx, address)
	if err != nil {
		return nil, err
	}
	c := &Client{conn: conn, notify: notify, waiting: map[int64]chan answer{}}
	unhurry := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	in, err := c.greet(hello)
	if !unhurry() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		conn.Close()
		if ctx.Err() != nil {
			err = errors.New("it does not answer")
		}
		return nil, err
	}
	go c.read(in)
	return c, nil
}

// greet makes sure of the server before it is told anything.
func (c *Client) greet(hello Hello) (*bufio.Reader, error) {
	if err := samePeer(c.conn); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(c.conn, 64<<10)
	var its greeting
	if err := readJSON(in, &its); err != nil {
		return nil, fmt.Errorf("it does not answer as expected (%w)", err)
	}
	if its.Version != hello.Version {
		return nil, fmt.Errorf("it is version %s of Atelier, and this is %s", quoted(its.Version), hello.Version)
	}
	if err := sendLine(c.conn, hello); err != nil {
		return nil, fmt.Errorf("it does not listen (%w)", err)
	}
	var w welcome
	if err := readJSON(in, &w); err != nil {
		return nil, fmt.Errorf("it does not answer as expected (%w)", err)
	}
	if w.Refused != "" {
		return nil, errors.New(w.Refused)
	}
	return in, nil
}

// quoted is a short version of what another program sent.
func quoted(s string) string {
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	return fmt.Sprintf("%q", s)
}

// read hands on what the server sends until the connection ends.
func (c *Client) read(in *bufio.Reader) {
	var err error
	for err == nil {
		var line []byte
		if line, err = c.readMessage(in); err != nil {
			break
		}
		var m message
		if err = json.Unmarshal(line, &m); err != nil {
			break
		}
		switch {
		case m.Method == aliveMethod:
		case m.Method != "":
			c.notify(m.Method, m.Params)
		case m.ID != nil:
			c.end(*m.ID, m)
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		err = errors.New("it ended")
	}
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		err = errors.New("it does not answer any more")
	}
	c.fail(err)
}

// readMessage reads a line. Each read of the connection may last silentTime.
func (c *Client) readMessage(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		if in.Buffered() == 0 {
			_ = c.conn.SetReadDeadline(time.Now().Add(silentTime))
		}
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > maxAnswer:
			return nil, errors.New("its answer is too long")
		}
	}
}

// end gives a call its answer.
func (c *Client) end(id int64, m message) {
	a := answer{result: m.Result}
	if m.Error != nil {
		a.err = errors.New(m.Error.Message)
		var info engine.ErrorInfo
		if json.Unmarshal(m.Error.Data, &info) == nil && info.ErrorCode != "" {
			a.err = &info
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.waiting[id]; w != nil {
		delete(c.waiting, id)
		w <- a
	}
}

// fail ends all calls: no more answers come.
func (c *Client) fail(why error) {
	defer c.conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone == nil {
		c.gone = &engine.HolderGone{Why: why.Error()}
	}
	for id, w := range c.waiting {
		delete(c.waiting, id)
		w <- answer{err: c.gone}
	}
}

// Call implements engine.HolderConn.
func (c *Client) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	c.mu.Lock()
	if c.gone != nil {
		c.mu.Unlock()
		return nil, c.gone
	}
	c.last++
	id, got := c.last, make(chan answer, 1)
	c.waiting[id] = got
	c.mu.Unlock()
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
		return nil, err
	}
	select {
	case a := <-got:
		return a.result, a.err
	case <-ctx.Done():
	}
	if err := c.send(map[string]any{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": map[string]any{"id": id}}); err != nil {
		c.fail(err)
	}
	select {
	case a := <-got:
		return a.result, a.err
	case <-time.After(cancelTime):
		c.fail(errors.New("it does not answer any more"))
		return nil, c.goneError()
	}
}

// Alive implements engine.HolderConn.
func (c *Client) Alive() bool { return c.goneError() == nil }

func (c *Client) goneError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

// send writes a message.
func (c *Client) send(m map[string]any) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(line) > jsonrpc.MaxMessage {
		return &engine.ErrorInfo{ErrorCode: engine.CodeValidationFailed, Detail: fmt.Sprintf("the call is larger than %d MiB, which is the most that the process that has the folder open takes", jsonrpc.MaxMessage>>20),
			Hint: "close the folder there first"}
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.conn.SetWriteDeadline(time.Now().Add(silentTime))
	if _, err := c.conn.Write(append(line, '\n')); err != nil {
		return &engine.HolderGone{Why: err.Error()}
	}
	return nil
}

// Close ends the connection; the server cancels its calls.
func (c *Client) Close() error {
	c.fail(errors.New("the connection was closed"))
	return nil
}
