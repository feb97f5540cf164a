package diff

import (
	"context"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sort"

	"golang.org/x/sync/errgroup"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

const (
	sketchSize = 48  // values kept of a column
	maxAligned = 400 // columns of a sheet that are aligned
)

// colSketch stands for what a column holds: the smallest hashes of its values.
type colSketch struct {
	col    int
	hashes []uint64
}

func (c *colSketch) add(h uint64) {
	i, found := slices.BinarySearch(c.hashes, h)
	if found || i == sketchSize {
		return
	}
	if c.hashes = slices.Insert(c.hashes, i, h); len(c.hashes) > sketchSize {
		c.hashes = c.hashes[:sketchSize]
	}
}

// common counts the values of two sketches that are in both.
func (c *colSketch) common(o *colSketch) int {
	n, i, j := 0, 0, 0
	for i < len(c.hashes) && j < len(o.hashes) {
		switch {
		case c.hashes[i] == o.hashes[j]:
			n, i, j = n+1, i+1, j+1
		case c.hashes[i] < o.hashes[j]:
			i++
		default:
			j++
		}
	}
	return n
}

func (c *colSketch) alike(o *colSketch) float64 {
	return float64(c.common(o)) / float64(max(len(c.hashes), len(o.hashes), 1))
}

// content appends what a cell holds to b: the shape of its formula, else its
// value.
func (w *bookSide) content(b []byte, s *sheetml.RowScanner, d *book.Display) []byte {
	if s.Cell.HasFormula {
		if h, ok := d.LongMember(s); ok {
			return append(append(b, '='), h.Shape...)
		}
		if f := d.Formula(s); f != "" {
			return book.AppendShape(append(b, '='), f)
		}
	}
	return w.stored(b, s)
}

// sketches reads the columns of a sheet; none when there are too many.
func (w *bookSide) sketches(ctx context.Context, sh book.SheetInfo) ([]*colSketch, error) {
	byCol := map[int]*colSketch{}
	var buf []byte
	err := w.eachCell(ctx, sh, func(s *sheetml.RowScanner, d *book.Display) {
		if buf = w.content(buf[:0], s, d); len(buf) == 0 {
			return
		}
		c := byCol[s.Cell.Col]
		if c == nil {
			if len(byCol) > maxAligned {
				return
			}
			c = &colSketch{col: s.Cell.Col}
			byCol[s.Cell.Col] = c
		}
		// The same few values stand in many columns: where they stand first counts.
		if len(c.hashes) < 3 {
			c.add(maphash.Bytes(book.HashSeed, binary.AppendUvarint(buf[:len(buf):len(buf)], uint64(s.Cell.Row))) | 1)
		}
		c.add(maphash.Bytes(book.HashSeed, buf))
	})
	if err != nil || len(byCol) > maxAligned {
		return nil, err
	}
	out := make([]*colSketch, 0, len(byCol))
	for _, c := range byCol {
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].col < out[j].col })
	return out, nil
}

// alignColumns finds columns that came or went: s.cols says so when that
// explains what differs better than changed cells do.
func (x *bookDiff) alignColumns(ctx context.Context, s *sheetDiff) error {
	var a, b []*colSketch
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) { a, err = x.a.sketches(gctx, x.a.Sheets[s.sheetPair.a]); return err })
	g.Go(func() (err error) { b, err = x.b.sketches(gctx, x.b.Sheets[s.sheetPair.b]); return err })
	if err := g.Wait(); err != nil || len(a) == 0 || len(b) == 0 {
		return err
	}
	pairs, score, common := bestColumns(a, b)
	stay, stayCommon := stayingColumns(a, b)
	var extraA, extraB []int
	for _, c := range a {
		if !slices.ContainsFunc(pairs, func(p linePair) bool { return p.a == c.col }) {
			extraA = append(extraA, c.col)
		}
	}
	for _, c := range b {
		if !slices.ContainsFunc(pairs, func(p linePair) bool { return p.b == c.col }) {
			extraB = append(extraB, c.col)
		}
	}
	m := newLineMap(true, pairs, extraA, extraB)
	if !m.same() && score > stay+0.5 && common-stayCommon >= 2*len(m.shifts)+1 {
		m.movedToEnd(a, b, extraA, extraB)
		s.cols = m
	}
	return nil
}

// movedToEnd takes columns behind the last pair for inserted where a column that went
// holds the same.
func (m *lineMap) movedToEnd(a, b []*colSketch, extraA, extraB []int) {
	for _, now := range b {
		tail := &m.segs[len(m.segs)-1]
		if !slices.Contains(extraB, now.col) || now.col < tail.b || tail.n == 1 {
			continue
		}
		like := slices.ContainsFunc(a, func(was *colSketch) bool {
			_, stays := m.to(was.col)
			return !stays && slices.Contains(extraA, was.col) && was.alike(now) == 1
		})
		if !like {
			continue
		}
		k := now.col - tail.b
		rest := lineSeg{tail.a + k, now.col + 1, tail.n - k - 1}
		m.shifts = slices.Insert(m.shifts, 0, cellref.Shift{Cols: true, At: rest.a, Count: 1})
		m.added = append(m.added, lineSpan{now.col, now.col})
		if k == 0 {
			*tail = rest
		} else {
			tail.n = k
			m.segs = append(m.segs, rest)
		}
	}
}

// bestColumns pairs columns in order so that they have most in common.
func bestColumns(a, b []*colSketch) (pairs []linePair, score float64, common int) {
	n, m := len(a), len(b)
	w := m + 1
	t := make([]float64, (n+1)*w)
	like := make([]float64, n*m)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			v := max(t[(i+1)*w+j], t[i*w+j+1])
			if l := a[i].alike(b[j]); l >= 0.4 {
				if a[i].col == b[j].col {
					l += 0.01
				}
				like[i*m+j] = l
				v = max(v, l+t[(i+1)*w+j+1])
			}
			t[i*w+j] = v
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case like[i*m+j] > 0 && t[i*w+j] == like[i*m+j]+t[(i+1)*w+j+1]:
			pairs = append(pairs, linePair{a[i].col, b[j].col})
			common += a[i].common(b[j])
			i, j = i+1, j+1
		case t[(i+1)*w+j] >= t[i*w+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs, t[0], common
}

// stayingColumns says how much columns have in common where they stand.
func stayingColumns(a, b []*colSketch) (score float64, common int) {
	at := map[int]*colSketch{}
	for _, c := range b {
		at[c.col] = c
	}
	for _, c := range a {
		if o := at[c.col]; o != nil {
			score += c.alike(o)
			common += c.common(o)
		}
	}
	return score, common
}
