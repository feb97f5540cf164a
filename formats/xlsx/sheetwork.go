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

// pending is what an operation leaves to be done around a sheet's rows once
// all operations are known.
type pending struct {
	at formats.OpReport // whose it is
	do func(ctx context.Context, w *sheetWork) error
}

// pend puts work on a sheet off until the plan is complete; errors and reports
// are those of the op being taken in.
func (p *plan) pend(s *planSheet, do func(context.Context, *sheetWork) error) {
	s.objects = append(s.objects, pending{at: p.at, do: do})
}

// note adds a warning to the report of the op being taken in.
func (p *plan) note(format string, args ...any) {
	p.at.Warnings = append(p.at.Warnings, fmt.Sprintf(format, args...))
}

// warn adds a warning to the report of the op at work.
func (w *sheetWork) warn(format string, args ...any) {
	w.rep.Warnings = append(w.rep.Warnings, fmt.Sprintf(format, args...))
}

// sheetWork is a sheet as it stands while pending work is done on it: each
// piece of work sees what those before it made.
type sheetWork struct {
	f       *finisher
	sheet   *planSheet
	part    string
	prefix  string // of the sheet's elements, with colon
	skel    sheetml.Skeleton
	changed bool
	rep     *formats.OpReport
	styles  *sheetStyles       // what becomes of formats, nil none
	arrays  []book.FormulaCell // array formulas of the file
}

// around does the pending work of a sheet.
func (f *finisher) around(ctx context.Context, s *planSheet, part, prefix string, k sheetml.Skeleton, styles *sheetStyles) (*sheetWork, error) {
	w := &sheetWork{f: f, sheet: s, part: part, prefix: prefix, skel: k, styles: styles}
	if i := slices.Index(f.keep, s); i >= 0 {
		for _, fc := range f.facts[i].formulas {
			if !fc.Spill.Empty() {
				w.arrays = append(w.arrays, fc)
			}
		}
	}
	for _, o := range s.objects {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.rep = f.reportOf(o.at)
		if err := o.do(ctx, w); err != nil {
			return nil, formats.InOp(err, o.at.Index, o.at.Op)
		}
	}
	if _, _, locked := w.child("sheetProtection"); locked && (w.changed || styles != nil || f.didSomething(s)) {
		f.warn("the sheet %q is protected; it was edited all the same", s.name)
	}
	return w, nil
}

// didSomething reports whether one of the pending operations of a sheet found
// something to do.
func (f *finisher) didSomething(s *planSheet) bool {
	for _, o := range s.objects {
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
