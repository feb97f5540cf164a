//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// simEndpoint is the model endpoint of random users. Its answers come from a
// seed. It refuses no request but records each that a strict endpoint would
// refuse.
type simEndpoint struct {
	*httptest.Server
	mu     sync.Mutex
	users  map[string]*simModel // by the part of a model's name before the "-"
	faults []string
	end    chan struct{} // closed when held answers must end
}

// simModel is the model of one user. Its fields are protected by
// simEndpoint.mu.
type simModel struct {
	rng     *rand.Rand
	serial  int // of what it writes
	sent    []simRequest
	run     int      // number of the current run, set by the user
	must    string   // the last message of the user: each request of the run has it
	later   []string // the user's messages to the current run
	silent  int      // number of held answers
	faulty  int      // consecutive faults
	last    []simCall
	calls   []simCall // of the current run
	steps   int       // requests of the current run
	calm    bool      // no faults, so that runs end by themselves
	refused map[string]bool
}

// simRequest is one request as counted by the endpoint.
type simRequest struct {
	run      int
	in, out  int
	written  bool // the whole answer was written
	received bool // … and the program was still connected then
	playing  bool // the answer is being sent
}

type simCall struct{ ID, Name, Args string }

// simWindow is the window of models named …-tiny, in tokens as counted by
// the endpoint.
const simWindow = 12_000

func newSimEndpoint() *simEndpoint {
	e := &simEndpoint{users: map[string]*simModel{}, end: make(chan struct{})}
	e.Server = httptest.NewServer(e)
	return e
}

func (e *simEndpoint) user(name string, seed uint64) *simModel {
	e.mu.Lock()
	defer e.mu.Unlock()
	m := &simModel{rng: rand.New(rand.NewPCG(seed, 77)), refused: map[string]bool{}}
	e.users[name] = m
	return m
}

// with runs f while no other request is handled.
func (e *simEndpoint) with(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
}

// simBody is the part of a request that is decoded here.
type simBody struct {
	Model    string         `json:"model"`
	Stream   bool           `json:"stream"`
	Messages []simMessage   `json:"messages"`
	Tools    []simTool      `json:"tools"`
	Options  map[string]any `json:"stream_options"`
}

type simTool struct {
	Type     string `json:"type"`
	Function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"function"`
}

type simMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

func (m simMessage) text() string {
	var s string
	json.Unmarshal(m.Content, &s)
	return s
}

func (e *simEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") { // requests for information about the endpoint
		http.NotFound(w, r)
		return
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the program was killed
	}
	var b simBody
	if err := json.Unmarshal(raw, &b); err != nil {
		e.with(func() { e.faults = append(e.faults, fmt.Sprintf("a request is no JSON: %v", err)) })
		return
	}
	e.mu.Lock()
	m := e.users[strings.SplitN(b.Model, "-", 2)[0]]
	if m == nil {
		e.faults = append(e.faults, "a request for the model "+b.Model)
		e.mu.Unlock()
		return
	}
	if err := m.valid(b); err != nil {
		e.faults = append(e.faults, fmt.Sprintf("%s: %v\n%s", b.Model, err, briefly(b.Messages)))
	}
	a := m.say(b, len(raw)/4)
	at := len(m.sent)
	m.sent = append(m.sent, simRequest{run: m.run, in: len(raw) / 4, out: 1 + (len(a.text)+len(fmt.Sprint(a.calls)))/4, playing: true})
	in, out := m.sent[at].in, m.sent[at].out
	if a.fault == "silence" {
		m.silent++
	}
	e.mu.Unlock()
	var written bool
	defer func() { // play panics to cut an answer off
		// A program that stops reading at "[DONE]" may be gone before this line.
		received := written && r.Context().Err() == nil
		e.with(func() {
			m.sent[at].written, m.sent[at].received, m.sent[at].playing = written, received, false
			if a.fault == "silence" {
				m.silent--
			}
		})
	}()
	written = a.play(w, r, e.end, in, out)
}

// simAnswer is the answer to a request.
type simAnswer struct {
	text  string
	calls []simCall
	fault string
	cut   int // number of events before the fault
}

func (a simAnswer) events(in, out int) []string {
	event := func(delta obj, finish any) string {
		b, _ := json.Marshal(obj{"object": "chat.completion.chunk", "choices": []obj{{"index": 0, "delta": delta, "finish_reason": finish}}})
		return string(b)
	}
	list := []string{event(obj{"role": "assistant", "content": ""}, nil)}
	for _, word := range strings.SplitAfter(a.text, " ") {
		if word != "" {
			list = append(list, event(obj{"content": word}, nil))
		}
	}
	for i, c := range a.calls {
		half := len(c.Args) / 2
		for half > 0 && c.Args[half]&0xC0 == 0x80 {
			half--
		}
		list = append(list,
			event(obj{"tool_calls": []obj{{"index": i, "id": c.ID, "type": "function", "function": obj{"name": c.Name, "arguments": ""}}}}, nil),
			event(obj{"tool_calls": []obj{{"index": i, "function": obj{"arguments": c.Args[:half]}}}}, nil),
			event(obj{"tool_calls": []obj{{"index": i, "function": obj{"arguments": c.Args[half:]}}}}, nil))
	}
	finish := "stop"
	if len(a.calls) > 0 {
		finish = "tool_calls"
	}
	return append(list, event(obj{}, finish), fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, in, out), "[DONE]")
}

// play sends the answer and reports whether all of it was written.
func (a simAnswer) play(w http.ResponseWriter, r *http.Request, end <-chan struct{}, in, out int) bool {
	refuse := func(status int, words string) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":%q}}`, words)
		return false
	}
	events := a.events(in, out)
	n := len(events)
	switch a.fault {
	case "429":
		w.Header().Set("Retry-After-Ms", "5")
		return refuse(429, "too many requests")
	case "500":
		return refuse(500, "something broke")
	case "turns":
		return refuse(400, "Conversation roles must alternate user/assistant/user/assistant/...")
	case "long":
		return refuse(400, fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", simWindow, in))
	case "cut", "silence":
		n = min(a.cut, n-3)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, ev := range events[:n] {
		if _, err := fmt.Fprintf(w, "data: %s\n\n", ev); err != nil {
			return false
		}
		w.(http.Flusher).Flush()
		if a.fault == "slow" {
			time.Sleep(3 * time.Millisecond)
		}
	}
	switch a.fault {
	case "cut":
		panic(http.ErrAbortHandler)
	case "silence":
		select {
		case <-r.Context().Done():
		case <-end:
		}
		return false
	}
	return true
}
