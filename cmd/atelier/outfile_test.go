package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
)

// RV-06, TR-07: a page, report or memory is written completely, or the
// existing file stays.
func TestRV06WrittenWhole(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, strings.Repeat("r", 250)+".html") // the maximum length of a name
	reads := func(want string) {
		t.Helper()
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, want, string(b))
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, left, 1)
	}
	require.NoError(t, writeOutBytes(file, forOwner, []byte("one")))
	reads("one")
	require.NoError(t, writeOutBytes(file, forOwner, []byte("two")))
	reads("two")
	broken := errors.New("broken")
	require.ErrorIs(t, writeOut(file, forOwner, func(w io.Writer) error {
		_, err := io.WriteString(w, "thr")
		return errors.Join(err, broken)
	}), broken)
	reads("two")
	require.ErrorIs(t, writeOutBytes(filepath.Join(dir, "none", "r.html"), forAll, nil), fs.ErrNotExist)
	reads("two")
}

// An existing file keeps its permissions and links.
func TestWrittenInPlace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no rights, links and pipes as Unix has them")
	}
	dir := t.TempDir()
	file, link := filepath.Join(dir, "r.json"), filepath.Join(dir, "link")
	mode := func() fs.FileMode {
		st, err := os.Lstat(file)
		require.NoError(t, err)
		return st.Mode()
	}
	require.NoError(t, writeOutBytes(file, forOwner, []byte("one")))
	require.Equal(t, fs.FileMode(0o600), mode())
	require.NoError(t, os.Chmod(file, 0o640))
	need.Symlink(t, "r.json", link)
	require.NoError(t, writeOutBytes(link, forAll, []byte("two")))
	require.Equal(t, fs.FileMode(0o640), mode())
	to, err := os.Readlink(link)
	require.NoError(t, err)
	require.Equal(t, "r.json", to)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "two", string(b))
	require.NoError(t, os.Chmod(file, 0o440))
	require.ErrorIs(t, writeOutBytes(file, forAll, []byte("three")), fs.ErrPermission, "whoever protects a file wants to keep it")
	b, err = os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "two", string(b))
	require.NoError(t, writeOutBytes(os.DevNull, forAll, []byte("gone")))
	st, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	require.False(t, st.Mode().IsRegular())
}
