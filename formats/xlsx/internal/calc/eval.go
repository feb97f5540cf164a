package calc

import (
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// eval returns the value of a part of a formula: one value, an array or a
// reference.
func (e *Evaluator) eval(n node) Value {
	e.step(evalSteps)
	if e.depth++; e.depth > maxDepth {
		e.stop(ReasonLimit, "its parts are nested too deep")
	}
	v := e.evalPart(n)
	e.depth--
	return v
}

func (e *Evaluator) evalPart(n node) Value {
	switch n := n.(type) {
	case *constNode:
		return n.v
	case *refNode:
		return e.reference(n)
	case *chainNode:
		return e.chain(n, false)
	case *sumNode:
		return e.chain(n.chainNode, true)
	case *callNode:
		return e.call(n)
	case *nameNode:
		return e.name(n)
	case *tableNode:
		return e.structured(n)
	case *unaryNode:
		return e.lift([]Value{e.operand(n.x)}, func(a []Value) Value {
			if x := e.toNumber(a[0]); x.kind == Number {
				return Num(-x.num)
			} else {
				return x
			}
		})
	case *percentNode:
		return e.lift([]Value{e.operand(n.x)}, func(a []Value) Value {
			if x := e.toNumber(a[0]); x.kind == Number {
				return Num(x.num / 100)
			} else {
				return x
			}
		})
	case *plusNode:
		return e.eval(n.x)
	case *missingNode:
		return Value{kind: Missing}
	case *unknownNode:
		e.stop(n.code, "%s", n.text)
	}
	return e.evalRare(n)
}

func (e *Evaluator) evalRare(n node) Value {
	switch n := n.(type) {
	case *rangeNode:
		return e.rangeOf(e.eval(n.a), e.eval(n.b))
	case *meetNode:
		return e.meet(e.eval(n.a), e.eval(n.b))
	case *unionNode:
		return e.union(n)
	case *oneNode:
		return e.single(e.eval(n.x))
	case *spillNode:
		return e.spilled(e.eval(n.x))
	case *applyNode:
		return e.apply(e.eval(n.fn), n.args)
	}
	e.stop(ReasonForm, "this form of a formula is not calculated")
	return Value{}
}

// operand returns the value of a part where one value is expected: a reference
// gives its values, all of them in an array formula, else the one in line with
// the formula.
func (e *Evaluator) operand(n node) Value {
	if r, ok := n.(*refNode); ok && r.sheet == r.last && r.from == r.to && r.from.Kind == cellref.CellEnd {
		if a, ok := e.area(r, r.sheet); ok {
			e.step(evalSteps)
			return e.Cell(At(a.Sheet, a.R1, a.C1))
		}
		return Fail(ErrRef)
	}
	return e.values(e.eval(n))
}

// values returns the values of a reference, and other values as they are.
func (e *Evaluator) values(v Value) Value {
	if v.kind != RefKind {
		return v
	}
	ref := v.Ref()
	if len(ref) == 1 && ref[0].one() {
		return e.Cell(At(ref[0].Sheet, ref[0].R1, ref[0].C1))
	}
	if !e.array {
		return e.inLine(ref)
	}
	if len(ref) != 1 {
		return Fail(ErrValue)
	}
	return arrayValue(e.arrayOf(ref[0]))
}

// inLine returns the value of a range in the row or column of the formula.
func (e *Evaluator) inLine(ref Ref) Value {
	if len(ref) != 1 {
		return Fail(ErrValue)
	}
	row, col := 0, 0
	switch a := ref[0]; {
	case a.C1 == a.C2 && e.at.Row >= a.R1 && e.at.Row <= a.R2:
		row, col = e.at.Row, a.C1
	case a.R1 == a.R2 && e.at.Col >= a.C1 && e.at.Col <= a.C2:
		row, col = a.R1, e.at.Col
	default:
		return Fail(ErrValue)
	}
	return e.Cell(At(ref[0].Sheet, row, col))
}

// single is @x.
func (e *Evaluator) single(v Value) Value {
	switch v.kind {
	case RefKind:
		if ref := v.Ref(); len(ref) == 1 && ref[0].one() {
			return v
		}
		return e.inLine(v.Ref())
	case ArrayKind:
		return v.Array().At(0, 0)
	}
	return v
}

// arrayOf returns the values of an area. Empty cells under the used ones take no
// memory.
func (e *Evaluator) arrayOf(a Area) *Array {
	g := &e.book.sheets[a.Sheet].grid
	held := min(a.rows(), max(g.used.R2-a.R1+1, 0))
	if g.used.Empty() {
		held = 0
	}
	out := e.newTall(a.rows(), a.cols(), held)
	e.EachCell(a, func(row, col int, v Value) bool {
		out.Set(row-a.R1, col-a.C1, v)
		return true
	})
	return out
}

// EachCell calls f for the cells of an area that are not empty, row by row, until
// it returns false.
func (e *Evaluator) EachCell(a Area, f func(row, col int, v Value) bool) {
	at := Place{Sheet: a.Sheet}
	e.book.sheets[a.Sheet].grid.each(a.Range, func(row int, c *cell) bool {
		e.step(1)
		at.Row, at.Col = row, int(c.col)
		v := e.cellValue(at, c)
		return v.kind == Empty || f(row, int(c.col), v)
	})
}

// chain joins operands from left to right.
func (e *Evaluator) chain(n *chainNode, last bool) Value {
	v := e.operand(n.first)
	for i, l := range n.rest {
		x := e.operand(l.x)
		v = e.binary(l.op, v, x, last && i == len(n.rest)-1)
	}
	return v
}

// binary joins two operands.
func (e *Evaluator) binary(op operator, a, b Value, last bool) Value {
	if a.kind != ArrayKind && b.kind != ArrayKind {
		return e.joinScalars(op, a, b, last)
	}
	return e.lift([]Value{a, b}, func(v []Value) Value { return e.joinScalars(op, v[0], v[1], last) })
}

func (e *Evaluator) joinScalars(op operator, a, b Value, last bool) Value {
	if a.kind == Err {
		return a
	}
	if b.kind == Err {
		return b
	}
	if a.kind == LambdaKind || b.kind == LambdaKind {
		return Fail(ErrCalc)
	}
	switch {
	case op >= opEq:
		return compareOp(op, compareValues(a, b))
	case op == opJoin:
		return e.text(e.toText(a).str + e.toText(b).str)
	}
	x, y := e.toNumber(a), e.toNumber(b)
	if x.kind == Err {
		return x
	}
	if y.kind == Err {
		return y
	}
	return e.arithmetic(op, x.num, y.num, last)
}

func compareOp(op operator, c int) Value {
	switch op {
	case opEq:
		return Boolean(c == 0)
	case opNe:
		return Boolean(c != 0)
	case opLt:
		return Boolean(c < 0)
	case opLe:
		return Boolean(c <= 0)
	case opGt:
		return Boolean(c > 0)
	}
	return Boolean(c >= 0)
}

func (e *Evaluator) arithmetic(op operator, x, y float64, last bool) Value {
	switch op {
	case opAdd, opSub:
		if op == opSub {
			y = -y
		}
		sum := x + y
		if last {
			sum = snap(sum, x, y)
		}
		return Num(sum)
	case opMul:
		return Num(x * y)
	case opDiv:
		if y == 0 {
			return Fail(ErrDiv0)
		}
		return Num(x / y)
	}
	return e.power(x, y)
}

// text returns a text as a value; one that no cell can hold is #VALUE!.
func (e *Evaluator) text(s string) Value {
	if len(s) > maxText && sheetml.UTF16Len(s) > maxText {
		return Fail(ErrValue)
	}
	e.takeText(len(s))
	return Str(s)
}
