package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
)

// TestL01Keys: the types have exactly these JSON keys, and read back as they
// were.
func TestL01Keys(t *testing.T) {
	tool := llm.Tool{Type: "function", Function: llm.FunctionDef{Name: "n", Description: "d", Parameters: json.RawMessage(`{}`)}}
	call := llm.ToolCall{ID: "1", Type: "function", Function: llm.FunctionCall{Name: "n", Arguments: `{"a":1}`}}
	for want, v := range map[string]any{
		`{"type":"function","function":{"name":"n","description":"d","parameters":{}}}`:                                                           tool,
		`{"id":"1","type":"function","function":{"name":"n","arguments":"{\"a\":1}"}}`:                                                            call,
		`{"content":"c","finish_reason":"stop"}`:                                                                                                  llm.ChatResponse{Content: "c", FinishReason: "stop"},
		`{"content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"n","arguments":"{\"a\":1}"}}],"finish_reason":"tool_calls"}`: llm.ChatResponse{ToolCalls: []llm.ToolCall{call}, FinishReason: "tool_calls"},
	} {
		b, err := json.Marshal(v)
		require.NoError(t, err)
		require.Equal(t, want, string(b))
	}
	var back llm.ToolCall
	b, _ := json.Marshal(call)
	require.NoError(t, json.Unmarshal(b, &back))
	require.Equal(t, call, back)
	// What no endpoint is to see stays inside.
	b, _ = json.Marshal(llm.ChatResponse{Reasoning: "r", Usage: llm.Usage{PromptTokens: 1}})
	require.NotContains(t, string(b), "easoning")
	require.NotContains(t, string(b), "okens")
}
