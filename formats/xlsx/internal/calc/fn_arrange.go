package calc

import "math"

// Functions that arrange the values of arrays anew.

func init() {
	register(
		Func{Name: "SEQUENCE", Min: 1, Max: 4, Args: "n n? n? n?", Call: sequence},
		Func{Name: "VSTACK", Min: 1, Max: -1, Args: "A", Call: stack(false)},
		Func{Name: "HSTACK", Min: 1, Max: -1, Args: "A", Call: stack(true)},
		Func{Name: "TOCOL", Min: 1, Max: 3, Args: "A n? b?", Call: toLine(false)},
		Func{Name: "TOROW", Min: 1, Max: 3, Args: "A n? b?", Call: toLine(true)},
		Func{Name: "WRAPROWS", Min: 2, Max: 3, Args: "A n a?", Call: wrap(false)},
		Func{Name: "WRAPCOLS", Min: 2, Max: 3, Args: "A n a?", Call: wrap(true)},
		Func{Name: "TAKE", Min: 2, Max: 3, Args: "A n? n?", Call: takeFunc},
		Func{Name: "DROP", Min: 2, Max: 3, Args: "A n? n?", Call: dropFunc},
		Func{Name: "EXPAND", Min: 2, Max: 4, Args: "A n? n? a?", Call: expand},
		Func{Name: "CHOOSEROWS", Min: 2, Max: -1, Args: "A A", Call: chooseLines(false)},
		Func{Name: "CHOOSECOLS", Min: 2, Max: -1, Args: "A A", Call: chooseLines(true)},
	)
}

// made returns an array of rows × cols of which f gives the values, row by row. A
// size of nothing is #CALC!.
func (c *Call) made(rows, cols int, f func(row, col int) Value) Value {
	if rows < 1 || cols < 1 {
		return Fail(ErrCalc)
	}
	if rows > maxArray || cols > maxArray {
		c.stop(ReasonLimit, "it needs an array of more than %d values", maxArray)
	}
	out := c.NewArray(rows, cols)
	for row := range rows {
		for col := range cols {
			c.step(1)
			out.Set(row, col, scalar(f(row, col)))
		}
	}
	return out.Result()
}

func sequence(c *Call, a []Value) Value {
	rows, cols, start, step := math.Trunc(a[0].num), math.Trunc(number(a, 1, 1)), number(a, 2, 1), number(a, 3, 1)
	if rows < 0 || cols < 0 {
		return Fail(ErrValue)
	}
	width := limit(cols)
	return c.made(limit(rows), width, func(row, col int) Value { return Num(start + float64(row*width+col)*step) })
}

// arrayList returns arguments as arrays; an error is one value.
func (c *Call) arrayList(a []Value) (all []*Array, bad Value) {
	for _, v := range a {
		if v.kind == Err {
			all = append(all, &Array{rows: 1, cols: 1, data: []Value{v}})
			continue
		}
		x, bad := c.ArrayOf(v)
		if bad.IsError() {
			return nil, bad
		}
		all = append(all, x)
	}
	return all, Value{}
}

// stack puts arrays under each other, or beside; places that they lack are #N/A.
func stack(beside bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		all, bad := c.arrayList(a)
		if bad.IsError() {
			return bad
		}
		rows, cols := 0, 0
		for _, x := range all {
			if beside {
				rows, cols = max(rows, x.rows), cols+x.cols
			} else {
				rows, cols = rows+x.rows, max(cols, x.cols)
			}
		}
		k, from := 0, 0
		return c.made(rows, cols, func(row, col int) Value {
			if beside {
				if col == 0 {
					k, from = 0, 0
				}
				for col-from >= all[k].cols {
					from += all[k].cols
					k++
				}
				return all[k].place(row, col-from)
			}
			for row-from >= all[k].rows {
				from += all[k].rows
				k++
			}
			return all[k].place(row-from, col)
		})
	}
}

// place returns a value of an array, #N/A outside of it.
func (a *Array) place(row, col int) Value {
	if row >= a.rows || col >= a.cols {
		return Fail(ErrNA)
	}
	return a.At(row, col)
}

// toLine makes one column or row of an array, row by row or column by column,
// perhaps without its empty values (1), errors (2) or both (3).
func toLine(across bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		in, bad := c.arrayList(a[:1])
		if bad.IsError() {
			return bad
		}
		x, leaves := in[0], optional(a, 1, 0)
		if leaves < 0 || leaves > 3 {
			return Fail(ErrValue)
		}
		byColumn := flag(a, 2, false)
		var kept []Value
		for i := range x.Len() {
			c.step(1)
			v := x.Index(i)
			if byColumn {
				v = x.At(i%x.rows, i/x.rows)
			}
			if leaves&1 != 0 && v.kind == Empty || leaves&2 != 0 && v.kind == Err {
				continue
			}
			if len(kept)&0xfff == 0 {
				c.takeRoom(0x1000)
			}
			kept = append(kept, v)
		}
		if across {
			return c.made(1, len(kept), func(_, col int) Value { return kept[col] })
		}
		return c.made(len(kept), 1, func(row, _ int) Value { return kept[row] })
	}
}

// padding is an argument that fills places without a value.
func (c *Call) padding(a []Value, i int) Value {
	if i >= len(a) || a[i].Missing() {
		return Fail(ErrNA)
	}
	v := c.values(a[i])
	if v.kind == ArrayKind {
		c.stop(ReasonForm, "%s with several values to fill up", c.Func.Name)
	}
	return v
}

// wrap breaks a row or column into lines.
func wrap(down bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		v, ok := c.vectorOf(a[0])
		pad := c.padding(a, 2)
		switch {
		case a[0].kind == Err:
			return a[0]
		case !ok:
			return Fail(ErrValue)
		case a[1].num < 1:
			return Fail(ErrNum)
		}
		n := min(limit(a[1].num), v.n)
		lines := (v.n + n - 1) / n
		at := func(i int) Value {
			if i < v.n {
				return v.at(i)
			}
			return pad
		}
		if limit(a[1].num) > v.n && v.n > 0 { // the only line is filled up
			n = limit(a[1].num)
		}
		if down {
			return c.made(n, lines, func(row, col int) Value { return at(col*n + row) })
		}
		return c.made(lines, n, func(row, col int) Value { return at(row*n + col) })
	}
}

// taken returns the first row or column that TAKE leaves (from the end for a negative
// number), and how many.
func taken(a []Value, i, size int) (from, n int, ok bool) {
	if i >= len(a) || a[i].Missing() {
		return 0, size, true
	}
	k := limit(a[i].num)
	switch {
	case k == 0:
		return 0, 0, false
	case k > 0:
		return 0, min(k, size), true
	}
	n = min(-k, size)
	return size - n, n, true
}

func takeFunc(c *Call, a []Value) Value {
	b, bad := c.blockOf(a[0])
	if bad.IsError() {
		return bad
	}
	row, rows, ok := taken(a, 1, b.rows)
	col, cols, ok2 := taken(a, 2, b.cols)
	if !ok || !ok2 {
		return Fail(ErrCalc)
	}
	return c.part(b, row, col, rows, cols)
}

// dropped returns what DROP leaves.
func dropped(a []Value, i, size int) (from, n int) {
	if i >= len(a) || a[i].Missing() {
		return 0, size
	}
	if k := limit(a[i].num); k >= 0 {
		return min(k, size), max(size-k, 0)
	} else {
		return 0, max(size+k, 0)
	}
}

func dropFunc(c *Call, a []Value) Value {
	b, bad := c.blockOf(a[0])
	if bad.IsError() {
		return bad
	}
	row, rows := dropped(a, 1, b.rows)
	col, cols := dropped(a, 2, b.cols)
	if rows == 0 || cols == 0 {
		return Fail(ErrCalc)
	}
	return c.part(b, row, col, rows, cols)
}

func expand(c *Call, a []Value) Value {
	in, bad := c.ArrayOf(a[0])
	if bad.IsError() {
		return bad
	}
	rows, cols := in.rows, in.cols
	if len(a) > 1 && !a[1].Missing() {
		rows = limit(a[1].num)
	}
	if len(a) > 2 && !a[2].Missing() {
		cols = limit(a[2].num)
	}
	if rows < in.rows || cols < in.cols {
		return Fail(ErrValue)
	}
	pad := c.padding(a, 3)
	return c.made(rows, cols, func(row, col int) Value {
		if row < in.rows && col < in.cols {
			return in.At(row, col)
		}
		return pad
	})
}

// chooseLines returns rows or columns by their numbers, from the end for negative
// ones.
func chooseLines(columns bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		in, bad := c.ArrayOf(a[0])
		if bad.IsError() {
			return bad
		}
		size := in.rows
		if columns {
			size = in.cols
		}
		var lines []int
		for _, arg := range a[1:] {
			places, failed := c.ArrayOf(arg)
			if failed.IsError() {
				return failed
			}
			c.takeRoom(places.Len())
			for i := range places.Len() {
				x := c.toNumber(places.Index(i))
				k := x.Int()
				switch {
				case x.IsError():
					return x
				case k == 0 || k > size || k < -size:
					return Fail(ErrValue)
				case k < 0:
					k += size + 1
				}
				lines = append(lines, k-1)
			}
		}
		if columns {
			return c.made(in.rows, len(lines), func(row, col int) Value { return in.At(row, lines[col]) })
		}
		return c.made(len(lines), in.cols, func(row, col int) Value { return in.At(lines[row], col) })
	}
}
