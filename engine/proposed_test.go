package engine_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/agent"
)

// AGN-007 §3.1, §5.1: an active file comes with its content; without it, it would
// be taken for an empty one, and the hash of nothing for its hash.
func TestF10ActiveFilesNeedContent(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, nil)
	set := func(file string) *engine.ErrorInfo {
		t.Helper()
		var f obj
		require.NoError(t, json.Unmarshal([]byte(file), &f))
		_, info := call(t, e, "SessionSetActiveFiles", obj{"session_id": id, "files": []obj{{"docPath": "ok", "content": "x"}, f}})
		return info
	}
	for _, bad := range []string{`{"docPath":"a"}`, `{"docPath":"a","content":null}`, `{"docPath":"a","content":null,"isActive":true}`, `{"docPath":"a","isActive":null}`} {
		info := set(bad)
		require.NotNil(t, info, bad)
		require.Equal(t, engine.CodeValidationFailed, info.ErrorCode)
		require.Contains(t, info.Detail, "files[1] (a): content is missing")
	}
	require.Empty(t, must(t, e, "SessionListActiveFiles", obj{"session_id": id})["files"], "nothing was set")
	for _, ok := range []string{`{"docPath":"a","content":""}`, `{"docPath":"a","isActive":false}`, `{"docPath":"a","isActive":false,"content":null}`} {
		require.Nil(t, set(ok), ok)
	}
	require.Nil(t, set(`{"docPath":"a","content":""}`))
	r := must(t, e, "ToolCall", obj{"workbench_id": id, "catalogue": "aptix", "tool": "active_file_sha256", "args": obj{"docPath": "a"}})
	empty := sha256.Sum256(nil)
	require.Equal(t, hex.EncodeToString(empty[:]), r["result"].(obj)["sha256"])
}

// AGN-007 §6.3, P-11: a patch of an active file reaches the editor whole, however
// long it is, and leaves no draft.
func TestP11PatchesAreProposed(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, map[string]string{"cloud.md": "one\n"})
	var mu sync.Mutex
	var got []any
	defer e.Subscribe(func(n engine.Notification) {
		if n.Method == "SessionPatchProposed" {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, n.Params)
		}
	})()
	must(t, e, "SessionSetActiveFiles", obj{"session_id": id, "files": []obj{{"docPath": "W/A.md", "displayPath": "c:/w/A.md", "content": "aé\n"}}})
	sum := sha256.Sum256([]byte("aé\n"))
	sha := hex.EncodeToString(sum[:])
	long := strings.Repeat("x", 200_000)
	patch := func(files ...obj) obj {
		return must(t, e, "ToolCall", obj{"workbench_id": id, "catalogue": "aptix", "tool": "workspace_write_patch", "args": obj{"batchKey": "k", "files": files}})
	}
	mine := obj{"docPath": "w/a.md", "originalSha256": sha, "fileKey": "f", "changes": []obj{{"operation": "replace", "startLine": 1, "endLine": 1, "expectedOriginalLines": []string{"aé"}, "newLines": []string{long}}}}
	r := patch(mine)
	require.Equal(t, true, r["success"], r)
	require.Equal(t, false, must(t, e, "DraftGetState", obj{"workbench_id": id})["has_draft"])
	require.Len(t, got, 1)
	b, err := json.Marshal(got[0])
	require.NoError(t, err)
	var p obj
	require.NoError(t, json.Unmarshal(b, &p))
	result := r["result"].(obj)
	file, told := p["files"].([]any)[0].(obj), result["files"].([]any)[0].(obj)
	require.Equal(t, id, p["session_id"])
	require.Equal(t, result["batchId"], p["batchId"])
	require.Equal(t, told["filePatchId"], file["filePatchId"])
	require.Equal(t, "c:/w/A.md", file["displayPath"])
	require.Equal(t, sha, file["originalSha256"])
	require.Equal(t, []any{long}, file["changes"].([]any)[0].(obj)["newLines"])
	require.Equal(t, told["changes"].([]any)[0].(obj)["changeId"], file["changes"].([]any)[0].(obj)["changeId"])

	// Of a mixed batch only what the editor is to do; of one that fails, nothing.
	must(t, e, "WorkbenchSetDocPath", obj{"workbench_id": id, "path": "cloud.md", "doc_path": "cloud.md"})
	cloud := must(t, e, "ToolCall", obj{"workbench_id": id, "catalogue": "aptix", "tool": "workspace_read_file", "args": obj{"path": "cloud.md"}})
	theirs := obj{"docPath": "cloud.md", "originalSha256": cloud["result"].(obj)["file"].(obj)["sha256"], "changes": []obj{{"operation": "insert", "afterLine": 0, "newLines": []string{"zero"}}}}
	require.Equal(t, true, patch(theirs, mine)["success"])
	require.Len(t, got, 2)
	require.Len(t, got[1].(agent.PatchProposed).Files, 1)
	require.Equal(t, "w/a.md", got[1].(agent.PatchProposed).Files[0].DocPath)
	require.Equal(t, true, must(t, e, "DraftGetState", obj{"workbench_id": id})["has_draft"])
	mine["originalSha256"] = strings.Repeat("0", 64)
	require.Equal(t, false, patch(mine)["success"])
	require.Len(t, got, 2)
}
