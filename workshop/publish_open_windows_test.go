package workshop

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/busyfile"
)

// A file that another program has open ends a publish as a whole, which names it;
// one that is open for a moment is waited for.
func TestPublishOverAFileThatIsHeld(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "old", "b.txt": "old", "c.txt": "old"})
	for _, p := range []string{"a.txt", "b.txt", "c.txt", "new.txt"} {
		r.put(p, "new")
	}
	letGo := holdOpen(t, filepath.Join(r.dir, "b.txt"))
	start := time.Now()
	_, err := r.wb.Publish(ctx, PublishOptions{})
	require.ErrorIs(t, err, ErrBusy)
	require.True(t, IsFault(err, Conflict))
	require.ErrorContains(t, err, "nothing was published: b.txt")
	require.Contains(t, AsFault(err).Hint, "close it there")
	require.GreaterOrEqual(t, time.Since(start), busyfile.Wait)
	require.Equal(t, map[string]string{"a.txt": "old", "b.txt": "old", "c.txt": "old"}, r.disk())

	go func() {
		time.Sleep(300 * time.Millisecond)
		letGo()
	}()
	_, err = r.wb.Publish(ctx, PublishOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.txt": "new", "b.txt": "new", "c.txt": "new", "new.txt": "new"}, r.disk())
}

// holdOpen opens a file in another process, as programs do that share no deletion, until
// the function that it returns is called or the test ends.
func holdOpen(t *testing.T, path string) (letGo func()) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "-test.run=^TestHoldsAFile$")
	cmd.Env = append(os.Environ(), "ATELIER_TEST_HOLDS="+path)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	ends := sync.OnceFunc(func() { in.Close(); _ = cmd.Wait() })
	t.Cleanup(ends)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held\n", line)
	return ends
}

// TestHoldsAFile is the other process of holdOpen; by itself it does nothing.
func TestHoldsAFile(t *testing.T) {
	path := os.Getenv("ATELIER_TEST_HOLDS")
	if path == "" {
		return
	}
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
}
