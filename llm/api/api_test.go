package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm/anthropic"
	"atelier/llm/api"
	"atelier/llm/endpoint"
	"atelier/llm/openai"
	"atelier/llm/responses"
)

// The API is the one that is named, else that of the address.
func TestChoice(t *testing.T) {
	for _, tc := range []struct{ name, base, want string }{
		{"", "", api.Chat}, {"", "https://openrouter.ai/api/v1", api.Chat}, {"", "https://api.anthropic.com", api.Anthropic}, {"", "api.anthropic.com/v1/messages", api.Anthropic},
		{"", "https://api.anthropic.com.example.com", api.Chat}, {api.Chat, "https://api.anthropic.com/v1", api.Chat}, {api.Anthropic, "http://localhost:11434", api.Anthropic}, {api.Responses, "", api.Responses}, {"", "::", api.Chat},
	} {
		require.Equal(t, tc.want, api.Of(tc.name, tc.base), "%+v", tc)
		c := api.New(endpoint.Options{API: tc.name, BaseURL: tc.base})
		require.IsType(t, map[string]api.Client{api.Chat: &openai.Client{}, api.Anthropic: &anthropic.Client{}, api.Responses: &responses.Client{}}[tc.want], c)
	}
	require.NoError(t, api.Check(""))
	require.EqualError(t, api.Check("grpc"), `"grpc" is none of the APIs chat, anthropic, responses`)
	for _, name := range []string{api.Chat, api.Anthropic, api.Responses} {
		require.Equal(t, api.DefaultBaseURL(name), api.New(endpoint.Options{API: name}).Address())
	}
}

// A key of Anthropic's goes to Anthropic's endpoint only, and OpenAI's only where an
// address is named or OpenAI is asked.
func TestKeyVariables(t *testing.T) {
	for _, tc := range []struct {
		name, base string
		want       []string
	}{
		{"", "", []string{"OPENAI_API_KEY"}}, {api.Responses, "", []string{"OPENAI_API_KEY"}}, {api.Anthropic, "", []string{"ANTHROPIC_API_KEY"}},
		{"", "https://api.anthropic.com/v1", []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY"}}, {api.Anthropic, "https://openrouter.ai/api/v1", []string{"OPENAI_API_KEY"}},
		{api.Anthropic, "https://api.anthropic.com.example.com", []string{"OPENAI_API_KEY"}},
	} {
		require.Equal(t, tc.want, api.KeyVariables(tc.name, tc.base), "%+v", tc)
	}
}
