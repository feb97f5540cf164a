package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// K-08: while one process has a workbench open, others can read it, and a
// write names the process that has it. A killed process holds nothing.
func TestK08OneWriterManyReaders(t *testing.T) {
	home, dir := t.TempDir(), filepath.Join(t.TempDir(), "work")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o644))
	atelier := func(args ...string) (string, error) {
		cmd := exec.Command(program(t), append(args, "--home", home)...)
		cmd.Env = append(os.Environ(), "ATELIER_MODEL=pseudo", "OPENAI_API_KEY=")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	reads := func(want string) {
		t.Helper()
		for _, args := range [][]string{{"review", "--in", dir}, {"review", "--names", "--in", dir}, {"log", "a.txt", "--in", dir},
			{"checkpoints", "list", "--in", dir}, {"undo", "--list", "--in", dir}} {
			out, err := atelier(args...)
			require.NoError(t, err, "%v: %s", args, out)
			if args[0] == "review" {
				require.Contains(t, out, want)
			}
		}
	}
	id := struct {
		ID string `json:"workbench_id"`
	}{}
	writer := startApp(t, home)
	writer.call("WorkbenchCreate", obj{"name": "w", "root": dir}, &id)
	write := func(a *app, path string) error {
		m, _ := a.reply(a.start("ToolCall", obj{"workbench_id": id.ID, "tool": "write_text_file", "args": obj{"path": path, "content": "two\n"}}))
		if m.Error != nil {
			return errors.New(string(m.Error.Data))
		}
		return nil
	}
	require.NoError(t, write(writer, "a.txt"))
	reads("a.txt")
	require.NoError(t, write(writer, "b.txt"))
	reads("b.txt") // each reader sees the draft at its time
	takesNoCommands(t, home, id.ID)

	inUse := fmt.Sprintf("in use by process %d", writer.cmd.Process.Pid)
	for _, args := range [][]string{{"publish"}, {"discard"}, {"undo"}, {"gc"}, {"checkpoints", "create", "x"}, {"checkpoints", "restore", "x"}, {"run", "hello"}} {
		out, err := atelier(append(args, "--in", dir)...)
		require.Error(t, err, "%v: %s", args, out)
		require.Contains(t, out, inUse, "%v", args)
	}
	toolsRead(t, atelier, dir, inUse)
	other := startApp(t, home) // a second engine lists and reads
	var list struct {
		Workbenches []obj `json:"workbenches"`
	}
	other.call("WorkbenchList", obj{}, &list)
	require.Len(t, list.Workbenches, 1)
	for method, params := range map[string]obj{"WorkbenchFilesList": {}, "DraftGetState": {}, "ReviewGetChangeSet": {}, "ReviewGetTextDiff": {"path": "a.txt"},
		"ReviewGetContentDiff": {"path": "a.txt"}, "WorkshopGetConversation": {}, "WorkshopGetState": {}, "CheckpointsList": {}, "WorkbenchGetScope": {}, "WorkbenchFileVersions": {"path": "a.txt"},
		"TranslateList": {}, "SessionListActiveFiles": {"session_id": id.ID}, "WorkbenchGetDefaultModel": {}, "WorkshopGetApprovals": {}} {
		params["workbench_id"] = id.ID
		m, _ := other.reply(other.start(method, params))
		require.Nil(t, m.Error, "%s: %+v", method, m.Error)
	}
	var opened struct {
		Workbench obj
		InUse     obj `json:"in_use"`
	}
	other.call("WorkbenchOpen", obj{"workbench_id": id.ID}, &opened)
	require.Equal(t, id.ID, opened.Workbench["workbench_id"])
	require.Equal(t, fmt.Sprint(writer.cmd.Process.Pid), opened.InUse["process"])
	for tool, args := range readingTools {
		var r struct {
			Success bool `json:"success"`
		}
		other.call("ToolCall", obj{"workbench_id": id.ID, "tool": tool, "args": args}, &r)
		require.True(t, r.Success, tool)
	}
	require.ErrorContains(t, write(other, "c.txt"), inUse)
	m, _ := other.reply(other.start("DraftPublish", obj{"workbench_id": id.ID}))
	require.NotNil(t, m.Error)
	require.Contains(t, string(m.Error.Data), inUse)
	b, err := os.ReadFile(filepath.Join(dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "one\n", string(b))

	require.NoError(t, writer.cmd.Process.Kill())
	_ = writer.cmd.Wait()
	require.NoError(t, write(other, "c.txt"), "the lock of a dead process is free")
	opened.InUse = nil
	other.call("WorkbenchOpen", obj{"workbench_id": id.ID}, &opened)
	require.Nil(t, opened.InUse)
	require.NoError(t, other.in.Close())
	require.NoError(t, other.cmd.Wait())
	out, err := atelier("publish", "--in", dir)
	require.NoError(t, err, out)
	require.Equal(t, 3, strings.Count(out, "published "), out)
}

// takesNoCommands makes the process that has a workbench open one that takes no
// commands, as another version of the program does.
func takesNoCommands(t *testing.T, home, id string) {
	t.Helper()
	require.NoError(t, os.Remove(filepath.Join(home, "workbenches", id, "lock.address")))
}

// readingTools are read-only tools of the workshop catalogue, with arguments.
var readingTools = map[string]obj{"list_files": {}, "read_file": {"path": "a.txt"}, "get_file_info": {"path": "b.txt"}, "get_segments": {"path": "a.txt"}}

// toolsRead checks `tools call` while another process has the workbench: tools
// that only read show the draft and write nothing, the others fail.
func toolsRead(t *testing.T, atelier func(...string) (string, error), dir, inUse string) {
	t.Helper()
	call := func(tool string, args any, more ...string) (string, error) {
		b, err := json.Marshal(args)
		require.NoError(t, err)
		return atelier(append([]string{"tools", "call", tool, string(b), "--in", dir}, more...)...)
	}
	for tool, args := range readingTools {
		out, err := call(tool, args)
		require.NoError(t, err, "%s: %s", tool, out)
	}
	out, err := call("read_file", obj{"path": "a.txt"})
	require.NoError(t, err, out)
	require.Contains(t, out, "two", "the draft as the writer has it")
	out, err = call("read", obj{"path": "a.txt"}, "--catalogue", "buildscale", "--live")
	require.NoError(t, err, out)
	require.Contains(t, out, "one", "the published file")
	for _, more := range [][]string{nil, {"--live"}} {
		out, err = call("write_text_file", obj{"path": "c.txt", "content": "x"}, more...)
		require.Error(t, err, out)
		require.Contains(t, out, inUse)
	}
}

// K-08: a server over HTTP reads the files of a workspace that another process
// has open, with tools and as bytes, and writes none of them.
func TestK08ReadingOverHTTP(t *testing.T) {
	home, dir := t.TempDir(), filepath.Join(t.TempDir(), "work")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o644))
	s := startHTTP(t, home)
	id := s.workspace(t, dir)
	writer := startApp(t, home)
	writer.call("ToolCall", obj{"workbench_id": id, "tool": "write_text_file", "args": obj{"path": "b.txt", "content": "two\n"}}, nil)
	kept := snapshot(t, filepath.Join(home, "workbenches", id))
	for tool, args := range map[string]obj{"ls": {}, "read": {"path": "/a.txt"}, "grep": {"pattern": "one"}} {
		status, body := s.send(t, "POST", "/workspaces/"+id+"/tools", obj{"tool": tool, "args": args})
		require.Equal(t, 200, status, "%s: %s", tool, body)
		require.Contains(t, body, map[string]string{"ls": "a.txt", "read": "one", "grep": "a.txt"}[tool])
	}
	status, body := s.send(t, "GET", "/workspaces/"+id+"/files/trash", nil)
	require.Equal(t, 200, status, body)
	status, body = s.send(t, "GET", "/workspaces/"+id+"/files/content?path=/a.txt", nil)
	require.Equal(t, 200, status, body)
	require.Equal(t, "one\n", body)
	require.Equal(t, kept, snapshot(t, filepath.Join(home, "workbenches", id)), "reading writes nothing")

	status, body = s.send(t, "POST", "/workspaces/"+id+"/tools", obj{"tool": "write", "args": obj{"path": "/a.txt", "content": "x"}})
	require.Equal(t, 409, status, body)
	require.Contains(t, body, fmt.Sprintf("in use by process %d", writer.cmd.Process.Pid))
}

// snapshot returns the contents of the files below dir, without those that
// SQLite shares between the processes that have a database open.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "-shm") {
			return err
		}
		b, err := os.ReadFile(path)
		files[path] = string(b)
		return err
	}))
	return files
}
