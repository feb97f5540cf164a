package replay

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
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
	status int // 0: no answer came
	header http.Header
	body   bytes.Buffer
	end    error // io.EOF after the whole body; nil while the client had not read on
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

// Fixture gives the answers so far as a txtar archive: a client section that
// sends prompt (left out when empty) and one model section an answer. Replaying it
// gives the client the same responses. No key is in it.
func (r *Recorder) Fixture(prompt string) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &txtar.Archive{Comment: []byte("Recorded from a live run.\n\n")}
	if prompt != "" {
		a.Files = append(a.Files, txtar.File{Name: "client", Data: []byte(r.redact(string(encode(map[string]string{"send": prompt}))) + "\n{\"run\":true}\n")})
	}
	n := 0
	for _, ex := range r.exchanges {
		if ex.status == 0 {
			continue // no answer came that could be given again
		}
		n++
		a.Files = append(a.Files, txtar.File{Name: fmt.Sprintf("model-%d", n), Data: ex.lines(r.redact)})
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

// lines gives the answer in the fixture language.
func (ex *exchange) lines(redact func(string) string) []byte {
	var out bytes.Buffer
	put := func(v any) { out.Write(append(encode(v), '\n')) }
	body := redact(ex.body.String())
	stream := strings.Contains(ex.header.Get("Content-Type"), "event-stream")
	kept := ex.kept(stream, redact)
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

// kept are the headers that a replay must send again.
func (ex *exchange) kept(stream bool, redact func(string) string) map[string]string {
	kept := map[string]string{}
	for _, k := range keptHeaders {
		if v := ex.header.Get(k); v != "" {
			kept[k] = redact(v)
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
