package workshop

import (
	"context"
	"errors"
	"fmt"
	"path"
)

// lostContent returns the fault of the first content that completing an interrupted
// change needs and that is nowhere whole any more. nil: it can be completed.
func (wb *Workbench) lostContent(ctx context.Context, in intent) (*Fault, error) {
	for i, t := range in.targets {
		if t.kind != rowFile {
			continue
		}
		now, err := wb.hashNow(ctx, t.path)
		if err != nil {
			return nil, err
		}
		if now == t.newHash || now != t.oldHash {
			continue // in place, or somebody else's by now
		}
		err = wb.whole(ctx, t.newHash, t.path, wb.tempName(in.id, i, t.path))
		var f *Fault
		if errors.As(err, &f) && errors.Is(err, ErrDamaged) {
			return f, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// whole makes sure that a content of p is whole, if need be with what was staged
// of it in the root under the name temp.
func (wb *Workbench) whole(ctx context.Context, hash string, p Path, temp string) error {
	src, err := wb.openKept(ctx, hash, p)
	if err == nil {
		return src.Close()
	}
	if !errors.Is(err, ErrDamaged) {
		return err
	}
	f, terr := wb.root.Open(temp)
	if terr != nil {
		return err
	}
	defer f.Close()
	st, terr := f.Stat()
	if terr != nil {
		return err
	}
	if got, terr := hashOf(ctx, f, st.Size()); terr != nil || got != hash {
		return err
	}
	return wb.objects.mend(ctx, hash, &source{f, st.Size(), hash, Entry{Path: p}.Name()})
}

// takeBack makes the files of a committed intent what they were before it, since
// a content it needs is lost. What is neither old nor new stays as it is.
func (wb *Workbench) takeBack(ctx context.Context, in intent, lost *Fault) error {
	dirs := map[string]bool{}
	for i, t := range in.targets {
		if !t.isFile() {
			continue
		}
		dirs[path.Dir(rootName(t.path))] = true
		now, err := wb.hashNow(ctx, t.path)
		if err != nil {
			return err
		}
		switch {
		case now == t.oldHash:
		case now != t.newHash:
			wb.leftAsIs(t)
		case t.oldHash == "":
			err = wb.remove(t.path)
		default:
			if err = wb.putBack(ctx, in.id, i, t.path, t.oldHash); errors.Is(err, ErrDamaged) {
				wb.repaired = append(wb.repaired, fmt.Sprintf("%s could not be taken back and is as the interrupted change made it: %v", t.path, err))
				err = nil
			}
		}
		if err != nil {
			return err
		}
	}
	for _, t := range in.targets {
		switch t.kind {
		case rowDir:
			wb.root.Remove(rootName(t.path)) // not when someone put something into it
		case rowNoDir:
			wb.root.MkdirAll(rootName(t.path), 0o755)
		}
	}
	wb.removeTemps(in)
	if err := wb.syncDirs(dirs); err != nil {
		return err
	}
	wb.repaired = append(wb.repaired, fmt.Sprintf("%s that was interrupted could not be completed and was taken back, so the draft is as before: %s", in.name(), lost.Message))
	return wb.dropIntent(ctx, in.id)
}
