package calc

// What functions do with arguments that are ranges, arrays or single values.

// Each calls f for the values of an argument until it returns false. Cells that
// are empty are left out; direct is true for a value that is neither in a cell
// nor in an array.
func (e *Evaluator) Each(v Value, f func(v Value, direct bool) bool) {
	switch v.kind {
	case RefKind:
		more := true
		for _, a := range v.Ref() {
			if !more {
				return
			}
			e.EachCell(a, func(_, _ int, v Value) bool {
				more = f(v, false)
				return more
			})
		}
	case ArrayKind:
		a := v.Array()
		for i := range a.Len() {
			e.step(1)
			if !f(a.Index(i), false) {
				return
			}
		}
	default:
		f(v, true)
	}
}

// EachNumber calls f for the numbers of arguments as SUM takes them: from cells
// and arrays numbers only, and values written in the formula converted. The
// result is the first error among them, or the zero Value.
func (e *Evaluator) EachNumber(args []Value, f func(x float64)) Value {
	bad := Value{}
	for _, arg := range args {
		e.Each(arg, func(v Value, direct bool) bool {
			if direct {
				v = e.toNumber(v)
			}
			switch v.kind {
			case Number:
				f(v.num)
			case Err:
				bad = v
			}
			return bad.kind != Err
		})
		if bad.kind == Err {
			return bad
		}
	}
	return bad
}

// EachNumberA is EachNumber as AVERAGEA takes them: texts of cells and arrays are
// 0, TRUE is 1.
func (e *Evaluator) EachNumberA(args []Value, f func(x float64)) Value {
	bad := Value{}
	for _, arg := range args {
		e.Each(arg, func(v Value, direct bool) bool {
			if direct {
				v = e.toNumber(v)
			}
			switch v.kind {
			case Number, Bool:
				f(v.num)
			case Text:
				f(0)
			case Err:
				bad = v
			}
			return bad.kind != Err
		})
		if bad.kind == Err {
			return bad
		}
	}
	return bad
}

// Numbers returns the numbers that EachNumber calls for.
func (e *Evaluator) Numbers(args []Value) (xs []float64, bad Value) {
	bad = e.EachNumber(args, func(x float64) {
		if len(xs)&0xffff == 0xffff {
			e.takeRoom(1 << 14) // 65,536 numbers need the room of so many values
		}
		xs = append(xs, x)
	})
	return xs, bad
}

// ArrayOf returns the values of an argument as an array. A reference to several
// areas gives an error value, and so does an error.
func (e *Evaluator) ArrayOf(v Value) (*Array, Value) {
	switch v.kind {
	case Err:
		return nil, v
	case ArrayKind:
		return v.Array(), Value{}
	case RefKind:
		if len(v.Ref()) != 1 {
			return nil, Fail(ErrValue)
		}
		return e.arrayOf(v.Ref()[0]), Value{}
	}
	if v.kind == Missing {
		v = Value{}
	}
	return &Array{rows: 1, cols: 1, data: []Value{v}}, Value{}
}

// vector is a row or column to look something up in, read on demand.
type vector struct {
	e        *Evaluator
	n        int
	area     Area
	array    *Array
	vertical bool
}

// vectorOf returns an argument of one row or column as a vector; ok is false for
// another one.
func (e *Evaluator) vectorOf(v Value) (vector, bool) {
	switch v.kind {
	case RefKind:
		if len(v.Ref()) != 1 {
			return vector{}, false
		}
		a := v.Ref()[0]
		return vector{e: e, n: a.rows() * a.cols(), area: a, vertical: a.cols() == 1}, a.rows() == 1 || a.cols() == 1
	case ArrayKind:
		a := v.Array()
		return vector{e: e, n: a.Len(), array: a, vertical: a.cols == 1}, a.rows == 1 || a.cols == 1
	}
	return vector{e: e, n: 1, array: &Array{rows: 1, cols: 1, data: []Value{v}}}, true
}

// at returns the i-th value, counted from 0.
func (v vector) at(i int) Value {
	v.e.step(1)
	switch {
	case v.array != nil:
		return v.array.Index(i)
	case v.vertical:
		return v.e.Cell(At(v.area.Sheet, v.area.R1+i, v.area.C1))
	}
	return v.e.Cell(At(v.area.Sheet, v.area.R1, v.area.C1+i))
}

// each calls f for the values that are not empty cells until it returns false.
func (v vector) each(f func(i int, x Value) bool) {
	if v.array == nil {
		v.e.EachCell(v.area, func(row, col int, x Value) bool { return f(row-v.area.R1+col-v.area.C1, x) })
		return
	}
	for i := range v.n {
		v.e.step(1)
		if !f(i, v.array.Index(i)) {
			return
		}
	}
}
