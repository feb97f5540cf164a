package httpapi

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/schematest"
)

// TestH19Health: anyone may ask whether the server answers.
func TestH19Health(t *testing.T) {
	r := newRig(t)
	a := r.request("GET", "/api/v1/health", "", "Authorization", "")
	assert.Equal(t, 200, a.Status)
	assert.Contains(t, a.Body, `"status":"ok"`)
	assert.Empty(t, r.request("HEAD", "/api/v1/health", "").Body)
}

// TestTheTwenty: the served tools are those of the guide, and their schemas
// are valid OpenAPI.
func TestTheTwenty(t *testing.T) {
	r := newLiveRig(t)
	var names []string
	for _, tool := range r.opt.Tools.Tools() {
		names = append(names, tool.Function.Name)
	}
	assert.ElementsMatch(t, []string{"ls", "read", "write", "rm", "mv", "touch", "mkdir", "edit", "grep", "glob", "file_info", "find", "read_multiple_files", "cat",
		"ask_user", "exit_plan_mode", "plan_write", "plan_read", "plan_edit", "plan_list"}, names)
	doc, err := openapi3.NewLoader().LoadFromData([]byte(r.request("GET", "/api/v1/openapi.json", "").Body))
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context()))
	for _, n := range names {
		assert.NotEmpty(t, doc.Components.Schemas["call_"+n].Value.Description, n)
	}
}

var update = flag.Bool("update", false, "rewrite docs/openapi.json")

// docs/openapi.json is the document of a server with the tools of the guide.
func TestOpenAPIIsDocumented(t *testing.T) {
	r := newLiveRig(t)
	want := r.request("GET", "/api/v1/openapi.json", "").Body + "\n"
	path := filepath.Join("..", "..", "docs", "openapi.json")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, want == string(have), "docs/openapi.json is out of date: go test ./ipc/http -run OpenAPIIsDocumented -update")
}

// TestOpenAPI: the document is valid OpenAPI 3.1 and has exactly the routes
// with their methods, and a request body for each tool.
func TestOpenAPI(t *testing.T) {
	r := newRig(t)
	a := r.request("GET", "/api/v1/openapi.json", "", "Authorization", "")
	require.Equal(t, 200, a.Status)
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData([]byte(a.Body))
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context()))
	assert.Equal(t, "3.1.0", doc.OpenAPI)

	var raw struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]json.RawMessage }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(a.Body), &raw))

	want := map[string]bool{}
	for path, methods := range r.srv.table() {
		for m := range methods {
			if path != "/" {
				want[m+" "+path] = true
			}
		}
	}
	got := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			got[method+" "+path] = true
			assert.NotEmpty(t, op.Summary)
			assert.Equal(t, strings.Contains(path, "{id}"), op.Parameters.GetByInAndName("path", "id") != nil, path)
		}
	}
	assert.Equal(t, want, got)

	body := doc.Paths.Value("/api/v1/workspaces/{id}/tools").Post.RequestBody.Value.Content["application/json"].Schema.Value
	assert.Len(t, body.OneOf, len(r.opt.Tools.Tools()))
	for _, tool := range r.opt.Tools.Tools() {
		name := tool.Function.Name
		ref := body.Discriminator.Mapping[name]
		assert.Equal(t, "#/components/schemas/call_"+name, ref.Ref)
		var have, want object
		require.NoError(t, json.Unmarshal(raw.Components.Schemas["call_"+name].Properties["args"], &have))
		require.NoError(t, json.Unmarshal(tool.Function.Parameters, &want))
		want["description"] = "the arguments of the tool"
		assert.Equal(t, want, have)
	}
}

// Every parameter and every member of bodies and answers, nested ones too, has a
// description and a type, and no object hides its members.
func TestOpenAPIDescribesMembers(t *testing.T) {
	r := newLiveRig(t)
	doc := decodeDoc(t, r)
	tagged := map[string]bool{}
	for _, tag := range doc["tags"].([]any) {
		tagged[tag.(object)["name"].(string)] = tag.(object)["description"] != ""
	}
	w := schematest.Walker{Resolve: func(ref string) any { return lookupRef(doc, ref) }, Open: map[string]string{
		"openapi.200":                 "an OpenAPI document",
		"callTool.200.result":         "each tool has its own result: docs/tools.md",
		"error.result":                "the payload of a tool that failed",
		"event.data":                  "depends on type: docs/http.md",
		"answerQuestion.body.answers": "each answer fits the schema that its question came with",
		"getConversation.200.result.messages[].metadata": "depends on event_kind",
		"call_ask_user.args.questions[].buttons[].value": "a string, number or boolean",
		"call_write.args.content":                        "text, or any JSON value that is stored",
		"call_exit_plan_mode.args.allowedPrompts":        "recorded as it comes",
		"call_exit_plan_mode.args.pushToRemote":          "recorded as it comes",
		"call_exit_plan_mode.args.remoteSessionId":       "recorded as it comes",
		"call_exit_plan_mode.args.remoteSessionTitle":    "recorded as it comes",
		"call_exit_plan_mode.args.remoteSessionUrl":      "recorded as it comes",
	}}
	for path, item := range doc["paths"].(object) {
		for method, o := range item.(object) {
			op := o.(object)
			at := op["operationId"].(string)
			assert.NotEmpty(t, op["summary"], at)
			assert.NotEmpty(t, op["description"], at)
			require.Len(t, op["tags"], 1, at)
			assert.True(t, tagged[op["tags"].([]any)[0].(string)], at)
			params, _ := op["parameters"].([]any)
			for _, p := range params {
				param := p.(object)
				assert.NotEmpty(t, param["description"], "%s: %s", at, param["name"])
				w.Members++
				w.Walk(at+"?"+param["name"].(string), param["schema"])
			}
			walkContent(&w, at+".body", op["requestBody"])
			refused := 0
			for status, resp := range op["responses"].(object) {
				if ref, ok := resp.(object)["$ref"].(string); ok {
					resp = lookupRef(doc, ref)
				}
				assert.NotEmpty(t, resp.(object)["description"], "%s: %s", at, status)
				walkContent(&w, at+"."+status, resp)
				if strings.HasPrefix(status, "4") {
					refused++
				}
			}
			// The linter in .ci/run ignores these two alone.
			assert.Equal(t, at != "health" && at != "openapi", refused > 0, "%s %s", method, path)
		}
	}
	assert.Empty(t, w.Lacks)
	assert.Empty(t, w.Unused(), "these need no exception")
	assert.Greater(t, w.Members, 700)
}

// walkContent looks at the JSON of a request body or response.
func walkContent(w *schematest.Walker, at string, of any) {
	o, _ := of.(object)
	content, _ := o["content"].(object)
	for kind, c := range content {
		if schema := c.(object)["schema"]; schema != nil || kind == "application/json" {
			w.Walk(at, schema)
		}
	}
}

func decodeDoc(t testing.TB, r *rig) (doc object) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(r.request("GET", "/api/v1/openapi.json", "").Body), &doc))
	return doc
}

// lookupRef returns the part of a document that a reference such as
// #/components/schemas/error names.
func lookupRef(doc object, ref string) any {
	var at any = doc
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		o, _ := at.(object)
		at = o[name]
	}
	return at
}
