package engine

import (
	"context"
	"path/filepath"
	"sync"

	"atelier/workshop"
	"atelier/workshop/doctext"
	"atelier/workshop/retrieval"
	"atelier/workshop/tools"
)

// indexName is the file of the search index in a workbench's state. It can be
// deleted at any time.
const indexName = "index.db"

// lazyIndex opens a workbench's search index when it is first asked.
type lazyIndex struct {
	wb    *workshop.Workbench
	texts *doctext.Cache

	mu     sync.Mutex // protects the fields below
	ix     *retrieval.Index
	closed bool
}

var _ tools.Index = (*lazyIndex)(nil)

// Query implements tools.Index.
func (l *lazyIndex) Query(ctx context.Context, v workshop.View, query string, f retrieval.Filters) (retrieval.Result, error) {
	ix, err := l.open()
	if err != nil {
		return retrieval.Result{}, err
	}
	return ix.Query(ctx, v, query, f)
}

func (l *lazyIndex) open() (*retrieval.Index, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, workshop.Faultf(workshop.Internal, "the workbench is closed")
	case l.wb.ReadOnly():
		return nil, workshop.Faultf(workshop.Forbidden, "another process works with this workbench and has its search index")
	case l.ix != nil:
		return l.ix, nil
	}
	ix, err := retrieval.Open(filepath.Join(l.wb.Dir(), indexName), l.texts, retrieval.Options{Names: l.wb})
	l.ix = ix
	return ix, err
}

// close closes the index; it comes before the workbench is closed.
func (l *lazyIndex) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.ix != nil {
		_ = l.ix.Close() // what is lost is made again
	}
}
