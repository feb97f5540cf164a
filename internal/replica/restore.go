package replica

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// tempName begins the name of a file that a restore is writing.
const tempName = "tmp-restore-"

// restoresAtOnce is how many contents are fetched at a time.
const restoresAtOnce = 16

// restorer makes a state folder out of a snapshot and records.
type restorer struct {
	dir   string
	store Contents
	local string // a folder of objects that may have contents; "": none
}

// apply makes the changes of one record. The contents come first: a later change of the
// record may remove the file that has one.
func (r *restorer) apply(ctx context.Context, rec *Record) error {
	ready := make([]string, len(rec.Changes)) // temporary files with contents
	same := map[string]string{}
	// A put without content has that of another put of the record, or of an object.
	for _, without := range []bool{false, true} {
		group, gctx := errgroup.WithContext(ctx)
		group.SetLimit(restoresAtOnce)
		for i := range rec.Changes {
			ch := &rec.Changes[i]
			if ch.Op != opPut || (ch.Data == nil && ch.Parts == nil) != without {
				continue
			}
			ready[i] = filepath.Join(r.dir, fmt.Sprint(tempName, i))
			group.Go(func() error {
				if err := r.content(gctx, rec, ch, ready[i], same); err != nil {
					return fmt.Errorf("%s cannot be restored: %w", ch.Path, err)
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for i := range rec.Changes {
			if hash := rec.Changes[i].Hash; ready[i] != "" && hash != "" {
				same[hash] = ready[i]
			}
		}
	}
	for i := range rec.Changes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.change(rec, &rec.Changes[i], ready[i]); err != nil {
			return fmt.Errorf("%s cannot be restored: %w", rec.Changes[i].Path, err)
		}
	}
	return nil
}

// content writes the content of a put to a file.
func (r *restorer) content(ctx context.Context, rec *Record, ch *Change, name string, same map[string]string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	w := io.MultiWriter(f, h)
	switch {
	case ch.Data != nil:
		b, err := rec.bytes(ch.Data)
		if err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	case ch.Parts != nil:
		for _, part := range ch.Parts {
			if err := r.copyPart(ctx, w, part); err != nil {
				return err
			}
		}
	default:
		from := same[ch.Hash]
		if from == "" && len(ch.Hash) == 64 {
			from = r.object(r.dir, ch.Hash)
		}
		if err := copyFile(w, from); err != nil {
			return err
		}
	}
	if ch.Hash != "" && hex.EncodeToString(h.Sum(nil)) != ch.Hash {
		return fmt.Errorf("%w: its content has another SHA-256", ErrDamaged)
	}
	return f.Close()
}

func (r *restorer) object(dir, hash string) string {
	return filepath.Join(dir, objectsDir, hash[:2], hash[2:])
}

// copyPart copies a content, from this machine where it is here.
func (r *restorer) copyPart(ctx context.Context, w io.Writer, c Content) error {
	if r.local != "" && len(c.Hash) == 64 {
		if b, err := os.ReadFile(r.object(r.local, c.Hash)); err == nil && int64(len(b)) == c.Size {
			if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) == c.Hash {
				_, err := w.Write(b)
				return err
			}
		}
	}
	in, err := openContent(ctx, r.store, c)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(w, in)
	return err
}

func copyFile(w io.Writer, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// change makes one change; tmp has the content of a put.
func (r *restorer) change(rec *Record, ch *Change, tmp string) error {
	at, err := r.place(ch.Path)
	if err != nil {
		return err
	}
	switch ch.Op {
	case opPut:
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if st, err := os.Lstat(at); err == nil && st.IsDir() {
			if err := os.RemoveAll(at); err != nil {
				return err
			}
		}
		if err := os.Chmod(tmp, ch.Mode); err != nil {
			return err
		}
		if ch.MTime != 0 {
			if err := os.Chtimes(tmp, time.Time{}, time.Unix(0, ch.MTime)); err != nil {
				return err
			}
		}
		return os.Rename(tmp, at)
	case opAppend:
		b, err := rec.bytes(ch.Data)
		if err != nil {
			return err
		}
		return writeAt(at, ch.Size-int64(len(b)), b, ch.Size)
	case opPages:
		return r.pages(rec, ch, at)
	case opMove:
		from, err := r.place(ch.From)
		if err != nil {
			return err
		}
		return os.Rename(from, at)
	case opDir:
		if err := os.MkdirAll(at, 0o700); err != nil {
			return err
		}
		return os.Chmod(at, ch.Mode)
	case opRemove:
		if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return fmt.Errorf("the log has an operation %q that this version of the program does not know", ch.Op)
}

// place returns a path on the host; it is inside the folder.
func (r *restorer) place(p string) (string, error) {
	if p == "" || path.Clean("/"+p) != "/"+p || strings.Contains(p, "\\") && filepath.Separator == '\\' {
		return "", fmt.Errorf("the log has a path %q outside the folder", p)
	}
	return host(r.dir, p), nil
}

// writeAt writes bytes at a place of a file, which then has size bytes.
func writeAt(name string, at int64, b []byte, size int64) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if at < 0 || at > st.Size() {
		return fmt.Errorf("%w: the log misses bytes of it", ErrDamaged)
	}
	if _, err := f.WriteAt(b, at); err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Close())
}

// pages writes the pages of a database.
func (r *restorer) pages(rec *Record, ch *Change, at string) error {
	b, err := rec.bytes(ch.Data)
	if err != nil {
		return err
	}
	p := ch.Pages
	if p == nil || p.Size < 512 || len(b) != p.Size*len(p.Numbers) {
		return fmt.Errorf("%w: the log has pages without their content", ErrDamaged)
	}
	f, err := os.OpenFile(at, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for i, n := range p.Numbers {
		if n == 0 || n > p.Count {
			return fmt.Errorf("%w: the log has a page that the database does not have", ErrDamaged)
		}
		if _, err := f.WriteAt(b[i*p.Size:(i+1)*p.Size], int64(n-1)*int64(p.Size)); err != nil {
			return err
		}
	}
	return errors.Join(f.Truncate(int64(p.Count)*int64(p.Size)), f.Close())
}

// State is what a restore found in the log.
type State struct {
	Last    uint64 // number of the last message; 0: the log is empty
	Fence   uint64 // the highest ownership
	Records int    // that were applied after the snapshot
	known   map[string]Content
	logged  int64 // bytes of the records after the snapshot
	base    uint64
}

// Restore makes the state folder dir, which must not exist, as the log says. local is an
// older state folder of the same workspace on this machine, whose objects are not fetched
// again where they are undamaged; "": none. Where the log is empty it makes no folder. The
// folder is not synced: after a power failure it is restored again.
func Restore(ctx context.Context, log Log, store Contents, dir, local string) (*State, error) {
	st := &State{known: map[string]Content{}}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	r := &restorer{dir: dir, store: store, local: local}
	err := r.all(ctx, log, st)
	if err == nil && st.Last > 0 {
		err = sweepTemps(dir)
	}
	if err != nil || st.Last == 0 {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return st, err
}

// all reads the log: first for its newest snapshot, then for what came after it.
func (r *restorer) all(ctx context.Context, log Log, st *State) error {
	var snapshot *Record
	var err error
	st.Last, err = log.Read(ctx, func(number uint64, message []byte) error {
		rec, err := decode(message)
		if err != nil {
			return err
		}
		if rec.Kind == kindSnapshot {
			snapshot = rec
		}
		st.Fence = max(st.Fence, rec.Fence)
		return nil
	})
	if err != nil || st.Last == 0 {
		return err
	}
	if snapshot != nil {
		if err := r.snapshot(ctx, snapshot, st); err != nil {
			return err
		}
	}
	_, err = log.Read(ctx, func(number uint64, message []byte) error {
		if number <= st.base || number > st.Last {
			return nil
		}
		rec, err := decode(message)
		if err != nil {
			return err
		}
		if rec.Payload != nil {
			if rec, err = r.payload(ctx, *rec.Payload, st); err != nil {
				return err
			}
		}
		st.Records++
		st.logged += int64(len(message))
		if rec.Kind != kindChange {
			return nil
		}
		st.note(rec)
		return r.apply(ctx, rec)
	})
	return err
}

func (st *State) note(rec *Record) {
	for _, ch := range rec.Changes {
		for _, part := range ch.Parts {
			st.known[part.Hash] = part
		}
	}
}

// snapshot restores the whole state that a record names.
func (r *restorer) snapshot(ctx context.Context, rec *Record, st *State) error {
	if rec.Snapshot == nil {
		return fmt.Errorf("%w: the log has a snapshot without content", ErrDamaged)
	}
	st.base = rec.Upto
	whole, err := r.payload(ctx, *rec.Snapshot, st)
	if err != nil {
		return fmt.Errorf("the snapshot cannot be read: %w", err)
	}
	st.note(whole)
	return r.apply(ctx, whole)
}

// payload reads a record that is in the store.
func (r *restorer) payload(ctx context.Context, c Content, st *State) (*Record, error) {
	in, err := openContent(ctx, r.store, c)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(in, maxRecord)); err != nil {
		return nil, err
	}
	st.known[c.Hash] = c
	return decode(b.Bytes())
}

// sweepTemps removes what apply left of temporary files.
func sweepTemps(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, tempName+"*"))
	for _, name := range left {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}
