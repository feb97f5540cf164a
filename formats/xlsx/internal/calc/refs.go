package calc

import (
	"strings"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// reference returns the cells that a reference names from the formula's place.
func (e *Evaluator) reference(n *refNode) Value {
	var areas Ref
	for i := n.sheet; i <= n.last; i++ {
		if i != own && n.sheet != n.last && !e.book.sheets[i].worksheet {
			continue
		}
		a, ok := e.area(n, i)
		if !ok {
			return Fail(ErrRef)
		}
		areas = append(areas, a)
	}
	return refTo(areas...)
}

// area returns the range of a reference in a sheet.
func (e *Evaluator) area(n *refNode, sheet int) (Area, bool) {
	if sheet == own {
		sheet = e.at.Sheet
	}
	from, ok := e.absolute(n.from, n.wraps)
	to, ok2 := e.absolute(n.to, n.wraps)
	if !ok || !ok2 {
		return Area{}, false
	}
	r, ok := cellref.Between(from, to)
	return Area{sheet, r}, ok
}

// absolute returns an end of a reference with its row and column.
func (e *Evaluator) absolute(a cellref.End, wraps bool) (cellref.End, bool) {
	ok := true
	if !a.AbsRow && a.Kind != cellref.ColumnEnd {
		a.Row, ok = within(a.Row+e.at.Row, cellref.MaxRow, wraps)
	}
	if !a.AbsCol && a.Kind != cellref.RowEnd && ok {
		a.Col, ok = within(a.Col+e.at.Col, cellref.MaxCol, wraps)
	}
	return a, ok
}

func within(i, limit int, wraps bool) (int, bool) {
	if i >= 1 && i <= limit {
		return i, true
	}
	if !wraps {
		return 0, false
	}
	return (i-1+2*limit)%limit + 1, true
}

// twoRefs returns two operands that must be references of one sheet.
func twoRefs(a, b Value) (x, y Area, bad Value, ok bool) {
	for _, v := range []Value{a, b} {
		if v.kind == Err {
			return x, y, v, false
		}
		if v.kind != RefKind {
			return x, y, Fail(ErrValue), false
		}
	}
	if len(a.Ref()) != 1 || len(b.Ref()) != 1 || a.Ref()[0].Sheet != b.Ref()[0].Sheet {
		return x, y, Fail(ErrValue), false
	}
	return a.Ref()[0], b.Ref()[0], Value{}, true
}

// rangeOf is a:b, the smallest range with both.
func (e *Evaluator) rangeOf(a, b Value) Value {
	x, y, bad, ok := twoRefs(a, b)
	if !ok {
		return bad
	}
	x.Range.Add(y.R1, y.C1)
	x.Range.Add(y.R2, y.C2)
	return refTo(x)
}

// meet is the intersection of two ranges.
func (e *Evaluator) meet(a, b Value) Value {
	x, y, bad, ok := twoRefs(a, b)
	if !ok {
		return bad
	}
	if !x.Meets(y.Range) {
		return Fail(ErrNull)
	}
	return refTo(Area{x.Sheet, cellref.Block(max(x.R1, y.R1), max(x.C1, y.C1), min(x.R2, y.R2), min(x.C2, y.C2))})
}

func (e *Evaluator) union(n *unionNode) Value {
	var areas Ref
	for _, x := range n.all {
		v := e.eval(x)
		if v.kind == Err {
			return v
		}
		if v.kind != RefKind {
			e.stop(ReasonSyntax, "a union of what are no references, perhaps a number with a comma")
		}
		areas = append(areas, v.Ref()...)
	}
	return refTo(areas...)
}

// spilled is A1#, the block of the array formula in a cell.
func (e *Evaluator) spilled(v Value) Value {
	if v.kind != RefKind || len(v.Ref()) != 1 || !v.Ref()[0].one() {
		return Fail(ErrRef)
	}
	a := v.Ref()[0]
	c := e.book.find(At(a.Sheet, a.R1, a.C1))
	if c == nil || c.formula == 0 {
		return Fail(ErrRef)
	}
	f := e.book.formulas[c.formula-1]
	if !f.array || f.block.R1 != a.R1 || f.block.C1 != a.C1 {
		return Fail(ErrRef)
	}
	return refTo(Area{a.Sheet, f.block})
}

// structured returns the cells of a structured reference.
func (e *Evaluator) structured(n *tableNode) Value {
	t := e.book.tables[n.table]
	if n.table == "" {
		t = e.book.tableAt(e.at)
	}
	if t == nil {
		e.stop(ReasonName, "the table %s is not in the workbook", cellref.QuoteArg(n.table))
	}
	r := t.ref
	if n.first != "" {
		first, ok := t.columns[n.first]
		last, ok2 := t.columns[n.last]
		if !ok || !ok2 {
			return Fail(ErrRef)
		}
		r.C1, r.C2 = t.ref.C1+min(first, last), t.ref.C1+max(first, last)
	}
	if n.parts&partThisRow != 0 {
		if e.at.Row < t.ref.R1+t.headers || e.at.Row > t.ref.R2-t.totals || e.at.Sheet != t.sheet {
			return Fail(ErrValue)
		}
		r.R1, r.R2 = e.at.Row, e.at.Row
		return refTo(Area{t.sheet, r})
	}
	from, to := t.ref.R2+1, t.ref.R1-1
	add := func(part tablePart, r1, r2 int) {
		if n.parts&part != 0 && r1 <= r2 {
			from, to = min(from, r1), max(to, r2)
		}
	}
	add(partHeaders, t.ref.R1, t.ref.R1+t.headers-1)
	add(partData, t.ref.R1+t.headers, t.ref.R2-t.totals)
	add(partTotals, t.ref.R2-t.totals+1, t.ref.R2)
	if from > to {
		return Fail(ErrRef)
	}
	r.R1, r.R2 = from, to
	return refTo(Area{t.sheet, r})
}

// tableAt returns the table around a cell, nil when there is none.
func (b *Book) tableAt(at Place) *table {
	for _, t := range b.tables {
		if t.sheet == at.Sheet && t.ref.Has(at.Row, at.Col) {
			return t
		}
	}
	return nil
}

// placeName returns a place as Sheet!A1.
func (b *Book) placeName(at Place) string {
	return formula.SheetPrefix(b.sheets[at.Sheet].name) + cellref.Name(at.Row, at.Col)
}

// env has the variables of LET and LAMBDA, the innermost first.
type env struct {
	low   string
	value Value
	outer *env
}

// lambda is a function made by LAMBDA.
type lambda struct {
	fn     *Func // a function in place of a LAMBDA; it has nothing else
	params []string
	needs  int // so many of them have to be given
	body   node
	env    *env
	array  bool
}

// name returns what a name stands for.
func (e *Evaluator) name(n *nameNode) Value {
	if n.sheet == own {
		for s := e.env; s != nil; s = s.outer {
			if s.low == n.low {
				return s.value
			}
		}
	}
	if d := e.book.definition(n, e.at.Sheet); d != nil {
		return e.defined(n, d)
	}
	if t := e.book.tables[n.low]; t != nil {
		return e.structured(&tableNode{table: n.low, parts: partData})
	}
	return Fail(ErrName)
}

// definition returns the defined name that a name in a formula on sheet means.
func (b *Book) definition(n *nameNode, sheet int) *definedName {
	if n.sheet >= 0 {
		sheet = n.sheet
	}
	var global *definedName
	for _, d := range b.names[n.low] {
		if d.local == sheet && n.sheet != none {
			return d
		}
		if d.local == none {
			global = d
		}
	}
	return global
}

// parseDefinition parses a defined name unless it was.
func (b *Book) parseDefinition(d *definedName) {
	if d.root != nil || d.reason != nil {
		return
	}
	var err error
	if d.root, err = b.parseName(strings.TrimPrefix(d.text, "=")); err != nil {
		d.reason = &Reason{Code: ReasonSyntax, Text: "a defined name " + err.Error()}
	}
}

// defined calculates a defined name, as an array formula in the place of the
// formula that uses it.
func (e *Evaluator) defined(n *nameNode, d *definedName) Value {
	if e.book.parseDefinition(d); d.reason != nil {
		e.stop(d.reason.Code, "%s", d.reason.Text)
	}
	if d.busy {
		e.stop(ReasonCircular, "the name %s reads itself", cellref.QuoteArg(n.name))
	}
	array, forced, scope := e.array, e.forced, e.env
	d.busy, e.array, e.forced, e.env = true, true, false, nil
	defer func() { d.busy, e.array, e.forced, e.env = false, array, forced, scope }()
	return e.eval(d.root)
}

// apply calls a LAMBDA with arguments.
func (e *Evaluator) apply(fn Value, args []node) Value {
	if fn.kind == Err {
		return fn
	}
	if fn.kind != LambdaKind {
		return Fail(ErrRef)
	}
	values := make([]Value, len(args))
	for i, a := range args {
		values[i] = e.eval(a)
	}
	return e.Apply(fn, values...)
}

// takes reports whether a LAMBDA can be called with n values.
func (l *lambda) takes(n int) bool {
	if l.fn != nil {
		return n >= l.fn.Min && (l.fn.Max < 0 || n <= l.fn.Max)
	}
	return n >= l.needs && n <= len(l.params)
}

// Apply calls a LAMBDA with values.
func (e *Evaluator) Apply(fn Value, args ...Value) Value {
	l := fn.obj.lambda
	if !l.takes(len(args)) {
		return Fail(ErrValue)
	}
	if e.calls++; e.calls > maxCalls {
		e.stop(ReasonLimit, "LAMBDAs call each other more than %d times", maxCalls)
	}
	e.step(4 * evalSteps)
	if l.fn != nil {
		given := &callNode{l.fn, l.fn.Name, make([]node, len(args))}
		for i, a := range args {
			given.args[i] = &constNode{a}
		}
		v := e.call(given)
		e.calls--
		return v
	}
	scope, array := e.env, e.array
	e.env, e.array = l.env, l.array
	for i, p := range l.params {
		v := Value{kind: Missing}
		if i < len(args) {
			v = args[i]
		}
		e.env = &env{p, v, e.env}
	}
	v := e.eval(l.body)
	e.env, e.array = scope, array
	e.calls--
	return v
}
