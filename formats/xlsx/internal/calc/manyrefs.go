package calc

// Several references: OFFSET and INDIRECT give one for each value of their arguments, and
// SUBTOTAL, SUMIF and their like, N and T take them one by one, as Excel does. Functions
// that take values do not get them.

// oneByOne calculates an argument of a function that takes several references one by one.
func (e *Evaluator) oneByOne(f *Func, n node) Value {
	for p, ok := n.(*plusNode); ok; p, ok = n.(*plusNode) {
		n = p.x
	}
	if call, ok := n.(*callNode); ok && call.fn != nil && call.fn.Gives {
		return e.callFor(call, true)
	}
	v := e.eval(n)
	if _, literal := n.(*constNode); v.kind != ArrayKind || !f.Values {
		return v
	} else if literal {
		e.stop(ReasonForm, "%s of an array constant", f.Name)
	}
	a := *v.Array()
	a.each = true
	return arrayValue(&a)
}

// each reports whether a function is called for each value of an argument that is no
// single one by its class.
func each(v Value) bool { return v.kind == ArrayKind && v.Array().each }

// liftReferences calls a function that gives a reference once for each value of its
// arguments. The result is an array of references and errors.
func (e *Evaluator) liftReferences(c *Call, args []Value) Value {
	s, _ := shapeOf(args)
	out := e.newTall(s.rows, s.cols, s.held)
	e.takeRoom(3 * s.held * s.cols) // a reference takes as much as four values
	out.each = true
	one := make([]Value, len(args))
	for row := range s.held {
		for col := range s.cols {
			e.step(1)
			out.Set(row, col, c.with(pickAll(one, args, row, col)))
		}
	}
	if s.held < s.rows {
		out.rest = c.with(pickAll(one, args, s.held, 0))
	}
	return Value{kind: ArrayKind, obj: &object{array: out}}
}
