package xlsx

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// editSkeleton collects the changes to what stands around the rows of sheet i.
func (f *finisher) editSkeleton(i int) error {
	fa, s := f.facts[i], f.keep[i]
	f.skel[i] = append(f.skel[i], skeletonEdits(fa.skel, s, fa.prefix)...)
	f.skel[i] = append(f.skel[i], s.edits...)
	if f.rw.Idle() {
		return nil
	}
	w := &walk{rw: f.rw, home: strings.ToLower(s.info.Name), elems: formulaElems}
	edits, err := w.run(fa.skel.Doc)
	if err != nil {
		return book.CorruptPart(err, s.info.Part)
	}
	for _, e := range edits {
		// The caller of Replace has written lists of choices already.
		if !slices.ContainsFunc(s.edits, func(o xmlscan.Splice) bool { return o.Start == e.Start }) {
			f.skel[i] = append(f.skel[i], e)
		}
	}
	return nil
}

// skeletonEdits are the changes that a sheet's plan makes around its rows.
func skeletonEdits(k sheetml.Skeleton, s *planSheet, prefix string) []xmlscan.Splice {
	edits := dimensionEdit(k, s)
	if widths := sizes(k, s); len(widths) > 0 {
		edits = append(edits, widthEdits(k, widths, prefix)...)
	}
	for name, text := range s.hf {
		for _, t := range k.Elements(name) {
			if !t.Empty && t.Depth == 3 {
				edits = append(edits, xmlscan.Splice{Start: t.End, End: t.End + sheetml.TextEnd(k.Doc[t.End:]), New: []byte(xmlscan.Escape(text))})
			}
		}
	}
	if s.freeze != nil {
		edits = append(edits, freezeEdits(k, *s.freeze, prefix)...)
	}
	return edits
}

// sizes are the widths that a plan gives columns.
func sizes(k sheetml.Skeleton, s *planSheet) map[int]float64 {
	if len(s.unsized) == 0 {
		return s.widths
	}
	widths := maps.Clone(s.unsized)
	cols, _, _ := sheetml.ReadColumns(k)
	maps.DeleteFunc(widths, func(col int, _ float64) bool {
		return slices.ContainsFunc(cols, func(c sheetml.ColumnRange) bool {
			return c.From <= col && col <= c.To && (sheetml.AttrOf(c.Tag, "width") != "" || sheetml.IsTrue(sheetml.AttrOf(c.Tag, "hidden")))
		})
	})
	maps.Copy(widths, s.widths)
	return widths
}

// dimensionEdit grows <dimension> (18.3.1.35) over the cells written.
func dimensionEdit(k sheetml.Skeleton, s *planSheet) []xmlscan.Splice {
	toks := k.Elements("dimension")
	if len(toks) == 0 || !s.writes() {
		return nil
	}
	for a := range toks[0].Attrs() {
		if a.Name != "ref" {
			continue
		}
		old := cellref.ParseAttr(a.Value())
		r := old
		if s.orig < 0 {
			r = cellref.Range{}
		}
		for at, v := range s.cells {
			if v.kind != valClear {
				r.Add(at.Row, at.Col)
			}
		}
		if m := s.moved; m != nil && !m.area.Empty() {
			r.Add(m.area.R1, m.area.C1)
			r.Add(m.area.R2, m.area.C2)
		}
		if t := s.texts; t != nil {
			r.Add(t.area.R1, t.area.C1)
			r.Add(t.area.R2, t.area.C2)
		}
		if r != old && !r.Empty() {
			return []xmlscan.Splice{{Start: a.ValStart, End: a.ValEnd, New: []byte(r.String())}}
		}
	}
	return nil
}

// widthEdits rewrites <cols> (18.3.1.17) with the new widths; ranges are split
// where a width touches a part of one.
func widthEdits(k sheetml.Skeleton, widths map[int]float64, prefix string) []xmlscan.Splice {
	var runs []lineRun
	for _, col := range slices.Sorted(maps.Keys(widths)) {
		if n := len(runs) - 1; n >= 0 && runs[n].to == col-1 && widths[runs[n].from] == widths[col] {
			runs[n].to = col
			continue
		}
		runs = append(runs, lineRun{col, col})
	}
	return columnEdits(k, runs, prefix, func(run int, tag []byte) []byte {
		attrs := ` width="` + strconv.FormatFloat(widths[runs[run].from], 'f', -1, 64) + `" customWidth="1"`
		if tag == nil {
			return []byte("<" + prefix + "col" + attrs + "/>")
		}
		return sheetml.EditTag(tag, attrs, "width", "customWidth", "bestFit")
	})
}

// columnEdits rewrites <cols> (18.3.1.17) at runs of columns, which are in order:
// change returns the tag of a run's columns for the one they have, nil for none.
// Definitions are split at the ends of runs.
func columnEdits(k sheetml.Skeleton, runs []lineRun, prefix string, change func(run int, tag []byte) []byte) []xmlscan.Splice {
	old, start, end := sheetml.ReadColumns(k)
	var out []sheetml.ColumnRange
	put := func(from, to int, tag []byte) {
		if from <= to && tag != nil {
			out = append(out, sheetml.Columns(from, to, tag))
		}
	}
	next := 0 // run
	at := 1   // column from which on the run is not written
	gaps := func(before int) {
		for ; next < len(runs); next++ {
			r := runs[next]
			from := max(at, r.from)
			if from >= before {
				return
			}
			put(from, min(r.to, before-1), change(next, nil))
			if r.to >= before {
				return
			}
		}
	}
	for _, c := range old {
		gaps(c.From)
		from := max(c.From, at) // definitions should not overlap
		for ; next < len(runs) && runs[next].from <= c.To; next++ {
			r := runs[next]
			if first := max(from, r.from); first <= min(c.To, r.to) {
				put(from, first-1, c.Tag)
				put(first, min(c.To, r.to), change(next, c.Tag))
				from = min(c.To, r.to) + 1
			}
			if r.to > c.To {
				break
			}
		}
		put(from, c.To, c.Tag)
		at = max(at, c.To+1)
	}
	gaps(cellref.MaxCol + 1)
	if len(out) == 0 && start < 0 {
		return nil
	}
	return colsXML(k, out, start, end, prefix)
}

// freezeEdits sets the pane (18.3.1.66) of the sheet's first view.
func freezeEdits(k sheetml.Skeleton, at cellref.Cell, prefix string) []xmlscan.Splice {
	pane := paneXML(at, prefix)
	sc := xmlscan.New(k.Doc[:k.Cut])
	var edits []xmlscan.Splice
	inView, done := false, false
	for sc.Next() && !done {
		t := sc.Token()
		switch {
		case t.Local == "sheetView" && t.Depth == 3 && t.Kind == xmlscan.Start:
			if t.Empty {
				tag := sheetml.EditTag(t.Bytes(), "", "topLeftCell")
				tag = append(slices.Clone(tag[:len(tag)-2]), '>')
				return []xmlscan.Splice{{Start: t.Start, End: t.End, New: []byte(string(tag) + pane + "</" + prefix + "sheetView>")}}
			}
			edits = append(edits, xmlscan.Splice{Start: t.Start, End: t.End, New: []byte(string(sheetml.EditTag(t.Bytes(), "", "topLeftCell")) + pane)})
			inView = true
		case inView && t.Depth == 4 && t.Kind == xmlscan.Start && (t.Local == "pane" || t.Local == "selection"):
			edits = append(edits, xmlscan.Splice{Start: t.Start, End: sc.Skip()})
		case inView && t.Local == "sheetView" && t.Kind == xmlscan.End:
			done = true
		}
	}
	if inView {
		return edits
	}
	view := "<" + prefix + `sheetViews><` + prefix + `sheetView workbookViewId="0">` + pane + "</" + prefix + "sheetView></" + prefix + "sheetViews>"
	i := k.Before("sheetFormatPr", "cols", "sheetData")
	return []xmlscan.Splice{{Start: i, End: i, New: []byte(view)}}
}

func paneXML(at cellref.Cell, prefix string) string {
	if at.Row == 0 && at.Col == 0 {
		return ""
	}
	active := "bottomRight"
	switch {
	case at.Row == 0:
		active = "topRight"
	case at.Col == 0:
		active = "bottomLeft"
	}
	s := "<" + prefix + "pane"
	if at.Col > 0 {
		s += ` xSplit="` + strconv.Itoa(at.Col) + `"`
	}
	if at.Row > 0 {
		s += ` ySplit="` + strconv.Itoa(at.Row) + `"`
	}
	return s + ` topLeftCell="` + cellref.Name(at.Row+1, at.Col+1) + `" activePane="` + active + `" state="frozen"/><` + prefix + `selection pane="` + active + `"/>`
}
