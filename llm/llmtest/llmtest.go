// Package llmtest is one suite for every llm.Client.
//
//	llmtest.Run(t, llmtest.Subject{Client: pseudo.New(), Key: "", Model: pseudo.Model})
package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm"
)

// Subject is a client to test, with what it needs to answer. To the request
// "Which files are here?" with the tool list_files it must answer with a call
// of it; without tools, with text.
type Subject struct {
	Client func(t *testing.T) llm.Client // a fresh one for each test
	Key    string
	Model  string
}

var question = []llm.Message{{Role: llm.RoleSystem, Content: "You help."}, {Role: llm.RoleUser, Content: "Which files are here?"}}

var listTool = llm.Tool{Type: "function", Function: llm.FunctionDef{Name: "list_files", Description: "List files.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}

// Run tests the promises of llm.Client (L-02, L-03, L-08).
func Run(t *testing.T, s Subject) {
	t.Run("deltas are the text, in order and not empty", func(t *testing.T) {
		var sb strings.Builder
		resp, err := s.Client(t).Chat(t.Context(), llm.Request{Key: s.Key, Model: s.Model, Messages: question, Stream: true, OnDelta: func(d string) {
			require.NotEmpty(t, d)
			sb.WriteString(d)
		}})
		require.NoError(t, err)
		require.NotEmpty(t, resp.Content)
		require.Equal(t, resp.Content, sb.String())
		require.Empty(t, resp.ToolCalls)
	})
	t.Run("calls are told once, whole, before the answer", func(t *testing.T) {
		var told []llm.ToolCall
		resp, err := s.Client(t).Chat(t.Context(), llm.Request{Key: s.Key, Model: s.Model, Messages: question, Tools: []llm.Tool{listTool}, Stream: true, OnCall: func(c llm.ToolCall) { told = append(told, c) }})
		require.NoError(t, err)
		require.Len(t, resp.ToolCalls, 1)
		require.Equal(t, resp.ToolCalls, told)
		call := resp.ToolCalls[0]
		require.Equal(t, "list_files", call.Function.Name)
		require.Equal(t, "function", call.Type)
		require.NotEmpty(t, call.ID)
		require.True(t, json.Valid([]byte(call.Function.Arguments)))
	})
	t.Run("without streaming", func(t *testing.T) {
		resp, err := s.Client(t).Chat(t.Context(), llm.Request{Key: s.Key, Model: s.Model, Messages: question})
		require.NoError(t, err)
		require.NotEmpty(t, resp.Content)
	})
	t.Run("a context that is done", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		begun := time.Now()
		_, err := s.Client(t).Chat(ctx, llm.Request{Key: s.Key, Model: s.Model, Messages: question, Stream: true})
		var e *llm.Error
		require.True(t, errors.As(err, &e), "%v", err)
		require.Equal(t, llm.KindCanceled, e.Kind)
		require.Less(t, time.Since(begun), time.Minute)
	})
}
