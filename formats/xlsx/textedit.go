package xlsx

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// textEdit is one replace_text at work. It holds neither the texts nor the cells that
// change, however many there are.
type textEdit struct {
	*structure
	r        *textReplacer
	search   string
	formulas bool
	plan     *plan
	strings  *book.SharedStrings
	changed  []stringChange // by index of the shared string; nil where none changes
	budget   int            // formulas that facts may still keep
	hits     int
	cells    int
	left     placeList       // formulas that hold it and stay
	searched map[string]bool // names of the tables, in lower case, whose headers are searched
	unread   int             // formulas that were not searched for it
	numbers  int             // numbers that are written with it
}

// stringChange is what becomes of a shared string.
type stringChange struct {
	hits    int32
	within  bool // cells of the sheets asked for show it
	outside bool // another sheet shows it too
}

// replaceText replaces in the texts of one sheet or all; formulas only where
// in_formulas asks for it. Numbers, dates and results are left alone.
func replaceText(ctx context.Context, e *structure, op replaceTextArgs) error {
	r, err := newTextReplacer(op)
	if err != nil {
		return err
	}
	only := -1
	if strings.TrimSpace(op.Sheet) != "" {
		if only, err = e.worksheet(op.Sheet); err != nil {
			return err
		}
	}
	t := &textEdit{structure: e, r: r, search: op.Search, formulas: bool(op.InFormulas), plan: newPlan(e.wb, false), budget: maxHeldFormulas}
	if t.strings, err = e.wb.Strings(ctx); err != nil {
		return err
	}
	if err := t.lookUp(ctx); err != nil {
		return err
	}
	if err := t.searchedTables(ctx, only); err != nil {
		return err
	}
	for i, s := range e.wb.Sheets {
		if s.Worksheet() && (only < 0 || i == only || t.changed != nil) {
			if err := t.sheet(ctx, i, only < 0 || i == only); err != nil {
				return err
			}
		}
	}
	return t.write(ctx, only)
}

// searchedTables notes the tables of a sheet, or of all where only is negative.
func (t *textEdit) searchedTables(ctx context.Context, only int) error {
	t.searched = map[string]bool{}
	for i, s := range t.wb.Sheets {
		if !s.Worksheet() || only >= 0 && i != only {
			continue
		}
		tables, err := t.wb.TablesOf(ctx, s.Part)
		if err != nil {
			return err
		}
		for _, tab := range tables {
			t.searched[strings.ToLower(tab.Name)] = tab.Headers > 0
		}
	}
	return nil
}

// lookUp finds the shared strings that change.
func (t *textEdit) lookUp(ctx context.Context) error {
	for i := range t.strings.Items {
		if i&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		hits, err := t.r.hits(ctx, t.strings.Raw(i))
		if err != nil {
			return err
		}
		if hits == 0 {
			continue
		}
		if t.changed == nil {
			t.changed = make([]stringChange, len(t.strings.Items))
		}
		t.changed[i].hits = int32(hits)
	}
	return nil
}

// change is what becomes of shared string n, nil where it stays.
func (t *textEdit) change(n int) *stringChange {
	if n < 0 || n >= len(t.changed) || t.changed[n].hits == 0 {
		return nil
	}
	return &t.changed[n]
}

// sheet looks through the cells of a sheet, and keeps its facts for the plan.
func (t *textEdit) sheet(ctx context.Context, i int, wanted bool) error {
	s := t.plan.sheets[i]
	tables, err := t.wb.TablesOf(ctx, s.info.Part)
	if err != nil {
		return err
	}
	shared := map[int]book.SharedFormula{}
	var arrays book.ArrayBlocks
	o := scanOptions{budget: &t.budget, tables: tables}
	if t.changed != nil {
		o.strings = func(n int) bool { return t.change(n) != nil }
	}
	o.each = func(sc *sheetml.RowScanner) error {
		c := &sc.Cell
		at := cellref.At(c.Row, c.Col)
		arrays.Note(sc)
		switch {
		case arrays.Fills(c.Row, c.Col): // a result of a formula
		case c.HasFormula:
			if wanted {
				return t.formula(ctx, sc, i, at, shared)
			}
		case wanted && c.Type == sheetml.TypeNumber && c.Value.OK():
			raw := sheetml.TrimSpace(sc.Text(c.Value))
			if t.r.misses(raw) {
				return nil
			}
			hit, err := t.r.found(ctx, string(raw))
			if hit {
				t.numbers++
			}
			return err
		case c.Type == sheetml.TypeShared && c.Value.OK():
			t.sharedCell(sheetml.Atoi(sheetml.TrimSpace(sc.Text(c.Value))), wanted)
		case wanted && c.Inline.OK():
			hits, err := t.r.hits(ctx, sc.Text(c.Inline))
			if err != nil {
				return inCell(err, at)
			}
			if hits > 0 {
				t.count(hits)
				return t.put(ctx, s, tables, at, sc.Text(c.Inline))
			}
		}
		return nil
	}
	o.alike = func(sc *sheetml.RowScanner, f *sheetml.RowForm, texts []sheetml.Span) (bool, error) {
		if !wanted || arrays.FillsRow(sc.Row) {
			return !wanted, nil
		}
		return t.row(ctx, sc, f, texts, s, tables)
	}
	fa, err := t.plan.scan(ctx, t.wb.Package, s.info, o)
	if err == nil {
		s.known = fa
	}
	return book.IgnoreNoCells(err)
}

// put plans the new text of a cell with the content raw: what tables repeat is held, all
// else is replaced when the sheet is written.
func (t *textEdit) put(ctx context.Context, s *planSheet, tables []*book.Table, at cellref.Cell, raw []byte) error {
	if inTableLine(tables, at) {
		xml, _, _, err := t.r.rich(ctx, raw)
		s.set(at, value{kind: valRich, s: xml})
		return err
	}
	if s.texts == nil {
		s.texts = &replacedTexts{}
	}
	s.texts.add(at)
	return nil
}

// sharedCell notes a cell with shared string n, on a sheet that is searched or on
// another one.
func (t *textEdit) sharedCell(n int, wanted bool) {
	ch := t.change(n)
	switch {
	case ch == nil:
	case wanted:
		ch.within = true
		t.count(int(ch.hits))
	default:
		ch.outside = true
	}
}

func (t *textEdit) count(hits int) {
	t.hits += hits
	t.cells++
}

// say tells of what was not found and of what stays.
func (t *textEdit) say() {
	if t.hits == 0 {
		t.warn("%q was not found; nothing was replaced", t.search)
	}
	if n := t.left.n; n > 0 {
		t.warn("%s (%s): in_formulas replaces there too", formats.Count(n, "formula holds it too and stayed", "formulas hold it too and stayed"), t.left.String())
	}
	if t.unread > 0 {
		t.warn("%s: written out they are over %d MB", formats.Count(t.unread, "formula was not searched", "formulas were not searched"), book.MaxWritten>>20)
	}
	if t.numbers > 0 {
		t.warn("%s: only texts are searched", formats.Count(t.numbers, "number or date is written with it and stayed", "numbers or dates are written with it and stayed"))
	}
}

// write changes shared strings in their table where no other sheet shows them,
// and cells where one does.
func (t *textEdit) write(ctx context.Context, only int) error {
	t.rep.Hits, t.rep.Cells = t.hits, t.cells
	t.say()
	if t.hits == 0 {
		return nil
	}
	if err := t.alsoElsewhere(ctx, only); err != nil {
		return err
	}
	for _, s := range t.plan.sheets {
		if s.texts != nil {
			s.texts.xml = func(sc *sheetml.RowScanner) (string, bool, error) { return t.written(ctx, sc) }
		}
	}
	f := &finisher{plan: t.plan, wb: t.wb, ed: t.ed, rw: &formula.Rewriter{}}
	inTable := func(n int) bool { ch := t.change(n); return ch != nil && ch.within && !ch.outside }
	for n := range t.changed {
		if inTable(n) {
			f.strs = inTable
			f.strText = func(n int) string { _, text, _, _ := t.r.rich(ctx, t.strings.Raw(n)); return text }
			t.ed.SetStream(t.strings.Part, func(w io.Writer) error { return t.writeStrings(ctx, w, inTable) })
			break
		}
	}
	if err := f.finish(ctx); err != nil {
		return err
	}
	for _, w := range t.plan.report.Warnings {
		if w != signatureWarning {
			t.warn("%s", w)
		}
	}
	return nil
}

// alsoElsewhere plans the cells of the sheet searched whose shared strings other sheets
// show too.
func (t *textEdit) alsoElsewhere(ctx context.Context, only int) error {
	stays := func(ch stringChange) bool { return ch.hits > 0 && (!ch.within || ch.outside) }
	if !slices.ContainsFunc(t.changed, stays) {
		return nil
	}
	for _, s := range t.plan.sheets {
		s.known = nil // cells with strings that stay are among what was read
	}
	if only < 0 || !slices.ContainsFunc(t.changed, func(ch stringChange) bool { return ch.within && ch.outside }) {
		return nil
	}
	s := t.plan.sheets[only]
	tables, err := t.wb.TablesOf(ctx, s.info.Part)
	if err != nil {
		return err
	}
	return t.wb.EachSheetCell(ctx, s.info, func(sc *sheetml.RowScanner) error {
		c := &sc.Cell
		if c.Type != sheetml.TypeShared || c.HasFormula || !c.Value.OK() {
			return nil
		}
		n := sheetml.Atoi(sheetml.TrimSpace(sc.Text(c.Value)))
		if ch := t.change(n); ch == nil || !ch.outside {
			return nil
		}
		return t.put(ctx, s, tables, cellref.At(c.Row, c.Col), t.strings.Raw(n))
	})
}

// written is the content of the is element that the scanner's cell gets; hit is false
// where it stays.
func (t *textEdit) written(ctx context.Context, sc *sheetml.RowScanner) (xml string, hit bool, err error) {
	c := &sc.Cell
	raw := sc.Text(c.Inline)
	if c.Type == sheetml.TypeShared {
		n := sheetml.Atoi(sheetml.TrimSpace(sc.Text(c.Value)))
		if ch := t.change(n); ch == nil || !ch.outside {
			return "", false, nil
		}
		raw = t.strings.Raw(n)
	} else if !c.Inline.OK() || c.HasFormula {
		return "", false, nil
	}
	xml, _, hits, err := t.r.rich(ctx, raw)
	return xml, hits > 0, err
}

// writeStrings writes the table of shared strings with those replaced for which changes
// says so.
func (t *textEdit) writeStrings(ctx context.Context, w io.Writer, changes func(n int) bool) error {
	out := bufio.NewWriterSize(w, 64<<10)
	from := 0
	for n, sp := range t.strings.Items {
		if !changes(n) {
			continue
		}
		xml, _, _, err := t.r.rich(ctx, t.strings.Raw(n))
		if err != nil {
			return err
		}
		out.Write(t.strings.Doc[from:sp.Start])
		out.WriteString(xml)
		from = sp.End
	}
	out.Write(t.strings.Doc[from:])
	return out.Flush()
}
