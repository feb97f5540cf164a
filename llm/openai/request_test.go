package openai

import (
	"encoding/json"
	"testing"

	"atelier/llm/endpoint"

	"github.com/stretchr/testify/require"
)

// L-07: whatever a model gave as arguments, its call goes back with an object:
// endpoints refuse a conversation for anything else.
func TestSentArgumentsAreAnObject(t *testing.T) {
	for args, want := range map[string]string{
		"":                 `{}`,
		" null ":           `{}`,
		`{"path":"a"}`:     `{"path":"a"}`,
		" {} ":             `{}`,
		`["a.txt"]`:        `{"malformed_arguments":"[\"a.txt\"]"}`,
		`"a.txt"`:          `{"malformed_arguments":"\"a.txt\""}`,
		`3`:                `{"malformed_arguments":"3"}`,
		`{"path":`:         `{"malformed_arguments":"{\"path\":"}`,
		`{"a":1}{"b":2}`:   `{"malformed_arguments":"{\"a\":1}{\"b\":2}"}`,
		"{\"a\":\"\xff\"}": `{"a":"` + "\xff" + `"}`,
	} {
		got := endpoint.SentArguments(args)
		require.Equal(t, want, got, args)
		require.NoError(t, json.Unmarshal([]byte(got), &map[string]any{}), args)
	}
}
