package workshop

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// On Windows the data folder is in the part of the profile that stays on the machine;
// one that an older version made in the other part is used as long as it is the only one.
func TestDataFolderOfWindows(t *testing.T) {
	local, roaming := t.TempDir(), t.TempDir()
	at := func(dir string) func() (string, error) {
		return func() (string, error) {
			if dir == "" {
				return "", errors.New("not set")
			}
			return dir, nil
		}
	}
	home := func() string {
		dir, err := windowsHome(at(local), at(roaming))
		require.NoError(t, err)
		return dir
	}
	newHome, oldHome := filepath.Join(local, "Atelier"), filepath.Join(roaming, "Atelier")
	require.Equal(t, newHome, home())

	require.NoError(t, os.WriteFile(oldHome, nil, 0o600)) // a file is not a data folder
	require.Equal(t, newHome, home())
	require.NoError(t, os.Remove(oldHome))

	old, err := OpenHome(oldHome, Options{})
	require.NoError(t, err)
	wb, err := old.Create(ctx, "kept", "")
	require.NoError(t, err)
	require.NoError(t, old.Close())
	require.Equal(t, oldHome, home(), "what an older version stored is used")
	h, err := OpenHome(home(), Options{})
	require.NoError(t, err)
	infos, err := h.List(ctx)
	require.NoError(t, err)
	require.Len(t, infos, 1)
	require.Equal(t, wb.ID(), infos[0].ID)
	require.NoError(t, h.Close())
	from, to := roamingHome(at(local), at(roaming))
	require.Equal(t, []string{oldHome, newHome}, []string{from, to})

	require.NoError(t, os.Rename(oldHome, newHome)) // as the user is told to do
	require.Equal(t, newHome, home())
	from, _ = roamingHome(at(local), at(roaming))
	require.Empty(t, from)
	h, err = OpenHome(newHome, Options{})
	require.NoError(t, err)
	moved, err := h.Open(ctx, wb.ID())
	require.NoError(t, err)
	require.Equal(t, filepath.Join(h.StateDir(wb.ID()), "files"), moved.Root())
	require.NoError(t, h.Close())
	require.NoError(t, os.Mkdir(oldHome, 0o700)) // an older version ran again
	require.Equal(t, newHome, home())

	dir, err := windowsHome(at(""), at(roaming))
	require.NoError(t, err)
	require.Equal(t, oldHome, dir)
	_, err = windowsHome(at(""), at(""))
	require.ErrorContains(t, err, "%LocalAppData% is not set")
}
