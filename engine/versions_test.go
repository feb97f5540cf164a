package engine_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// TOOLS-API, A-07: the version_id that a tool answers with names the content
// from then on: it is listed, read, compared and restored by it, and the step
// is taken back by itself.
func TestFileVersions(t *testing.T) {
	e := newEngine(t)
	id, dir := folder(t, e, map[string]string{"a.md": "on disk\n", "other.md": "x\n"})
	edit := func(old, now string) string {
		t.Helper()
		out := must(t, e, "ToolCall", obj{"workbench_id": id, "catalogue": "buildscale", "tool": "edit", "args": obj{"path": "/a.md", "old_string": old, "new_string": now}})
		return out["result"].(obj)["version_id"].(string)
	}
	one, two := edit("on disk", "one"), edit("one", "two")
	must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "write_text_file", "args": obj{"path": "other.md", "content": "y\n"}})

	list := must(t, e, "WorkbenchFileVersions", obj{"workbench_id": id, "path": "a.md"})["versions"].([]any)
	require.Len(t, list, 3)
	require.Equal(t, two, list[0].(obj)["version_id"])
	require.Equal(t, true, list[0].(obj)["current"])
	require.Equal(t, one, list[1].(obj)["version_id"])
	onDisk := list[2].(obj)["version_id"].(string)
	require.Equal(t, list[2].(obj)["hash"], onDisk)

	read := must(t, e, "WorkbenchReadFileVersion", obj{"workbench_id": id, "path": "a.md", "version_id": one, "offset": 1, "max_bytes": 2})
	b, err := base64.StdEncoding.DecodeString(read["bytes_base64"].(string))
	require.NoError(t, err)
	require.Equal(t, "ne", string(b))
	require.Equal(t, true, read["has_more"])
	require.Equal(t, one, must(t, e, "WorkbenchGetFileVersion", obj{"workbench_id": id, "path": "a.md", "version_id": one})["version_id"])

	diff := must(t, e, "WorkbenchCompareFileVersions", obj{"workbench_id": id, "path": "a.md", "version_id": onDisk, "with": one})
	require.Equal(t, 1.0, diff["text"].(obj)["added"])

	back := must(t, e, "WorkbenchRestoreFileVersion", obj{"workbench_id": id, "path": "a.md", "version_id": one})
	require.Equal(t, two, back["replaced"])
	require.Equal(t, true, back["has_draft"])
	set := must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})["changes"].([]any)
	require.Len(t, set, 2)
	again := must(t, e, "WorkbenchRestoreFileVersion", obj{"workbench_id": id, "path": "a.md", "version_id": one})
	require.Equal(t, true, again["unchanged"])
	must(t, e, "WorkshopUndoToMessage", obj{"workbench_id": id, "message_id": back["message_id"], "before": true})
	out := must(t, e, "ToolCall", obj{"workbench_id": id, "catalogue": "buildscale", "tool": "read", "args": obj{"path": "/a.md"}})
	require.Equal(t, "two\n", out["result"].(obj)["content"])
	disk, err := os.ReadFile(filepath.Join(dir, "a.md"))
	require.NoError(t, err)
	require.Equal(t, "on disk\n", string(disk))

	for method, params := range map[string]obj{
		"WorkbenchGetFileVersion": {"path": "a.md"}, "WorkbenchReadFileVersion": {"path": "a.md", "version_id": one, "max_bytes": 9 << 20},
		"WorkbenchFileVersions": {"path": "a.md", "file_id": "x"}, "WorkbenchRestoreFileVersion": {"version_id": one},
	} {
		params["workbench_id"] = id
		_, info := call(t, e, method, params)
		require.NotNil(t, info, method)
		require.Equal(t, engine.CodeValidationFailed, info.ErrorCode, method)
	}
}
