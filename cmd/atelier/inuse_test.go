package main

import (
	"errors"
	"fmt"
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

	inUse := fmt.Sprintf("in use by process %d", writer.cmd.Process.Pid)
	for _, args := range [][]string{{"publish"}, {"discard"}, {"undo"}, {"gc"}, {"checkpoints", "create", "x"}, {"checkpoints", "restore", "x"}, {"run", "hello"}} {
		out, err := atelier(append(args, "--in", dir)...)
		require.Error(t, err, "%v: %s", args, out)
		require.Contains(t, out, inUse, "%v", args)
	}
	other := startApp(t, home) // a second engine lists and reads
	var list struct {
		Workbenches []obj `json:"workbenches"`
	}
	other.call("WorkbenchList", obj{}, &list)
	require.Len(t, list.Workbenches, 1)
	for method, params := range map[string]obj{"WorkbenchFilesList": {}, "DraftGetState": {}, "ReviewGetChangeSet": {}, "ReviewGetTextDiff": {"path": "a.txt"},
		"ReviewGetContentDiff": {"path": "a.txt"}, "WorkshopGetConversation": {}, "WorkshopGetState": {}, "CheckpointsList": {}, "WorkbenchGetScope": {}, "WorkbenchFileVersions": {"path": "a.txt"}} {
		params["workbench_id"] = id.ID
		m, _ := other.reply(other.start(method, params))
		require.Nil(t, m.Error, "%s: %+v", method, m.Error)
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
	require.NoError(t, other.in.Close())
	require.NoError(t, other.cmd.Wait())
	out, err := atelier("publish", "--in", dir)
	require.NoError(t, err, out)
	require.Equal(t, 3, strings.Count(out, "published "), out)
}
