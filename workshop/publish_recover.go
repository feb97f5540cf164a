package workshop

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// recover finishes or takes back the intents a crash interrupted and removes
// their temporary files. It runs at open, before anybody sees the workbench,
// and can itself be interrupted and run again.
func (wb *Workbench) recover(ctx context.Context) error {
	pending, committed, err := wb.pendingIntents(ctx)
	if err != nil {
		return err
	}
	for _, in := range pending {
		if committed[in.id] {
			err = wb.rollForward(ctx, in)
		} else {
			wb.removeTemps(in)
			err = wb.dropIntent(ctx, in.id)
			wb.repaired = append(wb.repaired, in.name()+" that was interrupted before it changed anything was taken back; the draft is as before")
		}
		if err != nil {
			return storageFault(fmt.Errorf("%s that was interrupted cannot be repaired yet: %w", in.name(), err))
		}
	}
	return nil
}

// name returns what a person would call an intent.
func (in intent) name() string {
	switch in.reason {
	case ReasonUndo:
		return "an undo"
	case ReasonRestore:
		return "a restore"
	case ReasonLive:
		return "a write"
	case ReasonAdd:
		return "adding a file"
	case ReasonRemove:
		return "removing files"
	}
	return "a publish"
}

// rollForward completes a committed intent. A file that is neither the old
// content nor the new was changed by someone after the crash: it is left as
// they made it, and said.
func (wb *Workbench) rollForward(ctx context.Context, in intent) error {
	if lost, err := wb.lostContent(ctx, in); err != nil || lost != nil {
		if err == nil {
			err = wb.takeBack(ctx, in, lost)
		}
		return err
	}
	dirs := map[string]bool{}
	for _, t := range in.targets {
		dirs[path.Dir(rootName(t.path))] = true
		if t.kind != rowGone {
			continue
		}
		now, err := wb.hashNow(ctx, t.path)
		switch {
		case err != nil:
			return err
		case now == t.oldHash && now != "":
			if err := wb.remove(t.path); err != nil {
				return err
			}
		case now != "" && !in.respelled(t, now):
			wb.leftAsIs(t)
		}
	}
	wb.removeFolders(in.targets)
	for i, t := range in.targets {
		if err := wb.at("recover"); err != nil {
			return err
		}
		if t.kind == rowDir {
			if err := wb.root.MkdirAll(rootName(t.path), 0o755); err != nil {
				return err
			}
		}
		if t.kind != rowFile {
			continue
		}
		now, err := wb.hashNow(ctx, t.path)
		if err != nil {
			return err
		}
		switch now {
		case t.newHash:
		case t.oldHash:
			err = wb.putBack(ctx, in.id, i, t.path, t.newHash)
		default:
			wb.leftAsIs(t)
		}
		if err != nil {
			return err
		}
	}
	wb.removeTemps(in)
	if err := wb.syncDirs(dirs); err != nil {
		return err
	}
	if err := wb.at("recovered"); err != nil {
		return err
	}
	if in.undo != nil {
		wb.repaired = append(wb.repaired, "an undo that was interrupted was completed")
	} else {
		wb.repaired = append(wb.repaired, fmt.Sprintf("%s of %d paths that was interrupted was completed", in.name(), len(in.targets)))
	}
	return wb.finish(ctx, in)
}

// respelled reports whether what is found under the old spelling of a name is
// the file already published under the new one, where case does not count.
func (in intent) respelled(old target, now string) bool {
	return slices.ContainsFunc(in.targets, func(t target) bool {
		return t.kind == rowFile && t.newHash == now && strings.EqualFold(string(t.path), string(old.path))
	})
}

func (wb *Workbench) leftAsIs(t target) {
	wb.repaired = append(wb.repaired, fmt.Sprintf("%s was changed outside after an interrupted publish and was left as it is; what was to be published is in its versions", t.path))
}

// removeTemps removes the temporary files an intent may have left in the
// folders of its targets and above.
func (wb *Workbench) removeTemps(in intent) {
	seen := map[string]bool{}
	for _, t := range in.targets {
		for dir := path.Dir(rootName(t.path)); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			entries, err := fs.ReadDir(wb.root.FS(), dir)
			if err != nil {
				continue
			}
			for _, e := range entries {
				if strings.HasPrefix(e.Name(), tempPrefix+in.id) {
					wb.root.Remove(path.Join(dir, e.Name()))
				}
			}
		}
	}
}
