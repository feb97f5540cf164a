package engine_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/need"
)

// FoldersList gives the folders of a folder, links to folders with them, hidden
// ones left out, and says what it left out.
func TestFoldersList(t *testing.T) {
	e := newEngine(t)
	dir := t.TempDir()
	for _, name := range []string{"b", "A", ".hidden", "a/deep"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file.txt"), nil, 0o600))
	need.Symlink(t, filepath.Join(dir, "b"), filepath.Join(dir, "link"))
	need.Symlink(t, filepath.Join(dir, "nowhere"), filepath.Join(dir, "broken"))
	r := must(t, e, "FoldersList", obj{"path": dir + "/b/.."})
	var names []string
	for _, f := range r["folders"].([]any) {
		names = append(names, f.(obj)["name"].(string))
	}
	require.Equal(t, []string{"A", "a", "b", "link"}, names)
	require.Equal(t, dir, r["path"])
	require.Equal(t, filepath.Dir(dir), r["parent"])
	require.Equal(t, 2., r["files"])
	require.Nil(t, r["omitted"])
	require.Equal(t, "", must(t, e, "FoldersList", obj{"path": "/"})["parent"])
	t.Setenv("HOME", dir)
	require.Equal(t, dir, must(t, e, "FoldersList", obj{})["path"])

	for path, want := range map[string]string{"relative": "must be absolute", dir + "/file.txt": "is not a folder", dir + "/none": "there is no folder"} {
		_, info := call(t, e, "FoldersList", obj{"path": path})
		require.Contains(t, info.Detail, want)
	}
	_, info := call(t, e, "FoldersList", obj{"path": dir + "/none"})
	require.Equal(t, engine.CodeNotFound, info.ErrorCode)

	for i := range 1100 {
		require.NoError(t, os.Mkdir(filepath.Join(dir, "b", strconv.Itoa(i)), 0o700))
	}
	r = must(t, e, "FoldersList", obj{"path": filepath.Join(dir, "b")})
	require.Len(t, r["folders"], 1000)
	require.True(t, r["omitted"].(bool))
}
