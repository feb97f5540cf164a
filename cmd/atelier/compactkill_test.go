package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
)

// strict is an endpoint with a small window that reads one file after another
// and ends each turn after a few of them. It refuses what a real endpoint
// would refuse, and records it.
type strict struct {
	mu        sync.Mutex
	window    int    // characters
	task      string // the last request of the person
	turns     int
	summaries int
	faults    []string
}

type wireMessage struct {
	Role       string  `json:"role"`
	Content    *string `json:"content"`
	ToolCallID string  `json:"tool_call_id"`
	ToolCalls  []struct {
		ID string `json:"id"`
	} `json:"tool_calls"`
}

// fault returns what is wrong with a conversation, or "".
func (s *strict) fault(ms []wireMessage, summary bool) string {
	var open []string
	asked := false
	for i, m := range ms {
		text := ""
		if m.Content != nil {
			text = *m.Content
		}
		asked = asked || m.Role == "user" && strings.Contains(text, s.task)
		switch {
		case m.Role != "tool" && len(open) > 0:
			return fmt.Sprintf("message %d: no results of %v", i, open)
		case m.Role == "tool" && (len(open) == 0 || open[0] != m.ToolCallID):
			return fmt.Sprintf("message %d is a result of %q; open are %v", i, m.ToolCallID, open)
		case m.Role == "tool":
			open = open[1:]
		case text == "" && len(m.ToolCalls) == 0:
			return fmt.Sprintf("message %d is empty", i)
		}
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
		}
	}
	switch {
	case len(open) > 0:
		return fmt.Sprintf("no results of %v", open)
	case !asked && !summary:
		return "the request is not in it"
	}
	return ""
}

func (s *strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var req struct {
		Messages []wireMessage     `json:"messages"`
		Tools    []json.RawMessage `json:"tools"`
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := json.Unmarshal(body, &req); err != nil {
		return // the process was killed while sending
	}
	if f := s.fault(req.Messages, len(req.Tools) == 0); f != "" {
		s.faults = append(s.faults, f)
		http.Error(w, `{"error":{"message":"`+strings.ReplaceAll(f, `"`, "'")+`"}}`, http.StatusBadRequest)
		return
	}
	if len(body) > s.window {
		http.Error(w, `{"error":{"code":"context_length_exceeded","message":"This model's maximum context length is exceeded."}}`, http.StatusBadRequest)
		return
	}
	delta := `{"content":"Read it all, as far as asked."}`
	switch {
	case len(req.Tools) == 0:
		s.summaries++
		delta = fmt.Sprintf(`{"content":"Summary %d: files were read."}`, s.summaries)
	default:
		if s.turns++; s.turns%5 != 0 {
			delta = fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"f%d.txt\"}"}}]}`, s.turns, s.turns%7)
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, d := range []string{`{"role":"assistant"}`, delta} {
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", d)
		w.(http.Flusher).Flush()
	}
	fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

// TestKilledWhileCompacting: the process is killed at random moments of a
// conversation that is summarized repeatedly. Each request stays valid for an
// endpoint and has the current task, and at the end the conversation is
// complete (W-17, W-54).
func TestKilledWhileCompacting(t *testing.T) {
	rounds := campaign.Of(32, 80)
	home, dir := t.TempDir(), t.TempDir()
	for i := range 7 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.txt", i)), []byte(strings.Repeat(fmt.Sprintf("a line of file %d\n", i), 400)), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.json"), []byte(`{"models":[{"model":"some-model","window":16000}]}`), 0o600))
	model := &strict{window: 90_000}
	srv := httptest.NewServer(model)
	defer srv.Close()
	atelier := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program(t), append(args, "--in", dir, "--home", home)...)
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY=sk-test", "OPENAI_BASE_URL="+srv.URL+"/v1", "ATELIER_MODEL=some-model")
		return cmd
	}
	killed, longest := 0, 150*time.Millisecond
	for round := range rounds {
		task := fmt.Sprintf("Task %d: read on.", round)
		model.mu.Lock()
		model.task = task
		model.mu.Unlock()
		args := []string{"run", task}
		for range 4 {
			cmd := atelier(args...)
			begun := time.Now()
			require.NoError(t, cmd.Start())
			time.Sleep(rand.N(longest))
			_ = cmd.Process.Kill()
			if cmd.Wait() == nil {
				longest = max(20*time.Millisecond, time.Since(begun))
				break
			}
			killed++
			longest += 5 * time.Millisecond
			if said, err := atelier("undo", "--list").CombinedOutput(); err == nil && strings.Contains(string(said), task) {
				args = []string{"run", "--resume"}
			}
		}
		out, err := atelier(args...).CombinedOutput()
		if err != nil {
			require.Contains(t, string(out), "nothing to go on with", "it was answered before it was killed")
		}
	}
	model.mu.Lock()
	defer model.mu.Unlock()
	require.Empty(t, model.faults)
	require.Positive(t, model.summaries)
	said, err := atelier("undo", "--list").CombinedOutput()
	require.NoError(t, err)
	for round := range rounds {
		require.Contains(t, string(said), fmt.Sprintf("Task %d: read on.", round))
	}
	t.Logf("%d rounds, killed %d times, %d summaries, %d turns", rounds, killed, model.summaries, model.turns)
}
