package engine_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// described are the schemas of docs/openrpc.json: of results by method, of params
// by notification.
var described = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	out := map[string]*jsonschema.Resolved{}
	doc, err := engine.OpenRPC()
	if err != nil {
		panic(err)
	}
	b, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	var d struct {
		Methods []struct {
			Name   string
			Result struct{ Schema *jsonschema.Schema }
		}
		Notes []struct {
			Name   string
			Params *jsonschema.Schema
		} `json:"x-notifications"`
	}
	if err := json.Unmarshal(b, &d); err != nil {
		panic(err)
	}
	add := func(name string, s *jsonschema.Schema) {
		if s == nil {
			return
		}
		r, err := s.Resolve(nil)
		if err != nil {
			panic(name + ": " + err.Error())
		}
		out[name] = r
	}
	for _, m := range d.Methods {
		add(m.Name, m.Result.Schema)
	}
	for _, n := range d.Notes {
		add(n.Name, n.Params)
	}
	return out
})

// asDescribed checks that what a method gave, or a notification has, is what
// docs/openrpc.json says (I-09): clients are generated from it.
func asDescribed(t testing.TB, name string, v any) {
	t.Helper()
	s := described()[name]
	if s == nil {
		return
	}
	b, err := json.Marshal(v)
	assert.NoError(t, err)
	var instance any
	assert.NoError(t, json.Unmarshal(b, &instance))
	assert.NoError(t, s.Validate(instance), "%s: %.500s", name, b)
}

// I-09: members that hold any JSON are described as such, not as bytes.
func TestOpenRPCFreeForm(t *testing.T) {
	require.NotNil(t, described()["WorkshopQuestionPending"])
	asDescribed(t, "WorkshopQuestionPending", obj{"workbench_id": "w", "question_id": "q", "created_at": "2026-01-02T03:04:05Z",
		"questions": []obj{{"name": "n", "question": "?", "schema": obj{"type": "string"}, "buttons": []obj{{"label": "Yes", "value": true}}}}})
	e := newEngine(t)
	asDescribed(t, "ToolsList", must(t, e, "ToolsList", obj{}))
}

// I-09: every member of every method's params says what it is, and
// what a method takes of a few words is listed.
func TestOpenRPCDescribesParams(t *testing.T) {
	doc, err := engine.OpenRPC()
	require.NoError(t, err)
	b, err := json.Marshal(doc)
	require.NoError(t, err)
	var d struct {
		Methods []struct {
			Name, Summary string
			Params        []struct {
				Name, Description string
				Schema            struct{ Enum []string }
			}
			Result struct{ Schema json.RawMessage }
		}
	}
	require.NoError(t, json.Unmarshal(b, &d))
	listed := map[string][]string{}
	for _, m := range d.Methods {
		assert.NotEmpty(t, m.Summary, m.Name)
		assert.NotContains(t, []string{"", "true", "{}"}, string(m.Result.Schema), "%s: its result has no type", m.Name)
		for _, p := range m.Params {
			assert.NotEmpty(t, p.Description, "%s.%s is described nowhere: engine/members.go", m.Name, p.Name)
			if p.Schema.Enum != nil {
				listed[m.Name+"."+p.Name] = p.Schema.Enum
			}
		}
	}
	assert.Equal(t, []string{"plan", "build"}, listed["WorkshopSetMode.mode"])
	assert.Equal(t, []string{"agent", "rpi", "auto"}, listed["WorkshopRunAgent.workflow"])
}

// A value that the document lists is taken, another is refused with a message.
func TestOpenRPCValuesAreTaken(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, map[string]string{"a.txt": "One."})
	for _, mode := range []string{"plan", "build"} {
		must(t, e, "WorkshopSetMode", obj{"workbench_id": id, "mode": mode})
	}
	_, info := call(t, e, "WorkshopSetMode", obj{"workbench_id": id, "mode": "none of them"})
	require.Equal(t, engine.CodeValidationFailed, info.ErrorCode)
	for _, effort := range []string{"", "none", "minimal", "low", "medium", "high", "xhigh", "max"} {
		must(t, e, "ProvidersSetReasoningEffort", obj{"provider_id": "openai", "plan_effort": effort})
	}
}
