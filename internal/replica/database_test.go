package replica

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/sqlitedb"
)

// An image of a database is of one time, also when a writer begins the write-ahead log anew
// and overwrites the frames whose pages the image has.
func TestImageWhileTheLogBeginsAnew(t *testing.T) {
	for _, again := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "a.db")
		db, err := sqlitedb.Open(path, sqlitedb.Options{Sync: "FULL"})
		require.NoError(t, err)
		defer db.Close()
		exec := func(query string, args ...any) {
			t.Helper()
			_, err := db.Exec(query, args...)
			require.NoError(t, err)
		}
		exec(`CREATE TABLE t (a)`)
		for range 50 {
			exec(`INSERT INTO t VALUES (?)`, strings.Repeat("old ", 500))
		}
		exec(`PRAGMA wal_checkpoint(FULL)`) // so that the next writer begins the log anew
		want, err := os.ReadFile(path)
		require.NoError(t, err)

		d, err := followDatabase(t.Context(), path)
		require.NoError(t, err)
		defer d.close()
		_, m, err := d.pages(t.Context())
		require.NoError(t, err)
		defer m.close()
		if again { // as a snapshot does
			m, err = d.reread()
			require.NoError(t, err)
			defer m.close()
		}
		require.NotEmpty(t, m.over.latest)
		exec(`UPDATE t SET a=?`, strings.Repeat("new ", 500))
		begun, err := begunAnew(m.wal, d.pos)
		require.NoError(t, err)
		require.True(t, begun)
		got, err := io.ReadAll(io.NewSectionReader(m, 0, m.len))
		require.NoError(t, err)
		require.Equal(t, want, got)

		p, whole, err := d.pages(t.Context())
		require.NoError(t, err)
		require.Nil(t, whole)
		require.NotEmpty(t, p.Numbers, "what came after it")
	}
}
