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
	"path/filepath"
	"sync"

	"atelier/internal/quote"
)

// ErrDamaged is in the fault of something kept that is not what was written, or
// that is gone: a content, the state database.
var ErrDamaged = errors.New("what was kept is damaged")

// damage says what is wrong with one kept content.
type damage struct {
	hash string
	what string
	err  error // of the file system, nil when the bytes are others
}

func (d *damage) Error() string   { return "the kept content " + d.hash + " " + d.what }
func (d *damage) Unwrap() []error { return []error{ErrDamaged, d.err} }

func damageOf(hash string, err error) *damage {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &damage{hash, "is missing", err}
	case err != nil:
		return &damage{hash, fmt.Sprintf("cannot be read: %v", err), err}
	}
	return &damage{hash, "is damaged: its bytes are not those that were kept", nil}
}

// maxSound bounds how many contents a process remembers to be whole.
const maxSound = 1 << 16

// soundness remembers which contents this process has found whole, by how their
// files looked then, so that one that is read often is hashed once.
type soundness struct {
	mu sync.Mutex
	m  map[string]looks
}

func newSoundness() *soundness { return &soundness{m: map[string]looks{}} }

func (s *soundness) knows(hash string, st fs.FileInfo) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.m[hash]
	return ok && l == looksOf(st)
}

func (s *soundness) keep(hash string, st fs.FileInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.m) >= maxSound {
		clear(s.m)
	}
	s.m[hash] = looksOf(st)
}

// openRaw opens an object without looking at its bytes.
func (o objects) openRaw(hash string) (*os.File, fs.FileInfo, error) {
	if len(hash) != 64 {
		return nil, nil, fmt.Errorf("object %q has no valid hash", hash)
	}
	f, err := os.Open(o.path(hash))
	if err != nil {
		return nil, nil, damageOf(hash, err)
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, nil, damageOf(hash, err)
	}
	return f, st, nil
}

// open opens an object under the name of the file it is the content of, after it
// has made sure that its bytes are those of the hash.
func (o objects) open(ctx context.Context, hash, name string) (*source, error) {
	f, st, err := o.openRaw(hash)
	if err != nil {
		return nil, err
	}
	if !o.sound.knows(hash, st) {
		got, err := hashOf(ctx, f, st.Size())
		if err == nil && got == hash {
			o.sound.keep(hash, st)
		} else if ctx.Err() == nil {
			f.Close()
			return nil, damageOf(hash, err)
		} else {
			f.Close()
			return nil, ctx.Err()
		}
	}
	return &source{f, st.Size(), hash, name}, nil
}

// check returns the error that open would give. nil: the object is whole.
func (o objects) check(ctx context.Context, hash string) error {
	src, err := o.open(ctx, hash, "")
	if err == nil {
		src.Close()
	}
	return err
}

// copyTo copies an object to w, reading it once, and says afterwards whether what
// it copied is what was kept. It never trusts what it remembers.
func (o objects) copyTo(ctx context.Context, hash string, w io.Writer) error {
	f, st, err := o.openRaw(hash)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	from := &readError{r: &contextReader{ctx, f}}
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(w, h)}, from, make([]byte, min(max(st.Size(), 1), 256<<10))); err != nil {
		if from.err != nil && ctx.Err() == nil {
			return damageOf(hash, from.err)
		}
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != hash {
		return damageOf(hash, nil)
	}
	o.sound.keep(hash, st)
	return nil
}

// readError remembers that reading failed, to tell it from writing.
type readError struct {
	r   io.Reader
	err error
}

func (r *readError) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r *contextReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}

// openKept opens a kept content of p. One that is damaged is had from elsewhere
// if it can be, and told; otherwise the fault names the file and the version.
func (wb *Workbench) openKept(ctx context.Context, hash string, p Path) (Source, error) {
	src, err := wb.objects.open(ctx, hash, Entry{Path: p}.Name())
	if err == nil {
		return src, nil
	}
	var d *damage
	if !errors.As(err, &d) {
		return nil, err
	}
	from, err := wb.elsewhere(ctx, hash, p)
	if err != nil {
		return nil, err
	}
	if from == nil {
		return nil, wb.damagedContent(ctx, d, p)
	}
	wb.replaceDamaged(ctx, d, p, from)
	return from, nil
}

// copyKept copies a kept content of p to a new file, which renew empties when what
// was written to it is worthless.
func (wb *Workbench) copyKept(ctx context.Context, hash string, p Path, w io.Writer, renew func() error) error {
	err := wb.objects.copyTo(ctx, hash, w)
	var d *damage
	if !errors.As(err, &d) {
		return err
	}
	from, err := wb.elsewhere(ctx, hash, p)
	if err != nil {
		return err
	}
	if from == nil {
		return wb.damagedContent(ctx, d, p)
	}
	defer from.Close()
	wb.replaceDamaged(ctx, d, p, from)
	if err := renew(); err != nil {
		return err
	}
	h := sha256.New()
	if err := copyOf(from)(io.MultiWriter(w, h)); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != hash {
		return wb.damagedContent(ctx, d, p) // changed while it was copied
	}
	return nil
}

// damagedContent returns the fault of a content of p that nothing else holds.
func (wb *Workbench) damagedContent(ctx context.Context, d *damage, p Path) error {
	of := wb.versionOf(ctx, d.hash, p)
	f := Faultf(Internal, "the kept content of %s (%s, SHA-256 %.12s…) %s; no other copy of it was found, and nothing was copied from it", p, of.words, d.hash, d.what)
	f.Err, f.Paths = d, []string{string(p)}
	all := fmt.Sprintf("; everything that is damaged is named by: atelier doctor --in %s", quote.Argument(wb.info.Root))
	if of.draft {
		f.Hint = "drop this change (atelier discard " + string(p) + ") and have it made again; the other files of the draft can be published by name" + all
	} else {
		f.Hint = "other versions of the file can still be had: atelier log " + string(p) + all
	}
	return f
}

// versionName says which content of a file something is.
type versionName struct {
	words string
	draft bool
}

// versionOf names the content of p with a hash: the draft, or a version.
func (wb *Workbench) versionOf(ctx context.Context, hash string, p Path) versionName {
	if r, ok := (draftView{wb: wb}).overlay(p); ok && r.hash == hash {
		return versionName{"the draft", true}
	}
	var id, at string
	err := wb.db.QueryRowContext(ctx, `SELECT id, at FROM versions WHERE hash=?1 ORDER BY path<>?2, rowid LIMIT 1`, hash, string(p)).Scan(&id, &at)
	if err == nil {
		return versionName{fmt.Sprintf("version %s of %s", id, at), false}
	}
	err = wb.db.QueryRowContext(ctx, `SELECT c.id, c.at FROM snapshot_entries s JOIN checkpoints c ON c.id=s.checkpoint_id WHERE s.hash=? LIMIT 1`, hash).Scan(&id, &at)
	if err == nil {
		return versionName{fmt.Sprintf("checkpoint %s of %s", id, at), false}
	}
	return versionName{words: "an earlier state"}
}

// elsewhere looks for a content outside the store: in a published file, and in
// the stores of the user's other folders. nil: it is nowhere.
func (wb *Workbench) elsewhere(ctx context.Context, hash string, p Path) (Source, error) {
	name := Entry{Path: p}.Name()
	for _, q := range append([]Path{p}, wb.sameSize(ctx, hash)...) {
		f, st, err := wb.openPublished(q)
		if err != nil {
			continue
		}
		if got, err := hashOf(ctx, f, st.Size()); err == nil && got == hash {
			return &source{f, st.Size(), hash, name}, nil
		}
		f.Close()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	others, _ := filepath.Glob(filepath.Join(filepath.Dir(wb.dir), "*", "objects", hash[:2], hash[2:]))
	for _, path := range others {
		other := wb.objects
		if other.dir = filepath.Dir(filepath.Dir(path)); other.dir == wb.objects.dir {
			continue
		}
		other.sound = newSoundness()
		if src, err := other.open(ctx, hash, name); err == nil {
			return src, nil
		}
	}
	return nil, ctx.Err()
}

// sameSize lists the published files that are as long as a content was, or as its
// damaged file is.
func (wb *Workbench) sameSize(ctx context.Context, hash string) []Path {
	sizes := map[int64]bool{wb.objects.size(hash): true}
	rs, err := wb.db.QueryContext(ctx, `SELECT size FROM versions WHERE hash=?1 UNION SELECT size FROM draft_entries WHERE hash=?1
		UNION SELECT size FROM snapshot_entries WHERE hash=?1 UNION SELECT size FROM revision_entries WHERE hash=?1`, hash)
	if err == nil {
		defer rs.Close()
		for rs.Next() {
			var n int64
			if rs.Scan(&n) == nil {
				sizes[n] = true
			}
		}
		rs.Close()
	}
	files, err := wb.Published().List(ctx, "", ListOptions{Recursive: true, NoHash: true})
	if err != nil {
		return nil // there are the other folders' stores
	}
	var out []Path
	for _, e := range files {
		if !e.IsDir && e.Refused == "" && sizes[e.Size] {
			out = append(out, e.Path)
		}
	}
	return out
}

// replaceDamaged puts a whole content in place of a damaged one, where this
// process may write, and tells where it came from.
func (wb *Workbench) replaceDamaged(ctx context.Context, d *damage, p Path, from Source) {
	what := "it was used instead"
	if !wb.readOnly {
		if err := wb.objects.mend(ctx, d.hash, from); err == nil {
			what = "it was used instead, and kept anew"
		}
	}
	where := "another folder's store"
	if s, ok := from.(*source); ok && !inside(filepath.Dir(wb.dir), s.f.Name()) {
		where = "a published file"
	}
	wb.tell(fmt.Sprintf("the kept content of %s (%s) %s; %s holds the same content, and %s", p, wb.versionOf(ctx, d.hash, p).words, d.what, where, what))
}

// mend stores a content again.
func (o objects) mend(ctx context.Context, hash string, from Source) error {
	got, _, err := o.put(ctx, from.Size(), copyOf(from))
	if err == nil && got != hash {
		err = damageOf(hash, nil)
	}
	return err
}

// maxTold bounds what is remembered to be told.
const maxTold = 100

// tell notes what a person has to know of a change or a read that went well.
func (wb *Workbench) tell(what string) {
	wb.onTold(what)
	wb.mu.Lock()
	defer wb.mu.Unlock()
	if len(wb.told) < maxTold {
		wb.told = append(wb.told, what)
	}
}

// Told returns what there was to tell since it was asked last: contents that were
// damaged and had from elsewhere, and replaced files that are open elsewhere.
func (wb *Workbench) Told() []string {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	told := wb.told
	wb.told = nil
	return told
}
