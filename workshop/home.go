package workshop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"atelier/internal/busyfile"
	"atelier/internal/lazyregexp"
)

// Options configure a Home; the zero value works.
type Options struct {
	Now      func() time.Time // clock; nil is time.Now
	NewID    func() string    // UUIDv7 by default
	Log      *slog.Logger     // nil logs nothing
	Limits   Limits
	ReadOnly bool // open workbenches for reading, without their lock
	// Address is where other processes reach this one about the workbenches that it
	// has open for writing; "": nowhere.
	Address string
	// Told is called with what there is to tell of a change or a read that went
	// well, such as a damaged content that was had from elsewhere; nil logs it.
	Told func(what string)
	// Failpoint is called at every step of a publish, an undo and a recovery;
	// tests stop the process, or the operation, there. nil does nothing.
	Failpoint func(step string) error
	// Unsynced leaves out waiting for the disk. It is for a home whose managed workbenches
	// are in a replicated log, from which the next owner makes them again.
	Unsynced bool
	// Used is called with what each request to a model took, when it has ended; it must
	// not block. nil does nothing.
	Used func(Usage)
}

// Limits of a workbench; zero fields have defaults (W-65).
type Limits struct {
	FileBytes int64 // one file; default 1 GiB
}

func (l Limits) withDefaults() Limits {
	if l.FileBytes == 0 {
		l.FileBytes = 1 << 30
	}
	return l
}

// Home is the data folder: the workbenches of one user.
type Home struct {
	dir string
	opt Options

	mu   sync.Mutex // protects open
	open map[string]*Workbench
}

// Info describes a workbench without opening it; it is workbench.json.
type Info struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Root       string    `json:"root"`
	Managed    bool      `json:"managed"` // the root is files/ inside the state
	folderMark           // of the root: finds a folder that was moved, and refuses a stranger in its place
	CreatedAt  time.Time `json:"created_at"`
	UpdatedAt  time.Time `json:"updated_at"`
}

// OpenHome opens the data folder, making it when it is not there.
func OpenHome(dir string, o Options) (*Home, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Told == nil {
		log := o.Log
		o.Told = func(what string) { log.Warn(what) }
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, "workbenches"), 0o700); err != nil {
		return nil, err
	}
	return &Home{dir: dir, opt: o, open: map[string]*Workbench{}}, nil
}

// CacheDir returns a folder for what can be made again.
func (h *Home) CacheDir() string { return filepath.Join(h.dir, "cache") }

// Dir returns the data folder.
func (h *Home) Dir() string { return h.dir }

// StateDir returns the folder of a workbench's state.
func (h *Home) StateDir(id string) string { return h.stateDir(id) }

func (h *Home) stateDir(id string) string { return filepath.Join(h.dir, "workbenches", id) }

// validID keeps an id from being a path.
var validID = lazyregexp.New(`^[0-9A-Za-z][0-9A-Za-z-]{0,63}$`)

// Create makes a workbench on root, a folder of the user's that must exist, or
// a managed one when root is "". A folder that has a workbench is refused.
func (h *Home) Create(ctx context.Context, name, root string) (*Workbench, error) {
	if h.opt.ReadOnly {
		return nil, Faultf(Forbidden, "the data folder is open for reading only")
	}
	unlock, err := h.lockCreate(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return h.create(ctx, name, root)
}

// create is Create without taking the lock, which the caller holds.
func (h *Home) create(ctx context.Context, name, root string) (*Workbench, error) {
	if root != "" {
		real, err := realFolder(root)
		if err != nil {
			return nil, err
		}
		if old, found, err := h.FindFolder(ctx, real); err != nil || found {
			if err == nil {
				f := Faultf(Conflict, "the folder %s has a workbench already: %s", real, old.ID)
				f.Hint = "open it: WorkbenchOpen takes that id"
				err = f
			}
			return nil, err
		}
		root = real
	}
	return h.makeFor(ctx, name, root)
}

// makeFor makes a workbench for root, the real path of a folder that has none.
func (h *Home) makeFor(ctx context.Context, name, root string) (*Workbench, error) {
	return h.makeWith(ctx, h.opt.NewID(), name, root)
}

// makeWith is makeFor with the id.
func (h *Home) makeWith(ctx context.Context, id, name, root string) (*Workbench, error) {
	name = strings.TrimSpace(name)
	now := h.opt.Now().UTC()
	i := Info{ID: id, Name: name, Managed: root == "", CreatedAt: now, UpdatedAt: now}
	dir := h.stateDir(id)
	if root == "" {
		i.Root = filepath.Join(dir, "files")
	} else {
		if inside(root, h.dir) || inside(h.dir, root) {
			return nil, Faultf(Invalid, "the folder %s and Atelier's data folder %s are inside each other; choose another folder", root, h.dir)
		}
		var err error
		if i.folderMark, err = markOf(root); err != nil {
			return nil, storageFault(err)
		}
		i.Root = root
	}
	if err := h.place(i); err != nil {
		return nil, storageFault(fmt.Errorf("the workbench cannot be made: %w", err))
	}
	return h.Open(ctx, id)
}

func inside(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func realFolder(dir string) (string, error) {
	abs, err := filepath.Abs(shortFolder(dir))
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", Faultf(NotFound, "the folder %s does not exist", dir)
	}
	st, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	if !st.IsDir() {
		return "", Faultf(Invalid, "%s is a file, not a folder", dir)
	}
	return real, nil
}

// List describes the workbenches, oldest first. A damaged one is left out and
// logged.
func (h *Home) List(ctx context.Context) ([]Info, error) {
	dirs, err := os.ReadDir(filepath.Join(h.dir, "workbenches"))
	if err != nil {
		return nil, err
	}
	var out []Info
	for _, d := range dirs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if strings.HasPrefix(d.Name(), newPrefix) {
			continue
		}
		i, err := h.info(d.Name())
		if err != nil {
			h.opt.Log.Warn("a workbench cannot be read", "id", d.Name(), "err", err)
			continue
		}
		out = append(out, i)
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].CreatedAt.Before(out[b].CreatedAt) })
	return out, nil
}

// Open opens a workbench, repairing what a crash left. Opening it again gives
// the same one. NotFound when there is none, Conflict when another process has
// it open for writing. With Options.ReadOnly it is Read, kept open.
func (h *Home) Open(ctx context.Context, id string) (*Workbench, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if wb := h.open[id]; wb != nil {
		return wb, nil
	}
	i, err := h.info(id)
	if err != nil {
		return nil, err
	}
	var wb *Workbench
	if h.opt.ReadOnly {
		wb, err = h.Read(ctx, id)
	} else {
		wb, err = h.openState(ctx, i, false)
	}
	if err != nil {
		return nil, err
	}
	h.open[id] = wb
	return wb, nil
}

// FindFolder finds the workbench of a folder, also when the folder was moved. A
// folder that took the place of another, or that may be a moved one, is a
// Conflict that says how to decide.
func (h *Home) FindFolder(ctx context.Context, dir string) (Info, bool, error) {
	real, err := realFolder(dir)
	if err != nil {
		return Info{}, false, err
	}
	now, err := markOf(real)
	if err != nil {
		return Info{}, false, err
	}
	all, err := h.List(ctx)
	if err != nil {
		return Info{}, false, err
	}
	var stranger error
	for _, i := range all {
		if i.Root != real {
			continue
		}
		if i.compare(now) != otherFolder {
			return i, true, nil
		}
		stranger = notTheFolder(i)
	}
	for _, i := range all {
		same := i.compare(now)
		if i.Managed || same == otherFolder || i.folderMark == (folderMark{}) || now == (folderMark{}) || h.inPlace(i) {
			continue
		}
		if same == perhapsSame {
			return Info{}, false, perhapsMoved(i, real)
		}
		i.Root = real
		if !h.opt.ReadOnly {
			err = h.saveInfo(i)
		}
		return i, true, err
	}
	if stranger == nil {
		stranger = h.undescribed(real)
	}
	return Info{}, false, stranger
}

// ownFolder refuses a folder that took the place of the workbench's own, and
// completes what workbenches of before remember of theirs.
func (h *Home) ownFolder(i Info, reading bool) error {
	if i.Managed {
		return nil
	}
	now, err := markOf(i.Root)
	if err != nil {
		return storageFault(err)
	}
	switch i.compare(now) {
	case otherFolder:
		return notTheFolder(i)
	case perhapsSame:
		if !reading && i.Birth == 0 && now.Birth != 0 {
			i.folderMark = now
			return h.saveInfo(i)
		}
	}
	return nil
}

// inPlace reports whether the folder of a workbench is still where it was.
func (h *Home) inPlace(i Info) bool {
	now, err := markOf(i.Root)
	return err == nil && i.compare(now) != otherFolder
}

// Attach gives a workbench the folder dir, whichever folder it had; everything
// kept stays. Conflict: the folder has another workbench, or another process has this one open.
func (h *Home) Attach(ctx context.Context, id, dir string) (Info, error) {
	if h.opt.ReadOnly {
		return Info{}, Faultf(Forbidden, "the data folder is open for reading only")
	}
	unlock, err := h.lockCreate(ctx)
	if err != nil {
		return Info{}, err
	}
	defer unlock()
	i, err := h.info(id)
	if err != nil {
		return i, err
	}
	if i.Managed {
		return i, Faultf(Invalid, "workbench %s keeps its files itself; it has no folder to attach", id)
	}
	real, err := realFolder(dir)
	if err != nil {
		return i, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[id] != nil {
		return i, Faultf(Conflict, "workbench %s is open; close it first", id)
	}
	lock, err := lockState(h.stateDir(id))
	if err != nil {
		return i, err
	}
	defer lock.Unlock()
	now, err := markOf(real)
	if err != nil {
		return i, storageFault(err)
	}
	all, err := h.List(ctx)
	if err != nil {
		return i, err
	}
	for _, o := range all {
		if o.ID != id && o.Root == real && o.compare(now) != otherFolder {
			return i, Faultf(Conflict, "the folder %s has a workbench already: %s", real, o.ID)
		}
	}
	i.Root, i.folderMark, i.UpdatedAt = real, now, h.opt.Now().UTC()
	return i, h.saveInfo(i)
}

// CreateForAnother is Create for a folder that FindFolder refuses, since it may
// be that of another workbench: it is not, and that one keeps what it has.
func (h *Home) CreateForAnother(ctx context.Context, name, root string) (*Workbench, error) {
	if h.opt.ReadOnly {
		return nil, Faultf(Forbidden, "the data folder is open for reading only")
	}
	unlock, err := h.lockCreate(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if i, found, err := h.FindFolder(ctx, root); found || err != nil && !IsFault(err, Conflict) {
		if found {
			err = Faultf(Conflict, "the folder %s has a workbench already: %s", i.Root, i.ID)
		}
		return nil, err
	}
	real, err := realFolder(root)
	if err != nil {
		return nil, err
	}
	return h.makeFor(ctx, name, real)
}

// OpenFolder opens the workbench of a folder of the user's, making it when
// there is none.
func (h *Home) OpenFolder(ctx context.Context, dir string) (*Workbench, error) {
	i, found, err := h.FindFolder(ctx, dir)
	if err != nil {
		return nil, err
	}
	if found {
		return h.Open(ctx, i.ID)
	}
	real, err := realFolder(dir)
	if err != nil {
		return nil, err
	}
	if h.opt.ReadOnly {
		return nil, Faultf(Forbidden, "the data folder is open for reading only")
	}
	unlock, err := h.lockCreate(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if i, found, err := h.FindFolder(ctx, real); err != nil || found { // somebody else made it meanwhile
		if err != nil {
			return nil, err
		}
		return h.Open(ctx, i.ID)
	}
	return h.create(ctx, filepath.Base(real), real)
}

// Delete removes a workbench's state, with the files of a managed one. A
// user's own folder is never touched.
func (h *Home) Delete(ctx context.Context, id string) error {
	if h.opt.ReadOnly {
		return Faultf(Forbidden, "the data folder is open for reading only")
	}
	if _, err := h.info(id); err != nil {
		return err
	}
	wb, err := h.Open(ctx, id) // takes the lock: nobody else is writing
	switch {
	case errors.Is(err, ErrOtherFolder):
		lock, err := lockState(h.stateDir(id)) // nobody else is writing
		if err != nil {
			return err
		}
		lock.Unlock() // Windows moves no folder with an open file in it
	case err != nil && !IsFault(err, NotFound):
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, id)
	if wb != nil {
		wb.Close()
	}
	// Moved aside first, so that a crash leaves either the whole or nothing
	// that looks like a workbench.
	grave := filepath.Join(h.dir, "trash-"+id)
	if err := busyfile.Rename(h.stateDir(id), grave); err != nil {
		return err
	}
	return busyfile.RemoveAll(grave)
}

// CloseWorkbench closes one workbench and gives its lock back; nobody may be
// using it. One that is not open is left as it is.
func (h *Home) CloseWorkbench(id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	wb := h.open[id]
	if wb == nil {
		return nil
	}
	delete(h.open, id)
	return wb.Close()
}

// Close closes every open workbench.
func (h *Home) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, wb := range h.open {
		errs = append(errs, wb.Close())
	}
	h.open = map[string]*Workbench{}
	return errors.Join(errs...)
}
