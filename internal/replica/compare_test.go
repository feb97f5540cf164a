package replica_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/replica"
	"atelier/internal/replica/replicatest"
	"atelier/workshop"
)

// committed reports what a Commit that was begun now returns, and whether it did within a time.
func committed(s *server, within time.Duration) (err error, done bool) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	err = s.rep.Commit(ctx)
	return err, !errors.Is(err, context.DeadlineExceeded)
}

// TestReadWaitsForNoWriter: a call that saw nothing new is acknowledged while a writer that
// has changed nothing yet keeps the workbench, and asks for the lease.
func TestReadWaitsForNoWriter(t *testing.T) {
	mem := &replicatest.Memory{}
	var valid atomic.Bool
	valid.Store(true)
	s := own(t, mem, mem, filepath.Join(t.TempDir(), "home"), "w1", replica.Options{Valid: valid.Load})
	defer s.close()
	write(t, s.wb, 1)
	require.NoError(t, s.rep.Commit(t.Context()))
	before := mem.Len()
	require.NoError(t, s.wb.Hold(t.Context(), func() error {
		for range 20 {
			err, done := committed(s, 10*time.Second)
			require.True(t, done, "a call that saw nothing new waited for a writer")
			require.NoError(t, err)
		}
		return nil
	}))
	require.Equal(t, before, mem.Len())
	valid.Store(false)
	require.ErrorIs(t, s.rep.Commit(t.Context()), replica.ErrFenced)
	require.ErrorIs(t, s.rep.Lost(), replica.ErrFenced)
}

// TestReadWaitsForWhatItSaw: a call that may have seen a change is not acknowledged before
// the log has the change, whichever kind of file has it, and gets its error.
func TestReadWaitsForWhatItSaw(t *testing.T) {
	for name, change := range map[string]func(s *server) error{
		"a setting": func(s *server) error { return s.wb.SetSetting(t.Context(), "k", "v") },
		"the draft": func(s *server) error { write(t, s.wb, 2); return nil },
		"a message": func(s *server) error {
			return s.wb.Conversation().Append(workshop.Record{Type: workshop.TypeUser, MessageID: "u", Role: "user", Text: "x"})
		},
		"a file": func(s *server) error {
			return os.WriteFile(filepath.Join(s.home.StateDir("w1"), "files", "a.txt"), []byte("b"), 0o600)
		},
		"a file in it": func(s *server) error {
			return os.WriteFile(filepath.Join(s.home.StateDir("w1"), "files", "d", "a.txt"), []byte("b"), 0o600)
		},
		"another file": func(s *server) error {
			return os.WriteFile(filepath.Join(s.home.StateDir("w1"), "more.json"), []byte("b"), 0o600)
		},
		"one replaced": func(s *server) error {
			return os.Rename(filepath.Join(s.home.StateDir("w1"), "next.json"), filepath.Join(s.home.StateDir("w1"), "some.json"))
		},
		"one removed": func(s *server) error { return os.Remove(filepath.Join(s.home.StateDir("w1"), "some.json")) },
	} {
		t.Run(name, func(t *testing.T) {
			mem := &replicatest.Memory{}
			s := own(t, mem, mem, filepath.Join(t.TempDir(), "home"), "w1", replica.Options{})
			defer s.close()
			dir := s.home.StateDir("w1")
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "files", "d"), 0o700))
			for _, f := range []string{"files/d/a.txt", "files/b.txt", "some.json", "next.json"} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(f)), []byte(f[len(f)-9:]), 0o600))
			}
			require.NoError(t, s.rep.Commit(t.Context()))
			for round := range 2 { // the first answer is that the log has it, the second an error
				appending, answer := make(chan struct{}), make(chan error)
				slow := &hooked{Memory: mem, before: func() { appending <- struct{}{}; <-answer }}
				s.rep.SetLog(slow)
				if round == 1 {
					write(t, s.wb, 3)
				} else {
					require.NoError(t, change(s))
				}
				first := make(chan error, 1)
				go func() { first <- s.rep.Commit(context.Background()) }()
				<-appending
				_, done := committed(s, 50*time.Millisecond)
				require.False(t, done, "a call was acknowledged that may have seen what is not in the log")
				second := make(chan error, 1)
				go func() { second <- s.rep.Commit(context.Background()) }()
				time.Sleep(20 * time.Millisecond)
				if round == 1 { // another owner is faster
					_, _, err := replica.Own(t.Context(), mem, mem, replica.Options{})
					require.NoError(t, err)
				}
				close(answer)
				for _, c := range []chan error{first, second} {
					if round == 0 {
						require.NoError(t, <-c)
					} else {
						require.ErrorIs(t, <-c, replica.ErrFenced)
					}
				}
			}
		})
	}
}

// TestReadsAreNotStuck: a change that could not be stored is not taken for one that is.
func TestReadsAreNotStuck(t *testing.T) {
	mem := &replicatest.Memory{}
	store := &failing{Memory: mem}
	s := own(t, mem, store, filepath.Join(t.TempDir(), "home"), "w1", replica.Options{})
	defer s.close()
	store.err = errors.New("the store is full")
	_, err := s.wb.LiveView(workshop.Cause{Tool: "test"}).Put(t.Context(), "large.bin", workshop.PutOptions{}, func(w io.Writer) error {
		_, err := w.Write(make([]byte, 300_000))
		return err
	})
	require.NoError(t, err)
	for range 3 {
		require.ErrorContains(t, s.rep.Commit(t.Context()), "the store is full")
	}
	store.err = nil
	require.NoError(t, s.rep.Commit(t.Context()))
	at := filepath.Join(t.TempDir(), "restored")
	_, err = replica.Restore(t.Context(), mem, mem, at, "")
	require.NoError(t, err)
	same(t, fingerprint(t, s.home.StateDir("w1")), fingerprint(t, at), "after the store took it")
}

type failing struct {
	*replicatest.Memory
	err error
}

// Put fails while there is an error.
func (f *failing) Put(ctx context.Context, c replica.Content, r io.ReadSeeker) error {
	if f.err != nil {
		return f.err
	}
	return f.Memory.Put(ctx, c, r)
}

// TestObjectsThatAreNotTold: an object that the workbench did not tell of is in the log all
// the same, at once or when all folders are looked at again.
func TestObjectsThatAreNotTold(t *testing.T) {
	mem := &replicatest.Memory{}
	s := own(t, mem, mem, filepath.Join(t.TempDir(), "home"), "w1", replica.Options{})
	defer s.close()
	write(t, s.wb, 1)
	require.NoError(t, s.rep.Commit(t.Context()))
	dir := s.home.StateDir("w1")
	found, err := filepath.Glob(filepath.Join(dir, "objects", "??", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(found[0]), fmt.Sprintf("%062d", 1)), []byte("x"), 0o400))
	for n := range 60 {
		require.NoError(t, s.wb.SetSetting(t.Context(), "k", fmt.Sprint(n)))
		require.NoError(t, s.rep.Commit(t.Context()))
	}
	at := filepath.Join(t.TempDir(), "restored")
	_, err = replica.Restore(t.Context(), mem, mem, at, "")
	require.NoError(t, err)
	same(t, fingerprint(t, dir), fingerprint(t, at), "an object was put by another way")
}
