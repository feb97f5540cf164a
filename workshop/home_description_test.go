package workshop

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A description that is damaged or gone is had from its copy, named by the doctor
// and mended; without either, no workbench is begun anew in silence.
func TestDamagedDescription(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"damaged": func(path string) error { return os.WriteFile(path, []byte(`{"id":`), 0o600) },
		"gone":    os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			r := stateRig(t)
			require.NoError(t, damage(r.file("workbench.json")))
			id := r.id()
			r.open()
			require.Equal(t, id, r.wb.ID())
			require.Equal(t, wantDraft, tree(t, r.draft()))
			require.NoError(t, r.h.Close())
			x := r.examine()
			require.Len(t, x.Findings, 1)
			require.Equal(t, FindDescription, x.Findings[0].Kind)
			require.Len(t, r.repair().Mended, 1)
			require.Empty(t, r.examine().Findings)

			require.NoError(t, damage(r.file("workbench.json")))
			require.NoError(t, damage(r.file("workbench.copy.json")))
			h, err := OpenHome(r.home, Options{})
			require.NoError(t, err)
			defer h.Close()
			_, err = h.OpenFolder(ctx, r.dir)
			require.ErrorIs(t, err, ErrDamaged)
			require.Contains(t, AsFault(err).Message, r.wb.Dir())
			require.Contains(t, AsFault(err).Hint, "atelier attach --new --in")
			_, _, err = h.FindFolder(ctx, t.TempDir())
			require.True(t, IsFault(err, Conflict), "any folder may be the one")
			wb, err := h.CreateForAnother(ctx, "x", r.dir)
			require.NoError(t, err)
			again, err := h.OpenFolder(ctx, r.dir)
			require.NoError(t, err)
			require.Equal(t, wb.ID(), again.ID())
			require.DirExists(t, r.wb.Dir())
		})
	}
}

// A workbench of an older release gets a copy of its description.
func TestDescriptionIsCopied(t *testing.T) {
	r := stateRig(t)
	require.NoError(t, os.Remove(r.file("workbench.copy.json")))
	r.open()
	require.FileExists(t, r.file("workbench.copy.json"))
}
