package xlsx

import (
	"context"
	"errors"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// finisher turns a plan into changed parts.
type finisher struct {
	*plan
	wb     *workbook
	ed     *opc.Edit
	rw     *formula.Rewriter
	keep   []*planSheet // the file's worksheets that stay, in order
	facts  []*facts     // of those
	edits  []*sheetEdit // of those; nil where nothing changes
	skel   [][]xmlscan.Splice
	tables map[int][]*book.Table // by index in keep
	spills map[int]*cellref.Set  // by index in keep: where formulas spilled that are written over
	seeds  []*cellref.Set        // cells whose value changes
	calc   bool                  // formulas must be calculated anew
	drop   bool                  // a formula is gone, so the calculation chain is wrong
	strs   func(int) bool        // tells the shared strings that change; nil where none does

	strText func(int) string // gives their new plain text

	tableEdits map[string][]xmlscan.Splice // other changes of table parts
	book       *stylesheet.Book            // once a style is added

	filters  []sheetFilter // the filters that operations set or remove
	names    []printName   // the print areas and titles that they set or remove
	tabNames *tableNames   // once a table is added
}

func (f *finisher) finish(ctx context.Context) error {
	if err := f.gather(ctx); err != nil {
		return err
	}
	if err := f.checkCells(ctx); err != nil {
		return err
	}
	if err := f.markDynamic(ctx); err != nil {
		return err
	}
	if err := f.syncTables(); err != nil {
		return err
	}
	for _, d := range f.deleted {
		if err := f.wb.deleteFrom(ctx, f.rw, d); err != nil {
			return err
		}
		f.drop, f.calc = true, true
	}
	if err := f.saidOfFormulas(ctx); err != nil {
		return err
	}
	if err := f.rewriteFormulas(ctx); err != nil {
		return err
	}
	if err := f.markStale(ctx); err != nil {
		return err
	}
	f.noteBlank()
	if err := f.markPivots(ctx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f.writeAll(ctx)
}

// writeAll changes the parts: sheets, workbook, those that refer to cells, styles.
func (f *finisher) writeAll(ctx context.Context) error {
	for i := range f.keep {
		if err := f.editSkeleton(i); err != nil {
			return err
		}
		if err := f.stream(ctx, i); err != nil {
			return err
		}
	}
	if err := f.sheetParts(ctx); err != nil {
		return err
	}
	if err := f.wb.rewriteParts(ctx, f.ed, f.rw, nil, nil); err != nil {
		return err
	}
	if f.book != nil {
		if doc, changed := f.book.Bytes(); changed {
			f.ed.Set(f.book.Part, doc)
		}
	}
	return nil
}

// deep reports whether formulas anywhere may be concerned, so that all sheets
// have to be looked at.
func (f *finisher) deep() bool {
	if len(f.deleted) > 0 || f.strs != nil {
		return true
	}
	for _, s := range f.sheets {
		if s.orig >= 0 && (s.writes() || len(s.hidden) > 0 || s.restored != nil) {
			return true
		}
	}
	return false
}

// gather reads the facts of the sheets that matter.
func (f *finisher) gather(ctx context.Context) error {
	deep := f.deep()
	budget := maxHeldFormulas
	f.tables = map[int][]*book.Table{}
	for _, s := range f.sheets {
		if s.orig < 0 || !s.info.Worksheet() || !deep && !s.touched() {
			continue
		}
		if err := f.gatherSheet(ctx, s, &budget); err != nil {
			return err
		}
	}
	return nil
}

// gatherSheet reads the facts of one sheet.
func (f *finisher) gatherSheet(ctx context.Context, s *planSheet, budget *int) error {
	tabs, err := f.wb.TablesOf(ctx, s.info.Part)
	if err != nil {
		return err
	}
	s.dateAreas(tabs)
	fa, err := f.factsOf(ctx, s, scanOptions{cells: s.cells, heights: s.heights, hidden: s.hidden, budget: budget, strings: f.strs, tables: tabs, areas: s.areas, dates: s.dates})
	if errors.Is(err, sheetml.ErrNoCells) {
		if s.touched() {
			return formats.Errorf(formats.CodeUnsupported, "the sheet %q has no cell data; it cannot be written to", s.name)
		}
		return nil
	}
	if err != nil {
		return err
	}
	f.tables[len(f.keep)] = tabs
	f.keep = append(f.keep, s)
	f.facts = append(f.facts, fa)
	f.seeds = append(f.seeds, &cellref.Set{})
	f.skel = append(f.skel, nil)
	e := &sheetEdit{part: s.info.Part, cells: s.cells, texts: s.texts, moved: s.moved, heights: s.heights, exists: fa.exists, rowExists: fa.rowExists, expand: fa.expand, room: f.wb.Allowance, selfData: fa.selfData, styles: fa.styles, raws: s.raws, former: f.wb.former}
	if len(s.cells) > 0 || e.styles != nil {
		e.colStyles = fa.skel.ColStyles()
	}
	if s.restored != nil {
		f.seeds[len(f.seeds)-1], e.stale = s.restored.cells, s.restored.formulas.Union(nil)
		f.calc = true
	}
	if err := f.resolveStyles(ctx, e.styles, s.cells); err != nil {
		return err
	}
	if err := f.resolveDates(ctx, s, e.styles); err != nil {
		return err
	}
	f.edits = append(f.edits, e)
	return nil
}

// factsOf reads the facts of a sheet, unless an operation that plans no cells did so.
func (f *finisher) factsOf(ctx context.Context, s *planSheet, o scanOptions) (*facts, error) {
	if s.known != nil && len(s.cells) == 0 {
		return s.known, nil
	}
	return f.scan(ctx, f.wb.Package, s.info, o)
}

// checkCells refuses edits that would break arrays, warns of what a person
// would not expect, and seeds the dependency search.
func (f *finisher) checkCells(ctx context.Context) error {
	for _, s := range f.sheets {
		if err := s.checkNewArrays(); err != nil {
			return err
		}
	}
	for i, s := range f.keep {
		if !s.writes() && f.strs == nil {
			continue
		}
		if err := f.checkSheet(ctx, i); err != nil {
			return err
		}
	}
	if err := f.seedSubtotals(ctx); err != nil {
		return err
	}
	for _, s := range f.sheets {
		f.calc = f.calc || s.orig < 0 && s.writesFormulas()
	}
	return nil
}

// writesFormulas reports whether a plan writes any formula.
func (s *planSheet) writesFormulas() bool {
	for _, v := range s.cells {
		if v.formula() {
			return true
		}
	}
	return false
}

// checkSheet is checkCells for sheet i.
func (f *finisher) checkSheet(ctx context.Context, i int) error {
	s := f.keep[i]
	f.seedCells(i)
	if err := f.checkArrays(ctx, i); err != nil {
		return err
	}
	if err := f.checkMerges(i); err != nil {
		return err
	}
	for _, t := range f.tables[i] {
		if err := s.arraysOutside(t.Ref, "the table"); err != nil {
			return err
		}
	}
	if err := f.saidOfCells(ctx, i); err != nil {
		return err
	}
	f.seedStrings(i)
	fa := f.facts[i]
	f.drop = f.drop || fa.editedF
	f.calc = f.calc || fa.editedF
	if s.writes() && len(fa.skel.Elements("sheetProtection")) > 0 {
		f.warn("the sheet %q is protected; it was edited all the same", s.name)
	}
	return nil
}

// seedCells begins the dependency search at the cells that sheet i's plan writes.
func (f *finisher) seedCells(i int) {
	if t := f.keep[i].texts; t != nil {
		f.seeds[i] = f.seeds[i].Union(&t.cells)
	}
	var long []string
	if m := f.keep[i].moved; m != nil {
		f.seeds[i] = f.seeds[i].Union(&m.set)
		f.calc = f.calc || m.formulas()
	}
	for at, v := range f.keep[i].cells {
		f.seeds[i].Add(at.Row, at.Col)
		f.calc = f.calc || v.formula()
		if _, copied := f.keep[i].raws[at]; !copied && v.kind == valNumber && losesDigits(v.s) {
			long = append(long, v.s)
		}
	}
	slices.Sort(long) // the same edit says the same
	for _, number := range long {
		f.warn("the number %s has more digits than a spreadsheet keeps (15, of fractions 17)", number)
	}
}

// seedStrings begins it at the cells that show a shared string that changes.
func (f *finisher) seedStrings(i int) {
	if f.strs != nil {
		f.seeds[i] = f.seeds[i].Union(&f.facts[i].strCells)
	}
}

// checkMerges warns of values that nobody will see.
func (f *finisher) checkMerges(i int) error {
	s := f.keep[i]
	if len(s.cells) == 0 {
		return nil
	}
	for _, m := range f.facts[i].skel.Merges() {
		if len(f.warned) >= maxWarnings {
			return nil
		}
		if !f.seeds[i].Meets(m) {
			continue
		}
		if err := s.arraysOutside(m, "the merged cell"); err != nil {
			return err
		}
		if err := f.checkMerge(s, m); err != nil {
			return err
		}
	}
	return nil
}

// checkMerge is checkMerges for one merged cell.
func (f *finisher) checkMerge(s *planSheet, m cellref.Range) error {
	for _, at := range planned(s.cells, m) {
		v := s.cells[at]
		if v.kind == valArray {
			return formats.Errorf(formats.CodeInvalid, "cell %s of sheet %q lies in the merged cell %s, which cannot hold an array formula; unmerge it, or write an ordinary formula", cellref.Name(at.Row, at.Col), s.name, m)
		}
		if (at.Row != m.R1 || at.Col != m.C1) && v.kind != valClear && v.kind != valRich {
			f.warn("cell %s of sheet %q lies under the merged cell %s, so its value is hidden", cellref.Name(at.Row, at.Col), s.name, m)
		}
	}
	return nil
}

// losesDigits reports whether a spreadsheet program makes another number of one that is
// written: of a whole number it shows 15 digits, and a fraction is a double, which programs
// write with up to 17.
func losesDigits(s string) bool {
	if strings.ContainsAny(s, ".eE") {
		return len(s) > 17 && significant(s) > 17
	}
	return len(s) > 15 && significant(s) > 15
}

// significant counts the digits of a number that matter.
func significant(s string) int {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		s = s[:i]
	}
	point := strings.Contains(s, ".")
	s = strings.TrimLeft(strings.NewReplacer("-", "", "+", "", ".", "").Replace(s), "0")
	if !point {
		s = strings.TrimRight(s, "0")
	}
	return len(s)
}
