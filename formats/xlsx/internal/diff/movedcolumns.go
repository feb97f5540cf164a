package diff

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"maps"
	"slices"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// movedColumns pairs the columns that went with those that came and hold the same: in
// each row the same content in the same format. Columns that another one equals are not
// paired.
func (x *bookDiff) movedColumns(ctx context.Context, s *sheetDiff) ([]linePair, error) {
	if s.sheetPair.a < 0 || s.sheetPair.b < 0 || len(s.cols.added) == 0 || len(s.cols.deleted) == 0 {
		return nil, nil
	}
	old, err := x.columnHashes(ctx, x.a, s.sheetPair.a, s.cols.deleted, func(row int, c seenCell) (int, string) {
		to, ok := s.rows.to(row)
		if !ok {
			to = 0
		}
		return to, x.follow(c.formula, s.name)
	})
	if err != nil {
		return nil, err
	}
	now, err := x.columnHashes(ctx, x.b, s.sheetPair.b, s.cols.added, func(row int, c seenCell) (int, string) { return row, c.formula })
	if err != nil {
		return nil, err
	}
	var out []linePair
	byHash := map[uint64][]int{}
	for col, h := range now {
		byHash[h] = append(byHash[h], col)
	}
	of := map[uint64]int{}
	for _, h := range old {
		of[h]++
	}
	for col, h := range old {
		if of[h] == 1 && len(byHash[h]) == 1 {
			out = append(out, linePair{col, byHash[h][0]})
		}
	}
	slices.SortFunc(out, func(p, q linePair) int { return cmp.Compare(p.b, q.b) })
	return out, nil
}

// columnHashes hashes what columns hold; place returns the row in the newer sheet, 0 for
// none, and the formula as it would read there.
func (x *bookDiff) columnHashes(ctx context.Context, w *bookSide, sheet int, spans []lineSpan, place func(row int, c seenCell) (int, string)) (map[int]uint64, error) {
	out, holds := map[int]uint64{}, map[int]bool{}
	err := w.eachRow(ctx, w.Sheets[sheet], func(int) int { return 1 }, func(s *sheetml.RowScanner, d *book.Display) error {
		col := s.Cell.Col
		if !slices.ContainsFunc(spans, func(l lineSpan) bool { return col >= l.from && col <= l.to }) {
			return nil
		}
		c := w.seen(s, d)
		row, formula := place(s.Cell.Row, c)
		if row == 0 {
			return nil
		}
		holds[col] = holds[col] || !c.blank
		b := binary.AppendUvarint(nil, uint64(row))
		b = binary.LittleEndian.AppendUint64(b, w.lookAt(c.style).Hash)
		b = append(append(b, formula...), 0)
		if formula == "" {
			b = binary.LittleEndian.AppendUint64(append(b, c.value...), c.rich)
		}
		if b = append(b, c.extra...); c.cut {
			b = binary.AppendUvarint(b, uint64(col)) // not known, so like no other one
		}
		out[col] ^= maphash.Bytes(book.HashSeed, b)
		return nil
	})
	maps.DeleteFunc(out, func(col int, _ uint64) bool { return !holds[col] })
	return out, err
}

// leaveMoved takes lines that moved out of those that came and went.
func (m *lineMap) leaveMoved(moved []linePair) {
	a, b := map[int]bool{}, map[int]bool{}
	for _, p := range moved {
		a[p.a], b[p.b] = true, true
	}
	m.added, m.deleted = unmoved(m.added, b), unmoved(m.deleted, a)
}
