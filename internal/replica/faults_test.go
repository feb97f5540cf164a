package replica_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/replica"
	"atelier/internal/replica/replicatest"
	"atelier/internal/sqlitedb"
)

// TestConcurrent: what was committed by any of several callers is in the state that is
// restored, while others write, and rounds are shared.
func TestConcurrent(t *testing.T) {
	defer replica.SetRecycleAfter(100_000)()
	mem := &replicatest.Memory{}
	s := own(t, mem, mem, filepath.Join(t.TempDir(), "home"), "w1", replica.Options{SnapshotAfter: 30_000})
	defer s.close()
	const callers, each = 6, 25
	var group sync.WaitGroup
	for c := range callers {
		group.Go(func() {
			for n := range each {
				if err := s.wb.SetSetting(t.Context(), fmt.Sprint(c), fmt.Sprint(n)); err != nil {
					t.Error(err)
				}
				write(t, s.wb, c*each+n)
				if err := s.rep.Commit(t.Context()); err != nil {
					t.Error(err)
				}
				if n%8 != 0 {
					continue
				}
				at := filepath.Join(t.TempDir(), "restored")
				then := mem.Clone()
				if _, err := replica.Restore(t.Context(), then, then, at, ""); err != nil {
					t.Error(err)
					return
				}
				got := lines1(t, filepath.Join(at, "workbench.db"), fmt.Sprintf(`SELECT value FROM settings WHERE key='%d'`, c))
				if len(got) != 1 || got[0] != fmt.Sprintf("%d", n) {
					t.Errorf("caller %d committed %d, restored %q", c, n, got)
				}
			}
		})
	}
	group.Wait()
	s.rep.Wait()
	at := filepath.Join(t.TempDir(), "restored")
	_, err := replica.Restore(t.Context(), mem, mem, at, "")
	require.NoError(t, err)
	same(t, fingerprint(t, s.home.StateDir("w1")), fingerprint(t, at), "at the end")
}

// silentLog gives no answer to an append until its context ends.
type silentLog struct {
	replicatest.Memory
	silent atomic.Bool
	asked  chan struct{}
}

func (l *silentLog) Append(ctx context.Context, last uint64, message []byte) (uint64, error) {
	if !l.silent.Load() {
		return l.Memory.Append(ctx, last, message)
	}
	l.asked <- struct{}{}
	<-ctx.Done()
	return 0, fmt.Errorf("%w: %w", replica.ErrUncertain, ctx.Err())
}

// An ownership that is lost while the log does not answer is closed without waiting for it.
func TestLostWhileTheLogIsSilent(t *testing.T) {
	log := &silentLog{asked: make(chan struct{}, 10)}
	s := own(t, log, log, filepath.Join(t.TempDir(), "home"), "w1", replica.Options{})
	defer s.close()
	log.silent.Store(true)
	write(t, s.wb, 1)
	committed := make(chan error, 1)
	go func() { committed <- s.rep.Commit(t.Context()) }()
	<-log.asked
	s.rep.Lose()
	require.Error(t, <-committed)
	require.NoError(t, s.rep.Close())
	require.Empty(t, log.asked, "it is not asked again")
}

// TestExportWhileShortened: what is exported while an owner writes and shortens the log has
// everything that was committed before, and can be continued elsewhere.
func TestExportWhileShortened(t *testing.T) {
	ctx := t.Context()
	mem := &replicatest.Memory{}
	s := own(t, mem, mem, filepath.Join(t.TempDir(), "home"), "w1", replica.Options{SnapshotAfter: 30_000})
	defer s.close()
	var committed atomic.Int64
	writing, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		for n := int64(1); writing.Err() == nil; n++ {
			if err := s.wb.SetSetting(ctx, "n", fmt.Sprint(n)); err != nil {
				t.Error(err)
				return
			}
			write(t, s.wb, int(n%40))
			if err := s.rep.Commit(ctx); err != nil {
				t.Error(err)
				return
			}
			committed.Store(n)
		}
	})
	shortened := 0
	for i := range 20 {
		had := committed.Load()
		then := &replicatest.Memory{}
		messages, last, err := replica.Export(ctx, mem, mem, func(c replica.Content, r io.Reader) error {
			b, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			return then.Put(ctx, c, bytes.NewReader(b))
		})
		require.NoError(t, err)
		require.NotEmpty(t, messages)
		if int(last) > len(messages) {
			shortened++
		}
		then.StartAfter(last)
		for at, m := range messages {
			_, err := then.Append(ctx, last+uint64(at), m)
			require.NoError(t, err)
		}
		dir := filepath.Join(t.TempDir(), "restored")
		_, err = replica.Restore(ctx, then, then, dir, "")
		require.NoError(t, err)
		got := lines1(t, filepath.Join(dir, "workbench.db"), `SELECT value FROM settings WHERE key='n'`)
		if had > 0 {
			require.Len(t, got, 1)
			n, err := strconv.ParseInt(got[0], 10, 64)
			require.NoError(t, err)
			require.GreaterOrEqual(t, n, had, "export %d", i)
		}
	}
	stop()
	group.Wait()
	require.Greater(t, shortened, 5, "the log was not shortened")
	// A content that is missing is told, not tried again for ever.
	s.rep.Wait()
	names, err := mem.Names(ctx)
	require.NoError(t, err)
	for _, name := range names {
		require.NoError(t, mem.Remove(ctx, name))
	}
	_, _, err = replica.Export(ctx, mem, mem, func(replica.Content, io.Reader) error { return nil })
	require.ErrorIs(t, err, replica.ErrNoContent)
}

// TestAnswerLost: a record whose acknowledgement was lost is in the log once, and one that
// cannot be stored ends the ownership: nothing is acknowledged after it.
func TestAnswerLost(t *testing.T) {
	mem := &replicatest.Memory{}
	var lost atomic.Int32
	s := own(t, mem, mem, filepath.Join(t.TempDir(), "home"), "w1", replica.Options{Lost: func(error) { lost.Add(1) }})
	defer s.close()

	failed := 0
	mem.After = func(uint64) error {
		if failed++; failed == 1 {
			return replica.ErrUncertain
		}
		return nil
	}
	before := mem.Len()
	write(t, s.wb, 1)
	require.NoError(t, s.rep.Commit(t.Context()))
	require.Equal(t, before+1, mem.Len())
	write(t, s.wb, 2)
	require.NoError(t, s.rep.Commit(t.Context()))
	require.Equal(t, before+2, mem.Len())

	mem.Before = func(uint64) error { return replica.ErrUncertain }
	write(t, s.wb, 3)
	require.ErrorIs(t, s.rep.Commit(t.Context()), replica.ErrUncertain)
	mem.Before = nil
	require.ErrorIs(t, s.rep.Commit(t.Context()), replica.ErrUncertain, "it stays lost")
	require.ErrorIs(t, s.rep.Lost(), replica.ErrUncertain)
	require.Equal(t, int32(1), lost.Load())
	require.Equal(t, before+2, mem.Len())
}

// TestLateAnswer: an owner that is late, whose record another one's takeover overtakes,
// acknowledges nothing.
func TestLateAnswer(t *testing.T) {
	mem := &replicatest.Memory{}
	s := own(t, mem, mem, filepath.Join(t.TempDir(), "home"), "w1", replica.Options{})
	defer s.close()
	taken := false
	var next *replica.Replica
	mem.Before = nil
	write(t, s.wb, 1)
	other := &hooked{Memory: mem, before: func() {
		if !taken {
			taken = true
			var err error
			next, _, err = replica.Own(t.Context(), mem, mem, replica.Options{})
			require.NoError(t, err)
		}
	}}
	s.rep.SetLog(other)
	require.ErrorIs(t, s.rep.Commit(t.Context()), replica.ErrFenced)
	require.Greater(t, next.Fence(), s.rep.Fence())
}

// TestDamagedStore: a content that is damaged or missing in the store is an error that
// names the file.
func TestDamagedStore(t *testing.T) {
	mem := &replicatest.Memory{}
	s := own(t, mem, mem, filepath.Join(t.TempDir(), "home"), "w1", replica.Options{SnapshotAfter: 1})
	defer s.close()
	write(t, s.wb, 1)
	require.NoError(t, s.rep.Commit(t.Context()))
	s.rep.Wait()
	names, err := mem.Names(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		then := mem.Clone()
		require.NoError(t, then.Remove(t.Context(), name))
		_, err = replica.Restore(t.Context(), then, then, filepath.Join(t.TempDir(), "r"), "")
		require.True(t, errors.Is(err, replica.ErrNoContent), "%v", err)
		require.NoDirExists(t, filepath.Join(t.TempDir(), "r"))
		_, err = replica.Restore(t.Context(), mem, flipped{mem, name}, filepath.Join(t.TempDir(), "r"), "")
		require.ErrorIs(t, err, replica.ErrDamaged)
	}
	cut := mem.Clone()
	_, err = cut.Append(t.Context(), lastOf(t, cut), []byte("no record"))
	require.NoError(t, err)
	_, err = replica.Restore(t.Context(), cut, cut, filepath.Join(t.TempDir(), "r"), "")
	require.ErrorIs(t, err, replica.ErrDamaged)
}

// TestOwnAsksTheLeaseAfterTheLog: a process whose lease ends while it reads the log appends
// nothing, so that it does not fence the owner that has begun meanwhile. Where that appended
// first, the lease is asked once more.
func TestOwnAsksTheLeaseAfterTheLog(t *testing.T) {
	mem := &replicatest.Memory{}
	s := own(t, mem, mem, filepath.Join(t.TempDir(), "home"), "w1", replica.Options{})
	defer s.close()
	last := func() uint64 { return lastOf(t, mem) }
	before, valid := last(), true
	_, _, err := replica.Own(t.Context(), &readHook{mem, func() { valid = false }}, mem, replica.Options{Owner: "late", Valid: func() bool { return valid }})
	require.ErrorIs(t, err, replica.ErrFenced)
	require.Equal(t, before, last(), "it appended")
	write(t, s.wb, 1)
	require.NoError(t, s.rep.Commit(t.Context()), "the owner was fenced")

	before, valid = last(), true
	reads, asked := 0, 0
	_, _, err = replica.Own(t.Context(), &readHook{mem, func() {
		if reads++; reads == 1 { // another owner is faster
			write(t, s.wb, 2)
			require.NoError(t, s.rep.Commit(t.Context()))
			return
		}
		valid = false
	}}, mem, replica.Options{Owner: "late", Valid: func() bool { asked++; return valid }})
	require.ErrorIs(t, err, replica.ErrFenced)
	require.Equal(t, 2, asked)
	require.Equal(t, before+1, last())
	write(t, s.wb, 3)
	require.NoError(t, s.rep.Commit(t.Context()))
}

func lastOf(t *testing.T, log replica.Log) uint64 {
	n, err := log.Read(t.Context(), func(uint64, []byte) error { return nil })
	require.NoError(t, err)
	return n
}

// flipped has a content with one bit changed.
type flipped struct {
	*replicatest.Memory
	name string
}

func (f flipped) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := f.Memory.Get(ctx, name)
	if err != nil || name != f.name {
		return r, err
	}
	b, err := io.ReadAll(r)
	b[len(b)/2] ^= 1
	return io.NopCloser(bytes.NewReader(b)), err
}

// readHook calls after when the log was read.
type readHook struct {
	*replicatest.Memory
	after func()
}

func (h *readHook) Read(ctx context.Context, f func(uint64, []byte) error) (uint64, error) {
	n, err := h.Memory.Read(ctx, f)
	h.after()
	return n, err
}

type hooked struct {
	*replicatest.Memory
	before func()
}

// Append calls before, as a process does that is paused before it sends.
func (h *hooked) Append(ctx context.Context, last uint64, message []byte) (uint64, error) {
	h.before()
	return h.Memory.Append(ctx, last, message)
}

func lines1(t testing.TB, name, query string) []string {
	db, err := sqlitedb.Open(name, sqlitedb.Options{ReadOnly: true})
	require.NoError(t, err)
	defer db.Close()
	return lines(t, db, query)
}
