package xlsx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

type filterRowsArgs struct {
	rangeArgs
	Criteria []FilterCriterion `json:"criteria" usage:"criteria" jsonschema:"{ops}: what to keep, a column each; rows are shown that meet all of them"`
	Clear    lenient.Bool      `json:"clear" usage:"or clear" jsonschema:"{ops}: take the criteria of all columns away first, so that all rows are shown"`
}

// rowFilter is a filter of a sheet or of a table while its criteria change.
type rowFilter struct {
	table *book.Table   // nil: the filter of the sheet
	ref   cellref.Range // with the header
	data  cellref.Range
	isNew bool
	old   map[int][]byte // filterColumn elements by column from 0
	tags  map[int]xmlscan.Token
	rules map[int]*filterRule // that decide, by column from 0
	fresh map[int]bool        // of those, the ones that the operation gives
	sort  []byte              // sortState
}

// filterRows sets criteria of a filter, hides the rows that do not meet them and
// shows the others (18.3.1.2). Criteria of columns that the operation does not name
// stay.
func filterRows(ctx context.Context, e *structure, op filterRowsArgs) error {
	if len(op.Criteria) == 0 && !op.Clear {
		return formats.Errorf(formats.CodeInvalid, `criteria is required, such as [{"column":"C","values":["North"]}]; or give clear:true`)
	}
	i, err := e.worksheet(op.Sheet)
	if err != nil {
		return err
	}
	g := &following{structure: e, sheet: i, rw: &formula.Rewriter{}}
	if err := g.look(ctx); err != nil {
		return err
	}
	if g.facts[i] == nil {
		return formats.Errorf(formats.CodeInvalid, "the sheet %q is empty; a filter needs a header row and values", e.wb.Sheets[i].Name)
	}
	f, err := e.filterOf(g, op.Range)
	if err != nil {
		return err
	}
	if err := f.takeCriteria(ctx, e, i, op); err != nil {
		return err
	}
	keeps, err := f.decide(ctx, e, i)
	if err != nil {
		return err
	}
	return f.write(ctx, g, keeps)
}

// filterOf finds the filter that an operation means, or the range of a new one.
func (e *structure) filterOf(g *following, ref string) (*rowFilter, error) {
	tabs := g.tables[g.sheet]
	w := &sheetWork{skel: g.facts[g.sheet].skel}
	tag, end, has := w.child("autoFilter")
	var own *rowFilter
	if has {
		own = &rowFilter{ref: cellref.ParseAttr(tag.AttrLocal("ref"))}
		own.parse(w.skel.Doc[tag.Start:end])
	}
	var f *rowFilter
	switch name := strings.TrimSpace(ref); {
	case name == "":
		one, err := onlyFilter(own, tabs)
		if err != nil {
			return nil, err
		}
		f = one
	default:
		r, err := cellref.ParseRange(name)
		for _, t := range tabs {
			if strings.EqualFold(t.Name, name) || err == nil && (r == t.Ref || r == filterRef(t)) {
				f = tableFilter(t)
			} else if err == nil && t.Ref.Meets(r) {
				return nil, formats.Errorf(formats.CodeInvalid, "%s overlaps the table %s (%s), which has a filter of its own; give its name as range", r, t.Name, t.Ref)
			}
		}
		switch {
		case f != nil:
		case err != nil:
			return nil, err
		case own != nil && (own.ref == r || r.R2 == cellref.MaxRow && own.ref.C1 == r.C1 && own.ref.C2 == r.C2):
			f = own
		default:
			if r.R2 == cellref.MaxRow {
				r.R2 = g.facts[g.sheet].used.R2
			}
			f = &rowFilter{ref: r, isNew: true}
			if own != nil && len(own.old) > 0 {
				e.warn("the filter over %s and its criteria were replaced; rows it had hidden outside %s stay hidden", own.ref, r)
			}
		}
	}
	if f.table != nil && f.table.Headers == 0 {
		return nil, formats.Errorf(formats.CodeInvalid, "the table %s has no header row, so it can have no filter", f.table.Name)
	}
	f.data = f.ref
	f.data.R1++
	f.data.R2 = min(f.ref.R2, g.facts[g.sheet].used.R2)
	if f.ref.Empty() || f.data.R1 > f.data.R2 {
		return nil, formats.Errorf(formats.CodeInvalid, "%s has no rows below its header to filter", f.ref)
	}
	return f, nil
}

// onlyFilter is the one filter of a sheet.
func onlyFilter(own *rowFilter, tabs []*book.Table) (*rowFilter, error) {
	var found []*rowFilter
	var names []string
	if own != nil {
		found, names = append(found, own), append(names, own.ref.String())
	}
	for _, t := range tabs {
		if t.Headers > 0 {
			found, names = append(found, tableFilter(t)), append(names, t.Name)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, formats.Errorf(formats.CodeInvalid, "range is required: the sheet has no filter and no table; give the cells with their header row, for example A1:D20")
	}
	return nil, formats.Errorf(formats.CodeInvalid, "range is required: the sheet has several filters and tables: %s", strings.Join(names, ", "))
}

// filterRef is what the filter of a table covers: not its totals.
func filterRef(t *book.Table) cellref.Range {
	r := t.Ref
	r.R2 -= t.Totals
	return r
}

func tableFilter(t *book.Table) *rowFilter {
	f := &rowFilter{table: t, ref: filterRef(t)}
	if tag, end, ok := tableChild(t.Doc, "autoFilter"); ok {
		f.parse(t.Doc[tag.Start:end])
	}
	return f
}

// tableChild finds a child of table.
func tableChild(doc []byte, name string) (t xmlscan.Token, end int, ok bool) {
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Depth == 2 {
			if t.Local == name {
				return t, max(t.End, sc.Skip()), true
			}
			sc.Skip()
		}
	}
	return t, 0, false
}

// parse reads an autoFilter element.
func (f *rowFilter) parse(raw []byte) {
	f.old, f.tags = map[int][]byte{}, map[int]xmlscan.Token{}
	_ = sheetml.EachChild(raw, func(t xmlscan.Token, one []byte) error {
		switch t.Local {
		case "filterColumn":
			col := sheetml.Atoi([]byte(t.AttrLocal("colId")))
			f.old[col], f.tags[col] = one, t
		case "sortState", "extLst":
			f.sort = append(f.sort, one...)
		}
		return nil
	})
}

// takeCriteria makes the rules: those of the file that stay, then those of the
// operation.
func (f *rowFilter) takeCriteria(ctx context.Context, e *structure, sheet int, op filterRowsArgs) error {
	given := map[int]*filterRule{}
	f.rules, f.fresh = map[int]*filterRule{}, map[int]bool{}
	for n, c := range op.Criteria {
		col, err := f.column(ctx, e, sheet, c.Column)
		if err != nil {
			return formats.Errorf(formats.CodeInvalid, "criteria[%d]: %w", n, err)
		}
		if _, twice := given[col]; twice {
			return formats.Errorf(formats.CodeInvalid, "criteria[%d]: column %s is named twice; give all that is to be kept of it in one, with values, or with operator and operator2", n, cellref.ColumnName(f.ref.C1+col))
		}
		r, err := c.rule(col, e.wb.Date1904)
		if err != nil {
			return formats.Errorf(formats.CodeInvalid, "criteria[%d]: %w", n, err)
		}
		given[col] = r
	}
	for col, raw := range f.old {
		if _, named := given[col]; named || bool(op.Clear) {
			continue
		}
		r, ok := readFilterRule(f.tags[col], raw)
		if !ok {
			return formats.Errorf(formats.CodeUnsupported, "column %s is filtered in a way that cannot be worked out here, such as by colour; give clear:true to take that away, or another criterion for the column", cellref.ColumnName(f.ref.C1+col))
		}
		if r != nil {
			f.rules[col] = r
		}
	}
	for col, r := range given {
		if r != nil {
			r.keep = buttonAttrs(f.tags[col])
			f.rules[col], f.fresh[col] = r, true
		}
	}
	return nil
}

// buttonAttrs are the attributes of a filterColumn that stay with new criteria.
func buttonAttrs(t xmlscan.Token) string {
	out := ""
	for _, name := range []string{"hiddenButton", "showButton"} {
		if v := t.AttrLocal(name); v != "" {
			out += " " + name + `="` + sheetml.EscapeAttr(v) + `"`
		}
	}
	return out
}

// column is the column, from 0 in the filter, that a criterion names.
func (f *rowFilter) column(ctx context.Context, e *structure, sheet int, v any) (int, error) {
	if v == nil {
		return 0, formats.Errorf(formats.CodeInvalid, "column is required: a letter such as C, or the text of a header")
	}
	col, err := columnNumber(v)
	if err == nil && col >= f.ref.C1 && col <= f.ref.C2 {
		return col - f.ref.C1, nil
	}
	want, ok := v.(string)
	if ok {
		head := cellref.Block(f.ref.R1, f.ref.C1, f.ref.R1, f.ref.C2)
		found := 0
		err := e.wb.eachCell(ctx, e.wb.Sheets[sheet].Part, head, func(at cellref.Cell, v cellView) error {
			if found == 0 && strings.EqualFold(strings.TrimSpace(v.shown), strings.TrimSpace(want)) {
				found = at.Col
			}
			return nil
		})
		if err != nil || found > 0 {
			return found - f.ref.C1, err
		}
	}
	return 0, formats.Errorf(formats.CodeInvalid, "column %s is neither a column of the filter %s nor the text of one of its headers", argText(v), f.ref)
}

// decide reports which rows meet the rules, by row from the first one of the data.
func (f *rowFilter) decide(ctx context.Context, e *structure, sheet int) ([]bool, error) {
	p := &filterPass{f: f, keeps: make([]bool, f.data.R2-f.data.R1+1), date1904: e.wb.Date1904}
	for _, r := range f.rules {
		p.rules = append(p.rules, r)
	}
	slices.SortFunc(p.rules, func(a, b *filterRule) int { return a.col - b.col })
	var err error
	if p.styles, err = e.wb.Styles(ctx); err != nil {
		return nil, err
	}
	part := e.wb.Sheets[sheet].Part
	if slices.ContainsFunc(p.rules, (*filterRule).looks) {
		err := e.wb.eachCell(ctx, part, f.data, func(at cellref.Cell, v cellView) error {
			if r := f.rules[at.Col-f.ref.C1]; r != nil && r.looks() {
				return r.see(p.cell(v))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, r := range p.rules {
		r.decide()
		for i, want := range r.wanted {
			if !r.matched[i] {
				e.warn("no cell of column %s shows %s", cellref.ColumnName(f.ref.C1+r.col), cellref.QuoteArg(plainText(want)))
			}
		}
	}
	for i := range p.keeps {
		p.keeps[i] = true
	}
	if len(p.rules) == 0 {
		return p.keeps, nil
	}
	p.begin()
	blank := p.result()
	for i := range p.keeps {
		p.keeps[i] = blank
	}
	if err := e.wb.eachCell(ctx, part, f.data, p.take); err != nil {
		return nil, err
	}
	p.end()
	if p.unknown > 0 {
		e.warn("%s in a filtered column without a value, whose rows stay shown; use recalculate and repeat the operation", formats.Count(p.unknown, "formula is", "formulas are"))
	}
	return p.keeps, nil
}
