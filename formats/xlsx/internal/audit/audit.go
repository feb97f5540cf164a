package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/textclip"
)

// The kinds of findings, in the order in which those of one severity are listed.
const (
	kindError    = "error"
	kindCircular = "circular"
	kindTotal    = "total_range"
	kindTyped    = "typed_over"
	kindPattern  = "pattern"
	kindText     = "number_as_text"
	kindSign     = "sign"
	kindScale    = "scale"
	kindUnit     = "unit"
	kindStale    = "stale_value"
	kindExternal = "external"
	kindNoValue  = "no_value"
	kindUnused   = "unused_input"
)

var kinds = []string{kindError, kindCircular, kindTotal, kindTyped, kindPattern, kindText, kindSign, kindScale, kindUnit, kindStale, kindExternal, kindNoValue, kindUnused}

// KindMap asks for the map of the sheets.
const KindMap = "map"

// Auditor audits workbooks.
type Auditor struct{}

// AuditKinds implements formats.Auditor.
func (Auditor) AuditKinds() []string { return slices.Clone(kinds) }

// Audit implements formats.Auditor.
func (Auditor) Audit(ctx context.Context, src formats.Source, opt formats.AuditOptions) (*formats.Audit, error) {
	wb, err := book.Open(ctx, src)
	if err != nil {
		return nil, err
	}
	out, err := audited(ctx, wb, opt)
	return out, book.Typed(err, src.Name())
}

func audited(ctx context.Context, wb *book.Workbook, opt formats.AuditOptions) (*formats.Audit, error) {
	first := -1
	var at cellref.Cell
	if opt.Cell != "" {
		var err error
		if first, at, err = cellOf(wb, opt.Cell); err != nil {
			return nil, err
		}
	}
	m, err := load(ctx, wb, first)
	if err != nil {
		return nil, err
	}
	if len(m.forms) == 0 {
		m.forms = append(m.forms, &form{unsure: true})
	}
	if opt.Cell != "" {
		t, err := m.trace(ctx, m.sheets[first], at)
		if err != nil {
			return nil, err
		}
		return &formats.Audit{Trace: t, Unseen: m.unseen}, nil
	}
	a := &auditing{model: m, opt: opt, book: calculation(wb.XML), ends: map[spanEnd]bool{}}
	a.eval = &evaluator{model: m}
	if err := a.run(ctx); err != nil {
		return nil, err
	}
	out := &formats.Audit{Unseen: m.unseen}
	for _, h := range a.hits.joined() {
		f := formats.Finding{Kind: h.kind, Severity: h.severity, At: m.sheets[h.sheet].address(h.area), Fact: h.fact, Expected: h.expected}
		if n := (h.area.R2 - h.area.R1 + 1) * (h.area.C2 - h.area.C1 + 1); n > 1 && h.kind != kindExternal && h.kind != kindNoValue && h.kind != kindUnused {
			f.Fact = fmt.Sprintf("%d alike, the first: %s", n, f.Fact)
		}
		out.Add(f)
	}
	if a.hits.full {
		out.Unseen = append(out.Unseen, fmt.Sprintf("findings beyond %d", maxHits))
	}
	out.Rank(kinds)
	if opt.Wants(KindMap) {
		out.Map = m.flows()
	}
	return out, nil
}

// cellOf reads Sheet!A1; without a sheet it is the first.
func cellOf(wb *book.Workbook, s string) (int, cellref.Cell, error) {
	name, at, ok := cellref.CutSheet(s)
	i := 0
	if ok {
		if i = wb.Find(name); i < 0 {
			return 0, cellref.Cell{}, book.UnknownSheet(name)
		}
	}
	c, err := cellref.ParseCell(strings.ReplaceAll(at, "$", ""))
	if err == nil && len(wb.Sheets) == 0 {
		err = formats.Errorf(formats.CodeNotFound, "the workbook has no sheets")
	}
	return i, c, err
}

// bookSettings are the settings of a workbook about calculation.
type bookSettings struct {
	calculates bool // a program calculates everything when it opens the file
	iterates   bool // circular references are allowed
	displayed  bool // values are calculated as they are shown
}

// calculation reads the element calcPr (18.2.2).
func calculation(doc []byte) bookSettings {
	var out bookSettings
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Local == "calcPr" {
			out.calculates = sheetml.IsTrue(t.AttrLocal("fullCalcOnLoad"))
			out.iterates = sheetml.IsTrue(t.AttrLocal("iterate"))
			v, ok := t.Attr("fullPrecision")
			out.displayed = ok && !sheetml.IsTrue(v)
		}
	}
	return out
}

// auditing is an audit of a workbook.
type auditing struct {
	*model
	opt  formats.AuditOptions
	book bookSettings
	eval *evaluator
	ends map[spanEnd]bool
	hits hits
}

// run looks for the wanted kinds of findings.
func (a *auditing) run(ctx context.Context) error {
	for _, s := range a.sheets {
		for b := range s.blocks(ctx) {
			a.block(b)
		}
	}
	if a.wants(kindTotal) {
		a.eachFormula(ctx, a.noteTotals)
		a.eachFormula(ctx, a.shortTotals)
	}
	if a.wants(kindStale) && !a.book.displayed {
		a.eachFormula(ctx, a.staleValue)
		if a.eval.work > maxValueWork {
			a.unseen = append(a.unseen, fmt.Sprintf("values of formulas beyond %d cells read", maxValueWork))
		}
	}
	if a.wants(kindError) {
		a.errors(ctx)
	}
	if a.wants(kindCircular) {
		a.cycles(ctx)
	}
	if a.wants(kindExternal) || a.wants(kindNoValue) {
		a.sources(ctx)
	}
	if a.wants(kindUnused) {
		if err := a.unusedInputs(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (a *auditing) wants(kind string) bool { return a.opt.Wants(kind) }

// block looks for mistakes in a row or column.
func (a *auditing) block(b *block) {
	if a.wants(kindPattern) || a.wants(kindTyped) {
		a.patterns(b)
	}
	if a.wants(kindSign) || a.wants(kindScale) || a.wants(kindUnit) {
		a.oddNumbers(b)
	}
	if a.wants(kindText) && b.down {
		a.textNumbers(b)
	}
}

// eachFormula calls fn for each cell with a known formula until ctx is done.
func (a *auditing) eachFormula(ctx context.Context, fn func(*sheet, *cell)) {
	for _, s := range a.sheets {
		for i := range s.cells {
			if i%cellsPerCheck == 0 && ctx.Err() != nil {
				return
			}
			if c := &s.cells[i]; c.form > 0 {
				fn(s, c)
			}
		}
	}
}

// shorten cuts a formula for a finding.
func shorten(s string) string { return textclip.HeadBytes(book.OneLine(s), 120) }
