package workshop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStandingContextIsRead(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	ctx := t.Context()
	files, err := r.wb.Standing(ctx)
	require.NoError(t, err)
	require.Empty(t, files)

	dir := filepath.Join(r.dir, ".atelier", "context")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "folder.md"), 0o755))
	for name, text := range map[string]string{"zebra.md": "z", "document-style.md": "plain", "company.md": "\ufeffWe bind books.\xff", "Situation.MD": "audit",
		"notes.txt": "not told", ".hidden.md": "not told", "big.md": strings.Repeat("b", standingBytes+1)} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	files, err = r.wb.Standing(ctx)
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	require.Equal(t, []string{"company.md", "Situation.MD", "document-style.md", "big.md", "folder.md", "zebra.md"}, names)
	require.Equal(t, StandingFile{Name: "company.md", Text: "We bind books.\ufffd", Whole: true}, files[0])
	require.Len(t, files[3].Text, standingBytes)
	require.False(t, files[3].Whole)
	require.Equal(t, "it is no regular file", files[4].Refused)

	// Tools neither see nor write it: a model must not instruct itself (W-20).
	_, err = ParseStrict(".atelier/context/company.md")
	require.ErrorContains(t, err, "kept for Atelier")

	for i := range standingFiles {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("n%d.md", i)), nil, 0o644))
	}
	_, err = r.wb.Standing(ctx)
	require.Equal(t, Conflict, AsFault(err).Code)
}

func TestStandingContextFollowsNoLinks(t *testing.T) { // W-20
	r := newRig(t, map[string]string{"a.txt": "x"})
	dir := filepath.Join(r.dir, ".atelier", "context")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	secret := filepath.Join(t.TempDir(), "secret.md")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	if err := os.Symlink(secret, filepath.Join(dir, "company.md")); err != nil {
		t.Skip("no links here:", err)
	}
	files, err := r.wb.Standing(t.Context())
	require.NoError(t, err)
	require.Equal(t, []StandingFile{{Name: "company.md", Refused: "it is no regular file"}}, files)
}
