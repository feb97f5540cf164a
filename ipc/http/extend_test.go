package httpapi

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// echoArgs are the arguments of the tool that TestH20 adds.
type echoArgs struct {
	Word  string `json:"word" jsonschema:"the word to say"`
	Times int    `json:"times,omitempty" jsonschema:"how often"`
}

// TestH20: a tool is one function and one registration. It is then served,
// listed and described, and invalid arguments are reported (H-11).
func TestH20(t *testing.T) {
	echo := tools.New("echo", "Says a word.", tools.Read, func(_ context.Context, env *tools.Env, a echoArgs) (any, error) {
		switch a.Word {
		case "panic":
			panic("oh")
		case "":
			return nil, workshop.Faultf(workshop.Invalid, "the word is empty").OnField("word")
		}
		es, err := env.View.List(t.Context(), "", workshop.ListOptions{})
		return map[string]any{"word": a.Word, "times": a.Times, "files": len(es)}, err
	})
	c, err := tools.NewCatalogue(tools.Style{Name: "test", Missing: func(f string) string { return "missing field `" + f + "`" }}, tools.Direct("echo", echo))
	require.NoError(t, err)
	r := newRig(t)
	r.opt.Tools = r.engine.LiveWith(c)
	srv, err := New(r.opt)
	require.NoError(t, err)
	r.http.Config.Handler = srv.Handler()

	for _, x := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"tool":"echo","args":{"word":"hi","times":2}}`, 200, `{"success":true,"result":{"files":0,"times":2,"word":"hi"},"error":null}`},
		{`{"tool":"echo","args":{"times":2}}`, 400, "{\"success\":false,\"error\":\"missing field `word`\",\"code\":\"VALIDATION_ERROR\"}"},
		{`{"tool":"echo","args":{"word":null}}`, 400, "{\"success\":false,\"error\":\"missing field `word`\",\"code\":\"VALIDATION_ERROR\"}"},
		{`{"tool":"echo","args":{"word":5}}`, 400, `{"success":false,"error":"invalid arguments: word: expected a string, got number","code":"VALIDATION_ERROR"}`},
		{`{"tool":"echo","args":{"word":""}}`, 400, `{"success":false,"error":"Validation failed","code":"VALIDATION_ERROR","fields":{"word":"the word is empty"}}`},
		{`{"tool":"echo","args":{"word":"panic"}}`, 500, `{"success":false,"error":"Internal server error","code":"INTERNAL_ERROR"}`},
		{`{"tool":"ls","args":{}}`, 404, `{"error":"Tool 'ls' not found","code":"NOT_FOUND"}`},
	} {
		a := r.tool(x.body)
		assert.Equal(t, x.status, a.Status, x.body)
		assert.Equal(t, x.want, a.Body, x.body)
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct{ Description string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.request("GET", "/api/v1/openapi.json", "").Body), &doc))
	assert.Equal(t, "Says a word.", doc.Components.Schemas["call_echo"].Description)
	assert.NotContains(t, doc.Components.Schemas, "call_ls")
}
