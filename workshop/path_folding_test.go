package workshop

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// foldingRig has a file whose name the file system finds under another spelling, as on
// Windows and macOS; elsewhere in a folder that such a file system is mounted on.
func foldingRig(t *testing.T, stored, spelled string) *rig {
	t.Helper()
	r := newRig(t, map[string]string{stored: "old"})
	folds := func() bool {
		_, err := os.Stat(filepath.Join(r.dir, spelled))
		return err == nil
	}
	if folds() {
		return r
	}
	dir := foldingFolder(t)
	if dir == "" {
		t.Skip("this file system takes the two spellings for two files, and no other can be mounted")
	}
	r = &rig{t: t, home: t.TempDir(), dir: dir}
	r.outside(stored, "old")
	require.True(t, folds())
	r.open()
	t.Cleanup(func() { r.h.Close() })
	return r
}

// A file is one file however its name is spelled: what the draft has of it is read,
// it is listed once, and publishing makes no second one.
func TestSpellingsAreOneFile(t *testing.T) {
	for name, c := range map[string][2]string{"case": {"Report.txt", "report.TXT"}, "accents": {"cafe\u0301.txt", "caf\u00e9.txt"}, "folder": {"Docs/Plan.txt", "docs/plan.txt"}} {
		t.Run(name, func(t *testing.T) {
			stored, spelled := c[0], c[1]
			r := foldingRig(t, stored, spelled)
			r.put(spelled, "new")
			require.Equal(t, map[string]string{stored: "new"}, tree(t, r.draft()))
			for _, p := range []string{stored, spelled} {
				require.True(t, r.wb.Has(t.Context(), p))
			}
			r.put(stored, "newer")
			require.Equal(t, map[string]string{stored: "newer"}, tree(t, r.draft()))
			r.publish(PublishOptions{})
			require.Equal(t, map[string]string{stored: "newer"}, r.disk())
			require.NoError(t, r.draft().Remove(ctx, Path(spelled)))
			require.Empty(t, tree(t, r.draft()))
			r.publish(PublishOptions{})
			require.Empty(t, r.disk())
		})
	}
}

// A file takes the name of one that the draft removes, in another spelling: it can be
// addressed, removed again, and published.
func TestSpellingOfAFileThatGoes(t *testing.T) {
	for _, published := range []bool{false, true} {
		r := foldingRig(t, "notas.md", "Notas.md")
		edit := func(kind EditKind, from, to Path) {
			require.NoError(t, Rearrange(ctx, r.draft(), Edit{Kind: kind, Path: from, To: to}))
		}
		edit(EditMove, "notas.md", "b/notas.md")
		edit(EditMove, "b/notas.md", "b/Notas.md")
		edit(EditCopy, "b/Notas.md", "Notas.md")
		require.Equal(t, map[string]string{"b/Notas.md": "old", "Notas.md": "old"}, tree(t, r.draft()))
		for _, p := range []Path{"Notas.md", "notas.md"} {
			e, err := r.draft().Stat(ctx, p)
			require.NoError(t, err)
			require.Equal(t, Path("Notas.md"), e.Path)
		}
		if published {
			r.publish(PublishOptions{})
			require.Equal(t, map[string]string{"b/Notas.md": "old", "Notas.md": "old"}, r.disk())
			continue
		}
		edit(EditRemove, "Notas.md", "")
		require.Equal(t, map[string]string{"b/Notas.md": "old"}, tree(t, r.draft()))
		r.publish(PublishOptions{})
		require.Equal(t, map[string]string{"b/Notas.md": "old"}, r.disk())
	}
}

// New files of a draft, on a file system that takes the spellings of a name for one.
func TestSpellingsOfNewFiles(t *testing.T) {
	r := newRig(t, map[string]string{"Docs/a.txt": "a"})
	r.wb.folding = folding{cases: true, accents: true}
	r.wb.spellings = r.wb.folding.spellingsOf(r.wb.rows)
	nfd, nfc := "cafe\u0301.txt", "CAF\u00c9.TXT"
	r.put(nfd, "one")
	r.put(nfc, "two")
	require.Equal(t, map[string]string{"Docs/a.txt": "a", nfd: "two"}, tree(t, r.draft()))
	require.NoError(t, r.draft().Move(ctx, Path(nfd), Path(nfc)))
	require.Equal(t, map[string]string{"Docs/a.txt": "a", nfc: "two"}, tree(t, r.draft()))
	r.put(nfd, "three")
	require.Equal(t, map[string]string{"Docs/a.txt": "a", nfc: "three"}, tree(t, r.draft()))
	require.NoError(t, r.draft().Remove(ctx, Path(nfd)))
	require.Equal(t, map[string]string{"Docs/a.txt": "a"}, tree(t, r.draft()))
	require.Empty(t, r.wb.spellings)
}

func TestKeysOfSpellings(t *testing.T) {
	for _, c := range []struct {
		f    folding
		a, b Path
		same bool
	}{
		{folding{}, "a", "A", false},
		{folding{cases: true}, "Docs/a.TXT", "docs/A.txt", true},
		{folding{cases: true}, "ÄÖ", "äö", true},
		{folding{cases: true}, "e\u0301", "\u00e9", false},
		{folding{accents: true}, "e\u0301", "\u00e9", true},
		{folding{accents: true}, "E\u0301", "\u00e9", false},
		{folding{cases: true, accents: true}, "E\u0301", "\u00e9", true},
	} {
		require.Equal(t, c.same, c.f.key(c.a) == c.f.key(c.b), "%+v", c)
	}
}
