package workshop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"
	"time"

	"atelier/formats"
)

// published is the user's files as they are on disk. It only reads: what
// changes them is a publish.
type published struct{ wb *Workbench }

func readOnly() error {
	return Faultf(Forbidden, "published files change only by publishing a draft")
}

func (v published) Put(context.Context, Path, PutOptions, func(io.Writer) error) (Entry, error) {
	return Entry{}, readOnly()
}
func (v published) Mkdir(context.Context, Path) (Entry, error) { return Entry{}, readOnly() }
func (v published) Remove(context.Context, Path) error         { return readOnly() }
func (v published) Move(context.Context, Path, Path) error     { return readOnly() }
func (v published) Touch(context.Context, Path) (Entry, error) { return Entry{}, readOnly() }

// notFound is the one wording for a path that is not there (W-06).
func notFound(p Path) error { return Faultf(NotFound, "file not found: %s", p) }

func (v published) Stat(ctx context.Context, p Path) (Entry, error) {
	st, err := v.wb.lstat(p)
	if err != nil {
		return Entry{}, err
	}
	e := v.entry(p, st)
	if !e.IsDir && e.Refused == "" {
		e.Hash, err = v.wb.publishedHash(ctx, p)
		if errors.Is(err, ErrNotReadable) {
			e.Refused, err = "unreadable", nil
		}
		if err != nil {
			return e, err
		}
	}
	k, ok, err := v.wb.knownAs(ctx, p)
	e.identify(k, ok)
	return e, err
}

// lstat looks at a published path; a link anywhere in it makes it not found,
// since os.Root refuses to leave and we refuse to follow.
func (wb *Workbench) lstat(p Path) (fs.FileInfo, error) {
	if reserved(p) {
		return nil, notFound(p)
	}
	name := rootName(p)
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		st, err := wb.root.Lstat(dir)
		if err == nil && st.Mode()&fs.ModeSymlink != 0 {
			f := Faultf(Sandbox, "SANDBOX_VIOLATION: %s is behind the link %s, which is not followed", p, dir)
			return nil, f
		}
	}
	st, err := wb.root.Lstat(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
			if gone := wb.checkRoot(); gone != nil {
				return nil, gone
			}
			return nil, notFound(p)
		}
		return nil, fmt.Errorf("cannot look at %s: %w", p, err)
	}
	return st, nil
}

func isNotDir(err error) bool { return strings.Contains(err.Error(), "not a directory") }

func rootName(p Path) string {
	if p == "" {
		return "."
	}
	return string(p)
}

func (v published) entry(p Path, st fs.FileInfo) Entry {
	e := Entry{Path: p, IsDir: st.IsDir(), Modified: st.ModTime()}
	if e.IsDir {
		return e
	}
	e.Size = st.Size()
	e.Kind = formats.KindOfName(e.Name())
	e.MIME = formats.MIMEOfName(e.Name())
	switch m := st.Mode(); {
	case m&fs.ModeSymlink != 0:
		e.Refused = "symlink"
	case !m.IsRegular():
		e.Refused = "special file"
	case e.Size > v.wb.limits.FileBytes:
		e.Refused = "size_limit"
	}
	return e
}

func (v published) List(ctx context.Context, dir Path, opt ListOptions) ([]Entry, error) {
	if dir != "" {
		st, err := v.wb.lstat(dir)
		if err != nil {
			return nil, err
		}
		if !st.IsDir() {
			return nil, Faultf(Invalid, "%s is a file, not a folder", dir)
		}
	}
	if err := v.wb.checkRoot(); err != nil {
		return nil, err
	}
	var out []Entry
	n := 0
	err := fs.WalkDir(v.wb.root.FS(), rootName(dir), func(name string, d fs.DirEntry, err error) error {
		if n++; n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p := Path(name)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // gone while we looked
			}
			if d != nil && d.IsDir() && name != rootName(dir) {
				out = append(out, Entry{Path: p, IsDir: true, Refused: "unreadable"})
				return fs.SkipDir
			}
			return err
		}
		if name == rootName(dir) {
			return nil
		}
		if reserved(p) || litter(d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		st, err := d.Info()
		if err != nil {
			return nil // gone while we looked
		}
		out = append(out, v.entry(p, st))
		if d.IsDir() && !opt.Recursive {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !opt.NoHash {
		for i := range out {
			if out[i].IsDir || out[i].Refused != "" {
				continue
			}
			out[i].Hash, err = v.wb.publishedHash(ctx, out[i].Path)
			switch {
			case errors.Is(err, ErrNotReadable):
				out[i].Refused = "unreadable"
			case err != nil && !IsFault(err, NotFound):
				return nil, err
			}
		}
	}
	if err := v.wb.loadKnown(ctx); err != nil {
		return nil, err
	}
	v.wb.mu.RLock()
	for i := range out {
		k, ok := v.wb.known[out[i].Path]
		out[i].identify(k, ok)
	}
	v.wb.mu.RUnlock()
	sortEntries(out)
	return out, nil
}

func sortEntries(es []Entry) {
	sort.Slice(es, func(i, j int) bool { return es[i].Path < es[j].Path })
}

func (v published) Open(ctx context.Context, p Path) (Source, error) {
	f, st, err := v.wb.openPublished(p)
	if err != nil {
		return nil, err
	}
	hash, err := v.wb.hashFile(ctx, p, f, st)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &source{f, st.Size(), hash, Entry{Path: p}.Name()}, nil
}

// unreadable is a file that is there and cannot be read.
func unreadable(p Path, err error) error {
	f := Faultf(Internal, "cannot open %s: %v", p, err)
	f.Err, f.Paths, f.Hint = errors.Join(ErrNotReadable, err), []string{string(p)}, "make it readable and try again"
	return f
}

// openPublished opens a regular file below the root. The kind is checked before
// and after opening: a FIFO would block, and may take a file's place between.
func (wb *Workbench) openPublished(p Path) (*os.File, fs.FileInfo, error) {
	st, err := wb.lstat(p)
	if err != nil {
		return nil, nil, err
	}
	e := published{wb}.entry(p, st)
	switch {
	case e.IsDir:
		return nil, nil, Faultf(Invalid, "%s is a folder, not a file", p)
	case e.Refused == "symlink":
		return nil, nil, Faultf(Sandbox, "SANDBOX_VIOLATION: %s is a link, which is not followed", p)
	case e.Refused != "":
		return nil, nil, Faultf(Invalid, "%s cannot be opened: %s", p, e.Refused)
	}
	f, err := wb.root.Open(rootName(p))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, notFound(p) // it went meanwhile
	}
	if err != nil {
		return nil, nil, unreadable(p, err)
	}
	now, err := f.Stat()
	if err == nil && !now.Mode().IsRegular() {
		err = Faultf(Invalid, "%s is no longer a regular file", p)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, now, nil
}

// publishedHash is the hash of a published file as it is now.
func (wb *Workbench) publishedHash(ctx context.Context, p Path) (string, error) {
	f, st, err := wb.openPublished(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return wb.hashFile(ctx, p, f, st)
}

// racy is how young a file may be so that it could be written again without
// looking different: the grain of the coarsest clocks of file systems (FAT).
const racy = 2 * time.Second

// hashFile hashes an open file, or takes the hash from the cache when size,
// times and inode are those it was computed for. A change that keeps size and
// modification time still shows in the change time, where there is one; one
// that comes within the clock's grain does not, so the hash of a young file is
// not kept. Decisions about overwriting never rest on the cache (freshHash).
func (wb *Workbench) hashFile(ctx context.Context, p Path, f *os.File, st fs.FileInfo) (string, error) {
	_, ino := inode(st)
	mtime, ctime := st.ModTime(), changeTime(st)
	var hash string
	err := wb.db.QueryRowContext(ctx, `SELECT hash FROM file_hashes WHERE path=? AND size=? AND mtime=? AND ctime=? AND inode=?`,
		string(p), st.Size(), mtime.UnixNano(), ctime, int64(ino)).Scan(&hash)
	if err == nil {
		return hash, nil
	}
	begun := time.Now()
	hash, err = hashOf(ctx, f, st.Size())
	if err != nil {
		return "", fmt.Errorf("cannot read %s: %w", p, err)
	}
	if wb.readOnly || begun.Sub(mtime) <= racy || ctime != 0 && begun.Sub(time.Unix(0, ctime)) <= racy {
		return hash, nil
	}
	// That the cache cannot be written is no reason not to say what the file is.
	if _, err := wb.db.ExecContext(ctx, `INSERT OR REPLACE INTO file_hashes VALUES (?,?,?,?,?,?)`,
		string(p), st.Size(), mtime.UnixNano(), ctime, int64(ino), hash); err != nil {
		wb.log.Debug("a hash cannot be kept", "err", err)
	}
	return hash, nil
}

func hashOf(ctx context.Context, r io.ReaderAt, size int64) (string, error) {
	h := sha256.New()
	buf := make([]byte, 64<<10)
	sr := io.NewSectionReader(r, 0, size)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := sr.Read(buf)
		h.Write(buf[:n])
		if err == io.EOF {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// freshHash hashes a published file whatever the cache says: decisions about
// overwriting rest on it. "" when nothing is there.
func (wb *Workbench) freshHash(ctx context.Context, p Path) (string, error) {
	f, st, err := wb.openPublished(p)
	if IsFault(err, NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	return hashOf(ctx, f, st.Size())
}
