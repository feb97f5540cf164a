package diff

import (
	"context"
	"slices"
	"sort"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/internal/seqdiff"
)

// LinePiece is a run of N rows or columns: from A on in the old sheet and from B on in
// the new one, 0 on the side that does not have it.
type LinePiece struct {
	A, B, N int
	Moved   bool // its place among the others is another one
}

// SheetLines says which rows or columns of a sheet are which in a newer version of it.
type SheetLines struct {
	OldName, Name string
	OldPart, Part string
	Cols          bool
	Pieces        []LinePiece
	// Stay is Pieces with the lines that moved as lines that stayed, into which other
	// contents came, and Windows are the new lines among which they changed places;
	// nil when none moved.
	Stay    []LinePiece
	Windows [][2]int
}

// Lines finds the rows and columns that came, went or moved, as Diff tells them, for
// each sheet that has such.
func (df Differ) Lines(ctx context.Context, before, after formats.Source) ([]SheetLines, error) {
	a, err := book.Open(ctx, before)
	if err != nil {
		return nil, err
	}
	b, err := book.Open(ctx, after)
	if err != nil {
		return nil, err
	}
	x := &bookDiff{noteLines: true, follows: df.Follow, reachOf: map[uint64]bool{}, d: &formats.Diff{}}
	if x.a, err = newSide(ctx, a); err != nil {
		return nil, err
	}
	if x.b, err = newSide(ctx, b); err != nil {
		return nil, err
	}
	pairs, err := x.pairSheets(ctx)
	if err != nil {
		return nil, err
	}
	var out []SheetLines
	for _, p := range pairs {
		if p.a < 0 || p.b < 0 {
			continue
		}
		s, err := x.alignSheet(ctx, p)
		if err != nil {
			return nil, book.Typed(err, after.Name())
		}
		if s.same {
			continue
		}
		l := SheetLines{OldName: a.Sheets[p.a].Name, Name: s.name, OldPart: a.Sheets[p.a].Part, Part: b.Sheets[p.b].Part}
		if l.rows(s); len(l.Pieces) > 1 {
			out = append(out, l)
		}
		cols := SheetLines{OldName: l.OldName, Name: l.Name, OldPart: l.OldPart, Part: l.Part, Cols: true}
		x.followers = nil
		x.makeFollowers([]*sheetDiff{s})
		moved, err := x.movedColumns(ctx, s)
		if err != nil {
			return nil, book.Typed(err, after.Name())
		}
		if cols.columns(s, moved); len(cols.Pieces) > 1 {
			out = append(out, cols)
		}
	}
	return out, nil
}

// columns sets the pieces of the columns. Stay has those that moved as deleted and
// inserted ones.
func (l *SheetLines) columns(s *sheetDiff, moved []linePair) {
	if l.Pieces = piecesOf(s.cols); len(moved) == 0 {
		return
	}
	s.cols.leaveMoved(moved)
	stay := piecesOf(s.cols)
	l.Pieces = slices.Clone(stay)
	for _, p := range moved {
		l.Pieces = append(l.Pieces, LinePiece{p.a, p.b, 1, true})
		stay = append(stay, LinePiece{A: p.a, N: 1}, LinePiece{B: p.b, N: 1})
	}
	l.Stay = stay
}

// piecesOf returns the lines of a map.
func piecesOf(m *lineMap) (out []LinePiece) {
	for _, g := range m.segs {
		out = append(out, LinePiece{A: g.a, B: g.b, N: g.n})
	}
	for _, d := range m.deleted {
		out = append(out, LinePiece{A: d.from, N: d.to - d.from + 1})
	}
	for _, d := range m.added {
		out = append(out, LinePiece{B: d.from, N: d.to - d.from + 1})
	}
	return out
}

// rows sets the pieces of the rows. Rows that moved are left out first; what is left is
// in the same order on both sides.
func (l *SheetLines) rows(s *sheetDiff) {
	moved := s.movedRows
	if len(moved) == 0 {
		l.Pieces = piecesOf(s.rows)
		return
	}
	sideA, sideB := make([]int, len(moved)), make([]int, len(moved))
	for i, p := range moved {
		sideA[i], sideB[i] = p.a, p.b
	}
	slices.Sort(sideA)
	slices.Sort(sideB)
	without := func(list []int, moved []int) (out []int) {
		for _, n := range list {
			out = append(out, n-sort.SearchInts(moved, n))
		}
		return out
	}
	pairs := make([]linePair, len(s.stayingRows))
	for i, p := range s.stayingRows {
		pairs[i] = linePair{p.a - sort.SearchInts(sideA, p.a), p.b - sort.SearchInts(sideB, p.b)}
	}
	m := newLineMap(false, pairs, without(s.extraA, sideA), without(s.extraB, sideB))
	for _, p := range piecesOf(m) {
		l.Pieces = append(l.Pieces, spread(p, sideA, sideB)...)
	}
	slices.SortFunc(moved, func(x, y linePair) int { return x.a - y.a })
	for _, p := range moved {
		if k := len(l.Pieces) - 1; k >= 0 && l.Pieces[k].Moved && l.Pieces[k].A+l.Pieces[k].N == p.a && l.Pieces[k].B+l.Pieces[k].N == p.b {
			l.Pieces[k].N++
			continue
		}
		l.Pieces = append(l.Pieces, LinePiece{p.a, p.b, 1, true})
	}
	l.stay(moved)
}

// spread gives a piece of sheets without some lines its numbers in those with them,
// where it may be several.
func spread(p LinePiece, movedA, movedB []int) (out []LinePiece) {
	a, b := p.A, p.B
	for left := p.N; left > 0; {
		one, n := LinePiece{N: left}, left
		if a > 0 {
			one.A, n = withMoved(a, movedA, n)
		}
		if b > 0 {
			one.B, n = withMoved(b, movedB, n)
		}
		one.N = n
		out = append(out, one)
		left -= n
		if a > 0 {
			a += n
		}
		if b > 0 {
			b += n
		}
	}
	return out
}

// withMoved is the number of line i with the lines that moved, and how many of the next
// n lines follow it directly.
func withMoved(i int, moved []int, n int) (at, run int) {
	k := sort.Search(len(moved), func(k int) bool { return moved[k]-k > i })
	if at = i + k; k < len(moved) {
		n = min(n, moved[k]-at)
	}
	return at, n
}

// stay sets Stay and Windows.
func (l *SheetLines) stay(moved []linePair) {
	var gone, come []LinePiece
	for _, p := range l.Pieces {
		switch {
		case p.B == 0:
			gone = append(gone, p)
		case p.A == 0:
			come = append(come, p)
		}
	}
	slices.SortFunc(gone, func(x, y LinePiece) int { return x.A - y.A })
	slices.SortFunc(come, func(x, y LinePiece) int { return x.B - y.B })
	limit := (&lineMap{}).limit()
	l.Stay = append(slices.Clone(gone), come...)
	newer := func(a int) int { // where the line a would be now had none moved
		for _, p := range l.Stay {
			if p.A > 0 && p.B > 0 && a >= p.A && a < p.A+p.N {
				return p.B + a - p.A
			}
		}
		return 0
	}
	for a, b := 1, 1; a <= limit && b <= limit; {
		switch {
		case len(gone) > 0 && gone[0].A == a:
			a, gone = a+gone[0].N, gone[1:]
			continue
		case len(come) > 0 && come[0].B == b:
			b, come = b+come[0].N, come[1:]
			continue
		}
		n := limit - max(a, b) + 1
		if len(gone) > 0 {
			n = min(n, gone[0].A-a)
		}
		if len(come) > 0 {
			n = min(n, come[0].B-b)
		}
		l.Stay = append(l.Stay, LinePiece{A: a, B: b, N: n})
		a, b = a+n, b+n
	}
	var spans [][2]int
	for _, p := range moved {
		from := newer(p.a)
		spans = append(spans, [2]int{min(from, p.b), max(from, p.b)})
	}
	slices.SortFunc(spans, func(x, y [2]int) int { return x[0] - y[0] })
	for _, w := range spans {
		if k := len(l.Windows) - 1; k >= 0 && w[0] <= l.Windows[k][1] {
			l.Windows[k][1] = max(l.Windows[k][1], w[1])
			continue
		}
		l.Windows = append(l.Windows, w)
	}
}

// noteSteps keeps what Lines needs of the alignment of the rows.
func (s *sheetDiff) noteSteps(steps []seqdiff.Step) {
	for _, st := range steps {
		switch {
		case st.A < 0:
			s.extraB = append(s.extraB, s.b.numbers[st.B])
		case st.B < 0:
			s.extraA = append(s.extraA, s.a.numbers[st.A])
		case st.Moved:
			s.movedRows = append(s.movedRows, linePair{s.a.numbers[st.A], s.b.numbers[st.B]})
		default:
			s.stayingRows = append(s.stayingRows, linePair{s.a.numbers[st.A], s.b.numbers[st.B]})
		}
	}
	slices.Sort(s.extraA)
	slices.Sort(s.extraB)
}
