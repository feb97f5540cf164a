package stdio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/creachadair/jrpc2"

	"atelier/engine"
)

// MaxLine is the maximum length of a line in bytes (I-05).
const MaxLine = 16 << 20

// lineChannel is the jrpc2 channel of this transport. It answers lines itself
// for which jrpc2 would close the connection, and delays the end of input
// until every call has its answer.
type lineChannel struct {
	in    *bufio.Reader
	out   *outbox
	ended func() // called when the input has ended, before the last answers

	mu      sync.Mutex // protects pending
	pending int        // lines passed on that will get one response line
	idle    *sync.Cond // pending became 0
}

func newLineChannel(in io.Reader, out *outbox, ended func()) *lineChannel {
	c := &lineChannel{in: bufio.NewReaderSize(in, 64<<10), out: out, ended: ended}
	c.idle = sync.NewCond(&c.mu)
	return c
}

// Recv returns the next line that jrpc2 should handle.
func (c *lineChannel) Recv() ([]byte, error) {
	for {
		line, err := readLine(c.in)
		switch {
		case errors.Is(err, errTooLong):
			c.reply(nil, jrpc2.InvalidRequest, "message too large", map[string]int{"limit": MaxLine})
			continue
		case err != nil && len(line) == 0:
			c.ended()
			c.drain()
			return nil, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if !json.Valid(line) {
			c.reply(nil, jrpc2.ParseError, "the line is not JSON", nil)
			continue
		}
		line, answers, ok := c.inspect(line)
		if !ok {
			continue
		}
		if answers {
			c.mu.Lock()
			c.pending++
			c.mu.Unlock()
		}
		return line, nil
	}
}

// Send queues a response.
func (c *lineChannel) Send(line []byte) error {
	err := c.out.send(notParseErrors(line))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending > 0 {
		c.pending--
	}
	if c.pending == 0 {
		c.idle.Broadcast()
	}
	return err
}

// notParseErrors replaces the code of parse errors in a response by that of
// invalid requests. jrpc2 never gets invalid JSON here and uses the code for
// members of the wrong type (I-04).
func notParseErrors(line []byte) []byte {
	was, is := fmt.Appendf(nil, `"code":%d`, jrpc2.ParseError), fmt.Appendf(nil, `"code":%d`, jrpc2.InvalidRequest)
	if !bytes.Contains(line, was) {
		return line
	}
	batch := line[0] == '['
	all := []json.RawMessage{line}
	if batch && json.Unmarshal(line, &all) != nil {
		return line
	}
	for i, one := range all {
		var r struct{ Error *struct{ Code jrpc2.Code } }
		if json.Unmarshal(one, &r) == nil && r.Error != nil && r.Error.Code == jrpc2.ParseError {
			all[i] = bytes.Replace(one, was, is, 1)
		}
	}
	if !batch {
		return all[0]
	}
	return append(append([]byte{'['}, bytes.Join(rawLines(all), []byte{','})...), ']')
}

func rawLines(all []json.RawMessage) [][]byte {
	out := make([][]byte, len(all))
	for i, one := range all {
		out[i] = one
	}
	return out
}

// Close implements channel.Channel; Serve closes the outbox.
func (c *lineChannel) Close() error { return nil }

func (c *lineChannel) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.pending > 0 {
		c.idle.Wait()
	}
}

// envelope has the members of a request that inspect needs. Absent members
// stay nil.
type envelope struct {
	ID         json.RawMessage `json:"id"`
	Method     json.RawMessage `json:"method"`
	APIVersion json.RawMessage `json:"api_version"`
}

// inspect decides whether jrpc2 gets the line, and whether it will answer it.
// It removes api_version, which jrpc2 would refuse as unknown (I-06).
func (c *lineChannel) inspect(line []byte) (out []byte, answers, ok bool) {
	if line[0] == '[' {
		var batch []envelope
		if json.Unmarshal(line, &batch) != nil || len(batch) == 0 {
			return line, true, true
		}
		for _, e := range batch {
			if e.Method == nil {
				c.reply(nil, jrpc2.InvalidRequest, "invalid request: a method is missing in the batch", nil)
				return nil, false, false
			}
			answers = answers || hasID(e)
		}
		return line, answers, true
	}
	var env envelope
	if err := json.Unmarshal(line, &env); err != nil {
		return line, true, true // jrpc2 answers -32700 or -32600
	}
	if env.Method == nil {
		// jrpc2 would take it for the response to a call by this server.
		c.reply(env.ID, jrpc2.InvalidRequest, "invalid request: method is missing", nil)
		return nil, false, false
	}
	if env.APIVersion != nil {
		var v string
		if json.Unmarshal(env.APIVersion, &v) != nil || v != engine.APIVersion {
			if hasID(env) {
				c.reply(env.ID, applicationError, "unsupported api_version", map[string]string{"expected": engine.APIVersion})
			}
			return nil, false, false
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(line, &members); err != nil {
			return line, true, true
		}
		delete(members, "api_version")
		line, _ = json.Marshal(members)
	}
	return line, hasID(env), true
}

func hasID(e envelope) bool { return e.ID != nil && !bytes.Equal(e.ID, []byte("null")) }

// reply answers a line that jrpc2 never gets.
func (c *lineChannel) reply(id json.RawMessage, code jrpc2.Code, message string, data any) {
	if id == nil {
		id = json.RawMessage("null")
	}
	errObj := map[string]any{"code": code, "message": message}
	if data != nil {
		errObj["data"] = data
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": errObj})
	if err == nil {
		c.out.send(line) // an error means that the client is gone, which Recv will notice
	}
}

var errTooLong = errors.New("line too long")

// readLine reads up to a newline. A line over MaxLine is read to its end and
// discarded: errTooLong.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if !tooLong {
			if len(line)+len(part) > MaxLine+1 {
				tooLong, line = true, nil
			} else {
				line = append(line, part...)
			}
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case tooLong && err == nil:
			return nil, errTooLong
		case tooLong:
			return nil, err
		}
		return line, err
	}
}
