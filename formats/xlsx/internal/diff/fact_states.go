package diff

import (
	"fmt"
	"slices"
	"sort"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// stateFacts tells what rows and columns say of themselves now: hidden, their
// sizes, outlines, formats.
func (x *bookDiff) stateFacts(s *sheetDiff) {
	if s.sheetPair.b < 0 {
		return // that the sheet went says it
	}
	x.insertions(s, s.rows, s.a.numbers, s.b.numbers)
	x.insertions(s, s.cols, usedColumns(s.a), usedColumns(s.b))
	if cut := cutRows(s.a, s.b); cut > 0 {
		x.fact(formats.Fact{Kind: formats.FactRowHeight, Change: formats.Changed, At: fmt.Sprintf("%s!%d:%d", s.name, cut, cellref.MaxRow), New: "the heights, outline and formats of rows, not compared",
			Warning: "too large to compare in full: heights, hidden rows and formats of rows were not compared from here on"})
	}
	x.lineFacts(s, s.rows, s.a.rows, s.b.rows, s.b.numbers)
	x.lineFacts(s, s.cols, s.a.cols, s.b.cols, usedColumns(s.b))
}

func usedColumns(s *sheetScan) []int {
	var out []int
	for c := range s.used {
		out = append(out, c)
	}
	slices.Sort(out)
	return out
}

// insertions tells the rows or columns that came or went.
func (x *bookDiff) insertions(s *sheetDiff, m *lineMap, usedA, usedB []int) {
	kind := formats.FactRows
	if m.cols {
		kind = formats.FactColumns
	}
	say := func(l lineSpan, used []int) string {
		n := l.to - l.from + 1
		held := len(inside(used, l.from-1, l.to+1))
		word := map[bool]string{true: "column", false: "row"}[m.cols]
		if held == 0 {
			return formats.Count(n, "blank "+word)
		}
		return formats.Count(n, word)
	}
	for _, l := range m.added {
		x.fact(formats.Fact{Kind: kind, Change: formats.Added, At: s.name + "!" + l.String(m.cols), New: say(l, usedB) + " inserted", Revertible: true})
	}
	for _, l := range m.deleted {
		x.fact(formats.Fact{Kind: kind, Change: formats.Removed, At: s.name + "!" + l.String(m.cols), Old: say(l, usedA) + " deleted"})
	}
}

// linePiece is lines with what they said and say.
type linePiece struct {
	lineSpan
	was, now lineState
}

// pieces pairs the runs of both sides, those of the old one put where their lines
// are now.
func pieces(m *lineMap, a, b []lineRun) []linePiece {
	moved := m.move(a)
	var out []linePiece
	i, j, at := 0, 0, 0
	for i < len(moved) || j < len(b) {
		was, endA := runAt(moved, i, at)
		now, endB := runAt(b, j, at)
		next := min(endA, endB)
		if was != plainLine || now != plainLine {
			out = append(out, linePiece{lineSpan{at, next}, was, now})
		}
		at = next + 1
		for i < len(moved) && moved[i].to < at {
			i++
		}
		for j < len(b) && b[j].to < at {
			j++
		}
	}
	return out
}

// runAt returns the state of the lines from a place on, and the last line that
// has it, where runs[k] is the first run that does not end before the place.
func runAt(runs []lineRun, k, at int) (st lineState, last int) {
	switch {
	case k >= len(runs):
		return plainLine, 1 << 30
	case runs[k].from > at:
		return plainLine, runs[k].from - 1
	}
	return runs[k].lineState, runs[k].to
}

// move puts runs of the old side where their lines are now.
func (m *lineMap) move(runs []lineRun) []lineRun {
	if m.same() {
		return runs
	}
	var out []lineRun
	for _, r := range runs {
		k := sort.Search(len(m.segs), func(k int) bool { return m.segs[k].a+m.segs[k].n > r.from })
		for ; k < len(m.segs) && m.segs[k].a <= r.to; k++ {
			sg := m.segs[k]
			from, to := max(r.from, sg.a), min(r.to, sg.a+sg.n-1)
			out = append(out, lineRun{from - sg.a + sg.b, to - sg.a + sg.b, r.lineState})
		}
	}
	return out
}

// lineChange is what became of lines.
type lineChange struct{ kind, was, now string }

// lineChanges are the lines of each change, in the order of their first ones.
type lineChanges struct {
	spans map[lineChange][]lineSpan
	order []lineChange
}

func (l *lineChanges) add(c lineChange, at lineSpan) {
	list, known := l.spans[c]
	if !known {
		l.order = append(l.order, c)
	}
	if k := len(list) - 1; k >= 0 && list[k].to == at.from-1 {
		list[k].to = at.to
	} else {
		list = append(list, at)
	}
	l.spans[c] = list
}

// lineFacts groups lines that changed in the same way.
func (x *bookDiff) lineFacts(s *sheetDiff, m *lineMap, a, b []lineRun, used []int) {
	changes := &lineChanges{spans: map[lineChange][]lineSpan{}}
	sizeKind, hiddenKind, size := formats.FactRowHeight, formats.FactHiddenRows, "height"
	if m.cols {
		sizeKind, hiddenKind, size = formats.FactColumnWidth, formats.FactHiddenColumns, "width"
	}
	fresh := s.sheetPair.a < 0 // of a new sheet only what hides counts
	for _, p := range pieces(m, a, b) {
		if p.was.hidden != p.now.hidden {
			changes.add(lineChange{hiddenKind, hiddenWord(p.was.hidden), hiddenWord(p.now.hidden)}, p.lineSpan)
		}
		if fresh {
			continue
		}
		if p.was.size != p.now.size || p.was.custom != p.now.custom {
			changes.add(lineChange{sizeKind, sizeWord(size, p.was, p.now), sizeWord(size, p.now, p.was)}, p.lineSpan)
		}
		if p.was.outline != p.now.outline || p.was.collapsed != p.now.collapsed {
			changes.add(lineChange{formats.FactOutline, outlineWord(p.was), outlineWord(p.now)}, p.lineSpan)
		}
		if la, lb := x.a.lookAt(max(p.was.style, 0)), x.b.lookAt(max(p.now.style, 0)); la.Hash != lb.Hash {
			was, now := la.Differ(lb)
			changes.add(lineChange{formats.FactFormat, was, now}, p.lineSpan)
		}
		if p.was.rest != p.now.rest {
			changes.add(lineChange{formats.FactFormat, "", "other details of the line: " + p.was.rest + " → " + p.now.rest}, p.lineSpan)
		}
	}
	for _, c := range changes.order {
		x.lineFact(s, m, c.kind, c.was, c.now, changes.spans[c], used, hiddenKind, sizeKind)
	}
}

func (x *bookDiff) lineFact(s *sheetDiff, m *lineMap, kind, was, now string, spans []lineSpan, used []int, hiddenKind, sizeKind string) {
	n, held := 0, 0
	var places []string
	for _, l := range spans {
		n += l.to - l.from + 1
		held += len(inside(used, l.from-1, l.to+1))
		if len(places) < 20 {
			places = append(places, l.String(m.cols))
		}
	}
	f := formats.Fact{Kind: kind, Change: formats.Changed, At: s.name + "!" + placesOf(places, len(spans)-len(places)), Old: was, New: now}
	with := ""
	if held > 0 {
		with = fmt.Sprintf(", %d with content", held)
	}
	switch {
	case kind == hiddenKind && now == "hidden":
		f.Change, f.Old, f.New = formats.Added, "", countLines(m.cols, n)+" hidden"+with
		f.Warning, f.Revertible = countLines(m.cols, n)+" hidden now"+with, len(spans) == 1
	case kind == hiddenKind:
		f.Change, f.Old, f.New = formats.Removed, countLines(m.cols, n)+" hidden", ""
		f.Revertible = len(spans) == 1
	case kind == sizeKind && (now == "height 0" || now == "width 0"):
		f.Warning = now + ", so nothing of it is seen" + with
	}
	x.fact(f)
}

func hiddenWord(b bool) string {
	if b {
		return "hidden"
	}
	return "shown"
}

func sizeWord(what string, st, other lineState) string {
	switch {
	case st.size == "":
		return what + " default"
	case !st.custom && (st.size == other.size || other.custom):
		return what + " " + st.size + " (automatic)"
	}
	return what + " " + st.size
}

func outlineWord(st lineState) string {
	s := "no group"
	if st.outline != "" {
		s = "group level " + st.outline
	}
	if st.collapsed {
		s += ", collapsed"
	}
	return s
}
