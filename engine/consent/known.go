package consent

import (
	"context"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"atelier/workshop"
)

// Known are the files that a run may see: those that were there when it began,
// and what it writes itself. It is safe for concurrent use.
type Known struct {
	mu    sync.RWMutex           // protects files
	files map[workshop.Path]bool // as spelled gives them
}

// spelled returns how a path is known: where the system finds a file under several
// spellings, they are one.
func spelled(p workshop.Path) workshop.Path {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return workshop.Path(strings.ToLower(norm.NFC.String(string(p))))
	}
	return p
}

// NewKnown makes the files of a run that begins.
func NewKnown(files []workshop.Path) *Known {
	k := &Known{files: make(map[workshop.Path]bool, len(files))}
	for _, f := range files {
		k.files[spelled(f)] = true
	}
	return k
}

// Has reports whether a run may see a file.
func (k *Known) Has(p workshop.Path) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.files[spelled(p)]
}

func (k *Known) add(p workshop.Path) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.files[spelled(p)] = true
}

// hides reports whether a run must not see an entry: a file that came since,
// published or put into the draft by others.
func (k *Known) hides(e workshop.Entry) bool {
	return !e.IsDir && !e.Virtual && !k.Has(e.Path)
}

// Over returns v without the files that came since the run began: they are not
// listed, and using one by its name fails with the reason.
func (k *Known) Over(v workshop.View) workshop.View {
	return workshop.Intercept(v, workshop.Hooks{
		Hide: func(e workshop.Entry) error {
			if k.hides(e) {
				return errAddedSince(e.Path)
			}
			return nil
		},
		Change: k.change,
	})
}

func errAddedSince(p workshop.Path) error {
	f := workshop.Faultf(workshop.Forbidden, "%s was added after this run began, and the user has not allowed yet to send it to the model; it can be used in the next run", p).OnField("path")
	f.Paths = []string{string(p)}
	return f
}

// change refuses edits of hidden files, and adds to the known files what the run
// writes, moves and copies.
func (k *Known) change(ctx context.Context, under workshop.View, edits []workshop.Edit) (done func([]workshop.Entry), err error) {
	for _, e := range edits {
		switch e.Kind {
		case workshop.EditMkdir:
			continue
		case workshop.EditMove, workshop.EditCopy:
			err = k.check(ctx, under, e.Path, e.To)
		default:
			err = k.check(ctx, under, e.Path)
		}
		if err != nil {
			return nil, err
		}
	}
	return func(entries []workshop.Entry) {
		for _, e := range entries {
			if !e.IsDir {
				k.add(e.Path)
			}
		}
		for _, e := range edits {
			if e.Kind == workshop.EditMove || e.Kind == workshop.EditCopy {
				k.moved(e.Path, e.To)
			}
		}
	}, nil
}

// check refuses paths that the run must not touch, files below a folder
// included.
func (k *Known) check(ctx context.Context, under workshop.View, paths ...workshop.Path) error {
	for _, p := range paths {
		list, err := workshop.Inside(ctx, under, p)
		if err != nil {
			return err
		}
		for _, e := range list {
			if k.hides(e) {
				return errAddedSince(e.Path)
			}
		}
	}
	return nil
}

// moved adds the new paths of a moved or copied file or folder.
func (k *Known) moved(from, to workshop.Path) {
	from, to = spelled(from), spelled(to)
	k.mu.Lock()
	defer k.mu.Unlock()
	for p := range k.files {
		if below, ok := strings.CutPrefix(string(p), string(from)+"/"); ok {
			k.files[to+"/"+workshop.Path(below)] = true
		}
	}
	k.files[to] = true
}
