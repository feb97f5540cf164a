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
	"slices"
	"strings"

	"atelier/formats"
)

// published is the user's files as they are on disk. It only reads: what
// changes them is a publish.
type published struct{ wb *Workbench }

// The reasons why an entry that is not a file is refused.
const (
	refusedLink    = "symlink"
	refusedSpecial = "special file"
)

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

// notFound returns the one wording for a path that is not there (W-06).
func notFound(p Path) error { return Faultf(NotFound, "file not found: %s", p) }

func (v published) Stat(ctx context.Context, p Path) (Entry, error) {
	st, err := v.wb.lstat(p)
	if err != nil {
		return Entry{}, err
	}
	e := v.withKind(v.entry(p, st), inRoot{v.wb.root}, rootName(p), st)
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
	return v.wb.withCalculated(ctx, e, err)
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

// entry returns an entry without its kind, which withKind adds.
func (v published) entry(p Path, st fs.FileInfo) Entry {
	e := Entry{Path: p, IsDir: st.IsDir(), Modified: st.ModTime()}
	if e.IsDir {
		return e
	}
	e.Size = st.Size()
	switch m := st.Mode(); {
	case m&fs.ModeSymlink != 0:
		e.Refused = refusedLink
	case !m.IsRegular():
		e.Refused = refusedSpecial
	case e.Size > v.wb.limits.FileBytes:
		e.Refused = "size_limit"
	}
	return e
}

// withKind adds the kind and media type of a file that is called name in from.
func (v published) withKind(e Entry, from opener, name string, st fs.FileInfo) Entry {
	if !e.IsDir {
		e.setKind(func() formats.Kind { return v.wb.publishedKind(e.Path, from, name, st) })
	}
	return e
}

func sortEntries(es []Entry) {
	slices.SortFunc(es, func(a, b Entry) int { return strings.Compare(string(a.Path), string(b.Path)) })
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

// unreadable returns a file that is there and cannot be read.
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
	case e.Refused == refusedLink:
		return nil, nil, Faultf(Sandbox, "SANDBOX_VIOLATION: %s is a link, which is not followed", p)
	case e.Refused != "":
		return nil, nil, Faultf(Invalid, "%s cannot be opened: %s", p, e.Refused)
	}
	f, err := wb.root.OpenFile(rootName(p), openForReading, 0)
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

// publishedHash returns the hash of a published file as it is now.
func (wb *Workbench) publishedHash(ctx context.Context, p Path) (string, error) {
	f, st, err := wb.openPublished(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return wb.hashFile(ctx, p, f, st)
}

func hashOf(ctx context.Context, r io.ReaderAt, size int64) (string, error) {
	h := sha256.New()
	buf := make([]byte, min(max(size, 1), 64<<10)) // most files are small
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
