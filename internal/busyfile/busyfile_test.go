package busyfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// held makes an error one that passes, and counts the time slept.
func held(t *testing.T) (slept *time.Duration, err error) {
	slept, err = new(time.Duration), errors.New("sharing violation")
	was := passing
	passing = append([]error{err}, was...)
	sleep = func(d time.Duration) { *slept += d }
	t.Cleanup(func() { passing, sleep = was, time.Sleep })
	return slept, err
}

func TestFileThatIsReleased(t *testing.T) {
	slept, busy := held(t)
	calls := 0
	require.NoError(t, Do(func() error {
		if calls++; calls < 5 {
			return &fs.PathError{Op: "rename", Path: "x", Err: busy}
		}
		return nil
	}))
	require.Equal(t, 5, calls)
	require.Equal(t, 30*time.Millisecond, *slept)
}

func TestFileThatStaysOpen(t *testing.T) {
	slept, busy := held(t)
	calls := 0
	var p Patience
	fail := func() error { calls++; return busy }
	require.ErrorIs(t, p.Do(fail), busy)
	require.Equal(t, Wait, *slept)
	require.Less(t, calls, 30)
	calls = 0
	require.ErrorIs(t, p.Do(fail), busy)
	require.Equal(t, 1, calls, "the time of all is over")
}

func TestOtherErrorsAreReturnedAtOnce(t *testing.T) {
	slept, _ := held(t)
	calls := 0
	require.ErrorIs(t, Do(func() error { calls++; return fs.ErrNotExist }), fs.ErrNotExist)
	require.Equal(t, 1, calls)
	require.Zero(t, *slept)
}

// A file that is open for a moment is replaced and removed.
func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, do := range []func() error{func() error { return Rename(a, b) }, func() error { return Remove(b) }, func() error { return RemoveAll(dir) }} {
		require.NoError(t, os.WriteFile(a, []byte("new"), 0o600))
		require.NoError(t, os.WriteFile(b, []byte("old"), 0o600))
		f, err := os.Open(b)
		require.NoError(t, err)
		go func() {
			time.Sleep(50 * time.Millisecond)
			f.Close()
		}()
		start := time.Now()
		require.NoError(t, do())
		if runtime.GOOS != "windows" {
			require.Less(t, time.Since(start), Wait)
		}
	}
}
