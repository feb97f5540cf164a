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

// Names maps files to the docPaths that clients use (F-06).
type Names interface {
	DocOf(ctx context.Context, v workshop.View, p workshop.Path) (workshop.DocPath, error)
	FindDoc(ctx context.Context, v workshop.View, doc workshop.DocPath) (workshop.Path, error)
}

// Options configure an Index.
type Options struct {
	// Names supplies the docPaths of files, usually the *workshop.Workbench.
	Names Names
	// Wait is how long a query waits for the update of the index before it
	// answers from the current state; 0 is DefaultWait.
	Wait time.Duration
}

// DefaultWait leaves a tool call enough time to answer.
const DefaultWait = 3 * time.Second

// Index is the built-in full-text index. It is safe for concurrent use. Only
// one process may open it at a time, which the lock of the workbench ensures.
type Index struct {
	path string
	docs Extractor
	opt  Options

	ctx    context.Context // of background work
	cancel context.CancelFunc

	store sync.RWMutex // read-locked while db is used, write-locked while db is replaced
	db    *sql.DB

	mu  sync.Mutex // protects run
	run *update    // the update in progress, or the last one
}

// Extractor returns the text of a document. *doctext.Cache implements it.
type Extractor interface {
	Document(ctx context.Context, src formats.Source) (doctext.Doc, error)
}

// Open opens the index file at path. It creates the file if it is missing or
// damaged.
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

// Close stops background work and closes the file.
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
	Chunks []Chunk // best first
	// Pending is how many files the index has not read yet; 0 if the answer
	// covers everything.
	Pending int
	Files   int // files with text in the view
	// Note tells that the answer is not complete, or is "" if it is.
	Note string
}

// Query updates the index for a view, as far as Options.Wait allows, and
// searches it. Words match in any case and without diacritics, "quoted
// phrases" must occur, and word* matches every word with that prefix.
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
	if err := ix.setDocPaths(ctx, view, res.Chunks); err != nil {
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

// Provider returns the index as a Provider for the chunks of a view.
func (ix *Index) Provider(view workshop.View) Provider { return provider{ix, view} }

type provider struct {
	ix   *Index
	view workshop.View
}

func (p provider) Search(ctx context.Context, query string, f Filters) ([]Chunk, error) {
	res, err := p.ix.Query(ctx, p.view, query, f)
	return res.Chunks, err
}

// refresh updates the index as far as the time allows.
func (ix *Index) refresh(ctx context.Context, view workshop.View) (*update, error) {
	timer := time.NewTimer(ix.opt.Wait)
	defer timer.Stop()
	for {
		if err := ix.ctx.Err(); err != nil {
			return nil, workshop.Faultf(workshop.Internal, "the search index is closed")
		}
		run, mine := ix.startUpdate(view)
		select {
		case <-run.done:
			if mine {
				return run, run.err
			}
			// That update may have listed the files before their latest
			// changes.
		case <-timer.C:
			return run, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// startUpdate starts an update unless one is in progress.
func (ix *Index) startUpdate(view workshop.View) (run *update, mine bool) {
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
		run.err = run.run(ix.ctx, ix.db)
	}()
	return run, true
}

// rebuild replaces the file by an empty index.
func (ix *Index) rebuild() error {
	ix.mu.Lock()
	run := ix.run
	ix.mu.Unlock()
	if run != nil {
		<-run.done // ends soon, because db is broken
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

// Skipped lists at most limit files that are not or not completely in the
// index, with the reason.
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

// setDocPaths sets the docPaths of chunks.
func (ix *Index) setDocPaths(ctx context.Context, view workshop.View, chunks []Chunk) error {
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
