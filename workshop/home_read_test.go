package workshop

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// K-08, A-14: a reader never sees half of what another process publishes, and
// repairs nothing while that process lives.
func TestK08ReadersSeeWholePublishes(t *testing.T) {
	const rounds = 10
	names := []string{"a.txt", "b.txt", "c.txt", "d/e.txt", "f/g.txt"}
	if home := os.Getenv("ATELIER_TEST_WRITER"); home != "" { // the other process
		r := &rig{t: t, home: home, dir: os.Getenv("ATELIER_TEST_ROOT")}
		r.open()
		defer r.h.Close()
		for n := range rounds {
			for _, p := range names {
				r.put(p, strconv.Itoa(n))
			}
			r.publish(PublishOptions{})
		}
		return
	}
	r := newRig(t, map[string]string{})
	for _, p := range names {
		r.put(p, "before")
	}
	r.publish(PublishOptions{})
	id := r.wb.ID()
	require.NoError(t, r.h.Close())
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "ATELIER_TEST_WRITER="+r.home, "ATELIER_TEST_ROOT="+r.dir)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	h, err := OpenHome(r.home, Options{})
	require.NoError(t, err)
	defer h.Close()
	look := func() (publishes int, files, draft map[string]string) {
		wb, err := h.Read(ctx, id)
		require.NoError(t, err)
		defer wb.Close()
		require.Empty(t, wb.Recovered())
		list, err := wb.Checkpoints(ctx)
		require.NoError(t, err)
		return len(list), tree(t, wb.Published()), tree(t, wb.DraftView(Cause{}))
	}
	whole := 0
	for running := true; running; {
		select {
		case err := <-ended:
			require.NoError(t, err, "%s", &said)
			running = false
		default:
		}
		n, files, draft := look()
		if again, _, _ := look(); again != n {
			continue // a publish began after we had opened
		}
		whole++
		for _, p := range names {
			require.Equal(t, files["a.txt"], files[p], "%v", files)
			require.NotEmpty(t, draft[p])
		}
	}
	require.Positive(t, whole)
}

// K-08: what a dead process left is repaired by the first who looks; as long as
// a living one has it, a reader waits.
func TestK08ReaderAfterACrash(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1", "b.txt": "2"})
	r.put("a.txt", "A")
	r.put("b.txt", "B")
	r.wb.failpoint = func(s string) error {
		if s == "swap" {
			return errSimulatedCrash
		}
		return nil
	}
	_, err := r.wb.Publish(ctx, PublishOptions{})
	require.ErrorIs(t, err, errSimulatedCrash)
	for name, want := range map[string]string{"a.txt": "A", "b.txt": "2"} { // half in place
		b, err := os.ReadFile(filepath.Join(r.dir, name))
		require.NoError(t, err)
		require.Equal(t, want, string(b))
	}
	other, err := OpenHome(r.home, Options{})
	require.NoError(t, err)
	defer other.Close()
	id := r.wb.ID()
	go func() {
		time.Sleep(50 * time.Millisecond)
		r.h.Close() // only now the lock is free
	}()
	wb, err := other.Read(ctx, id)
	require.NoError(t, err)
	defer wb.Close()
	require.Equal(t, map[string]string{"a.txt": "A", "b.txt": "B"}, tree(t, wb.Published()))
	require.Equal(t, map[string]string{"a.txt": "A", "b.txt": "B"}, r.disk())
	r.h = other
}
