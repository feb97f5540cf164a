package workshop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Windows has programs that end at paths of 260 characters. A folder, the files in it,
// the draft, the history and the data folder may be deeper.
func TestLongPaths(t *testing.T) {
	part := strings.Repeat("Folder ü ", 12) + "x" // 109 characters
	deep := filepath.Join(t.TempDir(), part, part, part)
	dir, state := filepath.Join(deep, "documents"), filepath.Join(deep, "state")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	file := part + "/" + part + "/a.txt"
	require.NoError(t, os.MkdirAll(filepath.Join(dir, part, part), 0o755))
	onDisk := filepath.Join(dir, filepath.FromSlash(file))
	require.NoError(t, os.WriteFile(onDisk, []byte("old"), 0o644))
	r := &rig{t: t, home: state, dir: dir}
	r.open()
	t.Cleanup(func() { r.h.Close() })
	r.say("u-1", TypeUser)
	r.put(file, "new")
	other := part + "/" + part + "/" + part + "/b.txt"
	r.put(other, "b")
	_, err := r.wb.Publish(ctx, PublishOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{file: "new", other: "b"}, r.disk())

	r.reopen()
	history, _, err := r.wb.History(ctx, HistoryOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, history)
	_, err = r.wb.UndoTo(ctx, "u-1")
	require.NoError(t, err)
	require.Equal(t, "old", r.disk()[file])
}
