package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"atelier/llm/replay/redact"
)

// keptHeaders are the headers of an answer that matter to a replay.
var keptHeaders = []string{"Retry-After", "Retry-After-Ms", "Date"}

// MaxRecorded is how many bytes of answers a Recorder keeps, of all requests
// together.
const MaxRecorded = 64 << 20

// errFull is the end of an exchange of which the Recorder kept only a part.
var errFull = errors.New("the recording is full")

// Recorder keeps the answers of an endpoint as they came, for a Fixture (D-21).
// Beyond MaxRecorded bytes it keeps nothing more; Full says so.
// It is an http.RoundTripper; with a Tap it records one run of many. It is safe
// for concurrent use.
type Recorder struct {
	base http.RoundTripper

	mu        sync.Mutex // guards all below, and the exchanges
	exchanges []*exchange
	keys      map[string]bool
	room      int         // how many more bytes are kept
	full      bool        // some were not kept
	sent      func(n int) // told of each request; nil tells nobody
}

// exchange is one recorded answer.
type exchange struct {
	status int // 0: none came
	failed bool
	header http.Header
	body   bytes.Buffer
	end    error // io.EOF after the whole body; nil while the client had not read on
}

// NewRecorder records what goes through base; nil: http.DefaultTransport.
func NewRecorder(base http.RoundTripper) *Recorder {
	if base == nil {
		base = http.DefaultTransport
	}
	return &Recorder{base: base, keys: map[string]bool{}, room: MaxRecorded}
}

// Limit makes r keep at most so many bytes from now on, instead of MaxRecorded.
func (r *Recorder) Limit(bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.room = bytes
}

// Full reports whether a part of the answers was not kept.
func (r *Recorder) Full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.full
}

// OnRequest has f called with the number of each request, from 1, as it is sent.
func (r *Recorder) OnRequest(f func(n int)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = f
}

// Requests returns the number of requests so far.
func (r *Recorder) Requests() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.exchanges)
}

// RoundTrip passes req on and keeps what comes back.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	return r.through(r.base, req)
}

type recorderKey struct{}

// WithRecorder has r record the requests made with the context, when they go
// through a Tap.
func WithRecorder(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

// Tap returns a transport through base that records requests whose context has a
// Recorder; nil: http.DefaultTransport.
func Tap(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return tapping{base}
}

type tapping struct{ base http.RoundTripper }

func (t tapping) RoundTrip(req *http.Request) (*http.Response, error) {
	if r, ok := req.Context().Value(recorderKey{}).(*Recorder); ok {
		return r.through(t.base, req)
	}
	return t.base.RoundTrip(req)
}

func (r *Recorder) through(base http.RoundTripper, req *http.Request) (*http.Response, error) {
	ex := &exchange{}
	r.mu.Lock()
	r.exchanges = append(r.exchanges, ex)
	for _, h := range []string{"Authorization", "Api-Key", "X-Api-Key"} {
		if key := strings.TrimSpace(strings.TrimPrefix(req.Header.Get(h), "Bearer ")); key != "" {
			r.keys[key] = true
		}
	}
	n, sent := len(r.exchanges), r.sent
	r.mu.Unlock()
	if sent != nil {
		sent(n)
	}
	resp, err := base.RoundTrip(req)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		ex.failed = req.Context().Err() == nil
		return nil, err
	}
	ex.status, ex.header = resp.StatusCode, resp.Header.Clone()
	resp.Body = &tap{body: resp.Body, rec: r, ex: ex}
	return resp, nil
}

// tap copies a body into an exchange while it is read.
type tap struct {
	body io.ReadCloser
	rec  *Recorder
	ex   *exchange
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	t.rec.mu.Lock()
	defer t.rec.mu.Unlock()
	kept := min(n, t.rec.room)
	t.ex.body.Write(p[:kept])
	t.rec.room -= kept
	if kept < n {
		t.rec.full, t.ex.end = true, errFull
	}
	if err != nil && t.ex.end == nil {
		t.ex.end = err
	}
	return n, err
}

func (t *tap) Close() error { return t.body.Close() }

// Learn tells red the keys that were sent and what else in the answers looks
// like one.
func (r *Recorder) Learn(red *redact.Redactor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(r.keys)) {
		red.Secret(key)
	}
	for _, ex := range r.exchanges {
		red.LearnStream(ex.body.String())
	}
}

// Fixture gives the answers so far as a txtar archive: a client section that
// sends prompt (left out when empty) and one model section an answer. Replaying it
// gives the client the same responses. No key is in it.
func (r *Recorder) Fixture(prompt string) []byte {
	red := redact.New()
	r.Learn(red)
	a := &txtar.Archive{Comment: []byte("Recorded from a live run.\n\n")}
	if prompt != "" {
		red.Learn(prompt)
		a.Files = append(a.Files, txtar.File{Name: "client", Data: []byte(red.Text(string(encode(map[string]string{"send": prompt}))) + "\n{\"run\":true}\n")})
	}
	a.Files = append(a.Files, r.Sections(red)...)
	return txtar.Format(a)
}

// Sections returns the model sections of the answers so far, after red took out what
// it knows. A request that got no answer is one too: a refused connection, or,
// when the client gave up, an answer that does not come.
func (r *Recorder) Sections(red *redact.Redactor) []txtar.File {
	r.mu.Lock()
	defer r.mu.Unlock()
	var files []txtar.File
	for i, ex := range r.exchanges {
		var data []byte
		switch {
		case ex.status != 0:
			data = ex.lines(red)
		case ex.failed:
			data = []byte("{\"refuse\":true}\n")
		default:
			data = []byte("{\"hang\":true}\n")
		}
		files = append(files, txtar.File{Name: fmt.Sprintf("model-%d", i+1), Data: data})
	}
	return files
}

// lines gives the answer in the fixture language.
func (ex *exchange) lines(red *redact.Redactor) []byte {
	var out bytes.Buffer
	put := func(v any) { out.Write(append(encode(v), '\n')) }
	body := red.Stream(ex.body.String())
	stream := strings.Contains(ex.header.Get("Content-Type"), "event-stream")
	kept := ex.kept(stream, red)
	head := map[string]any{"status": ex.status}
	if len(kept) > 0 {
		head["headers"] = kept
	}
	if !stream && ex.end == io.EOF {
		head["body"] = body
		put(head)
		return out.Bytes()
	}
	if ex.status != http.StatusOK || len(kept) > 0 {
		put(head)
	}
	rest, done := strings.CutSuffix(body, "data: [DONE]\n\n")
	for block := range blocks(rest) {
		data, plain := plainEvent(block)
		switch {
		case plain:
			out.WriteString(data + "\n")
		case utf8.ValidString(block):
			put(map[string]string{"raw": block})
		default:
			put(map[string][]byte{"base64": []byte(block)})
		}
	}
	switch {
	case done:
	case ex.end == io.EOF || strings.Contains(body, "[DONE]"):
		put(map[string]bool{"close": true})
	default:
		put(map[string]bool{"cut": true})
	}
	return out.Bytes()
}

// kept returns the headers that a replay must send again.
func (ex *exchange) kept(stream bool, red *redact.Redactor) map[string]string {
	kept := map[string]string{}
	for _, k := range keptHeaders {
		if v := ex.header.Get(k); v != "" {
			kept[k] = red.Text(v)
		}
	}
	if kept["Retry-After"] == "" {
		delete(kept, "Date") // only a date to wait for is counted from it
	}
	if v := ex.header.Get("Content-Type"); v != "" && !stream {
		kept["Content-Type"] = v
	}
	return kept
}
