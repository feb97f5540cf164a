package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/pseudo"
)

// segmentModel is an endpoint that translates: it answers every request with a
// put_translations call, and counts what it is asked.
type segmentModel struct {
	URL string

	mu sync.Mutex
	// misbehave, when set, answers request n (from 1) itself and returns true.
	misbehave func(n int, w http.ResponseWriter, segs []asked) bool
	requests  int
	texts     map[string]int          // how often each text was asked for
	limits    map[string]map[int]bool // under which lengths: equal text under another is another
}

type asked struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Max  int    `json:"max_length"`
}

// serveSegments serves a model; misbehave, when set, may answer a request in
// its place.
func serveSegments(t *testing.T, misbehave func(n int, w http.ResponseWriter, segs []asked) bool) *segmentModel {
	t.Helper()
	m := &segmentModel{misbehave: misbehave, texts: map[string]int{}, limits: map[string]map[int]bool{}}
	srv := httptest.NewServer(m)
	t.Cleanup(srv.Close)
	m.URL = srv.URL + "/v1"
	return m
}

func (m *segmentModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Messages []llm.Message `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var page struct {
		Segments []asked `json:"segments"`
	}
	for _, msg := range req.Messages {
		if msg.ToolCallID == "segments" {
			_ = json.Unmarshal([]byte(msg.Content), &page)
		}
	}
	m.mu.Lock()
	m.requests++
	n := m.requests
	// What is asked again in the same conversation, with the reason, is not paid
	// for as another text.
	first := len(req.Messages) > 0 && req.Messages[len(req.Messages)-1].ToolCallID == "segments"
	for _, s := range page.Segments {
		if !first {
			break
		}
		m.texts[s.Text]++
		if m.limits[s.Text] == nil {
			m.limits[s.Text] = map[int]bool{}
		}
		m.limits[s.Text][s.Max] = true
	}
	misbehave := m.misbehave
	m.mu.Unlock()
	if misbehave != nil && misbehave(n, w, page.Segments) {
		return
	}
	var pairs []string
	for _, s := range page.Segments {
		pairs = append(pairs, s.ID, pseudo.Within(s.Text, s.Max))
	}
	answerPut(w, put(pairs...))
}

// behave changes how the following requests are answered.
func (m *segmentModel) behave(misbehave func(n int, w http.ResponseWriter, segs []asked) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.misbehave = misbehave
}

// put is the arguments of put_translations for pairs of id and text.
func put(pairs ...string) string {
	ts := []map[string]string{}
	for p := range slices.Chunk(pairs, 2) {
		ts = append(ts, map[string]string{"id": p[0], "text": p[1]})
	}
	b, _ := json.Marshal(map[string]any{"translations": ts})
	return string(b)
}

// answerPut streams a call of put_translations.
func answerPut(w http.ResponseWriter, args string) {
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(v any) {
		b, _ := json.Marshal(v)
		fmt.Fprintf(w, "data: %s\n\n", b)
	}
	call := map[string]any{"index": 0, "id": "c1", "type": "function", "function": map[string]string{"name": "put_translations", "arguments": args}}
	event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"tool_calls": []any{call}}}}})
	event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": "tool_calls"}},
		"usage": map[string]int{"prompt_tokens": 100, "completion_tokens": len(args) / 4}})
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// counts is a copy of how often each text was asked for.
func (m *segmentModel) counts() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]int{}
	for k, v := range m.texts {
		out[k] = v
	}
	return out
}

// kinds is how many limits a text was asked for under, at least 1.
func (m *segmentModel) kinds(text string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(1, len(m.limits[text]))
}

// asked is the number of requests so far.
func (m *segmentModel) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests
}

// TestSegmentModelCounts guards the rig itself.
func TestSegmentModelCounts(t *testing.T) {
	require.JSONEq(t, `{"translations":[{"id":"a","text":"b"}]}`, put("a", "b"))
}
