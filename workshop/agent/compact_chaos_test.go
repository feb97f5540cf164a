package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/llm"
	"atelier/llm/llmtest/chaos"
	"atelier/llm/openai"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/tools"
)

// longScript reads files and writes an entry after each third, as many as there
// are tool calls to make; how far it is, the tool log says, as a summary may
// stand for any part of the conversation.
type longScript struct {
	wb    *workshop.Workbench
	calls int

	mu        sync.Mutex
	said      string // the last message of the user
	summaries int
	faults    []string
}

func (s *longScript) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

func (s *longScript) answer(ms []llm.Message) llm.ChatResponse {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := wellFormed(ms); err != nil {
		s.fault("%v", err)
	}
	if strings.HasPrefix(ms[0].Content, "You write the summary") {
		s.summaries++
		return llm.ChatResponse{Content: "They want the log written. Files were read, entries were made."}
	}
	if !has(ms, s.said) {
		s.fault("%q is not in the request", s.said)
	}
	log, err := s.wb.ToolLogAfter(context.Background(), 0, 1000)
	if err != nil {
		s.fault("%v", err)
	}
	n := len(log)
	if n >= s.calls {
		return llm.ChatResponse{Content: "All is read, and the log is written."}
	}
	name, args := "read_file", fmt.Sprintf(`{"path":"f%d.txt"}`, n%5)
	if n%3 == 2 {
		name, args = "docx_operations", fmt.Sprintf(`{"path":"log.docx","create_if_missing":true,"operations":[{"op":"append_paragraph","text":"Entry %d."}]}`, n)
	}
	return llm.ChatResponse{ToolCalls: []llm.ToolCall{{ID: fmt.Sprintf("c%d", n), Type: "function", Function: llm.FunctionCall{Name: name, Arguments: args}}}}
}

// Whatever an endpoint does while conversations are summed up again and again,
// each request is one that endpoints take, and every entry is written once.
func TestChaosWhileCompacting(t *testing.T) {
	campaign.Slow(t)
	runs := campaign.Of(24, 24)
	files := map[string]string{}
	for i := range 5 {
		files[fmt.Sprintf("f%d.txt", i)] = strings.Repeat(fmt.Sprintf("a line of file %d\n", i), 250)
	}
	summaries, ended, finished := 0, 0, 0
	for n := range runs {
		r := newRig(t, files)
		s := &longScript{wb: r.wb, calls: 18}
		srv := httptest.NewServer(chaos.New(uint64(n), s.answer))
		r.cfg.Client = openai.New(openai.Options{BaseURL: srv.URL, IdleTimeout: 300 * time.Millisecond, Limits: chaos.Limits})
		r.cfg.Window = 9_500 // what the endpoint counts is half of the estimate
		say := "Read the files and write the log."
		for range 8 {
			s.said = say
			id := r.say(say)
			_, err := Run(t.Context(), r.cfg, id)
			if err == nil {
				finished++
				break
			}
			var e *runerr.Error
			require.True(t, errors.As(err, &e))
			require.Contains(t, []string{runerr.CodeUnavailable, runerr.CodeNetwork, runerr.CodeTooLarge}, e.Code, "run %d: %v", n, err)
			ended++
			say = "Go on."
		}
		srv.Close()
		require.Empty(t, s.faults, "run %d", n)
		require.NoError(t, wellFormed(messages(r.records())))
		summaries += s.summaries
		env := &tools.Env{View: r.wb.DraftView(workshop.Cause{Tool: "test"}), Formats: r.cfg.Formats}
		text := r.cfg.Catalogue.Call(t.Context(), env, "read_file", json.RawMessage(`{"path":"log.docx"}`)).Full
		log, err := r.wb.ToolLogAfter(t.Context(), 0, 1000)
		require.NoError(t, err)
		for i := range log {
			if i%3 == 2 {
				require.Equal(t, 1, strings.Count(text, fmt.Sprintf("Entry %d.", i)), "run %d: %s", n, text)
			}
		}
	}
	require.Greater(t, summaries, runs)
	require.Greater(t, finished, runs*8/10)
	if runs >= 24 {
		require.NotZero(t, ended)
	}
	t.Logf("%d of %d conversations finished, with %d summaries; %d runs ended early", finished, runs, summaries, ended)
}
