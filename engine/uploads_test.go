package engine_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// Uploads: a file comes in parts, goes with a message or into the folder once it is
// complete, and is dropped then; what is wrong is named; nothing is left on disk.
func TestUploads(t *testing.T) {
	home := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(home, "cache"), 0o700)) // not the one that tests share
	e := newEngine(t, func(o *engine.Options) { o.Home = home })
	id, dir := folder(t, e, map[string]string{"a.md": "one\n"})
	other, _ := folder(t, e, map[string]string{})
	part := func(upload any, offset int, s string) obj {
		return obj{"workbench_id": id, "upload_id": upload, "offset": offset, "bytes_base64": base64.StdEncoding.EncodeToString([]byte(s))}
	}
	begin := func(name string, size int) any {
		t.Helper()
		r := must(t, e, "UploadBegin", obj{"workbench_id": id, "name": name, "size": size})
		require.Equal(t, size == 0, r["complete"])
		return r["upload_id"]
	}
	refused := func(method string, params obj, want string) {
		t.Helper()
		_, info := call(t, e, method, params)
		require.NotNil(t, info, want)
		require.Contains(t, info.Detail, want)
	}
	up := begin("brief.md", 10)
	require.Equal(t, 4.0, must(t, e, "UploadAppend", part(up, 0, "Ten "))["received"])
	refused("WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Look.", "attachments": []obj{{"upload_id": up}}}, "not complete: 4 of 10")
	refused("UploadAppend", part(up, 5, "x"), "begins at 5")
	refused("UploadAppend", part(up, 4, "too much"), "more bytes than the 10")
	must(t, e, "UploadAppend", part(up, 0, "Ten ")) // the answer was lost
	require.Equal(t, true, must(t, e, "UploadAppend", part(up, 4, "chairs"))["complete"])
	refused("UploadAppend", obj{"workbench_id": other, "upload_id": up, "offset": 0, "bytes_base64": ""}, "no upload")
	refused("WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Look.", "attachments": []obj{{"upload_id": up, "content": "eA=="}}}, "not more than one")
	sent := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Look.", "attachments": []obj{{"upload_id": up}}})
	require.Equal(t, "brief.md", sent["attachments"].([]any)[0].(obj)["name"])
	read := must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "read_file", "args": obj{"path": sent["attachments"].([]any)[0].(obj)["path"]}})
	require.Contains(t, read["result"].(obj)["text"], "Ten chairs")
	refused("UploadAppend", part(up, 0, ""), "no upload")

	up = begin("plan.md", 2)
	must(t, e, "UploadAppend", part(up, 0, "ok"))
	twice := begin("a.md", 0)
	rs := must(t, e, "WorkbenchFilesAdd", obj{"workbench_id": id, "uploads": []any{up, twice}})["add_results"].([]any)
	require.Equal(t, obj{"source_path": "plan.md", "file_name": "plan.md", "status": "added"}, rs[0])
	require.Equal(t, "duplicate", rs[1].(obj)["reason"])
	b, err := os.ReadFile(filepath.Join(dir, "plan.md"))
	require.NoError(t, err)
	require.Equal(t, "ok", string(b))
	must(t, e, "UploadDiscard", obj{"workbench_id": id, "upload_id": twice})

	for _, name := range []string{"", "a/b", "..", strings.Repeat("x", 300), "CON"} {
		_, info := call(t, e, "UploadBegin", obj{"workbench_id": id, "name": name, "size": 1})
		require.NotNil(t, info, name)
	}
	refused("UploadBegin", obj{"workbench_id": id, "name": "big", "size": 100<<20 + 1}, "at most 104857600")
	for range 40 {
		begin("many", 1)
	}
	refused("UploadBegin", obj{"workbench_id": id, "name": "one more", "size": 1}, "40 uploads")
	left := func() []os.DirEntry {
		list, err := os.ReadDir(filepath.Join(home, "cache", "uploads"))
		require.NoError(t, err)
		return list
	}
	require.Len(t, left(), 40)
	require.NoError(t, e.Close())
	require.Empty(t, left())
}
