package tablequery

import (
	"container/list"
	"context"
	"encoding/json"
	"sync"

	"atelier/internal/budget"
)

// DefaultMemory is what a store keeps in memory by default, in bytes.
const DefaultMemory = 256 << 20

// Store keeps tables that were read, by content. It is safe for concurrent
// use; one for the whole program is best.
type Store struct {
	limit int64

	mu      sync.Mutex
	entries map[string]*entry
	order   *list.List // of *entry, the last used first
	used    int64
}

// entry is one table in a store. Its fields below work are written by who holds
// work, and read by who held it since.
type entry struct {
	key    string
	elem   *list.Element
	size   int64         // as counted in Store.used; guarded by Store.mu
	kept   *budget.Entry // guarded by Store.mu, as is loaded
	loaded bool          // it has the database
	work   chan struct{} // holds one token: taken while the table is read
	*tableShape
	db    *database
	part  *database         // some columns of the table, before db is loaded
	stats map[string]*Stats // by column name
	res   map[string]*Result
}

// NewStore makes a store that keeps limit bytes; 0 is DefaultMemory. A table
// larger than the limit is still read, and kept until the next.
func NewStore(limit int64) *Store {
	if limit <= 0 {
		limit = DefaultMemory
	}
	return &Store{limit: limit, entries: map[string]*entry{}, order: list.New()}
}

// Shared is the store of the program.
var Shared = sync.OnceValue(func() *Store { return NewStore(0) })

// acquire returns the entry of a table for the caller alone; give it back with
// release.
func (s *Store) acquire(ctx context.Context, key string) (*entry, error) {
	s.mu.Lock()
	e := s.entries[key]
	if e == nil {
		e = &entry{key: key, work: make(chan struct{}, 1), stats: map[string]*Stats{}, res: map[string]*Result{}}
		e.work <- struct{}{}
		s.entries[key] = e
		e.elem = s.order.PushFront(e)
	} else {
		s.order.MoveToFront(e.elem)
	}
	s.mu.Unlock()
	select {
	case <-e.work:
		return e, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// release gives an entry back and forgets what was not used for longest while
// there is too much.
func (s *Store) release(e *entry) {
	size := e.bytes()
	e.work <- struct{}{}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries[e.key] != e {
		return // forgotten meanwhile
	}
	s.used += size - e.size
	e.size = size
	e.kept.Resize(size)
	for s.used > s.limit && s.order.Len() > 1 {
		s.drop(s.order.Back().Value.(*entry))
	}
}

// Used returns about how much memory the tables take, in bytes.
func (s *Store) Used() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// bytes returns about how much memory the entry takes.
func (e *entry) bytes() int64 {
	n := int64(1 << 10)
	if e.tableShape != nil {
		n += int64(len(e.cols)) * 512
	}
	if e.db != nil {
		n += e.db.lite.Size() + e.db.columns.Size()
	}
	if e.part != nil {
		n += e.part.lite.Size() + e.part.columns.Size()
	}
	for _, r := range e.res {
		n += r.bytes
	}
	return n + int64(len(e.stats))*2048
}

// Describe says what columns a table has and what is in them.
func (s *Store) Describe(ctx context.Context, ref Ref) (*Info, error) {
	ctx, mem, err := budget.Process.Reserve(ctx, queryMemory)
	if err != nil {
		return nil, err
	}
	defer mem.Release()
	e, err := s.described(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer s.release(e)
	info := e.info
	return &info, nil
}

// described returns the entry of a table with its shape.
func (s *Store) described(ctx context.Context, ref Ref) (*entry, error) {
	e, err := s.acquire(ctx, ref.key())
	if err != nil {
		return nil, err
	}
	if e.tableShape == nil {
		if e.tableShape, err = describeTable(ctx, ref); err != nil {
			s.release(e)
			return nil, err
		}
		s.keep(ctx, e)
	}
	return e, nil
}

// loaded returns a table's database and columns.
func (s *Store) loaded(ctx context.Context, ref Ref) (*database, *tableShape, error) {
	e, err := s.described(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	defer s.release(e)
	return e.db, e.tableShape, s.loadAll(ctx, ref, e)
}

// loadAll loads the whole table of an entry that the caller holds.
func (s *Store) loadAll(ctx context.Context, ref Ref, e *entry) error {
	if e.db != nil {
		return nil
	}
	db, err := loadTable(ctx, ref, e.tableShape, nil)
	if err != nil {
		return err
	}
	e.db, e.part = db, nil
	s.keep(ctx, e)
	return nil
}

// Fit shortens the description until it takes at most limit bytes of JSON:
// first without samples, then with fewer columns.
func (in Info) Fit(limit int) Info {
	size := func() int {
		b, err := json.Marshal(in)
		if err != nil {
			return 0
		}
		return len(b)
	}
	if size() <= limit {
		return in
	}
	cols := append([]Column(nil), in.Columns...)
	for i := range cols {
		cols[i].Samples = nil
	}
	in.Columns = cols
	for size() > limit && len(in.Columns) > 1 {
		cut := max(1, len(in.Columns)/8)
		in.ColumnsOmitted += cut
		in.Columns = in.Columns[:len(in.Columns)-cut]
	}
	return in
}
