package calc

func init() {
	register(
		Func{Name: "VLOOKUP", Min: 3, Max: 4, Args: "v a n b", Call: tableLookup(false)},
		Func{Name: "HLOOKUP", Min: 3, Max: 4, Args: "v a n b", Call: tableLookup(true)},
		Func{Name: "LOOKUP", Min: 2, Max: 3, Args: "v A A", Call: lookupFunc},
		Func{Name: "MATCH", Min: 2, Max: 3, Args: "v a n", Call: matchFunc},
		Func{Name: "XMATCH", Min: 2, Max: 4, Args: "v a n? n?", Call: xmatchFunc},
		Func{Name: "XLOOKUP", Min: 3, Max: 6, Args: "v a a a n? n?", Call: xlookupFunc},
		Func{Name: "INDEX", Min: 2, Max: 4, Args: "A n n n", Call: indexFunc},
		Func{Name: "CHOOSE", Min: 2, Max: -1, Lazy: true, Call: chooseFunc},
		Func{Name: "TRANSPOSE", Min: 1, Max: 1, Args: "A", Call: transpose},
	)
}

// tableLookup is VLOOKUP, or HLOOKUP when across.
func tableLookup(across bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		if a[1].kind != RefKind && a[1].kind != ArrayKind {
			if a[1].kind == Err {
				return a[1]
			}
			return Fail(ErrValue)
		}
		b, bad := c.blockOf(a[1])
		if bad.IsError() {
			return bad
		}
		k := a[2].Int()
		first, size := c.part(b, 0, 0, b.rows, 1), b.cols
		if across {
			first, size = c.part(b, 0, 0, 1, b.cols), b.rows
		}
		if k < 1 {
			return Fail(ErrValue)
		}
		if k > size {
			return Fail(ErrRef)
		}
		v, _ := c.vectorOf(first)
		at := -1
		if len(a) == 4 && !a[3].Bool() {
			at = lookFor(v, a[0], 0)
		} else {
			at = lastUpTo(v, a[0], false)
		}
		switch {
		case at < 0:
			return Fail(ErrNA)
		case across:
			return c.first(c.part(b, k-1, at, 1, 1))
		}
		return c.first(c.part(b, at, k-1, 1, 1))
	}
}

func lookupFunc(c *Call, a []Value) Value {
	b, bad := c.blockOf(a[1])
	if bad.IsError() {
		return bad
	}
	along, result := c.part(b, 0, 0, b.rows, 1), c.part(b, 0, b.cols-1, b.rows, 1)
	if b.cols > b.rows {
		along, result = c.part(b, 0, 0, 1, b.cols), c.part(b, b.rows-1, 0, 1, b.cols)
	}
	if len(a) == 3 {
		if b.rows > 1 && b.cols > 1 {
			return Fail(ErrNA)
		}
		result = a[2]
	}
	v, _ := c.vectorOf(along)
	at := lastUpTo(v, a[0], false)
	if at < 0 {
		return Fail(ErrNA)
	}
	if result.kind == Err {
		return result
	}
	out, ok := c.vectorOf(result)
	if !ok {
		return Fail(ErrRef)
	}
	if at >= out.n && result.kind != RefKind {
		return Fail(ErrNA)
	}
	return out.at(at) // a range of results is as long as that of the values
}

func matchFunc(c *Call, a []Value) Value {
	if a[1].kind == Err {
		return a[1]
	}
	v, ok := c.vectorOf(a[1])
	if !ok || a[1].kind != RefKind && a[1].kind != ArrayKind {
		return Fail(ErrNA)
	}
	how := 1.0
	if len(a) == 3 {
		how = a[2].num
	}
	at := -1
	switch {
	case how == 0:
		at = lookFor(v, a[0], 0)
	case how > 0:
		at = lastUpTo(v, a[0], false)
	default:
		at = matchDescending(v, a[0])
	}
	if at < 0 {
		return Fail(ErrNA)
	}
	return Num(float64(at + 1))
}

// optional returns a whole-number argument that may be left out.
func optional(a []Value, i, otherwise int) int {
	if i < len(a) && !a[i].Missing() {
		return a[i].Int()
	}
	return otherwise
}

func xmatchFunc(c *Call, a []Value) Value {
	order := optional(a, 3, 1)
	at, _, bad := c.xfind(a[0], a[1], optional(a, 2, 0), order)
	if bad.IsError() {
		return bad
	}
	if at < 0 {
		return Fail(ErrNA)
	}
	return Num(float64(at + 1))
}

func xlookupFunc(c *Call, a []Value) Value {
	order := optional(a, 5, 1)
	at, v, bad := c.xfind(a[0], a[1], optional(a, 4, 0), order)
	if bad.IsError() {
		return bad
	}
	b, bad := c.blockOf(a[2])
	if bad.IsError() {
		return bad
	}
	down := v.vertical || v.n == 1 && b.rows == 1 && b.cols != 1
	if v.n == 1 {
		down = b.rows == 1
	}
	if down && b.rows != v.n || !down && b.cols != v.n {
		return Fail(ErrValue)
	}
	switch {
	case at < 0 && len(a) > 3 && !a[3].Missing():
		return a[3]
	case at < 0:
		return Fail(ErrNA)
	case down:
		return c.part(b, at, 0, 1, b.cols)
	}
	return c.part(b, 0, at, b.rows, 1)
}

func indexFunc(c *Call, a []Value) Value {
	v := a[0]
	if v.kind == RefKind {
		k := optional(a, 3, 1)
		if k < 1 || k > len(v.Ref()) {
			return Fail(ErrRef)
		}
		v = refTo(v.Ref()[k-1])
	}
	b, bad := c.blockOf(v)
	if bad.IsError() {
		return bad
	}
	row, col := optional(a, 1, 0), 0
	switch {
	case len(a) > 2:
		col = a[2].Int()
	case b.rows == 1 && b.cols > 1:
		row, col = 1, row
		if col == 0 {
			row = 0
		}
	case b.cols == 1:
		col = 1
	}
	if row < 0 || col < 0 {
		return Fail(ErrValue)
	}
	if row > b.rows || col > b.cols {
		return Fail(ErrRef)
	}
	switch {
	case row == 0 && col == 0:
		return v
	case row == 0:
		return c.part(b, 0, col-1, b.rows, 1)
	case col == 0:
		return c.part(b, row-1, 0, 1, b.cols)
	}
	return c.part(b, row-1, col-1, 1, 1)
}

func chooseFunc(c *Call, _ []Value) Value {
	x := c.decider(0)
	if x.kind == ArrayKind {
		return c.lift(append([]Value{x}, c.otherValues(1)...), func(a []Value) Value {
			k := c.toNumber(a[0])
			if k.kind == Err {
				return k
			}
			if i := k.Int(); i >= 1 && i < len(a) {
				return a[i]
			}
			return Fail(ErrValue)
		})
	}
	k := c.toNumber(x)
	if k.kind == Err {
		return k
	}
	if i := k.Int(); i >= 1 && i < c.N() {
		return c.chosen(i)
	}
	return Fail(ErrValue)
}

// otherValues calculates the arguments from i on.
func (c *Call) otherValues(i int) []Value {
	var out []Value
	for ; i < c.N(); i++ {
		out = append(out, c.values(c.chosen(i)))
	}
	return out
}

func transpose(c *Call, a []Value) Value {
	in, bad := c.ArrayOf(a[0])
	if bad.IsError() {
		return bad
	}
	out := c.NewArray(in.cols, in.rows)
	for i := range out.data {
		out.data[i] = in.At(i%in.rows, i/in.rows)
	}
	return arrayValue(out)
}
