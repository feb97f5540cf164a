package retrieval

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/doctext"
)

// Names knows what clients call files (F-06).
type Names interface {
	DocOf(ctx context.Context, v workshop.View, p workshop.Path) (workshop.DocPath, error)
	FindDoc(ctx context.Context, v workshop.View, doc workshop.DocPath) (workshop.Path, error)
}

// Options of an Index.
type Options struct {
	// Names knows the docPaths of files: the *workshop.Workbench.
	Names Names
	// Wait is how long a query waits for the index to be brought up to date
	// before it answers from what there is; 0 is DefaultWait.
	Wait time.Duration
}

// DefaultWait leaves a tool call time to answer.
const DefaultWait = 3 * time.Second

// Index is the built-in full-text index. It is safe for concurrent use; one
// process has it open at a time, which the lock of the workbench sees to.
type Index struct {
	path string
	docs Extractor
	opt  Options

	ctx    context.Context // of work in the background
	cancel context.CancelFunc

	store sync.RWMutex // held for reading by whoever uses db, for writing to put another in its place
	db    *sql.DB

	mu  sync.Mutex // protects run
	run *update    // in progress, or the last one
}

// Extractor gives the text of a document; an *extract.Cache is one.
type Extractor interface {
	Document(ctx context.Context, src formats.Source) (doctext.Doc, error)
}

// Open opens the index in the file at path, making it where there is none or
// where it is damaged.
func Open(path string, docs Extractor, opt Options) (*Index, error) {
	if opt.Wait <= 0 {
		opt.Wait = DefaultWait
	}
	db, err := openStore(path)
	if err != nil {
		return nil, err
	}
	ix := &Index{path: path, docs: docs, opt: opt, db: db}
	ix.ctx, ix.cancel = context.WithCancel(context.Background())
	return ix, nil
}

// Close ends work in the background and closes the file.
func (ix *Index) Close() error {
	ix.cancel()
	ix.mu.Lock()
	run := ix.run
	ix.mu.Unlock()
	if run != nil {
		<-run.done
	}
	ix.store.Lock()
	defer ix.store.Unlock()
	return ix.db.Close()
}

// Result is the answer to a query.
type Result struct {
	Chunks []Chunk // the best first
	// Pending is how many files the index has still to read; 0 when the answer
	// covers everything.
	Pending int
	Files   int // files with text in the view
	// Note says in words that the answer is not complete, "" when it is.
	Note string
}

// Query brings the index up to date with a view, as far as Options.Wait
// allows, and searches it. Words are looked for in any case and without
// diacritics; "quoted phrases" must occur; word* is any word that begins so.
func (ix *Index) Query(ctx context.Context, view workshop.View, query string, f Filters) (Result, error) {
	for try := 0; ; try++ {
		res, err := ix.query(ctx, view, query, f)
		if err == nil || !isDamaged(err) || try > 0 {
			return res, err
		}
		if err := ix.rebuild(); err != nil {
			return Result{}, err
		}
	}
}

func (ix *Index) query(ctx context.Context, view workshop.View, query string, f Filters) (Result, error) {
	run, err := ix.refresh(ctx, view)
	if err != nil {
		return Result{}, err
	}
	var res Result
	if res.Chunks, err = ix.match(ctx, view, query, f); err != nil {
		return Result{}, err
	}
	if err := ix.name(ctx, view, res.Chunks); err != nil {
		return Result{}, err
	}
	if total, done, walked := run.progress(); !walked {
		res.Note = "the search index is being brought up to date and the files are still being counted: ask again in a moment"
		res.Pending = -1
	} else if res.Files, res.Pending = total, total-done; res.Pending > 0 {
		res.Note = fmt.Sprintf("the search index is still catching up: %d of %d files are in it; what is found may be incomplete, ask again in a moment", done, total)
	}
	return res, nil
}

// Provider is the index as a Provider of chunks of a view.
func (ix *Index) Provider(view workshop.View) Provider { return provider{ix, view} }

type provider struct {
	ix   *Index
	view workshop.View
}

func (p provider) Search(ctx context.Context, query string, f Filters) ([]Chunk, error) {
	res, err := p.ix.Query(ctx, p.view, query, f)
	return res.Chunks, err
}

// refresh brings the index up to date, or as far as the time allows.
func (ix *Index) refresh(ctx context.Context, view workshop.View) (*update, error) {
	timer := time.NewTimer(ix.opt.Wait)
	defer timer.Stop()
	for {
		if err := ix.ctx.Err(); err != nil {
			return nil, workshop.Faultf(workshop.Internal, "the search index is closed")
		}
		run, mine := ix.start(view)
		select {
		case <-run.done:
			if mine {
				return run, run.err
			}
			// It may have looked at the files before they were as they are now.
		case <-timer.C:
			return run, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// start begins an update, unless one is in progress.
func (ix *Index) start(view workshop.View) (run *update, mine bool) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.run != nil && !ix.run.ended() {
		return ix.run, false
	}
	run = &update{ix: ix, view: view, done: make(chan struct{})}
	ix.run = run
	go func() {
		defer close(run.done)
		ix.store.RLock()
		defer ix.store.RUnlock()
		run.err = run.work(ix.ctx, ix.db)
	}()
	return run, true
}

// rebuild throws the file away and begins an empty one.
func (ix *Index) rebuild() error {
	ix.mu.Lock()
	run := ix.run
	ix.mu.Unlock()
	if run != nil {
		<-run.done // it cannot get far
	}
	ix.store.Lock()
	defer ix.store.Unlock()
	ix.db.Close()
	err := removeStore(ix.path)
	if err != nil {
		return err
	}
	ix.db, err = openStore(ix.path)
	return err
}

// Skipped lists files that are not, or not wholly, in the index, with the
// reason; at most limit of them.
func (ix *Index) Skipped(ctx context.Context, limit int) (map[workshop.Path]string, error) {
	ix.store.RLock()
	defer ix.store.RUnlock()
	rows, err := ix.db.QueryContext(ctx, `SELECT path, note FROM files WHERE note<>'' ORDER BY path LIMIT ?`, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[workshop.Path]string{}
	for rows.Next() {
		var p, note string
		if err := rows.Scan(&p, &note); err != nil {
			return nil, err
		}
		out[workshop.Path(p)] = note
	}
	return out, rows.Err()
}

// name gives chunks the docPaths of their files.
func (ix *Index) name(ctx context.Context, view workshop.View, chunks []Chunk) error {
	known := map[workshop.Path]workshop.DocPath{}
	for i := range chunks {
		c := &chunks[i]
		doc, ok := known[c.Path]
		if !ok {
			var err error
			if doc, err = ix.opt.Names.DocOf(ctx, view, c.Path); err != nil {
				return err
			}
			known[c.Path] = doc
		}
		c.DocPath, c.ChunkPath = doc, string(doc)+"#"+c.ChunkPath
	}
	return nil
}
