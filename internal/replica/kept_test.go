package replica_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/replica"
	"atelier/internal/replica/replicatest"
)

// TestTakeoverReadsTheLogOnce: what a takeover restores is from one reading of the log, with a
// snapshot and without, and is what the log says; one that may not keep it reads it again.
func TestTakeoverReadsTheLogOnce(t *testing.T) {
	for name, c := range map[string]struct {
		after int64
		most  int64
		reads int
	}{"records": {1 << 30, 1 << 20, 1}, "snapshot": {1, 1 << 20, 1}, "too many": {1 << 30, 10, 3}} {
		t.Run(name, func(t *testing.T) {
			before := replica.KeptNow() // of owners that other tests left
			defer replica.SetKeptMost(before + c.most)()
			mem := &replicatest.Memory{}
			home := filepath.Join(t.TempDir(), "home")
			s := own(t, mem, mem, home, "w1", replica.Options{SnapshotAfter: c.after})
			for n := range 20 {
				write(t, s.wb, n)
				require.NoError(t, s.rep.Commit(t.Context()))
			}
			s.rep.Wait()
			want := fingerprint(t, s.home.StateDir("w1"))
			require.NoError(t, s.rep.Commit(t.Context()))
			reads := 0
			r, empty, err := replica.Own(t.Context(), &readHook{mem, func() { reads++ }}, mem, replica.Options{Owner: "next"})
			require.NoError(t, err)
			require.False(t, empty)
			dir := filepath.Join(t.TempDir(), "restored")
			_, err = r.Restore(t.Context(), dir, "")
			require.NoError(t, err)
			require.Equal(t, c.reads, reads)
			same(t, want, fingerprint(t, dir), name)
			require.NoError(t, r.Close())
			s.close()
			require.Equal(t, before, replica.KeptNow())
		})
	}
}
