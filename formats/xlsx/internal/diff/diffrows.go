package diff

import (
	"bytes"
	"context"
	"slices"
	"sort"

	"golang.org/x/sync/errgroup"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/looks"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/seqdiff"
)

// bookSide is a workbook of a comparison, with what its cells need to be read.
type bookSide struct {
	*book.Workbook
	book    *looks.Book
	d       *book.Display
	strings []uint64 // hash of each shared string, 0 until it is wanted
	richs   []uint64 // the same of the formats within
	likes   []int8   // whether it reads like a formula: 1, -1, 0 until it is wanted
}

func newSide(ctx context.Context, wb *book.Workbook) (*bookSide, error) {
	s := &bookSide{Workbook: wb}
	var err error
	if s.book, err = looks.Read(ctx, wb); err != nil {
		return nil, err
	}
	if s.d, err = wb.Display(ctx); err != nil {
		return nil, err
	}
	s.strings = make([]uint64, len(s.d.Strings.Items))
	s.d.Room = book.NewAllowance(book.MaxCompared)
	s.likes = make([]int8, len(s.d.Strings.Items))
	s.richs = make([]uint64, len(s.d.Strings.Items))
	return s, nil
}

func (w *bookSide) look(s *sheetml.RowScanner) uint64 { return w.lookOf(s.Cell.Style) }

// sheetDiff is a pair of sheets while it is compared.
type sheetDiff struct {
	sheetPair
	name string // as the new file calls it
	same bool   // the sheet is stored as the same bytes, which mean the same
	a, b *sheetScan
	rows *lineMap
	cols *lineMap
	todo []rowTodo

	stayingRows, movedRows []linePair // those that are on both sides
	extraA, extraB         []int      // rows with content that are on one side only
}

// rowTodo is rows to look at: a of the old sheet, b of the new one, 0 for none.
type rowTodo struct {
	a, b   int
	kind   seqdiff.Kind
	moved  bool
	sortBy int
}

// sameSheet reports whether a sheet is stored as the same bytes in both books
// and these mean the same there, so that it need not be read.
func (x *bookDiff) sameSheet(p sheetPair) bool {
	if p.a < 0 || p.b < 0 || !x.sameRest() {
		return false
	}
	return x.a.Package.SamePart(x.a.Sheets[p.a].Part, x.b.Package, x.b.Sheets[p.b].Part)
}

// sameRest reports whether style and string numbers mean the same in both books;
// more of them behind the old ones do no harm.
func (x *bookDiff) sameRest() bool {
	if x.same == nil {
		ok := x.a.Date1904 == x.b.Date1904 && x.sameStyles() && x.sameStrings()
		x.same = &ok
	}
	return *x.same
}

// sameStyles reports whether style numbers mean the same in both books.
func (x *bookDiff) sameStyles() bool {
	a, b := x.a.book, x.b.book
	if len(a.Cells) > len(b.Cells) || len(a.DXFs) > len(b.DXFs) {
		return false
	}
	for i := range a.Cells {
		if a.Cells[i].Hash != b.Cells[i].Hash {
			return false
		}
	}
	for i := range a.DXFs {
		if !bytes.Equal(a.DXFs[i], b.DXFs[i]) {
			return false
		}
	}
	return true
}

// sameStrings reports whether string numbers mean the same in both books.
func (x *bookDiff) sameStrings() bool {
	a, b := x.a.d.Strings, x.b.d.Strings
	if len(a.Items) > len(b.Items) {
		return false
	}
	if x.a.Package.SamePart(a.Part, x.b.Package, b.Part) {
		return true
	}
	for i := range a.Items {
		if !bytes.Equal(a.Raw(i), b.Raw(i)) {
			return false
		}
	}
	return true
}

// alignSheet reads a pair of sheets and finds which rows and columns belong
// together.
func (x *bookDiff) alignSheet(ctx context.Context, p sheetPair) (*sheetDiff, error) {
	s := &sheetDiff{sheetPair: p, a: &sheetScan{}, b: &sheetScan{}, rows: sameLines(false), cols: sameLines(true)}
	if s.name = ""; p.b >= 0 {
		s.name = x.b.Sheets[p.b].Name
	} else {
		s.name = x.a.Sheets[p.a].Name
	}
	if s.same = x.sameSheet(p); s.same {
		return s, nil
	}
	if err := x.scanBoth(ctx, s, nil, nil); err != nil {
		return nil, err
	}
	steps := s.align()
	if p.a >= 0 && p.b >= 0 && s.manyDiffer(steps) {
		if err := x.alignColumns(ctx, s); err != nil {
			return nil, err
		}
		if !s.cols.same() {
			if err := x.scanBoth(ctx, s, s.placeA, s.placeB); err != nil {
				return nil, err
			}
			steps = s.align()
		}
	}
	s.plan(steps)
	if x.noteLines {
		s.noteSteps(steps)
	}
	for _, sc := range []*sheetScan{s.a, s.b} {
		sc.keys, sc.exact, sc.bare = nil, nil, nil
	}
	return s, nil
}

func (x *bookDiff) scanBoth(ctx context.Context, s *sheetDiff, placeA, placeB columnsOf) error {
	g, gctx := errgroup.WithContext(ctx)
	if s.sheetPair.a >= 0 {
		g.Go(func() (err error) { s.a, err = x.a.scan(gctx, x.a.Sheets[s.sheetPair.a], placeA); return err })
	}
	if s.sheetPair.b >= 0 {
		g.Go(func() (err error) { s.b, err = x.b.scan(gctx, x.b.Sheets[s.sheetPair.b], placeB); return err })
	}
	return g.Wait()
}

func (s *sheetDiff) placeA(col int) int {
	if to, ok := s.cols.to(col); ok {
		return to
	}
	return 0
}

func (s *sheetDiff) placeB(col int) int {
	if _, ok := s.cols.from(col); ok {
		return col
	}
	return 0
}

func (s *sheetDiff) align() []seqdiff.Step {
	a, b := s.a, s.b
	return seqdiff.Lists(len(a.keys), len(b.keys), seqdiff.Options{
		KeyA: func(i int) uint64 { return a.keys[i] }, KeyB: func(j int) uint64 { return b.keys[j] },
		// Rows between equal ones that stand at the same number are the same row.
		Similar: func(i, j int) float64 {
			if a.numbers[i] == b.numbers[j] {
				return 1
			}
			return 0.5
		},
	})
}

// manyDiffer reports whether so many rows differ that columns may have moved.
func (s *sheetDiff) manyDiffer(steps []seqdiff.Step) bool {
	n := 0
	for _, st := range steps {
		if st.A < 0 || st.B < 0 || s.a.keys[st.A] != s.b.keys[st.B] {
			n++
		}
	}
	return n > 0 && (n*5 >= len(steps) || len(steps) <= 2000)
}

// todoOf is what is to be done for a step of the alignment.
func (s *sheetDiff) todoOf(st seqdiff.Step) rowTodo {
	t := rowTodo{kind: st.Kind, moved: st.Moved}
	switch {
	case st.A < 0:
		t.b = s.b.numbers[st.B]
		t.sortBy = 2 * t.b
		if from, ok := s.rows.from(t.b); ok && s.sheetPair.a >= 0 {
			t.a = from
		}
	case st.B < 0:
		t.a = s.a.numbers[st.A]
		to, ok := s.rows.to(t.a)
		if t.sortBy = 2*to - 1; ok && s.sheetPair.b >= 0 {
			t.b, t.sortBy = to, 2*to
		}
	default:
		t.a, t.b = s.a.numbers[st.A], s.b.numbers[st.B]
		t.sortBy = 2 * t.b
	}
	return t
}

// plan makes the row map of an alignment and lists the rows to look at.
func (s *sheetDiff) plan(steps []seqdiff.Step) {
	a, b := s.a, s.b
	var pairs []linePair
	var extraA, extraB []int
	movedA, movedB := map[int]bool{}, map[int]bool{}
	for _, st := range steps {
		switch {
		case st.A < 0:
			extraB = append(extraB, b.numbers[st.B])
		case st.B < 0:
			extraA = append(extraA, a.numbers[st.A])
		case st.Moved:
			extraA, extraB = append(extraA, a.numbers[st.A]), append(extraB, b.numbers[st.B])
			movedA[a.numbers[st.A]], movedB[b.numbers[st.B]] = true, true
		default:
			pairs = append(pairs, linePair{a.numbers[st.A], b.numbers[st.B]})
		}
	}
	slices.Sort(extraA)
	slices.Sort(extraB)
	if s.sheetPair.a >= 0 && s.sheetPair.b >= 0 {
		s.rows = newLineMap(false, pairs, extraA, extraB)
		if len(movedA) > 0 && sorted(s.rows, movedA, movedB) {
			s.rows = sameLines(false)
		}
		s.rows.added, s.rows.deleted = unmoved(s.rows.added, movedB), unmoved(s.rows.deleted, movedA)
	}
	for _, st := range steps {
		if st.A < 0 || st.B < 0 || st.Moved || a.exact[st.A] != b.exact[st.B] {
			s.todo = append(s.todo, s.todoOf(st))
		}
	}
	s.planBare()
	sort.SliceStable(s.todo, func(i, j int) bool { return s.todo[i].sortBy < s.todo[j].sortBy })
}

// sorted reports whether rows only changed places, so that what refers to them
// by number still does.
func sorted(m *lineMap, movedA, movedB map[int]bool) bool {
	return len(unmoved(m.added, movedB)) == 0 && len(unmoved(m.deleted, movedA)) == 0
}

// unmoved cuts lines that moved out of spans.
func unmoved(spans []lineSpan, moved map[int]bool) []lineSpan {
	if len(moved) == 0 {
		return spans
	}
	var out []lineSpan
	for _, s := range spans {
		from := s.from
		for i := s.from; i <= s.to+1; i++ {
			if i == s.to+1 || moved[i] {
				if i > from {
					out = append(out, lineSpan{from, i - 1})
				}
				from = i + 1
			}
		}
	}
	return out
}

// planBare adds the rows in which only formats of blank cells differ.
func (s *sheetDiff) planBare() {
	if s.sheetPair.a < 0 || s.sheetPair.b < 0 {
		return
	}
	done := map[int]bool{}
	looks := map[int]uint64{}
	for _, r := range s.b.bare {
		looks[r.row] = r.looks
	}
	for _, t := range s.todo {
		done[t.b] = true
	}
	have := func(numbers []int, row int) bool { _, ok := slices.BinarySearch(numbers, row); return ok }
	for _, r := range s.a.bare {
		to, ok := s.rows.to(r.row)
		if !ok || done[to] || have(s.b.numbers, to) {
			continue
		}
		if done[to] = true; looks[to] != r.looks {
			s.todo = append(s.todo, rowTodo{a: r.row, b: to, kind: seqdiff.Changed, sortBy: 2 * to})
		}
	}
	for _, r := range s.b.bare {
		from, ok := s.rows.from(r.row)
		if !ok || done[r.row] || have(s.a.numbers, from) {
			continue
		}
		s.todo = append(s.todo, rowTodo{a: from, b: r.row, kind: seqdiff.Changed, sortBy: 2 * r.row})
	}
}
