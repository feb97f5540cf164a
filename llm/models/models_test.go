package models_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm/models"
)

func TestBuiltinRules(t *testing.T) { // L-10
	for _, r := range models.Builtin().Rules() {
		require.NoError(t, r.Check())
	}
	require.True(t, *models.Builtin().Lookup("qwen3:8b", "localhost").InText)
}

func TestAUsersRuleOverridesWhatItNames(t *testing.T) {
	var rules []models.Rule
	require.NoError(t, json.Unmarshal([]byte(`[
		{"model":"gpt-5*","window":1000,"temperature":0.5},
		{"endpoint":"*.example.com","parallel_tool_calls":false,"text_tool_calls":false},
		{"model":"qwen/*","temperature":"omit"}]`), &rules))
	for _, r := range rules {
		require.NoError(t, r.Check())
	}
	table := models.Builtin().With(rules...)
	s := table.Lookup("gpt-5", "llm.example.com")
	require.Equal(t, 1000, s.Window)
	require.Equal(t, 128_000, s.MaxOutput, "what a rule does not name stays")
	require.Equal(t, models.Temperature{Set: true, Value: 0.5}, s.Heat)
	require.False(t, *s.Parallel)
	require.Equal(t, models.Omitted, table.Lookup("qwen/qwen3/8b", "h").Heat, "* crosses slashes")
	require.Equal(t, 400_000, models.Builtin().Lookup("gpt-5", "").Window, "the built-in table is as before")

	b, err := json.Marshal(rules)
	require.NoError(t, err)
	var again []models.Rule
	require.NoError(t, json.Unmarshal(b, &again))
	require.Equal(t, rules, again)
}

func TestBadRulesAreNamed(t *testing.T) {
	for _, tc := range [][2]string{
		{`{}`, "pattern"}, {`{"model":"[a"}`, "model"}, {`{"endpoint":"[a"}`, "host"}, {`{"model":"a","window":-1}`, "window"},
		{`{"model":"a","reasoning_effort":"huge"}`, "reasoning_effort"}, {`{"model":"a","call_ids":"short"}`, "call_ids"}, {`{"model":"a","limit_param":"n"}`, "limit_param"}, {`{"model":"a","tools":"none"}`, "tools"},
	} {
		var r models.Rule
		require.NoError(t, json.Unmarshal([]byte(tc[0]), &r))
		require.ErrorContains(t, r.Check(), tc[1], tc[0])
	}
	for _, bad := range []string{`3`, `-0.1`, `"hot"`, `true`} {
		var h models.Temperature
		require.ErrorContains(t, json.Unmarshal([]byte(bad), &h), "temperature", bad)
	}
}
