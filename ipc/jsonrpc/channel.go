package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/creachadair/jrpc2"

	"atelier/engine"
)

// MaxMessage is the maximum length of a message in bytes (I-05).
const MaxMessage = 16 << 20

// ErrTooLarge is the error of a Source for a message over MaxMessage, which it
// has read to its end.
var ErrTooLarge = errors.New("message too large")

// Source returns the next message of a client, io.EOF or another error at the
// end, perhaps with a last message.
type Source func() ([]byte, error)

// channel is the jrpc2 channel of all transports. It answers messages itself
// for which jrpc2 would close the connection, and delays the end of input until
// every call is answered.
type channel struct {
	source Source
	out    *Outbox
	ended  func() // called when the input has ended, before the last answers

	mu      sync.Mutex // protects pending
	pending int        // messages passed on that will get one response message
	idle    *sync.Cond // pending became 0
}

func newChannel(source Source, out *Outbox, ended func()) *channel {
	c := &channel{source: source, out: out, ended: ended}
	c.idle = sync.NewCond(&c.mu)
	return c
}

// Recv returns the next message that jrpc2 should handle.
func (c *channel) Recv() ([]byte, error) {
	for {
		line, err := c.source()
		switch {
		case errors.Is(err, ErrTooLarge):
			c.reply(nil, jrpc2.InvalidRequest, "message too large", map[string]int{"limit": MaxMessage})
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
func (c *channel) Send(line []byte) error {
	err := c.out.Send(notParseErrors(line))
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

// Close implements channel.Channel; the transport closes the outbox.
func (c *channel) Close() error { return nil }

func (c *channel) drain() {
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
func (c *channel) inspect(line []byte) (out []byte, answers, ok bool) {
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
func (c *channel) reply(id json.RawMessage, code jrpc2.Code, message string, data any) {
	if id == nil {
		id = json.RawMessage("null")
	}
	errObj := map[string]any{"code": code, "message": message}
	if data != nil {
		errObj["data"] = data
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": errObj})
	if err == nil {
		c.out.Send(line) // an error means that the client is gone, which Recv will notice
	}
}
