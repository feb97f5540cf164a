package httpapi

import (
	"maps"
	"net/http"
	"strings"
)

// gated holds an answer back until what it says is kept. A short answer leaves with finish,
// after the handler; of longer ones and of streams each part is kept before it leaves.
type gated struct {
	http.ResponseWriter
	commit func() error
	before http.Header // as it was before the handler
	status int
	held   []byte
	sent   bool
	err    error // why no more leaves
}

// The bytes of an answer that are held back at most.
const (
	gatedMost   = 256 << 10
	gatedStream = 64 << 10
)

func newGated(w http.ResponseWriter, commit func() error) *gated {
	return &gated{ResponseWriter: w, commit: commit, before: maps.Clone(w.Header())}
}

// Unwrap lets http.ResponseController reach the connection for its deadlines.
func (g *gated) Unwrap() http.ResponseWriter { return g.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (g *gated) WriteHeader(status int) {
	if g.status == 0 {
		g.status = status
	}
}

// Write implements http.ResponseWriter.
func (g *gated) Write(b []byte) (int, error) {
	g.WriteHeader(http.StatusOK)
	if g.err != nil {
		return 0, g.err
	}
	most := gatedMost
	if strings.HasPrefix(g.Header().Get("Content-Type"), "text/event-stream") {
		most = gatedStream
	}
	if len(g.held)+len(b) > most {
		if err := g.send(); err != nil {
			return 0, err
		}
	}
	g.held = append(g.held, b...)
	return len(b), nil
}

// FlushError implements what http.ResponseController calls.
func (g *gated) FlushError() error {
	g.WriteHeader(http.StatusOK)
	if err := g.send(); err != nil {
		return err
	}
	return http.NewResponseController(g.ResponseWriter).Flush()
}

// Flush implements http.Flusher.
func (g *gated) Flush() { _ = g.FlushError() }

// send lets what is held leave when it is kept.
func (g *gated) send() error {
	if g.err == nil {
		g.err = g.commit()
	}
	if g.err != nil {
		return g.err
	}
	return g.leave()
}

func (g *gated) leave() error {
	if !g.sent && g.status != 0 {
		g.sent = true
		g.ResponseWriter.WriteHeader(g.status)
	}
	if len(g.held) > 0 {
		_, g.err = g.ResponseWriter.Write(g.held)
		g.held = g.held[:0]
	}
	return g.err
}

// finish lets the rest leave after the handler, when the caller has seen that it is kept.
func (g *gated) finish() error {
	if g.err == nil {
		_ = g.leave() // an error is that the client is gone
	}
	return nil
}

// discard drops an answer of which nothing left, with its headers.
func (g *gated) discard() {
	g.held, g.status = nil, 0
	h := g.Header()
	clear(h)
	maps.Copy(h, g.before)
}
