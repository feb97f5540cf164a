package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"atelier/llm"
)

// Options of a Server; the zero value serves at once.
type Options struct {
	// Delay before each event of a stream.
	Delay time.Duration
	// Answer returns the number of the answer to a request, from 1; 0 is that of
	// model-*. nil gives the answers in order. Programs that ask a model for more than
	// one thing at a time, such as a title beside the answer, need it.
	Answer func(Request) int
}

// Request is one request a Server received.
type Request struct {
	Path   string
	Header http.Header // as sent, with the key
	Body   []byte      // as sent

	Model    string        `json:"model"`
	Stream   bool          `json:"stream"`
	Messages []llm.Message `json:"messages"`
	Tools    []llm.Tool    `json:"tools"`
}

// Server plays a fixture. It is also an http.Handler, for use with a listener
// of one's own.
type Server struct {
	// URL is the base URL for a client: http://127.0.0.1:PORT/v1.
	URL string

	fixture *Fixture
	opt     Options
	http    *http.Server
	done    chan struct{} // closed by Close
	close   sync.Once

	mu       sync.Mutex // guards requests
	requests []Request
}

// NewServer serves f on a free local port until Close.
func NewServer(f *Fixture, o Options) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("replay: no local port to serve on: %w", err)
	}
	s := &Server{URL: "http://" + l.Addr().String() + "/v1", fixture: f, opt: o, done: make(chan struct{})}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.http.Serve(l) }() // ends with ErrServerClosed
	return s, nil
}

// Close ends the server and every answer under way.
func (s *Server) Close() {
	s.close.Do(func() {
		close(s.done)
		_ = s.http.Close() // nothing can be done about a listener that won't close
	})
}

// Requests returns the requests so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Unused returns the number of numbered answers nobody has asked for yet.
func (s *Server) Unused() int { return max(0, s.fixture.Turns()-len(s.Requests())) }

// ServeHTTP answers POST in each form: …/chat/completions, …/messages, …/responses and
// …:streamGenerateContent.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := formOf(r.URL.Path)
	if r.Method != http.MethodPost || f == nil {
		refuse(w, http.StatusNotFound, "not_found", "replay: only POST …/chat/completions, …/messages, …/responses and …:streamGenerateContent are here, not "+r.Method+" "+r.URL.Path)
		return
	}
	req := Request{Path: r.URL.Path, Header: r.Header.Clone()}
	var err error
	if req.Body, err = io.ReadAll(r.Body); err == nil {
		err = f.read(req.Body, &req)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "replay: the request can't be read: "+err.Error())
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	n := len(s.requests)
	s.mu.Unlock()
	answer := n
	if s.opt.Answer != nil {
		answer = s.opt.Answer(req)
	}
	t := s.fixture.turn(answer)
	if t == nil {
		refuse(w, http.StatusInternalServerError, "replay_exhausted", fmt.Sprintf("replay: the fixture has %d answers and this is request %d", s.fixture.Turns(), n))
		return
	}
	p := player{s: s, w: w, r: r, n: n, e: expander{model: req.Model}, form: f, whole: !req.Stream}
	if _, chat := f.(chatForm); p.whole && !chat {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "replay: in this form answers are streams only")
		return
	}
	p.play(t)
}

// turn returns answer n, from 1, or that of model-*; nil if there is none.
func (f *Fixture) turn(n int) *turn {
	if n > 0 && n <= len(f.turns) {
		return &f.turns[n-1]
	}
	return f.rest
}

func refuse(w http.ResponseWriter, status int, kind, msg string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(map[string]any{"error": map[string]string{"message": msg, "type": kind}})) // the client may have left
}

// player plays one answer.
type player struct {
	s     *Server
	w     http.ResponseWriter
	r     *http.Request
	n     int // of the request
	e     expander
	form  form
	whole bool     // no stream was asked for
	kept  [][]byte // the events, if whole
	raw   bool     // raw bytes were sent: they are the answer
}

func (p *player) play(t *turn) {
	h := p.w.Header()
	h.Set("Content-Type", "text/event-stream")
	for i, l := range t.lines {
		if t == p.s.fixture.rest {
			l.json = bytes.ReplaceAll(l.json, []byte("${n}"), fmt.Append(nil, p.n))
		}
		st, err := l.read()
		if err != nil { // only what ${n} broke
			refuse(p.w, http.StatusInternalServerError, "replay_fixture", fmt.Sprintf("replay: section %s, line %d: %v", t.name, l.no, err))
			return
		}
		if i == 0 && st.Status != 0 && p.head(st) {
			return
		}
		if !p.step(st) {
			return
		}
	}
	p.end()
}

// head sends status and headers; true if that was all.
func (p *player) head(st step) bool {
	h := p.w.Header()
	body := []byte(st.Body)
	if st.Body != nil {
		h.Set("Content-Type", "application/json")
		var s string
		if json.Unmarshal(st.Body, &s) == nil {
			body = []byte(s)
			h.Set("Content-Type", http.DetectContentType(body))
		}
	}
	for k, v := range st.Headers {
		h.Set(k, v)
	}
	if st.Body == nil && st.Status == http.StatusOK {
		return false
	}
	p.w.WriteHeader(st.Status)
	_, _ = p.w.Write(body) // the client may have left
	return true
}

// step does one step; false ends the answer.
func (p *player) step(st step) bool {
	switch {
	case st.DelayMS > 0:
		return p.sleep(time.Duration(st.DelayMS) * time.Millisecond)
	case st.Raw != nil:
		return p.send([]byte(*st.Raw))
	case st.Base64 != nil:
		return p.send(st.Base64)
	case st.Refuse:
		p.refuse()
		return false
	case st.Cut:
		p.flush()
		panic(http.ErrAbortHandler) // net/http breaks the connection off
	case st.Close:
		if p.whole && !p.raw {
			p.end()
		}
		return false
	case st.Hang:
		p.flush()
		p.sleep(-1)
		return false
	}
	return p.events(p.e.expand(st))
}

// refuse breaks the connection before anything is sent.
func (p *player) refuse() {
	if conn, _, err := http.NewResponseController(p.w).Hijack(); err == nil {
		_ = conn.Close() // it is to be broken
		return
	}
	panic(http.ErrAbortHandler)
}

func (p *player) events(list [][]byte) bool {
	if p.whole {
		p.kept = append(p.kept, list...)
		return true
	}
	for _, ev := range list {
		for _, frame := range p.form.events(ev) {
			if !p.sleep(p.s.opt.Delay) || !p.send([]byte(frame)) {
				return false
			}
		}
	}
	return true
}

func (p *player) send(b []byte) bool {
	p.raw = true
	_, err := p.w.Write(b)
	p.flush()
	return err == nil
}

func (p *player) flush() { _ = http.NewResponseController(p.w).Flush() } // the client may have left

// sleep waits; false if the client left or the server closes meanwhile. A
// negative time has no end.
func (p *player) sleep(d time.Duration) bool {
	if d == 0 {
		return true
	}
	var after <-chan time.Time
	if d > 0 {
		after = time.After(d)
	}
	select {
	case <-after:
		return true
	case <-p.r.Context().Done():
	case <-p.s.done:
	}
	return false
}

func (p *player) end() {
	if !p.events(p.e.end()) {
		return
	}
	if !p.whole {
		for _, frame := range p.form.end() {
			p.send([]byte(frame))
		}
		return
	}
	if p.raw {
		return
	}
	p.w.Header().Set("Content-Type", "application/json")
	p.send(whole(p.kept))
}
