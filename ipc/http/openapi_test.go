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
		assert.JSONEq(t, string(tool.Function.Parameters), string(raw.Components.Schemas["call_"+name].Properties["args"]))
	}
}

// Every result has a type, and every parameter and member of a body has a
// description.
func TestOpenAPIDescribesParameters(t *testing.T) {
	r := newLiveRig(t)
	doc, err := openapi3.NewLoader().LoadFromData([]byte(r.request("GET", "/api/v1/openapi.json", "").Body))
	require.NoError(t, err)
	described := 0
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			at := method + " " + path
			assert.NotEmpty(t, op.Description, at)
			require.Len(t, op.Tags, 1, at)
			assert.NotEmpty(t, doc.Tags.Get(op.Tags[0]).Description, at)
			for _, p := range op.Parameters {
				assert.NotEmpty(t, p.Value.Description, "%s: %s", at, p.Value.Name)
				described++
			}
			if op.RequestBody != nil {
				if body := op.RequestBody.Value.Content["application/json"]; body != nil {
					for name, m := range body.Schema.Value.Properties {
						assert.NotEmpty(t, m.Value.Description, "%s: %s of the body", at, name)
						described++
					}
				}
			}
			if ok := op.Responses.Status(200).Value.Content["application/json"]; ok != nil {
				if result := ok.Schema.Value.Properties["result"]; result != nil {
					assert.NotNil(t, result.Value.Type, "%s: its result has no type", at)
				}
			}
		}
	}
	assert.Greater(t, described, 80)
}
