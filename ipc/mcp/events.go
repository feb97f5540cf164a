package mcpserver

import (
	"container/list"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of what is kept for clients whose connection broke, over all sessions.
const (
	keptStreams = 1024
	keptBytes   = 32 << 20
)

// events keeps what calls send over Streamable HTTP, so that a client whose connection
// broke gets the rest of it with Last-Event-ID (revisions 2025-03-26 to 2025-11-25). It
// implements mcp.EventStore within bounds: the oldest calls are forgotten first. What is
// sent outside of calls is not kept: those are notifications that something changed.
type events struct {
	streams, bytes int // the bounds

	mu    sync.Mutex // protects the fields below
	calls map[streamKey]*list.Element
	order *list.List // of *stream, the oldest first
	size  int
}

type streamKey struct{ session, id string }

// stream is what one call sent.
type stream struct {
	key  streamKey
	sent [][]byte
	size int
}

var _ mcp.EventStore = (*events)(nil)

func newEvents(streams, bytes int) *events {
	return &events{streams: streams, bytes: bytes, calls: map[streamKey]*list.Element{}, order: list.New()}
}

var errNotKept = errors.New("what was sent is not kept any more")

// Open implements mcp.EventStore.
func (e *events) Open(_ context.Context, session, id string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := streamKey{session, id}
	if id != "" && e.calls[key] == nil {
		e.calls[key] = e.order.PushBack(&stream{key: key})
	}
	e.forget()
	return nil
}

// Append implements mcp.EventStore.
func (e *events) Append(_ context.Context, session, id string, data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	at := e.calls[streamKey{session, id}]
	if at == nil {
		return errNotKept // the client gets it if it is connected
	}
	s := at.Value.(*stream)
	s.sent = append(s.sent, slices.Clone(data))
	s.size += len(data)
	e.size += len(data)
	e.forget()
	return nil
}

// After implements mcp.EventStore.
func (e *events) After(_ context.Context, session, id string, index int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if id == "" {
			return
		}
		e.mu.Lock()
		at := e.calls[streamKey{session, id}]
		var sent [][]byte
		if at != nil {
			sent = slices.Clone(at.Value.(*stream).sent)
		}
		e.mu.Unlock()
		if at == nil || index+1 < 0 || index+1 > len(sent) {
			yield(nil, errNotKept)
			return
		}
		for _, data := range sent[index+1:] {
			if !yield(data, nil) {
				return
			}
		}
	}
}

// SessionClosed implements mcp.EventStore.
func (e *events) SessionClosed(_ context.Context, session string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for key, at := range e.calls {
		if key.session == session {
			e.remove(at)
		}
	}
	return nil
}

// forget drops the oldest calls while there is too much; the caller holds mu.
func (e *events) forget() {
	for e.order.Len() > e.streams || e.size > e.bytes {
		e.remove(e.order.Front())
	}
}

func (e *events) remove(at *list.Element) {
	s := at.Value.(*stream)
	e.order.Remove(at)
	delete(e.calls, s.key)
	e.size -= s.size
}
