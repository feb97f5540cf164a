package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm/models"
)

func status(t *testing.T, e *engine.Engine, id string) map[string]any {
	for _, p := range must(t, e, "ProvidersGetStatus", nil)["providers"].([]any) {
		if p := p.(map[string]any); p["provider_id"] == id {
			return p
		}
	}
	require.Fail(t, "no provider "+id)
	return nil
}

// A provider that is switched off is not asked, says why, and stays off after a
// restart (peer-protocol: ProvidersSetEnabled).
func TestProvidersSetEnabled(t *testing.T) {
	v := &vendor{answer: say("ok"), list: `{"data":[{"id":"m"}]}`}
	home, url := t.TempDir(), v.serve(t)
	with := func(o *engine.Options) {
		o.Home, o.Providers = home, []engine.Provider{{ID: "house", BaseURL: url, Models: []string{"m"}}}
	}
	e := newEngine(t, with)
	require.Equal(t, true, status(t, e, "house")["enabled"])
	_, missing := call(t, e, "ProvidersSetEnabled", obj{"provider_id": "house"})
	require.NotNil(t, missing)
	require.Equal(t, "enabled is required", missing.Detail)
	must(t, e, "ProvidersSetEnabled", obj{"provider_id": "house", "enabled": false})
	require.NoError(t, e.Close())

	e = newEngine(t, with)
	require.Equal(t, false, status(t, e, "house")["enabled"])
	require.Equal(t, true, status(t, e, "pseudo")["enabled"])
	for _, m := range must(t, e, "ModelsListSupported", nil)["models"].([]any) {
		require.NotEqual(t, "house:m", m.(map[string]any)["model_id"])
	}
	require.Empty(t, must(t, e, "ModelsList", nil)["failed"])
	require.Len(t, must(t, e, "ModelsList", obj{"provider_id": "house"})["failed"], 1)
	id, _ := folder(t, e, map[string]string{"a.txt": "x"})
	msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "hi"})["message_id"]
	_, info := call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg, "model_id": "house:m"})
	require.Equal(t, engine.CodeNotConfigured, info.ErrorCode)
	require.Contains(t, info.Detail, "switched off")
	require.Empty(t, v.models, "nothing was asked")

	must(t, e, "ProvidersSetEnabled", obj{"provider_id": "house", "enabled": true})
	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg, "model_id": "house:m"})
	for _, bad := range []string{"pseudo", "nobody"} {
		_, info := call(t, e, "ProvidersSetEnabled", obj{"provider_id": bad, "enabled": false})
		require.Equal(t, engine.CodeValidationFailed, info.ErrorCode, bad)
	}
}

// The effort set for a phase goes into the requests of that phase, as the
// nearest the model takes (V-01, peer-protocol: ProvidersSetReasoningEffort).
func TestProvidersSetReasoningEffort(t *testing.T) {
	v := &vendor{answer: func(n int) string {
		return []string{`{"content":"Notes."}`, `{"content":"- [ ] 1. One — do it"}`, `{"content":"Done."}`, `{"content":"All done."}`}[min(n, 4)-1]
	}}
	url := v.serve(t)
	e := newEngine(t, func(o *engine.Options) {
		o.BaseURL, o.Model = url, "thinker"
		o.Models = []models.Rule{{Model: "thinker", Settings: models.Settings{Effort: "low", Efforts: "low medium high"}}}
	})
	must(t, e, "ProvidersSetReasoningEffort", obj{"provider_id": "openai", "research_effort": "max", "plan_effort": "medium", "implement_effort": ""})
	require.Equal(t, map[string]any{"research_effort": "max", "plan_effort": "medium", "implement_effort": ""}, status(t, e, "openai")["rpi_reasoning"])
	id, _ := folder(t, e, map[string]string{"a.txt": "x"})
	msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Do it."})["message_id"]
	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg, "workflow": "rpi"})
	var got []any
	for _, b := range v.bodies {
		var body map[string]any
		require.NoError(t, json.Unmarshal([]byte(b), &body))
		got = append(got, body["reasoning_effort"])
	}
	require.Equal(t, []any{"high", "medium", "low", "low"}, got)
	_, info := call(t, e, "ProvidersSetReasoningEffort", obj{"provider_id": "openai", "plan_effort": "huge"})
	require.Contains(t, info.Detail, "plan_effort")
	c := must(t, e, "ModelsGetCapabilities", obj{"model_id": "thinker"})
	require.Equal(t, []any{"low", "medium", "high"}, c["reasoning_efforts"])
}

// Of the defaults the workbench's comes before the user's, and that before the
// built-in one; a model named at the start comes before the user's.
func TestDefaultModels(t *testing.T) {
	home := t.TempDir()
	e := newEngine(t, func(o *engine.Options) { o.Home, o.Model = home, "" })
	id, _ := folder(t, e, nil)
	active := func() any { return must(t, e, "WorkshopGetState", obj{"workbench_id": id})["active_model_id"] }
	require.Equal(t, engine.DefaultModel, must(t, e, "UserGetDefaultModel", nil)["model_id"])
	must(t, e, "UserSetDefaultModel", obj{"model_id": "one"})
	require.Equal(t, "one", active())
	must(t, e, "WorkbenchSetDefaultModel", obj{"workbench_id": id, "model_id": "two"})
	require.Equal(t, "two", active())
	require.Equal(t, "two", must(t, e, "WorkbenchGetDefaultModel", obj{"workbench_id": id})["model_id"])
	must(t, e, "WorkshopSetActiveModel", obj{"workbench_id": id, "model_id": "three"})
	require.Equal(t, "three", active())
	require.Equal(t, "two", must(t, e, "WorkshopGetState", obj{"workbench_id": id})["default_model_id"])
	require.NoError(t, e.Close())

	e = newEngine(t, func(o *engine.Options) { o.Home, o.Model = home, "" })
	require.Equal(t, "one", must(t, e, "UserGetDefaultModel", nil)["model_id"])
	must(t, e, "WorkbenchSetDefaultModel", obj{"workbench_id": id, "model_id": ""})
	require.Equal(t, "one", must(t, e, "WorkbenchGetDefaultModel", obj{"workbench_id": id})["model_id"])
	require.NoError(t, e.Close())

	e = newEngine(t, func(o *engine.Options) { o.Home, o.Model = home, "named" })
	require.Equal(t, "named", must(t, e, "UserGetDefaultModel", nil)["model_id"])
	_, info := call(t, e, "UserSetDefaultModel", obj{"model_id": "x"})
	require.Contains(t, info.Detail, "named")
}

// The model's thoughts that go back to its endpoint are not shown to clients.
func TestConversationHasNoThoughts(t *testing.T) {
	v := &vendor{answer: func(n int) string {
		if n == 1 {
			return `{"reasoning_content":"SECRET THOUGHT","tool_calls":[{"index":0,"id":"c1","function":{"name":"list_files","arguments":"{}"}}]}`
		}
		return `{"content":"ok"}`
	}}
	url := v.serve(t)
	e := newEngine(t, func(o *engine.Options) { o.BaseURL, o.Model = url, "deepseek-v4-pro" })
	id, _ := folder(t, e, map[string]string{"a.txt": "x"})
	msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "hi"})["message_id"]
	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
	require.Contains(t, v.bodies[1], `"reasoning_content":"SECRET THOUGHT"`)
	b, err := json.Marshal(must(t, e, "WorkshopGetConversation", obj{"workbench_id": id}))
	require.NoError(t, err)
	require.Contains(t, string(b), "list_files")
	require.NotContains(t, string(b), "THOUGHT")
}
