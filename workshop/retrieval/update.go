package retrieval

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"atelier/formats"
	"atelier/internal/budget"
	"atelier/workshop"
)

const (
	saveFiles   = 64                     // maximum files in a transaction
	saveEvery   = 500 * time.Millisecond // text that was read is in the index after this time
	saveBytes   = 8 << 20                // bytes of text in a transaction
	fileTimeout = 2 * time.Minute        // for one file; after it the file is left out with a note
)

// update is one update of the index.
type update struct {
	ix   *Index
	view workshop.View
	done chan struct{}
	err  error // set when done

	known map[workshop.Path]stored // what the index had before; not modified

	mu     sync.Mutex // protects the fields below
	walked bool
	total  int // files with text
	read   int // how many of them are in the index
}

func (u *update) ended() bool {
	select {
	case <-u.done:
		return true
	default:
		return false
	}
}

func (u *update) progress() (total, read int, walked bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.total, u.read, u.walked
}

// run compares the files with the index and reads new ones.
func (u *update) run(ctx context.Context, db *sql.DB) error {
	known, err := loadFiles(ctx, db)
	if err != nil {
		return err
	}
	u.known = known
	todo, gone, err := u.compare(ctx, known)
	if err != nil {
		return err
	}
	if err := u.settleGone(ctx, db, known, &todo, gone); err != nil {
		return err
	}
	return u.readAll(ctx, db, todo)
}

// compare returns the files that are new or look changed, and those that no
// longer exist.
func (u *update) compare(ctx context.Context, known map[workshop.Path]stored) (todo []workshop.Entry, gone []workshop.Path, err error) {
	there := make(map[workshop.Path]bool, len(known))
	same := 0
	err = eachFile(ctx, u.view, func(e workshop.Entry) {
		if !indexable(e) {
			return
		}
		there[e.Path] = true
		if k, ok := known[e.Path]; ok && k.size == e.Size && k.mtime == e.Modified.UnixNano() {
			same++
			return
		}
		todo = append(todo, e)
	})
	if err != nil {
		return nil, nil, err
	}
	for p := range known {
		if !there[p] {
			gone = append(gone, p)
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.walked, u.total, u.read = true, len(there), same
	return todo, gone, nil
}

// eachFile visits the files of a view without hashing them.
func eachFile(ctx context.Context, v workshop.View, visit func(workshop.Entry)) error {
	ex, ok := v.(workshop.Explorer)
	if !ok {
		es, err := v.List(ctx, "", workshop.ListOptions{Recursive: true, NoHash: true})
		for _, e := range es {
			if !e.IsDir {
				visit(e)
			}
		}
		return err
	}
	f, err := ex.Explore(ctx, "")
	if err != nil {
		return err
	}
	return eachIn(ctx, f, visit)
}

func eachIn(ctx context.Context, f workshop.Folder, visit func(workshop.Entry)) error {
	defer f.Close()
	for _, it := range f.Items() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !it.IsDir {
			if e, err := f.Info(it); err == nil && it.Regular { // else deleted in the meantime
				visit(e)
			}
			continue
		}
		sub, err := f.Folder(ctx, it)
		if err != nil {
			continue // deleted, or no permission to read it
		}
		if err := eachIn(ctx, sub, visit); err != nil {
			return err
		}
	}
	return nil
}

// settleGone removes files that no longer exist from the index. A file that
// only moved passes its passages on, so that it is not read again.
func (u *update) settleGone(ctx context.Context, db *sql.DB, known map[workshop.Path]stored, todo *[]workshop.Entry, gone []workshop.Path) error {
	if len(gone) == 0 {
		return nil
	}
	bySize := map[int64][]workshop.Path{}
	var batch []indexed
	for _, p := range gone {
		bySize[known[p].size] = append(bySize[known[p].size], p)
	}
	rest := (*todo)[:0:0]
	for _, e := range *todo {
		from, hash, err := u.movedFrom(ctx, e, bySize[e.Size], known)
		if err != nil {
			return err
		}
		if from == "" {
			rest = append(rest, e)
			continue
		}
		batch = append(batch, indexed{path: e.Path, size: e.Size, mtime: storedTime(e), hash: hash, from: from})
	}
	moved := len(batch)
	for _, p := range gone {
		batch = append(batch, indexed{path: p, gone: true})
	}
	if err := saveIndexed(ctx, db, batch); err != nil {
		return err
	}
	*todo = rest
	u.addRead(moved)
	return nil
}

// movedFrom returns the path among candidates that had the content of a file,
// or "".
func (u *update) movedFrom(ctx context.Context, e workshop.Entry, candidates []workshop.Path, known map[workshop.Path]stored) (from workshop.Path, hash string, err error) {
	if len(candidates) == 0 {
		return "", "", nil
	}
	src, err := u.view.Open(ctx, e.Path)
	if err != nil {
		return "", "", ctx.Err() // reading the file will report the error
	}
	defer src.Close()
	for _, p := range candidates {
		// The name determines how content is read and split.
		if known[p].hash == src.Hash() && sameKind(p, e.Path) {
			return p, src.Hash(), nil
		}
	}
	return "", "", nil
}

func (u *update) addRead(n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.read += n
}

// readAll reads files in parallel and stores them as they arrive.
func (u *update) readAll(ctx context.Context, db *sql.DB, todo []workshop.Entry) error {
	if len(todo) == 0 {
		return nil
	}
	g, ctx := errgroup.WithContext(ctx)
	next, read := make(chan workshop.Entry), make(chan indexed)
	g.Go(func() error {
		defer close(next)
		for _, e := range todo {
			select {
			case next <- e:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	readers, rctx := errgroup.WithContext(ctx)
	for range min(runtime.GOMAXPROCS(0), 4) {
		readers.Go(func() error {
			for e := range next {
				f, err := u.readOne(rctx, e)
				if err != nil {
					return err
				}
				select {
				case read <- f:
				case <-rctx.Done():
					return rctx.Err()
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		defer close(read)
		return readers.Wait()
	})
	g.Go(func() error { return u.saveAll(ctx, db, read) })
	return g.Wait()
}

// saveAll stores files in batches.
func (u *update) saveAll(ctx context.Context, db *sql.DB, read <-chan indexed) error {
	var batch []indexed
	size, since := 0, time.Now()
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		if err := saveIndexed(ctx, db, batch); err != nil {
			return err
		}
		u.addRead(len(batch))
		batch, size, since = nil, 0, time.Now()
		return nil
	}
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	for {
		select {
		case f, ok := <-read:
			if !ok {
				return flush()
			}
			batch = append(batch, f)
			for _, p := range f.pieces {
				size += len(p.text)
			}
			if len(batch) < saveFiles && size < saveBytes && time.Since(since) < saveEvery {
				continue
			}
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := flush(); err != nil {
			return err
		}
	}
}

// storedTime returns the modification time of a file to store. It is 0 for a
// file that was written just now, because a second write within the
// resolution of the clock would look the same; the file is then checked
// again.
func storedTime(e workshop.Entry) int64 {
	if time.Since(e.Modified) < 2*time.Second {
		return 0
	}
	return e.Modified.UnixNano()
}

// readOne reads a file and splits it. A problem of the file becomes a note,
// not an error.
func (u *update) readOne(ctx context.Context, e workshop.Entry) (f indexed, err error) {
	f = indexed{path: e.Path, size: e.Size, mtime: storedTime(e)}
	fctx, cancel := context.WithTimeoutCause(ctx, fileTimeout, errSlow)
	defer cancel()
	src, err := u.view.Open(fctx, e.Path)
	if err != nil {
		if workshop.IsFault(err, workshop.NotFound) {
			f.gone = true // deleted in the meantime
			return f, nil
		}
		return u.noteFailure(ctx, f, err)
	}
	defer src.Close()
	f.hash = src.Hash()
	if k, ok := u.known[e.Path]; ok && k.hash == f.hash {
		f.same = true
		return f, nil
	}
	defer func() {
		if r := recover(); r != nil { // a document must not crash the program
			f.pieces, f.note, err = nil, fmt.Sprintf("its text cannot be extracted: %v", r), nil
		}
	}()
	d, err := u.ix.docs.Document(fctx, src)
	if err != nil {
		if errors.Is(context.Cause(fctx), errSlow) {
			err = errSlow
		}
		return u.noteFailure(ctx, f, err)
	}
	f.pieces, f.note = split(e.Name(), d), noteOf(d)
	return f, nil
}

var errSlow = fmt.Errorf("its text could not be extracted within %s", fileTimeout)

func (u *update) noteFailure(ctx context.Context, f indexed, err error) (indexed, error) {
	if ctx.Err() != nil {
		return f, ctx.Err()
	}
	if formats.Passing(err) || errors.As(err, new(*budget.WaitError)) {
		f.hash = "" // the same content may be read another time
	}
	if f.hash == "" { // its attributes may not change when it can be read
		f.mtime = 0
	}
	if formats.CodeOf(err) != formats.CodeUnsupported { // for other files nothing is missing
		f.note = err.Error()
	}
	return f, nil
}
