package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// HistoryList: what happened to the files is listed with hashes that name versions,
// which can be compared and drawn; what is asked wrongly is named.
func TestHistoryList(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, map[string]string{"a.md": "one\n"})
	must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "write_text_file", "args": obj{"path": "a.md", "content": "two\n"}})
	must(t, e, "DraftPublish", obj{"workbench_id": id})
	must(t, e, "CheckpointCreate", obj{"workbench_id": id, "description": "before lunch"})
	old := must(t, e, "WorkbenchFileVersions", obj{"workbench_id": id, "path": "a.md"})["versions"].([]any)[1].(obj)["version_id"]
	must(t, e, "WorkbenchRestoreFileVersion", obj{"workbench_id": id, "path": "a.md", "version_id": old})

	r := must(t, e, "HistoryList", obj{"workbench_id": id})
	list := r["entries"].([]any)
	require.Len(t, list, 3)
	step, kept, publish := list[0].(obj), list[1].(obj), list[2].(obj)
	require.Equal(t, "version", step["kind"])
	require.NotEmpty(t, step["message_id"])
	require.Nil(t, step["checkpoint_id"])
	require.Equal(t, "before lunch", kept["description"])
	require.Equal(t, 1.0, kept["files_kept"])
	require.Equal(t, "publish", publish["kind"])
	file := publish["files"].([]any)[0].(obj)
	require.Equal(t, "modified", file["change_type"])
	diff := must(t, e, "WorkbenchCompareFileVersions", obj{"workbench_id": id, "path": "a.md", "version_id": file["old_hash"], "with": file["new_hash"]})
	require.Equal(t, 1.0, diff["text"].(obj)["added"])
	then := must(t, e, "ReviewGetPreview", obj{"workbench_id": id, "path": "a.md", "version": file["new_hash"]})
	now := must(t, e, "ReviewGetPreview", obj{"workbench_id": id, "path": "a.md"}) // the draft has the old one again
	require.NotEqual(t, then["bytes_base64"], now["bytes_base64"])
	require.Equal(t, now["bytes_base64"], must(t, e, "ReviewGetPreview", obj{"workbench_id": id, "path": "a.md", "version": file["old_hash"]})["bytes_base64"])

	r = must(t, e, "HistoryList", obj{"workbench_id": id, "limit": 2})
	require.Equal(t, true, r["has_more"])
	r = must(t, e, "HistoryList", obj{"workbench_id": id, "limit": 2, "before": kept["entry_id"]})
	require.Len(t, r["entries"], 1)
	for field, params := range map[string]obj{"limit is 501": {"limit": 501}, "files is -1": {"files": -1}, "no entry x": {"before": "x"}} {
		params["workbench_id"] = id
		_, info := call(t, e, "HistoryList", params)
		require.NotNil(t, info)
		require.Contains(t, info.Detail, field)
	}
}
