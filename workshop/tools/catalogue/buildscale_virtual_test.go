package catalogue_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/tools/catalogue"
	"atelier/workshop/tools/virtual"
)

// B-08, V-06: the conversation is a file that is listed, read and searched, and
// changed by nothing; no draft, publish or other catalogue ever sees it.
func TestB08Chat(t *testing.T) {
	onBothViews(t, map[string]string{"notes.md": "hello"}, func(s *scale) {
		s.env.Virtual = virtual.Chats(s.wb)
		s.fails("ls", `{"path":"/chats"}`, workshop.NotFound, "", "Directory not found: /chats")
		no := false
		for _, r := range []workshop.Record{
			{Type: workshop.TypeUser, MessageID: "u-1", Role: "user", Text: "Find the zebra, please"},
			{Type: workshop.TypeAssistant, MessageID: "a-1", Role: "assistant", Text: "Looking", ToolCalls: []workshop.RecordCall{{ID: "c-1", Function: workshop.RecordFunction{Name: "grep", Arguments: `{"pattern":"z"}`}}}},
			{Type: workshop.TypeToolResult, MessageID: "t-1", ToolName: "grep", Content: "Error: broken", Success: &no},
		} {
			require.NoError(s, s.wb.Conversation().Append(r))
		}
		path := "/chats/chat-" + s.wb.ID() + ".chat"
		require.Equal(s, []string{"/chats", "/notes.md"}, pluck(s.ok("ls", `{}`)["entries"], "path"))
		e := entry(s, path)
		require.Equal(s, []any{s.wb.ID(), true, true, "chat"}, []any{e["id"], e["is_virtual"], e["synced"], e["file_type"]})
		require.Equal(s, true, entry(s, "/chats")["is_virtual"])

		r := s.ok("read", args("path", path))
		text := r["content"].(string)
		require.Regexp(s, `^\[20\d\d-\d\d-\d\dT[\d:]+Z\] user\nFind the zebra, please\n\n\[.*\] assistant\nLooking\n-> grep \{"pattern":"z"\}\n\n\[.*\] result of grep, which failed\nError: broken\n$`, text)
		require.Equal(s, sha(text), r["hash"])
		i := s.ok("file_info", args("path", path))
		require.Equal(s, []any{"chat", sha(text), float64(strings.Count(text, "\n")), float64(len(text))}, []any{i["file_type"], i["hash"], i["line_count"], i["size"]})
		m := s.ok("grep", `{"pattern":"zebra"}`)["matches"].([]any) // B9-05
		require.Equal(s, []any{object{"path": path, "line_number": 2.0, "line_text": "Find the zebra, please"}}, m)
		g := s.ok("glob", `{"pattern":"*.chat"}`)["matches"].([]any)
		require.Equal(s, []any{path, true, nil}, []any{g[0].(object)["path"], g[0].(object)["is_virtual"], g[0].(object)["size"]})
		require.Equal(s, []string{"/notes.md"}, pluck(s.ok("find", `{}`)["matches"], "path"), "B12-03")
		require.Contains(s, s.ok("cat", args("paths", []string{path}))["content"], "zebra")
		require.Equal(s, true, s.ok("read_multiple_files", args("paths", []string{path}))["files"].([]any)[0].(object)["success"])

		for _, c := range []struct{ tool, args, field, message string }{
			{"write", args("path", path, "content", "x", "overwrite", true), "path", "Cannot write to a virtual file directly: " + path + " is kept by the system. Virtual files can be read and searched only."},
			{"edit", args("path", path, "old_string", "zebra", "new_string", "x"), "path", "Cannot edit a virtual file directly: " + path + " is kept by the system. Virtual files can be read and searched only."},
			{"rm", args("path", path), "path", "Cannot delete a virtual file directly: " + path + " is kept by the system."},
			{"touch", args("path", path), "path", "Cannot touch a virtual file directly: " + path + " is kept by the system."},
			{"mv", args("source", path, "destination", "/x"), "source", "Cannot move a virtual file directly: " + path + " is kept by the system."},
			{"mv", `{"source":"/chats","destination":"/x"}`, "source", "Cannot move a virtual file directly: /chats is kept by the system."},
		} {
			s.fails(c.tool, c.args, workshop.Invalid, c.field, c.message)
		}
		s.fails("mv", args("source", "/notes.md", "destination", path), workshop.Conflict, "", "Destination file already exists: "+path)
		require.Equal(s, workshop.Conflict, s.call("mkdir", args("path", path+"/x")).Fault.Code)
		require.False(s, s.call("rm", `{"path":"/chats"}`).Success)
		require.Equal(s, text, s.text(path))
		changes, err := s.wb.Changes(ctx)
		require.NoError(s, err)
		require.Empty(s, changes)
		require.NoDirExists(s, filepath.Join(s.dir, "chats"))
		require.NotContains(s, catalogue.Workshop().Call(ctx, s.env, "list_files", nil).Text, "chat")

		// A folder of the person's own with that name is a folder as any.
		s.ok("write", `{"path":"/chats/mine.md","content":"zebra too"}`)
		require.Equal(s, []string{path, "/chats/mine.md"}, pluck(s.ok("ls", `{"path":"/chats"}`)["entries"], "path"))
		require.Len(s, s.ok("grep", `{"pattern":"zebra"}`)["matches"], 2)
		require.Equal(s, false, entry(s, "/chats")["is_virtual"])
		s.ok("rm", `{"path":"/chats/mine.md"}`)
		s.fails("rm", `{"path":"/chats"}`, workshop.Conflict, "", "Cannot delete folder because it is not empty: /chats. Delete what is in it first.")
		if s.live {
			_, err := os.Stat(filepath.Join(s.dir, "chats"))
			require.NoError(s, err)
		}
	})
}
