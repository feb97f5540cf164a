package tablequery

import (
	"context"
	"runtime"

	"atelier/formats"
	"atelier/internal/budget"
)

const (
	// queryMemory is what a query takes beside its tables, statsMemory what counting
	// the values of columns takes.
	queryMemory = 16 << 20
	statsMemory = 32 << 20
	// tableText and tableBook are the memory of a table, with its columns and with what
	// reading it leaves, as a multiple of the size of a text file and of a workbook.
	tableText, tableBook = 2.5, 12
)

// reserve waits for the memory of a query over tables: of those that are not in memory,
// and of what is read of the columns of the others. Nothing of a table may be held by
// the caller: who has memory may wait for a table.
func (s *Store) reserve(ctx context.Context, refs ...Ref) (context.Context, *budget.Reservation, error) {
	n := int64(queryMemory)
	for _, ref := range refs {
		if size := s.loadedSize(ref.key()); size > 0 {
			n += size / 2
			continue
		}
		each := tableText
		if formats.KindOfName(ref.Source.Name()) == formats.KindXlsx {
			each = tableBook
		}
		n += int64(each * float64(ref.Source.Size()))
	}
	ctx, mem, err := budget.Process.Reserve(ctx, n)
	if err == nil {
		mem.Outside()
	}
	return ctx, mem, err
}

// loadedSize returns what a table in memory takes, which counts as used now; 0 when it
// is not in memory.
func (s *Store) loadedSize(key string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[key]
	if e == nil {
		return 0
	}
	e.kept.Touch()
	if !e.loaded {
		return 0
	}
	return e.size
}

// keep counts what an entry takes as kept, when the caller, who holds its work, has
// added to it. What reading the table reserved becomes what is kept of it.
func (s *Store) keep(ctx context.Context, e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries[e.key] != e {
		return // forgotten meanwhile
	}
	size := e.bytes()
	s.used += size - e.size
	e.size = size
	e.loaded = e.db != nil
	e.kept.Forget()
	if e.kept = budget.Process.KeepOf(ctx, size, func() { s.forget(e) }); e.kept == nil {
		s.drop(e) // no room for it beside the work in progress
	}
}

// forget drops a table whose memory is needed. It is the library's memory, which is
// freed when the collector finds that nothing holds it.
func (s *Store) forget(e *entry) {
	s.mu.Lock()
	if s.entries[e.key] == e {
		s.drop(e)
	}
	large := e.size > 8<<20
	s.mu.Unlock()
	if large {
		runtime.GC()
	}
}

// drop removes a table; s.mu is held.
func (s *Store) drop(e *entry) {
	s.order.Remove(e.elem)
	delete(s.entries, e.key)
	s.used -= e.size
	e.kept.Forget()
}
