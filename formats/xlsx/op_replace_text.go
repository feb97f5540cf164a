package xlsx

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/matches"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

type replaceTextArgs struct {
	Search     string       `json:"search" usage:"search" old:"find" jsonschema:"{ops}: what to find in texts; without sheet in all sheets"`
	Replace    *string      `json:"replace" usage:"replace" jsonschema:"{ops}: what to put there; $1 with regex"`
	Sheet      string       `json:"sheet"`
	MatchCase  lenient.Bool `json:"match_case" jsonschema:"{ops}"`
	WholeCell  lenient.Bool `json:"whole_cell" jsonschema:"{ops}: only where it is the whole text of a cell"`
	Regex      lenient.Bool `json:"regex" jsonschema:"{ops}: search is a regular expression (RE2)"`
	InFormulas lenient.Bool `json:"in_formulas" jsonschema:"{ops}: also in formulas"`
}

// textReplacer finds and replaces in the texts of cells.
type textReplacer struct {
	re      *matches.Expr
	literal bool
	with    string
}

func newTextReplacer(op replaceTextArgs) (*textReplacer, error) {
	search := op.Search
	if search == "" {
		return nil, formats.Errorf(formats.CodeInvalid, "search is required")
	}
	if op.Replace == nil {
		return nil, formats.Errorf(formats.CodeInvalid, `replace is required; give "" to delete what is found`)
	}
	pattern := search
	if !op.Regex {
		pattern = regexp.QuoteMeta(search)
	}
	if op.WholeCell {
		pattern = `\A(?:` + pattern + `)\z`
	}
	if !op.MatchCase {
		pattern = "(?i)" + pattern
	}
	re, err := matches.Compile(pattern)
	if err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "search is no regular expression (RE2): %v", err)
	}
	return &textReplacer{re: re, literal: !bool(op.Regex), with: *op.Replace}, nil
}

// matches finds what to replace in s: offsets, and what comes there.
func (r *textReplacer) matches(ctx context.Context, s string) (at [][2]int, with []string, err error) {
	for m, err := range r.re.All(ctx, s) {
		if err != nil {
			return nil, nil, err
		}
		to := r.with
		if !r.literal {
			to = string(r.re.ExpandString(nil, r.with, s, m))
		}
		at, with = append(at, [2]int{m[0], m[1]}), append(with, to)
	}
	return at, with, nil
}

// found reports whether there is anything to replace in s.
func (r *textReplacer) found(ctx context.Context, s string) (bool, error) {
	for _, err := range r.re.All(ctx, s) {
		return err == nil, err
	}
	return false, nil
}

// plain replaces in a text without formatting.
func (r *textReplacer) plain(ctx context.Context, s string) (string, int, error) {
	at, with, err := r.matches(ctx, s)
	var sb strings.Builder
	pos := 0
	for k, m := range at {
		sb.WriteString(s[pos:m[0]])
		sb.WriteString(with[k])
		pos = m[1]
	}
	return sb.String() + s[pos:], len(at), err
}

// runs replaces in a formatted text; what comes in has the formatting of the
// first character it replaces, and the rest keeps its own.
func (r *textReplacer) runs(ctx context.Context, in []run) ([]run, int, error) {
	at, with, err := r.matches(ctx, plainOf(in))
	if len(at) == 0 || err != nil {
		return in, 0, err
	}
	var out []run
	pos, k := 0, 0
	for _, x := range in {
		end := pos + len(x.text)
		var sb strings.Builder
		from := pos
		for k < len(at) && at[k][0] < end {
			if at[k][0] >= pos {
				sb.WriteString(x.text[from-pos : at[k][0]-pos])
				sb.WriteString(with[k])
			}
			from = min(at[k][1], end)
			if at[k][1] > end {
				break
			}
			k++
		}
		sb.WriteString(x.text[min(from, end)-pos:])
		out = append(out, run{props: x.props, text: sb.String()})
		pos = end
	}
	var kept []run
	for _, x := range out {
		if x.text != "" {
			kept = append(kept, x)
		}
	}
	return kept, len(at), nil
}

// rich replaces in the content of an si or is element.
func (r *textReplacer) rich(ctx context.Context, raw []byte) (xml, text string, hits int, err error) {
	if ctx.Err() != nil {
		return "", "", 0, ctx.Err()
	}
	x := parseRst(raw)
	runs, hits, err := r.runs(ctx, x.runs)
	if hits == 0 || err != nil {
		return "", "", 0, err
	}
	text = plainOf(runs)
	if n := sheetml.UTF16Len(text); n > maxCellText {
		return "", "", 0, formats.Errorf(formats.CodeInvalid, "a text would have %d characters; a cell holds at most %d", n, maxCellText)
	}
	return x.xml(runs), text, hits, nil
}

// changedText is a shared string after the replacement.
type changedText struct {
	xml, text string
	hits      int
	within    int  // cells of the sheets asked for that show it
	outside   bool // another sheet shows it too
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
	t := &textEdit{structure: e, r: r, search: op.Search, formulas: bool(op.InFormulas), plan: newPlan(e.wb, false), changed: map[int]*changedText{}, places: map[int][]sheetRef{}}
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
		if s.Worksheet() && (only < 0 || i == only || len(t.changed) > 0) {
			if err := t.sheet(ctx, i, only < 0 || i == only); err != nil {
				return err
			}
		}
	}
	return t.write(ctx)
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

type sheetRef struct {
	sheet int
	at    cellref.Cell
}

// textEdit is one replace_text at work.
type textEdit struct {
	*structure
	r        *textReplacer
	search   string
	formulas bool
	plan     *plan
	strings  *book.SharedStrings
	changed  map[int]*changedText // by index of the shared string
	places   map[int][]sheetRef   // its cells on the sheets asked for
	hits     int
	cells    int
	left     placeList       // formulas that hold it and stay
	searched map[string]bool // names of the tables, in lower case, whose headers are searched
	unread   int             // formulas that were not searched for it
	numbers  int             // numbers that are written with it
}

// lookUp finds the shared strings that change.
func (t *textEdit) lookUp(ctx context.Context) error {
	for i := range t.strings.Items {
		if i&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		xml, text, hits, err := t.r.rich(ctx, t.strings.Raw(i))
		if err != nil {
			return err
		}
		if hits > 0 {
			t.changed[i] = &changedText{xml: xml, text: text, hits: hits}
		}
	}
	return nil
}

// sheet looks through the cells of a sheet.
func (t *textEdit) sheet(ctx context.Context, i int, wanted bool) error {
	shared := map[int]book.SharedFormula{}
	var arrays book.ArrayBlocks
	return t.wb.EachSheetCell(ctx, t.wb.Sheets[i], func(s *sheetml.RowScanner) error {
		c := &s.Cell
		at := sheetRef{i, cellref.At(c.Row, c.Col)}
		arrays.Note(s)
		switch {
		case !arrays.Of(c.Row, c.Col).Empty(): // a result of a formula
		case c.HasFormula:
			if wanted {
				return t.formula(ctx, s, at, shared)
			}
		case wanted && c.Type == sheetml.TypeNumber && c.Value.OK():
			hit, err := t.r.found(ctx, string(sheetml.TrimSpace(s.Text(c.Value))))
			if hit {
				t.numbers++
			}
			return err
		case c.Type == sheetml.TypeShared && c.Value.OK():
			t.sharedCell(sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value))), at, wanted)
		case wanted && c.Inline.OK():
			xml, _, hits, err := t.r.rich(ctx, s.Text(c.Inline))
			if err != nil {
				return inCell(err, at.at)
			}
			if hits > 0 {
				t.plan.sheets[i].set(at.at, value{kind: valRich, s: xml})
				t.count(hits)
			}
		}
		return nil
	})
}

// sharedCell notes a cell with shared string n, on a sheet that is searched or on
// another one.
func (t *textEdit) sharedCell(n int, at sheetRef, wanted bool) {
	ch := t.changed[n]
	switch {
	case ch == nil:
	case wanted:
		ch.within++
		t.places[n] = append(t.places[n], at)
		t.count(ch.hits)
	default:
		ch.outside = true
	}
}

func (t *textEdit) count(hits int) {
	t.hits += hits
	t.cells++
}

// formula replaces in the scanner's formula where that was asked for, and else
// notes that it holds what is searched.
func (t *textEdit) formula(ctx context.Context, s *sheetml.RowScanner, at sheetRef, shared map[int]book.SharedFormula) error {
	fc, err := t.wb.FormulaOf(s, shared, true)
	kind := sheetml.ReadFormulaAttrs(s.Text(s.Cell.FormulaTag)).Kind
	switch {
	case err != nil && t.formulas:
		return err
	case err != nil:
		t.unread++
		return nil
	case !t.formulas:
		hit, err := t.stays(ctx, fc.Text)
		if hit {
			t.left.add(t.wb.Sheets[at.sheet].Name, at.at)
		}
		return err
	case kind != "" && kind != "shared":
		hit, err := t.r.found(ctx, fc.Text)
		if hit {
			t.warn("the array formula in %s was left as it is", cellref.Name(at.at.Row, at.at.Col))
		}
		return err
	}
	now, hits, err := t.r.plain(ctx, fc.Text)
	if hits == 0 || err != nil {
		return err
	}
	if err := checkFormula(now); err != nil {
		return inCell(err, at.at)
	}
	t.plan.sheets[at.sheet].set(at.at, value{kind: valFormula, s: formula.Stored(now)})
	t.count(hits)
	return nil
}

// stays reports whether a formula holds what is searched, beside the names of
// columns in tables that follow their headers.
func (t *textEdit) stays(ctx context.Context, f string) (bool, error) {
	hit, err := t.r.found(ctx, f)
	if !hit || err != nil || !strings.Contains(f, "[") {
		return hit, err
	}
	at, _, err := t.r.matches(ctx, f)
	if err != nil {
		return false, err
	}
	var follow [][2]int
	for tok := range formula.Tokens(f) {
		if tok.Kind != formula.Structured {
			continue
		}
		name, columns, _ := strings.Cut(f[tok.Start:tok.End], "[")
		if t.searched[strings.ToLower(name)] {
			follow = append(follow, [2]int{tok.End - len(columns), tok.End})
		}
	}
	return slices.ContainsFunc(at, func(m [2]int) bool {
		return !slices.ContainsFunc(follow, func(c [2]int) bool { return c[0] <= m[0] && m[1] <= c[1] })
	}), nil
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
func (t *textEdit) write(ctx context.Context) error {
	t.rep.Hits, t.rep.Cells = t.hits, t.cells
	t.say()
	if t.hits == 0 {
		return nil
	}
	f := &finisher{plan: t.plan, wb: t.wb, ed: t.ed, rw: &formula.Rewriter{}, strs: map[int]bool{}, strText: map[int]string{}}
	var edits []xmlscan.Splice
	for n, ch := range t.changed {
		switch {
		case ch.within == 0:
		case ch.outside:
			for _, at := range t.places[n] {
				t.plan.sheets[at.sheet].set(at.at, value{kind: valRich, s: ch.xml})
			}
		default:
			f.strs[n], f.strText[n] = true, ch.text
			sp := t.strings.Items[n]
			edits = append(edits, xmlscan.Splice{Start: sp.Start, End: sp.End, New: []byte(ch.xml)})
		}
	}
	if len(edits) > 0 {
		t.ed.Set(t.strings.Part, xmlscan.Apply(t.strings.Doc, edits))
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
