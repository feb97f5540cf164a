package calc

// lift calls f for each place of the block that the arguments make together:
// arrays of one row or column repeat, other places that an array lacks are #N/A.
// Without an array among them it calls f once.
func (e *Evaluator) lift(args []Value, f func([]Value) Value) Value {
	s, many := shapeOf(args)
	if !many {
		return f(args)
	}
	out := e.newTall(s.rows, s.cols, s.held)
	one := make([]Value, len(args))
	for row := range s.held {
		for col := range s.cols {
			e.step(1)
			out.Set(row, col, f(pickAll(one, args, row, col)))
		}
	}
	if s.held < s.rows {
		out.rest = scalar(f(pickAll(one, args, s.held, 0)))
	}
	for i := range out.data {
		out.data[i] = scalar(out.data[i])
	}
	return arrayValue(out)
}

// scalar is what a place of an array has when its value is no single one.
func scalar(v Value) Value {
	switch v.kind {
	case ArrayKind:
		return v.Array().At(0, 0)
	case RefKind, LambdaKind:
		return Fail(ErrCalc)
	}
	return v
}

func pickAll(one, args []Value, row, col int) []Value {
	for i, a := range args {
		if one[i] = a; a.kind == ArrayKind {
			one[i] = a.Array().pick(row, col)
		}
	}
	return one
}

// shape is the size of a block, whose rows behind held are all alike.
type shape struct{ rows, cols, held int }

// shapeOf returns the block that arguments make together; many is false when
// none is an array.
func shapeOf(args []Value) (s shape, many bool) {
	s = shape{1, 1, 0}
	for _, v := range args {
		if v.kind == ArrayKind {
			many = true
			s.rows, s.cols = max(s.rows, v.Array().rows), max(s.cols, v.Array().cols)
		}
	}
	for _, v := range args {
		if v.kind != ArrayKind {
			continue
		}
		a := v.Array()
		switch uniform := a.cols == s.cols || a.cols == 1 && s.cols == 1; {
		case a.rows == 1 && a.cols == 1:
		case a.rows == s.rows && (uniform || a.cols == 1):
			s.held = max(s.held, a.held())
		default:
			s.held = s.rows
		}
	}
	return s, many
}
