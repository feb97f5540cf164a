package book

import (
	"context"
	"io"
	"maps"
	"slices"

	"atelier/formats/xlsx/internal/sheetml"
)

// LookUp fills in the texts of the shared strings that are keys of need, in
// one pass over the string table that holds one item at a time. Texts longer
// than maxChars characters are cut; 0 cuts none. Keys whose texts are more than
// maxLookUp bytes together are removed.
func (wb *Workbook) LookUp(ctx context.Context, need map[int]string, maxChars int) error {
	part := wb.RelPart(RelStrings)
	if part == "" || len(need) == 0 {
		return nil
	}
	keys := slices.Sorted(maps.Keys(need))
	var r *itemReader
	var err error
	total := 0
	for _, k := range keys {
		if k < 0 {
			continue // of a cell whose index is no number
		}
		if r, err = wb.itemsFrom(ctx, r, part, k); err != nil {
			return err
		}
		item, ok, err := r.read(k)
		if err != nil || !ok {
			r.close()
			return err
		}
		text := sheetml.PlainText(item)
		if maxChars > 0 {
			text = Clip(text, maxChars)
		}
		if total += len(text); total > maxLookUp {
			delete(need, k)
			continue
		}
		need[k] = text
	}
	r.close()
	return nil
}

// itemReader reads the string table forward; n is the 0-based item it reads
// next.
type itemReader struct {
	s  *sheetml.RowScanner
	rc io.Closer
	ix *indexer
	n  int
}

// itemsFrom gives a reader that has not passed item k: r itself, or one nearer
// to k where the table's index knows a place.
func (wb *Workbook) itemsFrom(ctx context.Context, r *itemReader, part string, k int) (*itemReader, error) {
	if r != nil && (r.ix == nil || r.ix.old.before(k+1) == nil || r.ix.old.before(k+1).n-1 <= r.n) {
		return r, nil
	}
	r.close()
	if wb.Package.Size(part) < indexFrom {
		s, rc, err := OpenRows(ctx, wb.Package, part)
		return &itemReader{s: s, rc: rc}, err
	}
	rc, from, ix, err := streamFrom(ctx, wb.Package, part, k+1) // counted from 1, as rows are
	if err != nil {
		return nil, err
	}
	r = &itemReader{s: sheetml.NewRowScanner(rc), rc: rc, ix: ix}
	if from != nil {
		r.n = from.n - 1
		r.s.Resume(from.off, 0)
	}
	return r, nil
}

// read is item k; ok is false when the table has not so many.
func (r *itemReader) read(k int) (item []byte, ok bool, err error) {
	for ; r.n <= k; r.n++ {
		if item, ok, err = r.s.NextItem(); err != nil || !ok {
			return nil, false, err
		}
		r.ix.note(r.n+1, r.s.Offset())
	}
	return item, ok, nil
}

func (r *itemReader) close() {
	if r != nil {
		r.rc.Close()
		r.ix.keep(nil)
	}
}

// maxLookUp bounds the texts that are looked up for one read.
const maxLookUp = 16 << 20
