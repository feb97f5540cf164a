package audit

import (
	"slices"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// form is a formula in relative form. It belongs to all cells whose formulas are
// alike.
type form struct {
	text     string // in the cell row, col
	row, col int
	refs     []ref
	skeleton string   // the text with references, numbers and texts left out
	external []string // other workbooks that it names: "[1]"
	array    bool
	unsure   bool // not all that it reads is known
	lost     bool // it contains #REF!
	catches  bool // it handles errors, such as IFERROR
	// undefined is the first name that the workbook does not define, "" if none.
	undefined string
}

// ref is a block that a form reads.
type ref struct {
	sheet   int // index of the sheet, ownSheet for that of the cell
	last    int // last sheet of a 3-D span, else equal to sheet
	from    cellref.End
	to      cellref.End
	total   string // the function that sums it up, "" when none does
	passive bool   // only its place is used, as in ROW(A1)
	named   bool   // it comes from a name or a table
}

const ownSheet = -1

// maxRefs bounds the references of a form that are followed.
const maxRefs = 300

// totals are the functions that sum up a block.
var totals = []string{"SUM", "AVERAGE", "SUBTOTAL", "AGGREGATE", "MIN", "MAX", "COUNT", "COUNTA", "PRODUCT", "MEDIAN", "STDEV", "STDEV.S", "STDEV.P", "VAR", "VAR.S", "VAR.P"}

// passives are the functions that use only the place of a reference.
var passives = []string{"ROW", "ROWS", "COLUMN", "COLUMNS", "OFFSET", "CELL", "FORMULATEXT", "ISFORMULA", "ISREF", "AREAS", "SHEET", "SHEETS"}

// catching are the functions that handle errors.
var catching = []string{"IFERROR", "IFNA", "ISERROR", "ISERR", "ISNA", "ERROR.TYPE", "AGGREGATE", "COUNT", "COUNTA", "COUNTBLANK"}

// parse reads a formula.
func (m *model) parse(text string, row, col int) *form {
	f := &form{text: strings.Clone(text), row: row, col: col}
	p := formParser{model: m, form: f}
	tokens := formula.Lex(text)
	var sk strings.Builder
	for i, t := range tokens {
		p.token(tokens, i)
		appendSkeleton(&sk, text, t)
		p.step(text, t)
	}
	f.skeleton = sk.String()
	return f
}

// appendSkeleton adds a token to the skeleton of a formula.
func appendSkeleton(sb *strings.Builder, text string, t formula.Token) {
	s := text[t.Start:t.End]
	switch {
	case t.Kind == formula.Ref && t.To.Kind != cellref.NoEnd:
		sb.WriteString("R")
	case t.Kind == formula.Ref:
		sb.WriteString("C")
	case t.Kind == formula.String:
		sb.WriteString(`"`)
	case t.Kind == formula.Name && s[0] >= '0' && s[0] <= '9':
		sb.WriteString("1")
	case s != " " && s != "\n":
		sb.WriteString(strings.ToUpper(s))
	}
}

// formParser collects the references of a form.
type formParser struct {
	*model
	form  *form
	calls []string // functions around, "" for a plain bracket
	next  string
}

// step follows the brackets of calls.
func (p *formParser) step(text string, t formula.Token) {
	next := ""
	switch {
	case t.Kind == formula.Function:
		next = strings.ToUpper(formula.BareFunction(text[t.Start:t.End]))
		if slices.Contains(catching, next) {
			p.form.catches = true
		}
		if next == "INDIRECT" || next == "OFFSET" || next == "GETPIVOTDATA" {
			p.form.unsure = true
		}
	case t.Kind == formula.Other && text[t.Start] == '(':
		p.calls = append(p.calls, p.next)
	case t.Kind == formula.Other && text[t.Start] == ')' && len(p.calls) > 0:
		p.calls = p.calls[:len(p.calls)-1]
	}
	p.next = next
}

// call returns the function in whose arguments the parser is.
func (p *formParser) call() string {
	if len(p.calls) == 0 {
		return ""
	}
	return p.calls[len(p.calls)-1]
}

// token adds what a token refers to.
func (p *formParser) token(tokens []formula.Token, i int) {
	f, t := p.form, tokens[i]
	text := f.text[t.Start:t.End]
	switch t.Kind {
	case formula.Ref:
		r := ref{sheet: ownSheet, last: ownSheet, from: t.From, to: t.To}
		if r.to.Kind == cellref.NoEnd {
			r.to = r.from
		}
		if t.Sheet != "" {
			if r.sheet = p.byName[strings.ToLower(t.Sheet)] - 1; r.sheet < 0 {
				f.unsure = true
				return
			}
			r.last = r.sheet
		}
		if t.LastSheet != "" {
			if r.last = p.byName[strings.ToLower(t.LastSheet)] - 1; r.last < r.sheet {
				f.unsure = true
				return
			}
		}
		p.add(r, tokens, i)
	case formula.Structured:
		p.structured(text, tokens, i)
	case formula.Name:
		p.name(f.text[t.Body:t.End], tokens, i)
	case formula.External:
		p.external(text)
	case formula.Error:
		f.lost = f.lost || strings.HasSuffix(text, "#REF!")
	case formula.Other:
		f.unsure = f.unsure || text == ":" // A1:INDEX(B:B,9) reads what lies between
	}
}

// external notes another workbook.
func (p *formParser) external(text string) {
	i := strings.IndexByte(text, '[')
	j := strings.IndexByte(text, ']')
	if i < 0 || j < i || text[i:j+1] == "[0]" {
		p.form.unsure = p.form.unsure || i < 0 || j < i
		return
	}
	if name := text[i : j+1]; !slices.Contains(p.form.external, name) {
		p.form.external = append(p.form.external, name)
	}
}

// add adds a reference with what the call around it does to it.
func (p *formParser) add(r ref, tokens []formula.Token, i int) {
	if len(p.form.refs) >= maxRefs {
		p.form.unsure = true
		return
	}
	call := p.call()
	r.passive = slices.Contains(passives, call)
	if slices.Contains(totals, call) && p.alone(tokens, i) {
		r.total = call
	}
	p.form.refs = append(p.form.refs, r)
}

// alone reports whether a token is a whole argument.
func (p *formParser) alone(tokens []formula.Token, i int) bool {
	edge := func(step int) bool {
		for j := i + step; j >= 0 && j < len(tokens); j += step {
			switch s := p.form.text[tokens[j].Start:tokens[j].End]; s {
			case " ", "\n":
				continue
			case "(", ")", ",":
				return true
			default:
				return false
			}
		}
		return false
	}
	return edge(-1) && edge(1)
}

// structured adds the cells that Table[Column] names.
func (p *formParser) structured(text string, tokens []formula.Token, i int) {
	k := strings.IndexByte(text, '[')
	place, ok := p.tables[strings.ToLower(text[:k])]
	if !ok {
		p.form.unsure = true
		return
	}
	spec := text[k:]
	bare := strings.Replace(spec, "[#This Row],", "", 1)
	bare = strings.Replace(bare, "[#This Row]", "", 1)
	thisRow := bare != spec
	r, err := place.table.Structured(bare)
	if err != nil {
		p.form.unsure = true
		return
	}
	if !strings.Contains(bare, "#") && r.R1 < place.table.Ref.R1+place.table.Headers {
		r.R1 = place.table.Ref.R1 + place.table.Headers
		r.R2 = max(r.R1, r.R2-place.table.Totals)
	}
	out := ref{sheet: place.sheet, last: place.sheet, from: absolute(r.R1, r.C1), to: absolute(r.R2, r.C2), named: true}
	if thisRow {
		out.from.Row, out.from.AbsRow = p.form.row, false
		out.to.Row, out.to.AbsRow = p.form.row, false
	}
	p.add(out, tokens, i)
}

func absolute(row, col int) cellref.End {
	return cellref.End{Kind: cellref.CellEnd, Row: row, Col: col, AbsRow: true, AbsCol: true}
}

// nameRefs is what a defined name refers to.
type nameRefs struct {
	refs   []ref
	unsure bool
}

// name adds what a defined name or a table refers to.
func (p *formParser) name(name string, tokens []formula.Token, i int) {
	low := strings.ToLower(name)
	if name == "" || name[0] >= '0' && name[0] <= '9' || name[0] == '.' || low == "true" || low == "false" || strings.HasPrefix(low, "_xl") {
		return
	}
	if place, ok := p.tables[low]; ok {
		t := place.table
		p.add(ref{sheet: place.sheet, last: place.sheet, named: true,
			from: absolute(t.Ref.R1+t.Headers, t.Ref.C1), to: absolute(max(t.Ref.R1+t.Headers, t.Ref.R2-t.Totals), t.Ref.C2)}, tokens, i)
		return
	}
	if len(p.names[low]) == 0 && p.form.undefined == "" {
		p.form.undefined = strings.Clone(name)
	}
	have, ok := p.known[low]
	if !ok {
		p.known[low] = nameRefs{unsure: true} // for names that name each other
		have = p.define(low)
		p.known[low] = have
	}
	p.form.unsure = p.form.unsure || have.unsure
	for _, r := range have.refs {
		p.add(r, tokens, i)
	}
}

// define reads the text of a defined name. References in it that are relative
// or have no sheet are not followed.
func (m *model) define(low string) nameRefs {
	var out nameRefs
	defs := m.names[low]
	if len(defs) != 1 || len(defs[0].Text) > formula.MaxBytes {
		return nameRefs{unsure: true}
	}
	f := m.parse(defs[0].Text, 1, 1)
	out.unsure = f.unsure || f.lost || len(f.external) > 0
	for _, r := range f.refs {
		if r.sheet == ownSheet || !(r.from.AbsRow || r.from.Kind == cellref.ColumnEnd) || !(r.from.AbsCol || r.from.Kind == cellref.RowEnd) {
			out.unsure = true
			continue
		}
		r.total, r.named = "", true
		out.refs = append(out.refs, r)
	}
	return out
}

// block returns the range that a reference names from a cell; ok is false when
// it lies outside the sheet.
func (f *form) block(r *ref, row, col int) (b cellref.Range, ok bool) {
	from, to := f.moved(r.from, row, col), f.moved(r.to, row, col)
	b, ok = cellref.Between(from, to)
	return b, ok && b.R1 >= 1 && b.C1 >= 1 && b.R2 <= cellref.MaxRow && b.C2 <= cellref.MaxCol
}

// moved moves a relative end of a reference from the sample's cell to another.
func (f *form) moved(e cellref.End, row, col int) cellref.End {
	if e.Kind != cellref.ColumnEnd && !e.AbsRow {
		e.Row += row - f.row
	}
	if e.Kind != cellref.RowEnd && !e.AbsCol {
		e.Col += col - f.col
	}
	return e
}

// at returns the text of the formula in a cell, with its '='.
func (f *form) at(row, col int) string {
	return "=" + formula.Shown(formula.Move(f.text, row-f.row, col-f.col))
}

// reads reports whether the form reads a cell from another.
func (f *form) reads(sheetOf, sheet, row, col int, what cellref.Cell) bool {
	for i := range f.refs {
		r := &f.refs[i]
		if !r.names(sheetOf, sheet) {
			continue
		}
		if b, ok := f.block(r, row, col); ok && b.Has(what.Row, what.Col) {
			return true
		}
	}
	return false
}

// names reports whether a reference in a formula on the sheet from concerns a
// sheet.
func (r *ref) names(from, sheet int) bool {
	if r.sheet == ownSheet {
		return from == sheet
	}
	return sheet >= r.sheet && sheet <= r.last
}

// sumsUp reports whether the form sums up a block of several cells.
func (f *form) sumsUp() bool {
	return slices.ContainsFunc(f.refs, func(r ref) bool { return r.total != "" && r.from != r.to })
}
