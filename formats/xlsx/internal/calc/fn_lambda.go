package calc

import "atelier/formats/xlsx/internal/cellref"

// Functions that call a LAMBDA for the values, rows or columns of arrays.

func init() {
	register(
		Func{Name: "MAP", Min: 2, Max: -1, Args: "A", Lambdas: true, Call: mapFunc},
		Func{Name: "REDUCE", Min: 2, Max: 3, Args: "a? A a", Call: reduce},
		Func{Name: "SCAN", Min: 2, Max: 3, Args: "a? A a", Call: scan},
		Func{Name: "BYROW", Min: 2, Max: 2, Args: "A a", Call: byLine(false)},
		Func{Name: "BYCOL", Min: 2, Max: 2, Args: "A a", Call: byLine(true)},
		Func{Name: "MAKEARRAY", Min: 3, Max: 3, Args: "n n a", Call: makeArray},
	)
}

// lambdaOf checks that a value is a LAMBDA that takes n values.
func (c *Call) lambdaOf(v Value, n int) (f Value, bad Value) {
	switch {
	case v.kind == Err:
		return v, v
	case v.kind != LambdaKind || !v.obj.lambda.takes(n):
		return v, Fail(ErrValue)
	}
	return v, Value{}
}

// one calls a LAMBDA that has to give one value.
func (c *Call) one(f Value, args ...Value) Value {
	v := c.values(c.Apply(f, args...))
	if v.kind == ArrayKind {
		return Fail(ErrCalc)
	}
	return scalar(v)
}

func mapFunc(c *Call, a []Value) Value {
	f, bad := c.lambdaOf(a[len(a)-1], len(a)-1)
	if bad.IsError() {
		return bad
	}
	all, bad := c.arrayList(a[:len(a)-1])
	if bad.IsError() {
		return bad
	}
	rows, cols := 0, 0
	for _, x := range all {
		rows, cols = max(rows, x.rows), max(cols, x.cols)
	}
	return c.made(rows, cols, func(row, col int) Value {
		args := make([]Value, len(all))
		for i, x := range all {
			args[i] = x.place(row, col)
			if a[i].kind == RefKind && row < x.rows && col < x.cols { // a cell stays one: ROW(x) works
				r := a[i].Ref()[0]
				args[i] = refTo(Area{r.Sheet, cellref.Block(r.R1+row, r.C1+col, r.R1+row, r.C1+col)})
			}
		}
		return c.one(f, args...)
	})
}

// started returns the first value, the array and the LAMBDA of REDUCE and SCAN.
func (c *Call) started(a []Value) (first Value, in *Array, f Value, bad Value) {
	f, bad = c.lambdaOf(a[len(a)-1], 2)
	if bad.IsError() {
		return first, nil, f, bad
	}
	if in, bad = c.ArrayOf(a[len(a)-2]); len(a) == 3 {
		first = a[0]
	} else {
		first = Value{kind: Missing}
	}
	return first, in, f, bad
}

func reduce(c *Call, a []Value) Value {
	v, in, f, bad := c.started(a)
	if bad.IsError() {
		return bad
	}
	for i := range in.Len() {
		if v.kind == Missing && i == 0 {
			v = in.Index(0)
			continue
		}
		live := c.live
		v = c.values(c.Apply(f, v, in.Index(i)))
		c.live = live // the arrays of the calls before are no longer used
	}
	return v
}

func scan(c *Call, a []Value) Value {
	v, in, f, bad := c.started(a)
	if bad.IsError() {
		return bad
	}
	return c.made(in.rows, in.cols, func(row, col int) Value {
		if x := in.At(row, col); v.kind == Missing && row == 0 && col == 0 {
			v = x
		} else {
			v = c.one(f, v, x)
		}
		return v
	})
}

// byLine calls a LAMBDA for each row, or each column.
func byLine(columns bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		f, bad := c.lambdaOf(a[1], 1)
		if bad.IsError() {
			return bad
		}
		b, bad := c.blockOf(a[0])
		if bad.IsError() {
			return bad
		}
		if columns {
			return c.made(1, b.cols, func(_, col int) Value { return c.one(f, c.part(b, 0, col, b.rows, 1)) })
		}
		return c.made(b.rows, 1, func(row, _ int) Value { return c.one(f, c.part(b, row, 0, 1, b.cols)) })
	}
}

func makeArray(c *Call, a []Value) Value {
	f, bad := c.lambdaOf(a[2], 2)
	if bad.IsError() {
		return bad
	}
	if a[0].num < 1 || a[1].num < 1 {
		return Fail(ErrValue)
	}
	return c.made(limit(a[0].num), limit(a[1].num), func(row, col int) Value {
		return c.one(f, Num(float64(row+1)), Num(float64(col+1)))
	})
}
