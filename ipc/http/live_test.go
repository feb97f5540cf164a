package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// newLiveRig serves the real tools.
func newLiveRig(t testing.TB) *rig {
	return newRig(t, func(o *Options) { o.Tools = o.Engine.(*engine.Engine).Live() })
}

// result returns the result of a tool call that must succeed.
func (r *rig) result(tool, args string) map[string]any {
	r.t.Helper()
	a := r.tool(`{"tool":"` + tool + `","args":` + args + `}`)
	require.Equal(r.t, 200, a.Status, a.Body)
	var reply struct{ Result map[string]any }
	require.NoError(r.t, json.Unmarshal([]byte(a.Body), &reply))
	return reply.Result
}

// TestH10: the error for a missing file, in the words of the guide.
func TestH10(t *testing.T) {
	r := newLiveRig(t)
	a := r.tool(`{"tool":"read","args":{"path":"/nonexistent/file.txt"}}`)
	assert.Equal(t, 404, a.Status)
	assert.Equal(t, `{"success":false,"error":"File not found: /nonexistent/file.txt","code":"NOT_FOUND"}`, a.Body)
}

// TestH11: missing arguments and arguments of the wrong type.
func TestH11(t *testing.T) {
	r := newLiveRig(t)
	for body, want := range map[string]string{
		`{"tool":"read","args":{}}`:                           "missing field `path`",
		`{"tool":"read","args":{"path":null}}`:                "missing field `path`",
		`{"tool":"read","args":{"path":5}}`:                   "path: expected a string, got number",
		`{"tool":"read","args":{"path":"/a","limit":"many"}}`: "limit",
		`{"tool":"write","args":{"path":"/a"}}`:               "missing field `content`",
	} {
		a := r.tool(body)
		assert.Equal(t, 400, a.Status, body)
		var reply struct {
			Error, Code string
			Fields      map[string]string
		}
		require.NoError(t, json.Unmarshal([]byte(a.Body), &reply))
		assert.Equal(t, codeValidation, reply.Code, body)
		assert.Contains(t, reply.Error, want, body)
		assert.Empty(t, reply.Fields, body)
	}
}

// TestH12: a stale edit is a 409, and a field error has the form of the guide
// (B3-03).
func TestH12(t *testing.T) {
	r := newLiveRig(t)
	first := r.result("write", `{"path":"/documents/notes.md","content":"one"}`)
	second := r.result("edit", `{"path":"/documents/notes.md","old_string":"one","new_string":"two"}`)
	a := r.tool(fmt.Sprintf(`{"tool":"edit","args":{"path":"/documents/notes.md","old_string":"two","new_string":"three","last_read_hash":%q}}`, first["hash"]))
	assert.Equal(t, 409, a.Status)
	assert.Equal(t, fmt.Sprintf(`{"success":false,"error":"File content has changed since it was last read. Expected hash: %s, but latest is: %s. Please read the file again before editing.","code":"CONFLICT"}`,
		first["hash"], second["hash"]), a.Body)
	a = r.tool(`{"tool":"write","args":{"path":"/documents/notes.md","content":"x"}}`)
	assert.Equal(t, 400, a.Status)
	assert.Equal(t, `{"success":false,"error":"Validation failed","code":"VALIDATION_ERROR","fields":{"path":"File already exists: /documents/notes.md. To overwrite, set overwrite=true. However, for modifying existing files, the 'edit' tool is recommended instead of overwriting."}}`, a.Body)
}

// TestH17: the same path in two workspaces is two files, and changes in one
// are not visible in the other.
func TestH17(t *testing.T) {
	r := newLiveRig(t)
	one, two := r.ws, r.workspace("Two", r.ann)
	in := func(ws, tool, args string) answer {
		return r.request("POST", "/api/v1/workspaces/"+ws+"/tools", `{"tool":"`+tool+`","args":`+args+`}`)
	}
	for _, ws := range []string{one, two} {
		require.Equal(t, 200, in(ws, "write", `{"path":"/a.txt","content":"of `+ws+`"}`).Status)
	}
	for _, ws := range []string{one, two} {
		assert.Contains(t, in(ws, "read", `{"path":"/../../a.txt"}`).Body, `"content":"of `+ws+`"`)
	}
	require.Equal(t, 200, in(one, "rm", `{"path":"/a.txt"}`).Status)
	assert.Equal(t, 404, in(one, "read", `{"path":"/a.txt"}`).Status)
	assert.Equal(t, 200, in(two, "read", `{"path":"/a.txt"}`).Status)
	assert.NotContains(t, r.request("GET", "/api/v1/workspaces/"+two+"/files/trash", "").Body, "a.txt")
	for _, path := range []string{"/../../../../etc/passwd", "/../" + one + "/files/a.txt", "../workbench.db", `..\\..\\x`} {
		want := []int{404}
		if runtime.GOOS == "windows" { // where a name has no backslash
			want = append(want, 400)
		}
		assert.Contains(t, want, in(two, "read", `{"path":"`+path+`"}`).Status, path)
	}
}

// TestH21: a deleted file is restored with its id and content, but not over
// another file, nor from another workspace's trash.
func TestH21(t *testing.T) {
	r := newLiveRig(t)
	made := r.result("write", `{"path":"/docs/a.md","content":"kept"}`)
	id := made["file_id"].(string)
	assert.Equal(t, id, r.result("rm", `{"path":"/docs/a.md"}`)["file_id"])
	var trash struct{ Result engine.TrashResult }
	a := r.request("GET", "/api/v1/workspaces/"+r.ws+"/files/trash", "")
	require.NoError(t, json.Unmarshal([]byte(a.Body), &trash))
	require.Len(t, trash.Result.Files, 1)
	f := trash.Result.Files[0]
	assert.Equal(t, []string{id, "/docs/a.md", "a.md", "document", made["hash"].(string)}, []string{f.FileID, f.Path, f.Name, f.FileType, f.Hash})
	assert.EqualValues(t, 4, f.Size)

	restore := "/api/v1/workspaces/" + r.ws + "/files/" + id + "/restore"
	other := "/api/v1/workspaces/" + r.workspace("Two", r.ann) + "/files/" + id + "/restore"
	assert.Equal(t, 404, r.request("POST", other, "").Status)
	r.result("write", `{"path":"/docs/a.md","content":"in the way"}`)
	a = r.request("POST", restore, "")
	assert.Equal(t, 409, a.Status)
	assert.Contains(t, a.Body, `"code":"CONFLICT"`)
	r.result("mv", `{"source":"/docs/a.md","destination":"/docs/b.md"}`)
	a = r.request("POST", restore, "")
	require.Equal(t, 200, a.Status, a.Body)
	assert.Contains(t, a.Body, `"file_id":"`+id+`"`)
	assert.Equal(t, "kept", r.result("read", `{"path":"/docs/a.md"}`)["content"])
	assert.Equal(t, 404, r.request("POST", restore, "").Status, "it is no longer in the trash")
	a = r.request("POST", "/api/v1/workspaces/"+r.ws+"/files/nonsense/restore", "")
	assert.Equal(t, `{"error":"Validation failed","code":"VALIDATION_ERROR","fields":{"file_id":"Invalid file ID format"}}`, a.Body)
}

// TestH04Guard: plan_mode restricts the real tools (M-02), for one call only.
func TestH04Guard(t *testing.T) {
	r := newLiveRig(t)
	a := r.tool(`{"tool":"write","args":{"path":"/a.md","content":"x"},"plan_mode":true}`)
	assert.Equal(t, 400, a.Status)
	assert.Contains(t, a.Body, `"fields":{"path":"The system is in Plan Mode`)
	assert.Equal(t, 200, r.tool(`{"tool":"write","args":{"path":"/a.md","content":"x"}}`).Status)
}

// TestA14OverHTTP: of fifty edits based on the same hash, one succeeds.
func TestA14OverHTTP(t *testing.T) {
	r := newLiveRig(t)
	hash := r.result("write", `{"path":"/a.txt","content":"0"}`)["hash"]
	var mu sync.Mutex
	got := map[int]int{}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			a := r.tool(fmt.Sprintf(`{"tool":"edit","args":{"path":"/a.txt","old_string":"0","new_string":"%d","last_read_hash":%q}}`, i+1, hash))
			mu.Lock()
			defer mu.Unlock()
			got[a.Status]++
		})
	}
	wg.Wait()
	assert.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: 49}, got)
}

// TestToolsAndDraft: tools see the published files; a draft with an outdated
// base is a conflict that names the file, and forcing it is explicit.
func TestToolsAndDraft(t *testing.T) {
	r := newLiveRig(t)
	r.result("write", `{"path":"/notas.md","content":"# Contrato\n\nEl precio es 5 EUR.\n"}`)
	events := r.follow(r.startRun("Translate all documents to English"), "", nil)
	require.Equal(t, "done", events[len(events)-1].name)
	assert.Equal(t, "# Contrato\n\nEl precio es 5 EUR.\n", r.result("read", `{"path":"/notas.md"}`)["content"])
	r.result("edit", `{"path":"/notas.md","old_string":"5","new_string":"6"}`)
	draft := "/api/v1/workspaces/" + r.ws + "/draft"
	a := r.request("POST", draft+"/publish", "")
	assert.Equal(t, 409, a.Status)
	assert.Contains(t, a.Body, `"code":"CONFLICT"`)
	assert.Contains(t, a.Body, `"paths":["notas.md"]`)
	assert.True(t, strings.Contains(r.result("read", `{"path":"/notas.md"}`)["content"].(string), "6 EUR"))
	a = r.request("POST", draft+"/publish", `{"force":["notas.md"]}`)
	assert.Equal(t, 200, a.Status, a.Body)
	assert.NotContains(t, r.result("read", `{"path":"/notas.md"}`)["content"], "6 EUR")
}

// the tools of the other catalogues are served too, on the same files.
func TestA02OtherCatalogues(t *testing.T) {
	r := newLiveRig(t)
	r.result("write", `{"path":"/assets/brand.md","content":"# Brand"}`)
	for body, want := range map[string]string{
		`{"catalogue":"workshop","tool":"read_file","args":{"path":"assets/brand.md"}}`: `{"success":true,"result":{"text":"# Brand"},"error":null}`,
		`{"catalogue":"sila","tool":"read","args":{"uri":"file:///assets/brand.md"}}`:   `{"success":true,"result":{"uri":"file:///assets/brand.md","content":"# Brand"},"error":null}`,
		`{"catalogue":"workshop","tool":"read_file","args":{"path":"none.md"}}`:         `{"success":false,"error":"file not found: none.md","code":"NOT_FOUND"}`,
		`{"catalogue":"workshop","tool":"read","args":{}}`:                              `{"error":"Tool 'read' not found","code":"NOT_FOUND"}`,
		`{"catalogue":"nope","tool":"read","args":{}}`:                                  `{"success":false,"error":"Validation failed","code":"VALIDATION_ERROR","fields":{"catalogue":"unknown catalogue: nope (there are workshop, buildscale, aptix, sila)"}}`,
	} {
		assert.Equal(t, want, r.tool(body).Body, body)
	}
	a := r.tool(`{"catalogue":"workshop","tool":"xlsx_operations","args":{"path":"a.xlsx","create_if_missing":true,"operations":[{"op":"set_cells","sheet":"S","cells":[{"cell":"A1","value":7}]}]}}`)
	assert.Equal(t, 200, a.Status, a.Body)
	assert.Contains(t, r.result("read", `{"path":"/a.xlsx"}`)["content"], "A1: 7")
	a = r.tool(`{"catalogue":"aptix","tool":"active_file_sha256","args":{"path":"x"}}`)
	assert.GreaterOrEqual(t, a.Status, 400, a.Body)
}
