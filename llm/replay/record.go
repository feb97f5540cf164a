package replay

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/txtar"
)

// Redacted stands where a key was.
const Redacted = "REDACTED"

// keptHeaders are the headers of an answer that matter to a replay.
var keptHeaders = []string{"Retry-After", "Retry-After-Ms", "Date"}

// Recorder is an http.RoundTripper that keeps every answer of an endpoint as it
// came, for a Fixture (D-21). It is safe for concurrent use.
type Recorder struct {
	base http.RoundTripper

	mu        sync.Mutex // guards all below, and the exchanges
	exchanges []*exchange
	keys      map[string]bool
}

// exchange is one recorded answer.
type exchange struct {
	status int
	header http.Header
	body   bytes.Buffer
	end    error // io.EOF after the whole body; nil while the client had not read on
	failed bool  // no answer came at all
}

// NewRecorder records what goes through base; nil: http.DefaultTransport.
func NewRecorder(base http.RoundTripper) *Recorder {
	if base == nil {
		base = http.DefaultTransport
	}
	return &Recorder{base: base, keys: map[string]bool{}}
}

// RoundTrip passes req on and keeps what comes back.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	ex := &exchange{}
	r.mu.Lock()
	r.exchanges = append(r.exchanges, ex)
	for _, h := range []string{"Authorization", "Api-Key", "X-Api-Key"} {
		if key := strings.TrimSpace(strings.TrimPrefix(req.Header.Get(h), "Bearer ")); key != "" {
			r.keys[key] = true
		}
	}
	r.mu.Unlock()
	resp, err := r.base.RoundTrip(req)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		ex.failed = true
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
	t.ex.body.Write(p[:n])
	if err != nil {
		t.ex.end = err
	}
	return n, err
}

func (t *tap) Close() error { return t.body.Close() }

// Fixture gives the answers so far as a txtar archive: a client section with
// prompt (left out when empty) and one model section an answer. Replaying it
// gives the client the same responses. No key is in it.
func (r *Recorder) Fixture(prompt string) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &txtar.Archive{Comment: []byte("Recorded from a live run.\n\n")}
	if prompt != "" {
		a.Files = append(a.Files, txtar.File{Name: "client", Data: []byte(r.redact(noMarkers(prompt)) + "\n")})
	}
	for _, ex := range r.exchanges {
		if ex.failed {
			continue // there was no answer to give again
		}
		name := fmt.Sprintf("model-%d", len(a.Files)+1)
		if prompt != "" {
			name = fmt.Sprintf("model-%d", len(a.Files))
		}
		a.Files = append(a.Files, txtar.File{Name: name, Data: ex.lines(r.redact)})
	}
	return txtar.Format(a)
}

// keyLike is what keys of the known providers look like.
var keyLike = regexp.MustCompile(`\b(sk|gsk|xai)-[A-Za-z0-9_-]{16,}|\bAIza[A-Za-z0-9_-]{20,}`)

func (r *Recorder) redact(s string) string {
	for key := range r.keys {
		s = strings.ReplaceAll(s, key, Redacted)
	}
	return keyLike.ReplaceAllString(s, Redacted)
}

var marker = regexp.MustCompile(`(?m)^-- `)

// noMarkers keeps text from being taken for section headers.
func noMarkers(s string) string { return marker.ReplaceAllString(strings.TrimRight(s, "\n"), " -- ") }

// lines gives the answer in the fixture language.
func (ex *exchange) lines(redact func(string) string) []byte {
	var out bytes.Buffer
	put := func(v any) { out.Write(append(encode(v), '\n')) }
	body := redact(ex.body.String())
	head := map[string]any{"status": ex.status}
	kept := map[string]string{}
	for _, k := range keptHeaders {
		if v := ex.header.Get(k); v != "" && (k != "Date" || ex.header.Get("Retry-After") != "") {
			kept[k] = redact(v)
		}
	}
	if len(kept) > 0 {
		head["headers"] = kept
	}
	stream := strings.Contains(ex.header.Get("Content-Type"), "event-stream")
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
		if data, ok := plainEvent(block); ok {
			out.WriteString(data + "\n")
		} else {
			put(map[string]string{"raw": block})
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
