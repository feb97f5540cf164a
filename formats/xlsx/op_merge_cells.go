package xlsx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
)

func (p *plan) mergeCells(_ context.Context, op rangeArgs) (int, error) {
	rects, err := ranges(op.Range)
	if err != nil {
		return 0, err
	}
	for _, r := range rects {
		if r.R1 == r.R2 && r.C1 == r.C2 {
			return 0, formats.Errorf(formats.CodeInvalid, "%s is a single cell; a merge needs two or more", r)
		}
	}
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	p.deferEdit(s, func(ctx context.Context, w *sheetWork) error {
		for _, r := range rects {
			if err := w.merge(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
	return 0, nil
}

// merge adds one merged cell (18.3.1.55).
func (w *sheetWork) merge(ctx context.Context, r cellref.Range) error {
	for _, m := range w.skel.Merges() {
		switch {
		case m == r:
			w.rep.Warnings = append(w.rep.Warnings, r.String()+" is merged already")
			return nil
		case m.Meets(r):
			return formats.Errorf(formats.CodeInvalid, "%s overlaps the merged cell %s; unmerge that first", r, m)
		}
	}
	if err := w.mayMerge(ctx, r); err != nil {
		return err
	}
	var hidden []string
	err := w.each(ctx, r, func(at cellref.Cell, v cellView) error {
		if (at.Row != r.R1 || at.Col != r.C1) && (v.shown != "" || v.formula) {
			hidden = append(hidden, cellref.Name(at.Row, at.Col))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if n := len(hidden); n > 0 {
		more := ""
		if n > 8 {
			more = fmt.Sprintf(" and %d more", n-8)
		}
		w.rep.Warnings = append(w.rep.Warnings, fmt.Sprintf("merging %s hides the values of %s%s", r, strings.Join(hidden[:min(n, 8)], ", "), more))
	}
	w.appendTo("mergeCells", "<"+w.prefix+`mergeCell ref="`+r.String()+`"/>`, true)
	w.rep.Hits++
	w.rep.Made = w.sheet.name + "!" + r.String()
	return nil
}

// mayMerge refuses to merge cells of a table or of an array formula.
func (w *sheetWork) mayMerge(ctx context.Context, r cellref.Range) error {
	tabs, err := w.tables(ctx)
	if err != nil {
		return err
	}
	for _, t := range tabs {
		if t.Ref.Meets(r) {
			return formats.Errorf(formats.CodeInvalid, "%s overlaps the table %s (%s); cells of a table cannot be merged", r, t.Name, t.Ref)
		}
	}
	for _, fc := range w.multiCellFormulas {
		if fc.Spill.Meets(r) {
			return formats.Errorf(formats.CodeInvalid, "%s overlaps the array formula in %s, which cannot be merged", r, fc.Spill)
		}
	}
	return nil
}

func (p *plan) unmergeCells(_ context.Context, op rangeArgs) (int, error) {
	rects, err := ranges(op.Range)
	if err != nil {
		return 0, err
	}
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	p.deferEdit(s, func(_ context.Context, w *sheetWork) error {
		w.rep.Hits = w.drop("mergeCells", "mergeCell", func(t xmlscan.Token) bool {
			m := cellref.ParseAttr(t.AttrLocal("ref"))
			for _, r := range rects {
				if m.Meets(r) {
					return true
				}
			}
			return false
		})
		if w.rep.Hits == 0 {
			w.rep.Warnings = append(w.rep.Warnings, "there is no merged cell in "+op.Range)
		}
		return nil
	})
	return 0, nil
}

// drop removes the items of a list that match, and the list with its last one;
// it returns how many went.
func (w *sheetWork) drop(list, item string, match func(xmlscan.Token) bool) int {
	t, end, ok := w.child(list)
	if !ok || t.Empty {
		return 0
	}
	var cuts []xmlscan.Splice
	left := 0
	sc := xmlscan.New(w.skel.Doc)
	for sc.Next() {
		i := sc.Token()
		switch {
		case i.Kind != xmlscan.Start || i.Depth != 3 || i.Start < t.Start || i.Start > end:
		case i.Local == item && match(i):
			cuts = append(cuts, xmlscan.Splice{Start: i.Start, End: sc.Skip()})
		default:
			left++
		}
	}
	switch {
	case len(cuts) == 0:
	case left == 0:
		w.edit(xmlscan.Splice{Start: t.Start, End: end})
	default:
		w.edit(append(cuts, recount(t, left)...)...)
	}
	return len(cuts)
}

// recount sets the count attribute of a list, if it has one.
func recount(t xmlscan.Token, n int) []xmlscan.Splice {
	for a := range t.Attrs() {
		if a.Name == "count" {
			return []xmlscan.Splice{{Start: a.ValStart, End: a.ValEnd, New: fmt.Append(nil, n)}}
		}
	}
	return nil
}
