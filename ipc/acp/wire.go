package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"atelier/ipc/jsonrpc"
)

const (
	// maxLine is the longest line in bytes that is read: longer ones end the SDK's
	// connection.
	maxLine = 10<<20 - 1
	// maxWaiting is how many bytes may wait for a client that does not read.
	maxWaiting = 64 << 20
	// maxRequests is how many requests of the client may be in progress.
	maxRequests = 64
)

// wire is the connection under the SDK's: it answers the lines that the SDK would
// drop, and queues what is sent.
type wire struct {
	in    *bufio.Reader
	box   *jsonrpc.Outbox
	ready chan struct{} // closed when the SDK's connection is set up; Read waits for it

	mu      sync.Mutex        // protects pending
	pending map[string]string // methods of the requests of the client without an answer, by id

	rest []byte // of the line that Read hands on
}

func newWire(in io.Reader, out io.Writer) *wire {
	return &wire{in: bufio.NewReaderSize(in, 64<<10), pending: map[string]string{}, ready: make(chan struct{}),
		box: jsonrpc.NewOutboxOf(func(message []byte) error {
			_, err := out.Write(append(message, '\n'))
			return err
		}, maxWaiting)}
}

// envelope has the members that tell messages apart.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method *string         `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (e envelope) hasID() bool { return len(e.ID) > 0 && !bytes.Equal(e.ID, []byte("null")) }

// Write queues one message of the SDK. It does not wait for the client.
func (w *wire) Write(line []byte) (int, error) {
	var e envelope
	if json.Unmarshal(line, &e) == nil && e.Method == nil && e.hasID() {
		w.mu.Lock()
		delete(w.pending, string(e.ID))
		w.mu.Unlock()
	}
	if err := w.box.Send(bytes.TrimRight(line, "\n")); err != nil {
		return 0, err
	}
	return len(line), nil
}

// Read hands the client's messages on to the SDK, those that it can take.
func (w *wire) Read(p []byte) (int, error) {
	<-w.ready
	for len(w.rest) == 0 {
		if err := w.box.Failed().Err(); err != nil {
			return 0, io.EOF
		}
		line, err := w.line()
		if len(line) == 0 && err != nil {
			return 0, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && w.passes(line) {
			w.rest = append(line, '\n')
		}
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}

// answered waits until requests of some methods are answered, all of them without
// names, at most some time.
func (w *wire) answered(most time.Duration, methods ...string) {
	waits := func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, m := range w.pending {
			if len(methods) == 0 || slices.Contains(methods, strings.TrimSpace(m)) {
				return true
			}
		}
		return false
	}
	for end := time.Now().Add(most); waits() && time.Now().Before(end) && w.box.Failed().Err() == nil; {
		time.Sleep(5 * time.Millisecond)
	}
}

// line reads up to a newline. A line over maxLine is read to its end and answered.
func (w *wire) line() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := w.in.ReadSlice('\n')
		if !long && len(line)+len(part) > maxLine {
			long, line = true, nil
		}
		if !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			w.refuse(nil, codeInvalidRequest, "message too large", map[string]int{"limit": maxLine})
			return nil, err
		}
		return line, err
	}
}

// The codes of JSON-RPC 2.0, section 5.1.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeServer         = -32000
)

// passes reports whether the SDK gets a line, and answers it if not.
func (w *wire) passes(line []byte) bool {
	if !json.Valid(line) {
		w.refuse(nil, codeParse, "the line is not JSON", nil)
		return false
	}
	var e envelope
	if line[0] != '{' || json.Unmarshal(line, &e) != nil {
		w.refuse(nil, codeInvalidRequest, "a message is one object with the members of JSON-RPC 2.0; batches are not supported", nil)
		return false
	}
	switch {
	case e.Method == nil && (!e.hasID() || e.Result == nil && e.Error == nil):
		w.refuse(e.ID, codeInvalidRequest, "method is missing", nil)
		return false
	case e.Method == nil:
		return true
	case !e.hasID():
		return notifications[*e.Method] // a request without id has no answer, and nothing to do
	}
	switch e.ID[0] {
	case '{', '[', 't', 'f':
		w.refuse(nil, codeInvalidRequest, "id must be a string or a number", nil)
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.pending[string(e.ID)] != "":
		w.refuse(e.ID, codeInvalidRequest, "a request with this id is in progress", nil)
		return false
	case len(w.pending) >= maxRequests:
		w.refuse(e.ID, codeServer, "too many requests are in progress; wait for an answer", map[string]int{"limit": maxRequests})
		return false
	}
	w.pending[string(e.ID)] = *e.Method + " "
	return true
}

// notifications are those that do something here.
var notifications = map[string]bool{"session/cancel": true, "$/cancel_request": true}

// refuse answers a line that the SDK never gets.
func (w *wire) refuse(id json.RawMessage, code int, message string, data any) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	e := map[string]any{"code": code, "message": message}
	if data != nil {
		e["data"] = data
	}
	if line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": e}); err == nil {
		w.box.Send(line) // an error means that the client is gone, which Read notices
	}
}
