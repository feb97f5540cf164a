package book

import (
	"context"
	"io"
	"maps"
	"sort"

	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/seekflate"
)

// PartIndex has the indexes of parts, by the hash of the file's content and the
// name of the part; its size is in bytes.
var PartIndex = NewLRU[*streamIndex](16<<20, 1)

const (
	// indexFrom is the inflated size from which a part is indexed while it is
	// read; smaller ones are read from the start each time.
	indexFrom = 8 << 20
	indexStep = 4 << 20
	// maxMarks bounds an index to 4 MiB: each mark holds 32 KiB.
	maxMarks  = 128
	maxShared = 20_000
)

// streamIndex says where rows of a sheet, or items of a string table, stand, as
// far as the part has been read. It does not change once it is in the cache.
type streamIndex struct {
	Marks  []streamMark
	shared map[int]SharedFormula // masters before the last mark, and some behind
}

// streamMark is a place to read on at: item n begins at offset off of the
// inflated part, a little behind the mark.
type streamMark struct {
	n   int
	off int64
	at  seekflate.Mark
}

// before is the last mark at or before item n, nil when there is none.
func (ix *streamIndex) before(n int) *streamMark {
	if ix == nil {
		return nil
	}
	i := sort.Search(len(ix.Marks), func(i int) bool { return ix.Marks[i].n > n })
	if i == 0 {
		return nil
	}
	return &ix.Marks[i-1]
}

// indexer adds to an index while its part is read.
type indexer struct {
	key     string
	old     *streamIndex // what was known; may be nil
	fresh   []streamMark // found now, behind all old ones
	pending []seekflate.Mark
	last    int
	bad     bool // the items are not in order
}

// streamFrom opens a part at the last mark before item n, or at its start. The
// stream stands at the first byte of item from when from is not nil.
func streamFrom(ctx context.Context, pkg *opc.Package, part string, n int) (rc io.ReadCloser, from *streamMark, ix *indexer, err error) {
	size := pkg.Size(part)
	if size < indexFrom || !pkg.CanMark(part) {
		rc, err = pkg.Stream(ctx, part)
		return rc, nil, nil, err
	}
	ix = &indexer{key: pkg.Source().Hash() + " " + part}
	ix.old, _ = PartIndex.Get(ix.key)
	from = ix.old.before(n)
	var at *seekflate.Mark
	if from != nil {
		at, ix.last = &from.at, from.n-1
	}
	rc, err = pkg.StreamMarked(ctx, part, at, max(indexStep, size/maxMarks), func(m seekflate.Mark) { ix.pending = append(ix.pending, m) })
	if err == nil && from != nil {
		_, err = io.CopyN(io.Discard, rc, from.off-from.at.Offset)
	}
	if err != nil && rc != nil {
		rc.Close()
	}
	return rc, from, ix, err
}

// note takes down that item n begins at offset off.
func (ix *indexer) note(n int, off int64) {
	if ix == nil {
		return
	}
	ix.bad = ix.bad || n <= ix.last
	ix.last = n
	for len(ix.pending) > 0 && off >= ix.pending[0].Offset {
		m := ix.pending[0]
		ix.pending = ix.pending[1:]
		if k := len(ix.fresh); k > 0 && ix.fresh[k-1].n == n {
			continue // a long item: the earlier mark will do
		}
		ix.fresh = append(ix.fresh, streamMark{n, off, m})
	}
}

// keep puts what was found into the cache.
func (ix *indexer) keep(shared map[int]SharedFormula) {
	if ix == nil || ix.bad || len(shared) > maxShared {
		return
	}
	next := &streamIndex{}
	if ix.old != nil {
		*next = *ix.old
	}
	grown := false
	for _, m := range ix.fresh {
		if k := len(next.Marks); k < maxMarks && (k == 0 || m.n > next.Marks[k-1].n && m.at.Offset >= next.Marks[k-1].at.Offset+indexStep/2) {
			next.Marks = append(next.Marks[:k:k], m)
			grown = true
		}
	}
	if !grown {
		return
	}
	next.shared = maps.Clone(shared)
	cost := len(next.Marks) * (33 << 10)
	for _, f := range shared {
		cost += len(f.Text) + 64
	}
	PartIndex.Put(ix.key, next, cost)
}

// indexedRows are the rows of a sheet from some row on.
type indexedRows struct {
	*sheetml.RowScanner
	rc io.Closer
	ix *indexer
}

// openWindow opens a worksheet part for a pass over a window.
func openWindow(ctx context.Context, pkg *opc.Package, part string, w Window) (*indexedRows, error) {
	if d := w.Display; d != nil {
		d.Shared, d.twice, d.noted = nil, false, 0 // shared formulas are each sheet's own
	}
	if w.First == 0 || pkg.Size(part) < indexFrom {
		s, rc, err := openRows(ctx, pkg, part, w.Layout)
		return &indexedRows{RowScanner: s, rc: rc}, err
	}
	rc, from, ix, err := streamFrom(ctx, pkg, part, w.First)
	if err != nil {
		return nil, err
	}
	r := &indexedRows{RowScanner: sheetml.NewRowScanner(rc), rc: rc, ix: ix}
	if from == nil {
		if first, _ := r.Peek(); utf16Doc(first) {
			rc.Close()
			s, rc, err := OpenRows(ctx, pkg, part)
			return &indexedRows{RowScanner: s, rc: rc}, err
		}
		return r, nil
	}
	r.Resume(from.off, from.n-1)
	w.Display.resume(ix.old.shared, from.n)
	return r, nil
}

// resume takes over the shared formulas that stand before a row.
func (d *Display) resume(shared map[int]SharedFormula, row int) {
	if d == nil {
		return
	}
	d.Shared = map[int]SharedFormula{}
	for si, f := range shared {
		if f.Row < row {
			d.Shared[si] = f
			d.noted += len(f.Text)
		}
	}
}

// close keeps what was learnt of the sheet.
func (r *indexedRows) close(d *Display) {
	r.rc.Close()
	if d != nil && !d.twice {
		r.ix.keep(d.Shared)
	}
}
