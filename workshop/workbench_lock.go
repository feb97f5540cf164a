package workshop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// lockWrite begins a change of draft or published files; the caller unlocks
// wb.writeMu. What an earlier change could not finish is finished first.
func (wb *Workbench) lockWrite(ctx context.Context) error {
	if wb.readOnly {
		return readOnlyWorkbench()
	}
	if err := wb.writeMu.lock(ctx); err != nil {
		return err
	}
	err := wb.ready(ctx)
	if err != nil {
		wb.writeMu.Unlock()
	}
	return err
}

// changeLock is a mutex for which nobody waits any more whose context has ended, such as a
// caller who has left. They get it in the order in which they came.
type changeLock struct {
	once sync.Once
	held chan struct{}
}

func (l *changeLock) lock(ctx context.Context) error {
	l.once.Do(func() { l.held = make(chan struct{}, 1) })
	select {
	case l.held <- struct{}{}: // without waiting, the context does not matter
		return nil
	default:
	}
	select {
	case l.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Unlock lets the next have the lock.
func (l *changeLock) Unlock() { <-l.held }

func (wb *Workbench) ready(ctx context.Context) error {
	if err := wb.checkRoot(); err != nil || !wb.broken {
		return err
	}
	if err := wb.recover(ctx); err != nil {
		return err
	}
	wb.broken = false
	return wb.loadDraftLocked(ctx)
}

// Hold calls f while nothing changes the draft, the published files or the
// conversation: it waits for the change in progress, and other changes wait for f. What
// has no lock continues, such as usage, settings and the records of a translation.
func (wb *Workbench) Hold(ctx context.Context, f func() error) error {
	if err := wb.writeMu.lock(ctx); err != nil {
		return err
	}
	defer wb.writeMu.Unlock()
	wb.conv.mu.Lock()
	defer wb.conv.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return f()
}

// checkRoot makes sure that the open folder is still the one a person sees. A
// folder that was moved is followed: it is the same one. One that was deleted,
// or whose place another took, is not worked on.
func (wb *Workbench) checkRoot() error {
	held, err := wb.root.Stat(".")
	if err == nil {
		var now fs.FileInfo
		now, err = os.Stat(wb.info.Root)
		switch {
		case err == nil && os.SameFile(held, now):
			return nil
		case err == nil:
			f := Faultf(Conflict, "another folder has taken the place of %s since it was opened", wb.info.Root)
			f.Hint = "open the workbench again, or put the folder back"
			return f
		case errors.Is(err, fs.ErrNotExist) && !unlinked(held):
			return nil // moved
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storageFault(fmt.Errorf("the folder %s cannot be looked at: %w", wb.info.Root, err))
	}
	return rootGone(wb.info.Root)
}

func rootGone(dir string) error {
	f := Faultf(NotFound, "the folder %s of this workbench is gone", dir)
	f.Hint = "put it back, or delete the workbench; the draft and all kept contents are still there"
	return f
}

// lockState takes the right to write, or says which process has it (K-08). The
// lock is the operating system's: that of a dead process is free.
func lockState(dir string) (*flock.Flock, error) {
	path := filepath.Join(dir, "lock")
	l := flock.New(path)
	ok, err := l.TryLock()
	for range holderTries { // Holder may have it shared for a moment
		if err != nil || ok {
			break
		}
		time.Sleep(holderTakes)
		ok, err = l.TryLock()
	}
	if err != nil {
		return nil, storageFault(fmt.Errorf("the workbench cannot be locked: %w", err))
	}
	if !ok {
		return nil, inUse(dir)
	}
	if err := os.WriteFile(path+".pid", []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		l.Unlock()
		return nil, storageFault(fmt.Errorf("the workbench cannot be locked: %w", err))
	}
	_ = os.Remove(activityFile(dir)) // of a process that died
	_ = os.Remove(addressFile(dir))  // the same
	return l, nil
}

// ErrInUse: another process has the workbench open for writing.
var ErrInUse = errors.New("in use by another process")

// A lock that is refused is tried again: Holder keeps it for less than
// holderTakes, and there may be several that ask.
const (
	holderTakes = 5 * time.Millisecond
	holderTries = 5
)

func inUse(dir string) error {
	who := holderOf(dir)
	f := Faultf(Conflict, "the workbench is in use by process %s", first(who.Process, "(unknown)"))
	if what := who.Activity.String(); what != "" {
		f.Message += ": " + what + " is in progress there"
	}
	f.Err, f.Hint, f.Retryable = ErrInUse, "close it there, or wait until it is done; reading works meanwhile", true
	return f
}

func first(s, def string) string {
	if s != "" {
		return s
	}
	return def
}
