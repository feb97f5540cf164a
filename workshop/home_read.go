package workshop

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// readWait is how long a reader waits for another process to finish putting
// files in place, so that it does not see half of a publish.
const readWait = 5 * time.Second

// Read opens a workbench for reading, whether or not another process writes to
// it; close it. The draft, versions and checkpoints are those of this moment as
// long as it is open; published files are what is on disk. A reader changes
// nothing: what a crash left is repaired first, as a writer, when nobody has the
// workbench (K-08).
func (h *Home) Read(ctx context.Context, id string) (*Workbench, error) {
	i, err := h.info(id)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(readWait); ; {
		wb, err := h.openState(ctx, i, true)
		if errors.Is(err, errHalf) && !h.opt.ReadOnly {
			if err := h.repair(ctx, i); err == nil {
				continue
			} else if !errors.Is(err, ErrInUse) {
				return nil, err
			}
		}
		if err == nil && !h.opt.ReadOnly && time.Now().Before(deadline) && wb.interrupted(ctx) && h.repair(ctx, i) == nil {
			wb.Close()
			continue // without what a crash left beside the files
		}
		if !errors.Is(err, errHalf) {
			return wb, err
		}
		if time.Now().After(deadline) {
			f := Faultf(Conflict, "a publish has been interrupted or is still going on; it has to be completed first")
			f.Err, f.Retryable, f.Hint = ErrInUse, true, "try again in a moment"
			return nil, f
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// errHalf: a reader would see what is neither old nor new.
var errHalf = errors.New("there is half of a change")

// repair opens a workbench as a writer for as long as that takes.
func (h *Home) repair(ctx context.Context, i Info) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[i.ID] != nil {
		return inUse(h.stateDir(i.ID)) // this process is at it
	}
	wb, err := h.openState(ctx, i, false)
	if err != nil {
		return err
	}
	return wb.Close()
}

// readable makes sure that a reader sees whole things: the database is there,
// and no publish is half in place.
func (wb *Workbench) readable(ctx context.Context) error {
	var n int
	if err := wb.db.QueryRowContext(ctx, `SELECT count(*) FROM intents WHERE committed`).Scan(&n); err != nil {
		return storageFault(err)
	}
	if n > 0 {
		return errHalf
	}
	return nil
}

// interrupted reports whether a change was begun and is not ended: by a process
// that is at it, or by one that is dead.
func (wb *Workbench) interrupted(ctx context.Context) bool {
	var n int
	err := wb.db.QueryRowContext(ctx, `SELECT count(*) FROM intents`).Scan(&n)
	return err == nil && n > 0
}

// hasDB reports whether a workbench's database was ever made.
func hasDB(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "workbench.db"))
	return !errors.Is(err, fs.ErrNotExist)
}
