package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// F-13: active files over HTTP, and only in the workspace of the path.
func TestF13ActiveFilesOverHTTP(t *testing.T) {
	r := newRig(t)
	path := "/api/v1/workspaces/" + r.ws + "/active-files"
	a := r.request("GET", path, "")
	require.Equal(t, 200, a.Status, a.Body)
	assert.JSONEq(t, `{"success":true,"result":{"files":[]},"error":null}`, a.Body)
	a = r.request("PUT", path, `{"session_id":"somebody else's","files":[{"docPath":"Repo/A.cs","displayPath":"c:/A.cs","content":"aé","isDirty":true}]}`)
	require.Equal(t, 200, a.Status, a.Body)
	want := `{"success":true,"result":{"files":[{"docPath":"repo/a.cs","displayPath":"c:/A.cs","sizeBytes":3,"isDirty":true,"isActive":true}]},"error":null}`
	assert.JSONEq(t, want, a.Body)
	assert.JSONEq(t, want, r.request("GET", path, "").Body)
	for _, bad := range []string{``, `[]`, `{"files":[{"docPath":" ","content":""}]}`, `{"files":7}`} {
		a = r.request("PUT", path, bad)
		assert.Equal(t, 400, a.Status, "%s: %s", bad, a.Body)
		assert.True(t, json.Valid([]byte(a.Body)))
	}
	assert.JSONEq(t, want, r.request("GET", path, "").Body, "a list that is refused changes nothing")
	assert.Equal(t, 405, r.request("POST", path, "").Status)
}

// P-11: over HTTP too, a patch of an active file reaches the editor
// completely, and the run reports no draft and no changed file.
func TestP11PatchesAreProposedOverHTTP(t *testing.T) {
	sum := sha256.Sum256([]byte("one\n"))
	long := strings.Repeat("y", 40_000)
	r := newModelRig(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"workspace_write_patch","arguments":{"files":[{"docPath":"repo/a.md","originalSha256":"`+hex.EncodeToString(sum[:])+`","changes":[{"operation":"insert","afterLine":1,"newLines":["`+long+`"]}]}]}}}
-- model-2 --
{"text":"Done."}
`)
	a := r.request("PUT", "/api/v1/workspaces/"+r.ws+"/active-files", `{"files":[{"docPath":"Repo/A.md"}]}`)
	require.Equal(t, 400, a.Status, a.Body)
	require.Contains(t, a.Body, "content is missing")
	a = r.request("PUT", "/api/v1/workspaces/"+r.ws+"/active-files", `{"files":[{"docPath":"Repo/A.md","content":"one\n"}]}`)
	require.Equal(t, 200, a.Status, a.Body)
	a = r.request("POST", r.runsPath(), `{"text":"go","catalogue":"aptix"}`)
	require.Equal(t, 200, a.Status, a.Body)
	var reply struct{ Result struct{ Run_id string } }
	require.NoError(t, json.Unmarshal([]byte(a.Body), &reply))
	var proposed, done map[string]any
	for _, e := range r.follow(reply.Result.Run_id, "", nil) {
		switch e.name {
		case "patch_proposed":
			proposed = e.data.Data
		case "done":
			done = e.data.Data
		case "observation":
			require.Equal(t, true, e.data.Data["success"])
		}
		require.NotEqual(t, "file_updated", e.name)
	}
	require.Equal(t, false, done["has_draft"])
	require.Equal(t, r.ws, proposed["session_id"])
	file := proposed["files"].([]any)[0].(map[string]any)
	require.Equal(t, "repo/a.md", file["docPath"])
	require.Equal(t, []any{long}, file["changes"].([]any)[0].(map[string]any)["newLines"])
}

// TUL-001 §3, §4, T-06, T-10, C-39: workspace.read_file returns its payload
// over HTTP too: the error code, the errors and the ids.
func TestT06ReadFileOverHTTP(t *testing.T) {
	r := newLiveRig(t)
	r.result("write", `{"path":"/a.md","content":"aé"}`)
	a := r.request("PUT", "/api/v1/workspaces/"+r.ws+"/active-files", `{"files":[{"docPath":"open.md","content":"x"}]}`)
	require.Equal(t, 200, a.Status, a.Body)
	call := func(tool, args string) answer {
		t.Helper()
		return r.tool(`{"catalogue":"aptix","tool":"` + tool + `","args":` + args + `}`)
	}
	docPath := "contracts/a.md"
	for _, name := range []string{"workspace.read_file", "workspace_read_file"} {
		a = call(name, `{"path":"`+docPath+`","maxBytes":2}`)
		var ok struct {
			Success bool
			Result  struct {
				Success bool
				File    struct {
					Path, Content, SHA256 string
					SizeBytes             int64
					IsTruncated           bool
				}
				SessionId, ConversationId string
			}
		}
		require.NoError(t, json.Unmarshal([]byte(a.Body), &ok), a.Body)
		require.Equal(t, 200, a.Status, a.Body)
		require.Equal(t, "a", ok.Result.File.Content)
		require.True(t, ok.Result.File.IsTruncated)
		require.EqualValues(t, 3, ok.Result.File.SizeBytes)
		require.Equal(t, []string{r.ws, r.ws}, []string{ok.Result.SessionId, ok.Result.ConversationId})

		for args, want := range map[string]struct {
			status int
			code   string
		}{
			`{"path":"open.md"}`:                {409, "ALREADY_IN_CONTEXT"},
			`{"path":"none.md"}`:                {404, "NOT_FOUND"},
			`{"path":"/etc/passwd"}`:            {404, "NOT_FOUND"},
			`{"path":" "}`:                      {400, "INVALID_ARGUMENT"},
			`{}`:                                {400, "INVALID_ARGUMENT"},
			`null`:                              {400, "INVALID_ARGUMENT"},
			`[1]`:                               {400, "INVALID_ARGUMENT"},
			`{"path":"none.md","maxBytes":-1}`:  {400, "INVALID_ARGUMENT"},
			`{"path":"none.md","maxBytes":"x"}`: {400, "INVALID_ARGUMENT"},
		} {
			a := call(name, args)
			require.Equal(t, want.status, a.Status, "%s: %s", args, a.Body)
			var body struct {
				Success     bool
				Error, Code string
				Result      map[string]any
			}
			require.NoError(t, json.Unmarshal([]byte(a.Body), &body))
			require.NotEmpty(t, body.Error)
			require.Equal(t, want.code, body.Result["errorCode"], "%s: %s", args, a.Body)
			require.Equal(t, false, body.Result["success"])
			require.NotEmpty(t, body.Result["errors"])
			require.Equal(t, r.ws, body.Result["sessionId"])
			require.Equal(t, r.ws, body.Result["conversationId"])
		}
	}
	require.NotContains(t, r.tool(`{"tool":"read","args":{"path":"/none"}}`).Body, "result", "other catalogues have no such payload")
}
