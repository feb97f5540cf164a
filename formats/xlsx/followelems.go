package xlsx

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// pageBreak moves a break (18.3.1.3), which stands behind row id.
func (w *walk) pageBreak(t xmlscan.Token) bool {
	n := len(w.open)
	if n == 0 || (w.open[n-1].local == "colBreaks") != w.rw.Shift.Cols {
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
	if !w.rw.Shift.Cols {
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
	if sh.Count > 0 && to == sh.At-1 {
		b = min(to+sh.Count, cellref.MaxCol)
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
		if to -= f.moved.C1; to != id {
			w.put(a.ValStart, a.ValEnd, strconv.Itoa(to))
		}
	}
	return true
}

// pane grows or shrinks the frozen rows or columns (18.3.1.66).
func (w *walk) pane(t xmlscan.Token) {
	if !strings.HasPrefix(t.AttrLocal("state"), "frozen") {
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
		if sh.Count > 0 && sh.At >= first && sh.At <= last {
			now += sh.Count
		} else if sh.Count < 0 {
			now = max(split-max(0, min(sh.Last(), last)-max(sh.At, first)+1), 1)
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
	if sh.Count > 0 && col == sh.At && col > w.table.Ref.C1 {
		prefix := ""
		if t.Prefix != "" {
			prefix = t.Prefix + ":"
		}
		var sb bytes.Buffer
		for _, name := range w.table.NewColumns(sh.Count) {
			w.newID++
			fmt.Fprintf(&sb, `<%stableColumn id="%d" name="%s"/>`, prefix, w.newID, sheetml.EscapeAttr(name))
			w.open[n-1].more++
		}
		w.put(t.Start, t.Start, sb.String())
	}
	return true
}
