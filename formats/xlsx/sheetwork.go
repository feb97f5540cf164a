package xlsx

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// deferredEdit is an edit outside the rows of a sheet, which an operation defers
// until all operations are collected.
type deferredEdit struct {
	at formats.OpReport // of the operation
	do func(ctx context.Context, w *sheetWork) error
}

// deferEdit defers do until the plan is complete. Its errors and its report belong
// to the operation that is being collected.
func (p *plan) deferEdit(s *planSheet, do func(context.Context, *sheetWork) error) {
	s.deferred = append(s.deferred, deferredEdit{at: p.at, do: do})
}

// warnOp adds a warning to the report of the operation that is being collected.
func (p *plan) warnOp(format string, args ...any) {
	p.at.Warnings = append(p.at.Warnings, fmt.Sprintf(format, args...))
}

// unused adds members to the report of the operation that is being collected:
// those that are given and that it does not use beside the others. in is the
// object that they are members of, "" for the operation.
func (p *plan) unused(in string, members ...givenMember) {
	for _, m := range members {
		if m.given {
			p.at.Ignored = append(p.at.Ignored, formats.Ignored{Name: m.name, In: in})
		}
	}
}

// givenMember is a member of an operation, and whether it is given.
type givenMember struct {
	name  string
	given bool
}

// warn adds a warning to the report of the operation whose edit is made.
func (w *sheetWork) warn(format string, args ...any) {
	w.rep.Warnings = append(w.rep.Warnings, fmt.Sprintf(format, args...))
}

// sheetWork is a sheet while its deferred edits are made: each sees the result of
// those before it.
type sheetWork struct {
	f                 *finisher
	sheet             *planSheet
	part              string
	prefix            string // of the sheet's elements, with colon
	skel              sheetml.Skeleton
	changed           bool
	facts             *facts          // of a sheet of the file
	hidden            hiddenRuns      // rows that operations hid or showed
	fits              map[int]float64 // heights that rows need
	rep               *formats.OpReport
	newFormats        *sheetStyles       // formats that operations set; nil if none
	multiCellFormulas []book.FormulaCell // array formulas and data tables of the file, and those over several cells that are written
}

// around makes the deferred edits of a sheet and warns about its protection.
func (f *finisher) around(ctx context.Context, s *planSheet, part, prefix string, k sheetml.Skeleton, styles *sheetStyles) (*sheetWork, error) {
	w := &sheetWork{f: f, sheet: s, part: part, prefix: prefix, skel: k, newFormats: styles}
	if i := slices.Index(f.keep, s); i >= 0 {
		w.facts = f.facts[i]
		for fc := range f.facts[i].formulas.places() {
			if !fc.Spill.Empty() {
				w.multiCellFormulas = append(w.multiCellFormulas, fc)
			}
		}
	}
	for _, at := range s.arrays {
		if b := s.cells[at].block; b != nil {
			w.multiCellFormulas = append(w.multiCellFormulas, book.FormulaCell{Row: at.Row, Col: at.Col, Spill: *b})
		}
	}
	for _, o := range s.deferred {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.rep = f.reportOf(o.at)
		if err := o.do(ctx, w); err != nil {
			return nil, formats.InOp(err, o.at.Index, o.at.Op)
		}
	}
	if _, _, locked := w.child("sheetProtection"); locked && (w.changed || len(w.hidden) > 0 || styles != nil || f.anyDeferredHits(s)) {
		f.warn("the sheet %q is protected; it was edited all the same", s.name)
	}
	return w, w.saidOfNarrow(ctx)
}

// anyDeferredHits reports whether one of the pending operations of a sheet found
// something to do.
func (f *finisher) anyDeferredHits(s *planSheet) bool {
	for _, o := range s.deferred {
		if f.reportOf(o.at).Hits > 0 {
			return true
		}
	}
	return false
}

// reportOf is where the report of an op is written.
func (p *plan) reportOf(at formats.OpReport) *formats.OpReport {
	for i := range p.report.Ops {
		if p.report.Ops[i].Index == at.Index {
			return &p.report.Ops[i]
		}
	}
	return &formats.OpReport{}
}

// edit applies splices to the skeleton.
func (w *sheetWork) edit(edits ...xmlscan.Splice) {
	if len(edits) == 0 {
		return
	}
	now := w.skel.Apply(edits)
	w.changed = w.changed || !bytes.Equal(now.Doc, w.skel.Doc)
	w.skel = now
}

// sheetSchema has the children of worksheet (CT_Worksheet, 18.3.1.99).
var sheetSchema = element.NewSchema("sheetPr dimension sheetViews sheetFormatPr cols sheetData sheetCalcPr sheetProtection protectedRanges scenarios autoFilter sortState dataConsolidate customSheetViews mergeCells phoneticPr conditionalFormatting dataValidations hyperlinks printOptions pageMargins pageSetup headerFooter rowBreaks colBreaks customProperties cellWatches ignoredErrors smartTags drawing drawingHF legacyDrawing legacyDrawingHF picture oleObjects controls webPublishItems tableParts extLst")

// insert puts a new child of worksheet at its place; xml is the whole element.
func (w *sheetWork) insert(name, xml string) {
	if edit, ok := element.Insert(w.skel.Doc, sheetSchema, name, xml); ok {
		w.edit(edit)
	}
}

// child finds the first child of worksheet with that name: its start tag and
// the offset behind it.
func (w *sheetWork) child(name string) (t xmlscan.Token, end int, ok bool) {
	sc := xmlscan.New(w.skel.Doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Depth != 2 {
			continue
		}
		if t.Local == name {
			return t, sc.Skip(), true
		}
		sc.Skip()
	}
	return xmlscan.Token{}, 0, false
}

// appendTo adds an item to a list such as mergeCells, making the list when it
// is missing and keeping its count attribute right.
func (w *sheetWork) appendTo(list, item string, counted bool) {
	t, end, ok := w.child(list)
	if !ok {
		count := ""
		if counted {
			count = ` count="1"`
		}
		w.insert(list, "<"+w.prefix+list+count+">"+item+"</"+w.prefix+list+">")
		return
	}
	w.edit(element.Append(w.skel.Doc, t, end, item, 1)...)
}
