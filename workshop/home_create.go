package workshop

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"atelier/internal/busyfile"
)

// newPrefix begins the name of a state folder that is being made.
const newPrefix = ".new-"

// lockCreate makes one creation of a workbench wait for another, also of another
// process: two that look at the same moment would both find that a folder has
// none.
func (h *Home) lockCreate(ctx context.Context) (unlock func(), err error) {
	l := flock.New(filepath.Join(h.dir, "create.lock"))
	ok, err := l.TryLockContext(ctx, 10*time.Millisecond)
	if err != nil || !ok {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, storageFault(fmt.Errorf("the data folder cannot be locked: %w", err))
	}
	return func() { l.Unlock() }, nil
}

// place makes the state folder of a workbench under another name and renames it,
// so that a crash or a look at the wrong moment finds none or a whole one. What
// a crash left of an earlier one is removed. The caller has the lock.
func (h *Home) place(i Info) error {
	all := filepath.Join(h.dir, "workbenches")
	entries, err := os.ReadDir(all)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), newPrefix) {
			os.RemoveAll(filepath.Join(all, e.Name()))
		}
	}
	dir := filepath.Join(all, newPrefix+i.ID)
	defer os.RemoveAll(dir) // there is none once it is renamed
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if i.Managed {
		if err := os.Mkdir(filepath.Join(dir, "files"), 0o700); err != nil {
			return err
		}
	}
	if err := writeDescription(dir, i); err != nil {
		return err
	}
	if err := busyfile.Rename(dir, h.stateDir(i.ID)); err != nil {
		return err
	}
	return syncDir(all)
}

// CreateManaged makes a managed workbench with an id that the caller gives: up to 64
// letters, digits and hyphens. Conflict: there is one with that id.
func (h *Home) CreateManaged(ctx context.Context, id, name string) (*Workbench, error) {
	if h.opt.ReadOnly {
		return nil, Faultf(Forbidden, "the data folder is open for reading only")
	}
	if !validID.MatchString(id) {
		return nil, Faultf(Invalid, "%q cannot be the id of a workbench", id)
	}
	unlock, err := h.lockCreate(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if _, err := os.Lstat(h.stateDir(id)); err == nil {
		return nil, Faultf(Conflict, "there is a workbench %s already", id)
	}
	return h.makeWith(ctx, id, name, "")
}
