package replica

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"time"

	"golang.org/x/sync/errgroup"
)

// removesAtOnce is how many contents are removed at a time.
const removesAtOnce = 8

// snapshot stores the whole state and removes the records before it from the log. r.run is
// held, so that nothing was captured after r.last.
func (r *Replica) snapshot(ctx context.Context) error {
	whole := &Record{Kind: kindSnapshot, Fence: r.fence, Number: r.number}
	upto := r.last
	r.state.Lock() // a comparison may change the looks of files
	for _, dir := range sortedKeys(r.capture.folders) {
		whole.Changes = append(whole.Changes, Change{Op: opDir, Path: dir, Mode: r.capture.folders[dir].mode})
	}
	files := map[string]file{}
	for p, f := range r.capture.files {
		files[p] = *f
	}
	r.state.Unlock()
	named := map[string]bool{}
	for _, p := range sortedKeys(files) {
		ch, err := r.snapshotFile(ctx, p, files[p])
		if errors.Is(err, errChanged) {
			return nil // it waits for the next round, which captures what changed
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if len(ch.Parts) == 0 { // an empty file
			ch.Data, ch.Parts = whole.add(nil), nil
		}
		for _, part := range ch.Parts {
			named[part.Name] = true
		}
		whole.Changes = append(whole.Changes, ch)
	}
	b, err := whole.encode()
	if err != nil {
		return err
	}
	c, err := r.put(ctx, b)
	if err != nil {
		return err
	}
	named[c.Name] = true
	message, err := (&Record{Kind: kindSnapshot, Fence: r.fence, Number: r.number + 1, Snapshot: &c, Upto: upto}).encode()
	if err != nil {
		return err
	}
	n, err := r.append(ctx, r.last, message)
	if err != nil {
		return err
	}
	r.last, r.number = n, r.number+1
	r.logged, r.records = 0, 0
	if err := r.log.Purge(ctx, upto); err != nil {
		return err
	}
	return r.sweep(ctx, named)
}

// snapshotFile is a file of the captured state as a put.
func (r *Replica) snapshotFile(ctx context.Context, p string, f file) (Change, error) {
	at := host(r.capture.dir, p)
	ch := Change{Op: opPut, Path: p, Mode: f.mode, Size: f.look.size}
	var err error
	switch f.nature {
	case paged:
		m, err := f.db.reread()
		if err != nil {
			return ch, err
		}
		defer m.close()
		ch.Size = m.len
		ch.Parts, err = r.parts(ctx, m, m.len)
		return ch, err
	case appended:
		in, err := os.Open(at)
		if err != nil {
			return ch, errChanged
		}
		defer in.Close()
		if st, err := in.Stat(); err != nil || lookOf(st, time.Now()).inode != f.look.inode || st.Size() < f.look.size {
			return ch, errChanged
		}
		ch.Parts, err = r.parts(ctx, in, f.look.size)
		return ch, err
	}
	ch.Hash, ch.MTime = f.hash, f.look.mtime
	sum := &pending{Change: ch, source: at}
	if f.nature == users {
		if object := path.Join(objectsDir, f.hash[:2], f.hash[2:]); r.capture.files[object] != nil {
			sum.source = host(r.capture.dir, object)
		}
	}
	if ch.Size == 0 {
		return ch, nil
	}
	err = r.file(ctx, sum)
	return sum.Change, err
}

// sweep removes the contents that nothing names any more: those that are not in the new
// snapshot, and those that an earlier owner stored and did not name.
func (r *Replica) sweep(ctx context.Context, named map[string]bool) error {
	for hash, c := range r.known {
		if !named[c.Name] {
			delete(r.known, hash)
		}
	}
	names, err := r.store.Names(ctx)
	if err != nil {
		return err
	}
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(removesAtOnce)
	for _, name := range names {
		if fence, ok := fenceOf(name); ok && fence <= r.fence && !named[name] {
			group.Go(func() error { return r.store.Remove(gctx, name) })
		}
	}
	return group.Wait()
}
