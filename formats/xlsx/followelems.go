package xlsx

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// pageBreak moves a break (18.3.1.3), which stands behind row id.
func (w *walk) pageBreak(t xmlscan.Token) bool {
	n := len(w.open)
	if n == 0 || w.rw.Shift.Moves() || (w.open[n-1].local == "colBreaks") != w.rw.Shift.Cols {
		return true
	}
	for a := range t.Attrs() {
		if a.Name != "id" {
			continue
		}
		id := sheetml.Atoi([]byte(a.Value()))
		to, ok := w.rw.Shift.Index(max(id, 1))
		if !ok {
			return false
		}
		if to != id && id > 0 {
			w.put(a.ValStart, a.ValEnd, strconv.Itoa(to))
		}
	}
	return true
}

// column moves a run of columns (18.3.1.13); inserted ones look like the one
// on their left.
func (w *walk) column(t xmlscan.Token) bool {
	if !w.rw.Shift.Cols || w.rw.Shift.Moves() { // movedColumns does the latter
		return true
	}
	from, to := sheetml.Atoi([]byte(t.AttrLocal("min"))), sheetml.Atoi([]byte(t.AttrLocal("max")))
	if from < 1 || to < from {
		return true
	}
	sh := *w.rw.Shift
	a, b, ok := sh.Span(from, to)
	if !ok {
		return false
	}
	if run, ok := sh.Before(to + 1); ok {
		b = min(b+run.Count, cellref.MaxCol)
	}
	for at := range t.Attrs() {
		switch {
		case at.Name == "min" && a != from:
			w.put(at.ValStart, at.ValEnd, strconv.Itoa(a))
		case at.Name == "max" && b != to:
			w.put(at.ValStart, at.ValEnd, strconv.Itoa(b))
		}
	}
	return true
}

// filterColumn renumbers a column of a filter (18.3.2.7), 0-based in its block.
func (w *walk) filterColumn(t xmlscan.Token) bool {
	n := len(w.open)
	if !w.rw.Shift.Cols || n == 0 || w.open[n-1].area.Empty() {
		return true
	}
	f := w.open[n-1]
	for a := range t.Attrs() {
		if a.Name != "colId" {
			continue
		}
		id := sheetml.Atoi([]byte(a.Value()))
		to, ok := w.rw.Shift.Index(f.area.C1 + id)
		if !ok {
			return false
		}
		if to -= f.moved.C1; to < 0 || to > f.moved.C2-f.moved.C1 {
			return false
		}
		if to != id {
			w.put(a.ValStart, a.ValEnd, strconv.Itoa(to))
		}
	}
	return true
}

// pane grows or shrinks the frozen rows or columns (18.3.1.66).
func (w *walk) pane(t xmlscan.Token) {
	if !strings.HasPrefix(t.AttrLocal("state"), "frozen") || w.rw.Shift.Moves() {
		return
	}
	sh := *w.rw.Shift
	attr := "ySplit"
	if sh.Cols {
		attr = "xSplit"
	}
	first := 1
	if n := len(w.open); n > 0 {
		if v := cellref.ParseAttr(w.open[n-1].tag.AttrLocal("topLeftCell")); !v.Empty() {
			first, _ = sh.Side(v)
		}
	}
	for a := range t.Attrs() {
		split, err := strconv.Atoi(a.Value())
		if a.Name != attr || err != nil || split <= 0 {
			continue
		}
		last := first + split - 1
		now := split
		for _, run := range sh.Runs() {
			if sh.Inserts() && run.At >= first && run.At <= last {
				now += run.Count
			} else if sh.Deletes() {
				now = max(now-max(0, min(run.Last(), last)-max(run.At, first)+1), 1)
			}
		}
		if now != split {
			w.put(a.ValStart, a.ValEnd, strconv.Itoa(now))
		}
	}
}

// totals marks a table whose totals row is deleted as having none.
func (w *walk) totals(t xmlscan.Token) {
	tab := w.table
	if tab == nil || tab.Totals == 0 || w.rw.Shift.Cols {
		return
	}
	if _, ok := w.rw.Shift.Index(tab.Ref.R2); !ok {
		for a := range t.Attrs() {
			if a.Name == "totalsRowCount" {
				w.put(a.ValStart, a.ValEnd, "0")
			}
		}
	}
}

// tableColumn drops a deleted column of the table, and puts inserted ones
// before the one they push away.
func (w *walk) tableColumn(t xmlscan.Token) bool {
	n := len(w.open)
	sh := *w.rw.Shift
	if w.table == nil || !sh.Cols || n == 0 {
		return true
	}
	col := w.table.Ref.C1 + w.open[n-1].kids - 1
	if _, ok := sh.Index(col); !ok {
		return false
	}
	if names := w.newColumns(sh, col); len(names) > 0 {
		prefix := ""
		if t.Prefix != "" {
			prefix = t.Prefix + ":"
		}
		var sb bytes.Buffer
		for _, name := range names {
			w.newID++
			fmt.Fprintf(&sb, `<%stableColumn id="%d" name="%s"/>`, prefix, w.newID, sheetml.EscapeAttr(name))
			w.open[n-1].more++
		}
		w.put(t.Start, t.Start, sb.String())
	}
	return true
}

// newColumns are the names of the columns that are inserted before column col of
// the table.
func (w *walk) newColumns(sh cellref.Shift, col int) []string {
	run, ok := sh.Before(col)
	if !ok || col <= w.table.Ref.C1 {
		return nil
	}
	runs, n := runsInside(w.table, sh)
	names := w.table.NewColumns(n)
	for _, r := range runs {
		if r.At == col {
			return names[:run.Count]
		}
		names = names[r.Count:]
	}
	return nil
}

// runsInside are the places inside a table where columns are inserted, and how
// many these are.
func runsInside(t *book.Table, sh cellref.Shift) (runs []cellref.Run, n int) {
	for _, r := range sh.Runs() {
		if r.At > t.Ref.C1 && r.At <= t.Ref.C2 {
			runs, n = append(runs, r), n+r.Count
		}
	}
	return runs, n
}

// extArea finds the cells of a rule or sparkline of the 2009 extension, whose
// block comes last, in an element ([MS-XLSX] 2.6.5).
func (w *walk) extArea(t xmlscan.Token, f *frame) bool {
	if t.Empty {
		return true
	}
	sc := xmlscan.New(w.doc[t.Start:])
	for sc.Next() {
		s := sc.Token()
		if s.Kind == xmlscan.End && s.Depth == 1 {
			break
		}
		if s.Kind != xmlscan.Start || s.Depth != 2 || s.Local != "sqref" || s.Empty {
			continue
		}
		from := t.Start + s.End
		old := sheetml.CharData(w.doc[from : t.Start+sheetml.EndTagStart(w.doc[t.Start:], sc.Skip())])
		now, area, moved := w.refs(old, isList)
		if t.Local != "sparkline" {
			f.area, f.moved = area, moved
		}
		return now != ""
	}
	return true
}
