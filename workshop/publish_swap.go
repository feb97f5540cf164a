package workshop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"atelier/internal/busyfile"
)

// swap puts the new content of an intent's targets in place (steps 4 to 6), or
// takes back what it did.
type swap struct {
	wb   *Workbench
	in   intent
	seen map[Path]look // what the files that are replaced looked like when they were kept

	staged []string // by target: the file that waits to be renamed, "" where none does
	done   []bool   // by target: it is in place
	made   []string // folders made, parents first
	gone   []string // empty folders whose place a file took

	lastDir string // a folder that mkdirs saw or made
}

// look tells whether a file was touched without reading it.
type look struct {
	size   int64
	mtime  time.Time
	number uint64
}

func lookOf(st fs.FileInfo) look {
	_, n := inode(st)
	return look{st.Size(), st.ModTime(), n}
}

// run stages, commits and swaps.
func (s *swap) run(ctx context.Context) error {
	err := s.stage(ctx)
	if err == nil {
		if err = s.wb.at("staged"); err != nil {
			return err
		}
		err = s.wb.commitIntent(ctx, s.in.id)
	}
	if err == nil {
		if err = s.wb.at("committed"); err != nil {
			return err
		}
		if err = s.forward(); err == nil {
			return nil
		}
		if errors.Is(err, errSimulatedCrash) {
			return err
		}
		if uerr := s.back(ctx); uerr != nil {
			s.wb.broken = true
			return storageFault(fmt.Errorf("the publish stopped (%w) and could not be taken back (%w); it is completed before the next change", err, uerr))
		}
	}
	s.unstage()
	if derr := s.wb.dropIntent(ctx, s.in.id); derr != nil {
		s.wb.broken = true
		return storageFault(errors.Join(err, derr))
	}
	return publishError(err)
}

// tempName returns where a target's new content waits: in the folder of the target,
// or the nearest above it that exists, so that taking it back leaves no folder
// behind. It does not hold the target's own name, which may be 255 bytes long
// (K-09).
func (wb *Workbench) tempName(id string, i int, p Path) string {
	dir := path.Dir(rootName(p))
	for dir != "." {
		if st, err := wb.root.Lstat(dir); err == nil && st.IsDir() {
			break
		}
		dir = path.Dir(dir)
	}
	return path.Join(dir, fmt.Sprintf("%s%s-%d", tempPrefix, id, i))
}

// stage writes the new content of every file beside its target.
func (s *swap) stage(ctx context.Context) error {
	s.staged = make([]string, len(s.in.targets))
	return s.wb.sideBySide(len(s.in.targets), func(i int) error {
		t := s.in.targets[i]
		if t.kind != rowFile {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.staged[i] = s.wb.tempName(s.in.id, i, t.path)
		if err := s.wb.writeTemp(ctx, t.newHash, t.path, s.staged[i], s.wb.modeOf(t.path)); err != nil {
			return onPath(t.path, err)
		}
		return s.wb.at("stage")
	})
}

// modeOf returns the permission bits a new file gets: those of the one it replaces.
func (wb *Workbench) modeOf(p Path) fs.FileMode {
	if st, err := wb.root.Lstat(rootName(p)); err == nil && st.Mode().IsRegular() {
		return st.Mode().Perm()
	}
	return 0o644
}

// writeTemp copies a kept content of p to name, synced. What it copies is hashed
// on the way.
func (wb *Workbench) writeTemp(ctx context.Context, hash string, p Path, name string, mode fs.FileMode) error {
	if err := wb.disk("write", name); err != nil {
		return err
	}
	f, err := wb.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = wb.copyKept(ctx, hash, p, f, func() error {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		return f.Truncate(0)
	})
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil && !wb.unsynced {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// disk is called before each change of the user's folder; tests make it fail.
func (wb *Workbench) disk(op, name string) error {
	if wb.diskFault != nil {
		return wb.diskFault(op, name)
	}
	return nil
}

// unstage removes what stage wrote.
func (s *swap) unstage() {
	for _, name := range s.staged {
		if name != "" {
			s.wb.root.Remove(name)
		}
	}
}

// forward does the removals first, so that a folder can take a file's place
// and a name another spelling's, and then puts the staged files in place.
func (s *swap) forward() error {
	s.wb.patience = busyfile.Patience{}
	dirs := map[string]bool{}
	s.done = make([]bool, len(s.in.targets))
	done := func(i int) error {
		s.done[i] = true
		dirs[path.Dir(rootName(s.in.targets[i].path))] = true
		return s.wb.at("swap")
	}
	for i, t := range s.in.targets {
		if t.kind != rowGone {
			continue
		}
		if _, err := s.untouched(t); err != nil {
			return err
		}
		if err := s.wb.remove(t.path); err != nil {
			return onPath(t.path, err)
		}
		if err := done(i); err != nil {
			return err
		}
	}
	s.wb.removeFolders(s.in.targets)
	for i, t := range s.in.targets {
		switch t.kind {
		case rowFile:
			folder, err := s.untouched(t)
			if err != nil {
				return err
			}
			if err := s.mkdirs(path.Dir(rootName(t.path)), dirs); err != nil {
				return onPath(t.path, err)
			}
			if folder {
				s.gone = append(s.gone, rootName(t.path))
			}
			if err := s.wb.renameOver(s.staged[i], rootName(t.path), folder); err != nil {
				return onPath(t.path, err)
			}
		case rowDir:
			if err := s.mkdirs(rootName(t.path), dirs); err != nil {
				return onPath(t.path, err)
			}
		default:
			continue
		}
		if err := done(i); err != nil {
			return err
		}
	}
	return s.wb.syncDirs(dirs)
}

// untouched makes sure, at the last moment, that a target is still what was
// kept of it. folder reports that a folder is there, which goes if it is empty.
func (s *swap) untouched(t target) (folder bool, err error) {
	st, err := s.wb.root.Lstat(rootName(t.path))
	before, was := s.seen[t.path]
	switch {
	case err == nil && was && lookOf(st) == before:
		return false, nil
	case err == nil && !was && st.IsDir():
		return true, nil
	case errors.Is(err, fs.ErrNotExist) && !was, err != nil && isNotDir(err) && !was:
		return false, nil
	}
	return false, beingChanged(t.path)
}

func beingChanged(p Path) error {
	f := Faultf(Conflict, "%s is being changed by another program; nothing was published", p)
	f.Paths, f.Retryable, f.Hint = []string{string(p)}, true, "wait until it is saved there, look at the review again, and publish again"
	return f
}

// mkdirs makes a folder and those above it, noting what it made.
func (s *swap) mkdirs(dir string, dirs map[string]bool) error {
	if dir == "." || dir == s.lastDir { // most files have the folder of the one before
		return nil
	}
	if st, err := s.wb.root.Lstat(dir); err == nil && st.IsDir() {
		s.lastDir = dir
		return nil
	}
	if err := s.mkdirs(path.Dir(dir), dirs); err != nil {
		return err
	}
	if err := s.wb.disk("mkdir", dir); err != nil {
		return err
	}
	if err := s.wb.root.Mkdir(dir, 0o755); err != nil {
		return err
	}
	s.lastDir = dir
	s.made = append(s.made, dir)
	dirs[path.Dir(dir)] = true
	return nil
}

func (wb *Workbench) remove(p Path) error {
	if err := wb.disk("remove", rootName(p)); err != nil {
		return err
	}
	return ignoreMissing(wb.patience.Do(func() error { return wb.root.Remove(rootName(p)) }))
}

func (wb *Workbench) rename(from, to string) error {
	st, err := wb.root.Lstat(to)
	return wb.renameOver(from, to, err == nil && st.IsDir())
}

// renameOver is rename where it is known whether a folder has the name.
func (wb *Workbench) renameOver(from, to string, folder bool) error {
	if err := wb.disk("rename", to); err != nil {
		return err
	}
	if folder {
		wb.root.Remove(to) // an empty one, or the rename fails
	}
	return wb.patience.Do(func() error { return wb.root.Rename(from, to) })
}

// removeFolders removes the folders of targets, the deepest first. A folder
// that someone put a file into meanwhile stays.
func (wb *Workbench) removeFolders(targets []target) {
	var dirs []string
	for _, t := range targets {
		if t.kind == rowNoDir {
			dirs = append(dirs, rootName(t.path))
		}
	}
	slices.Sort(dirs)
	for _, d := range slices.Backward(dirs) {
		if wb.root.Remove(d) != nil && wb.dropCaches(d) {
			wb.root.Remove(d)
		}
	}
}

// dropCaches removes what file managers keep in a folder for themselves, so
// that the folder can go; false when there is anything else, and all stays.
func (wb *Workbench) dropCaches(dir string) bool {
	f, err := wb.root.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	names, err := f.Readdirnames(8)
	if err != nil || slices.ContainsFunc(names, func(n string) bool { return !cache(n) }) {
		return false
	}
	for _, n := range names {
		wb.root.Remove(path.Join(dir, n))
	}
	return len(names) > 0
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (wb *Workbench) syncDirs(dirs map[string]bool) error {
	if onWindows || wb.unsynced {
		return nil
	}
	for name := range dirs {
		d, err := wb.root.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = d.Sync()
		d.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// back takes what forward reached to the old content. A file that is not what
// forward made of it was changed by someone meanwhile and stays as it is.
func (s *swap) back(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	wb := s.wb
	wb.patience = busyfile.Patience{}
	old := func(i int) error {
		t := s.in.targets[i]
		now, err := wb.hashNow(ctx, t.path)
		switch {
		case err != nil || now != t.newHash:
			return err
		case t.oldHash == "":
			return wb.remove(t.path)
		}
		return wb.putBack(ctx, s.in.id, i, t.path, t.oldHash)
	}
	for i, t := range s.in.targets {
		if s.done[i] && t.kind == rowFile && t.oldHash == "" {
			if err := old(i); err != nil {
				return onPath(t.path, err)
			}
		}
	}
	for _, dir := range slices.Backward(s.made) {
		wb.root.Remove(dir) // not when someone put something into it
	}
	for _, dir := range s.gone {
		wb.root.MkdirAll(dir, 0o755)
	}
	for i, t := range s.in.targets {
		if s.done[i] && t.isFile() && t.oldHash != "" {
			if err := old(i); err != nil {
				return onPath(t.path, err)
			}
		}
	}
	for _, t := range s.in.targets {
		if t.kind == rowNoDir {
			wb.root.MkdirAll(rootName(t.path), 0o755)
		}
	}
	return nil
}

// putBack makes a file hold the content of an object.
func (wb *Workbench) putBack(ctx context.Context, id string, i int, p Path, hash string) error {
	name := wb.tempName(id, i, p) + "-b"
	mode := wb.modeOf(p)
	if err := wb.root.MkdirAll(path.Dir(rootName(p)), 0o755); err != nil {
		return err
	}
	err := wb.writeTemp(ctx, hash, p, name, mode)
	if err == nil {
		err = wb.rename(name, rootName(p))
	}
	if err != nil {
		wb.root.Remove(name)
	}
	return err
}

// hashNow is freshHash, "" also where a folder is.
func (wb *Workbench) hashNow(ctx context.Context, p Path) (string, error) {
	if wb.isFolder(p) {
		return "", nil
	}
	return wb.freshHash(ctx, p)
}
