package workshop

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A folder has one workbench under each form of its path; a folder of another name is
// not taken for it.
func TestFormsOfOneFolder(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "a"})
	for _, path := range []string{`\\?\` + r.dir, r.dir + `\`, r.dir + `\.`} {
		wb, err := r.h.OpenFolder(ctx, path)
		require.NoError(t, err, path)
		require.Equal(t, r.wb.ID(), wb.ID(), path)
		require.Equal(t, r.wb.Root(), wb.Root(), path)
	}
	infos, err := r.h.List(ctx)
	require.NoError(t, err)
	require.Len(t, infos, 1)

	for path, want := range map[string]string{
		`\\?\C:\`:              `C:\`,
		`\\?\C:`:               `\\?\C:`,
		`\\?\`:                 `\\?\`,
		`\\?\UNC\no.example\s`: `\\?\UNC\no.example\s`, // which does not answer
		`\\?\Volume{x}\`:       `\\?\Volume{x}\`,
		`C:\x`:                 `C:\x`,
		`\\server\share`:       `\\server\share`,
	} {
		require.Equal(t, want, shortFolder(path), path)
	}
	// Names that end in a dot exist under the long form alone.
	dotted := filepath.Join(t.TempDir(), "docs")
	require.NoError(t, os.Mkdir(dotted, 0o700))
	if err := os.Mkdir(`\\?\`+dotted+".", 0o700); err == nil {
		require.Equal(t, `\\?\`+dotted+".", shortFolder(`\\?\`+dotted+"."))
	}
	_, err = r.h.OpenFolder(ctx, `\\no.example\share\docs`)
	require.True(t, IsFault(err, NotFound), "%v", err)
}
