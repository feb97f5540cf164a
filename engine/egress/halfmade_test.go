package egress

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/sqlitedb"
)

// A log whose maker was killed at any moment of making it is no log yet, and the
// next to write finishes it.
func TestHalfMadeLogs(t *testing.T) {
	for _, made := range []string{"", "CREATE TABLE events (id INTEGER PRIMARY KEY)"} {
		dir := t.TempDir()
		path := filepath.Join(dir, File)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		if made != "" {
			db, err := sqlitedb.Open(path, sqlitedb.Options{Sync: "NORMAL"})
			require.NoError(t, err)
			_, err = db.Exec(made)
			require.NoError(t, err)
			require.NoError(t, db.Close())
		}
		l, err := Read(dir, "w")
		require.NoError(t, err)
		require.Nil(t, l)
		l, err = Open(dir, "w")
		require.NoError(t, err)
		require.NoError(t, l.SetSetting(t.Context(), "mode", "ask"))
		require.NoError(t, l.Close())
		l, err = Read(dir, "w")
		require.NoError(t, err)
		mode, err := l.Setting(t.Context(), "mode")
		require.NoError(t, err)
		require.Equal(t, "ask", mode)
		require.NoError(t, l.Close())
	}
}
