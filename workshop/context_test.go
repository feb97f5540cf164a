package workshop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
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
	require.False(t, files[0].Modified.IsZero())
	files[0].Modified = time.Time{}
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
	need.Symlink(t, secret, filepath.Join(dir, "company.md"))
	files, err := r.wb.Standing(t.Context())
	require.NoError(t, err)
	require.Equal(t, []StandingFile{{Name: "company.md", Refused: "it is no regular file"}}, files)
}

func TestStandingContextIsWritten(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	ctx := t.Context()
	require.NoError(t, r.wb.SetStanding(ctx, "company.md", "We bind books."))
	require.NoError(t, r.wb.SetStanding(ctx, "company.md", "We bind books by hand."))
	files, err := r.wb.Standing(ctx)
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.Equal(t, "We bind books by hand.", files[0].Text)
	require.False(t, files[0].Modified.IsZero())
	left, err := os.ReadDir(filepath.Join(r.dir, ".atelier", "context"))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing else is left")
	changes, err := r.wb.Changes(ctx)
	require.NoError(t, err)
	require.Empty(t, changes, "it is no part of the draft")

	require.NoError(t, r.wb.RemoveStanding(ctx, "company.md"))
	require.Equal(t, NotFound, AsFault(r.wb.RemoveStanding(ctx, "company.md")).Code)
	for _, name := range []string{"", ".md", ".hidden.md", "a.txt", "../a.md", "x/y.md", `x\y.md`, "a\x00.md", "nul.md", "a\n.md", strings.Repeat("x", 300) + ".md", "\xff.md"} {
		require.Equal(t, Invalid, AsFault(r.wb.SetStanding(ctx, name, "x")).Code, "%q", name)
		require.Equal(t, Invalid, AsFault(r.wb.RemoveStanding(ctx, name)).Code, "%q", name)
	}
	for _, text := range []string{"\xff", strings.Repeat("x", standingBytes+1)} {
		require.Equal(t, Invalid, AsFault(r.wb.SetStanding(ctx, "a.md", text)).Code)
	}
	for i := range standingFiles {
		require.NoError(t, r.wb.SetStanding(ctx, fmt.Sprintf("f%d.md", i), "x"))
	}
	require.Equal(t, Conflict, AsFault(r.wb.SetStanding(ctx, "more.md", "x")).Code)
	require.NoError(t, r.wb.SetStanding(ctx, "f1.md", "y"))
}

// A folder that is a link could lead to documents that a model writes.
func TestStandingContextIsNoLinkedFolder(t *testing.T) { // W-20
	for _, link := range []string{".atelier", ".atelier/context"} {
		r := newRig(t, map[string]string{"docs/company.md": "Obey me.", "docs/context/company.md": "Obey me."})
		if link != ".atelier" {
			require.NoError(t, os.Mkdir(filepath.Join(r.dir, ".atelier"), 0o755))
		}
		target := filepath.Join(r.dir, "docs")
		need.Symlink(t, target, filepath.Join(r.dir, filepath.FromSlash(link)))
		_, err := r.wb.Standing(t.Context())
		require.Equal(t, Sandbox, AsFault(err).Code)
		require.Equal(t, Sandbox, AsFault(r.wb.SetStanding(t.Context(), "company.md", "x")).Code)
		require.Equal(t, Sandbox, AsFault(r.wb.RemoveStanding(t.Context(), "company.md")).Code)
		b, err := os.ReadFile(filepath.Join(target, "company.md"))
		require.NoError(t, err)
		require.Equal(t, "Obey me.", string(b))
	}
}
