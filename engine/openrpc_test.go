package engine_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/schematest"
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

// I-09: every member of params, results, notifications and tools, nested ones
// too, has a description and a type, and no object hides its members.
func TestOpenRPCDescribesMembers(t *testing.T) {
	d := openRPC(t)
	w := schematest.Walker{Open: map[string]string{
		"ToolCall.args":                                "the arguments of the tool that is called: x-tools",
		"ToolCall=.result":                             "each tool has its own result: docs/tools.md",
		"ToolsList=.tools[].function.parameters":       "a JSON Schema",
		"ToolServersTest=.tools[].input_schema":        "a JSON Schema",
		"WorkshopQuestionPending!.questions[].schema":  "a JSON Schema",
		"WorkshopAnswerQuestion.answers":               "each answer fits the schema that its question came with",
		"WorkshopGetConversation=.messages[].metadata": "its members depend on event_kind",
		"WorkshopModeChanged!.details":                 "what the model gave besides the plan",
	}}
	for _, m := range d.Methods {
		assert.NotEmpty(t, m.Summary, m.Name)
		for _, p := range m.Params {
			assert.NotEmpty(t, p.Description, "%s.%s is described nowhere: engine/members.go", m.Name, p.Name)
			w.Walk(m.Name+"."+p.Name, p.Schema)
		}
		w.Walk(m.Name+"=", m.Result.Schema)
	}
	for _, n := range d.Notes {
		assert.NotEmpty(t, n.Summary, n.Name)
		w.Walk(n.Name+"!", n.Params)
	}
	assert.Empty(t, w.Lacks, "see engine/members_results.go")
	assert.Empty(t, w.Unused(), "these need no exception")
	assert.Greater(t, w.Members, 1000)
}

// I-09: a member with a closed set of values lists them: those named in the
// table, and every member whose Go type is a string type with a name.
func TestOpenRPCListsValues(t *testing.T) {
	listed := map[string][]any{}
	for _, m := range openRPC(t).Methods {
		for _, p := range m.Params {
			collectValues(m.Name+"."+p.Name, p.Schema, listed)
		}
		collectValues(m.Name+"=", m.Result.Schema, listed)
	}
	assert.Equal(t, []any{"plan", "build"}, listed["WorkshopSetMode.mode"])
	assert.Equal(t, []any{"agent", "rpi", "auto"}, listed["WorkshopRunAgent.workflow"])
	for _, at := range []string{"ToolCall.catalogue", "ToolCall.profile", "ToolsList.catalogue", "WorkshopRunAgent.catalogue"} {
		assert.Equal(t, []any{"workshop", "buildscale", "aptix", "sila"}, listed[at], at)
	}
	for _, at := range []string{"WorkshopSetApprovals.rules[]", "WorkshopGetApprovals=.rules[]", "WorkshopGetApprovals=.config_rules[]"} {
		assert.Equal(t, []any{"allow", "ask", "deny"}, listed[at+".action"], at)
		assert.Equal(t, []any{"read", "write", "delete"}, listed[at+".effect"], at)
	}
	assert.Len(t, listed["WorkshopGetState=.activity"], 11)
	assert.Contains(t, listed["CheckpointsList=.checkpoints[].reason"], "write")

	for _, m := range engine.Methods() {
		for name, typ := range namedStrings(m.Name+"=", m.Result) {
			if !slices.Contains([]string{"workshop.Path", "models.Temperature", "models.Efforts", "models.Repairs"}, typ) { // no closed sets
				assert.NotEmpty(t, listed[name], "%s is a %s: engine/members_values.go", name, typ)
			}
		}
	}
}

// openRPCDoc is what the tests need of docs/openrpc.json.
type openRPCDoc struct {
	Methods []struct {
		Name, Summary string
		Params        []struct {
			Name, Description string
			Schema            any
		}
		Result struct{ Schema any }
	}
	Notes []struct {
		Name, Summary string
		Params        any
	} `json:"x-notifications"`
}

func openRPC(t *testing.T) (d openRPCDoc) {
	t.Helper()
	doc, err := engine.OpenRPC()
	require.NoError(t, err)
	b, err := json.Marshal(doc)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &d))
	return d
}

// collectValues adds the enumerations of a schema to listed, by their place.
func collectValues(at string, schema any, listed map[string][]any) {
	s, _ := schema.(map[string]any)
	if list, ok := s["enum"].([]any); ok {
		listed[at] = list
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		collectValues(at+"."+name, p, listed)
	}
	if items := s["items"]; items != nil {
		collectValues(at+"[]", items, listed)
	}
	if others := s["additionalProperties"]; others != nil {
		collectValues(at+"{}", others, listed)
	}
}

// namedStrings returns the members of a type that have a string type with a
// name, by their place.
func namedStrings(at string, t reflect.Type) map[string]string {
	out := map[string]string{}
	switch t.Kind() {
	case reflect.Pointer:
		return namedStrings(at, t.Elem())
	case reflect.Slice:
		return namedStrings(at+"[]", t.Elem())
	case reflect.Map:
		return namedStrings(at+"{}", t.Elem())
	case reflect.String:
		if t.PkgPath() != "" {
			out[at] = t.String()
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous && name == "" {
				maps.Copy(out, namedStrings(at, f.Type))
			} else if name != "-" && f.IsExported() && f.Type.PkgPath() != "time" {
				maps.Copy(out, namedStrings(at+"."+name, f.Type))
			}
		}
	}
	return out
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
