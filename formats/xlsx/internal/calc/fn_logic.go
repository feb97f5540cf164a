package calc

func init() {
	register(
		Func{Name: "TRUE", Call: func(*Call, []Value) Value { return Boolean(true) }},
		Func{Name: "FALSE", Call: func(*Call, []Value) Value { return Boolean(false) }},
		Func{Name: "NOT", Min: 1, Max: 1, Args: "b", Call: func(_ *Call, a []Value) Value { return Boolean(!a[0].Bool()) }},
		Func{Name: "AND", Min: 1, Max: -1, Args: "a", Call: logical(func(yes, no int) bool { return no == 0 })},
		Func{Name: "OR", Min: 1, Max: -1, Args: "a", Call: logical(func(yes, no int) bool { return yes > 0 })},
		Func{Name: "XOR", Min: 1, Max: -1, Args: "a", Call: logical(func(yes, no int) bool { return yes%2 == 1 })},
		Func{Name: "IF", Min: 1, Max: 3, Lazy: true, Call: ifFunc},
		Func{Name: "IFS", Min: 2, Max: -1, Lazy: true, Call: ifsFunc},
		Func{Name: "SWITCH", Min: 3, Max: -1, Lazy: true, Call: switchFunc},
		Func{Name: "IFERROR", Min: 2, Max: 2, Lazy: true, Call: ifError(func(Error) bool { return true })},
		Func{Name: "IFNA", Min: 2, Max: 2, Lazy: true, Call: ifError(func(e Error) bool { return e == ErrNA })},
	)
}

// logical counts the truths among arguments; texts in cells do not count.
func logical(decide func(yes, no int) bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		yes, no := 0, 0
		bad := Value{}
		for _, arg := range a {
			c.Each(arg, func(v Value, direct bool) bool {
				if direct {
					v = c.toBool(v)
				}
				switch v.kind {
				case Err:
					bad = v
				case Bool, Number:
					if v.Bool() {
						yes++
					} else {
						no++
					}
				}
				return bad.kind != Err
			})
			if bad.kind == Err {
				return bad
			}
		}
		if yes+no == 0 {
			return Fail(ErrValue)
		}
		return Boolean(decide(yes, no))
	}
}

// condition calculates an argument that decides which others are.
func (c *Call) condition(i int) Value {
	v := c.decider(i)
	if v.kind == ArrayKind {
		return v
	}
	return c.toBool(v)
}

// decider calculates an argument on which it depends what a function returns.
// Excel takes all values of a range there only in array formulas, whatever is
// around the function.
func (c *Call) decider(i int) Value {
	v := c.ArgValues(i)
	if v.kind == ArrayKind && c.forced {
		c.stop(ReasonForm, "%s over a range outside an array formula", c.Func.Name)
	}
	return v
}

// result returns an argument as the result of a function that chooses one; one
// left out is 0.
func (c *Call) chosen(i int) Value {
	if v := c.Arg(i); v.kind != Missing {
		return v
	}
	return Num(0)
}

func ifFunc(c *Call, _ []Value) Value {
	cond := c.condition(0)
	otherwise := func() Value {
		if c.N() > 2 {
			return c.chosen(2)
		}
		return Boolean(false)
	}
	then := func() Value {
		if c.N() > 1 {
			return c.chosen(1)
		}
		return Boolean(true)
	}
	switch {
	case cond.kind == Err:
		return cond
	case cond.kind != ArrayKind && cond.Bool():
		return then()
	case cond.kind != ArrayKind:
		return otherwise()
	}
	return c.lift([]Value{cond, c.values(then()), c.values(otherwise())}, func(a []Value) Value {
		switch b := c.toBool(a[0]); {
		case b.kind == Err:
			return b
		case b.Bool():
			return a[1]
		}
		return a[2]
	})
}

func ifsFunc(c *Call, _ []Value) Value {
	if c.N()%2 == 1 {
		return Fail(ErrNA)
	}
	return ifsFrom(c, 0)
}

func ifsFrom(c *Call, i int) Value {
	for ; i < c.N(); i += 2 {
		cond := c.condition(i)
		if cond.kind == ArrayKind {
			return c.lift([]Value{cond, c.values(c.chosen(i + 1)), c.values(ifsFrom(c, i+2))}, func(a []Value) Value {
				switch b := c.toBool(a[0]); {
				case b.kind == Err:
					return b
				case b.Bool():
					return a[1]
				}
				return a[2]
			})
		}
		if cond.kind == Err {
			return cond
		}
		if cond.Bool() {
			return c.chosen(i + 1)
		}
	}
	return Fail(ErrNA)
}

func switchFunc(c *Call, _ []Value) Value {
	x := c.decider(0)
	if x.kind != ArrayKind {
		return switchOne(c, x, c.chosen)
	}
	results := map[int]Value{}
	return c.lift([]Value{x}, func(a []Value) Value {
		return switchOne(c, a[0], func(i int) Value {
			if _, ok := results[i]; !ok {
				results[i] = c.single(c.chosen(i))
			}
			return c.values(results[i])
		})
	})
}

func switchOne(c *Call, x Value, result func(i int) Value) Value {
	if x.kind == Err {
		return x
	}
	i := 1
	for ; i+1 < c.N(); i += 2 {
		v := c.single(c.ArgValues(i))
		if v.kind == Err {
			return v
		}
		if compareValues(x, v) == 0 && (beside(x, v).kind == beside(v, x).kind) {
			return result(i + 1)
		}
	}
	if i < c.N() {
		return result(i)
	}
	return Fail(ErrNA)
}

// ifError replaces some errors of its first argument by the second.
func ifError(replaces func(Error) bool) func(*Call, []Value) Value {
	return func(c *Call, _ []Value) Value {
		v := c.decider(0)
		if v.kind == Err && replaces(v.Error()) {
			return c.chosen(1)
		}
		if v.kind != ArrayKind {
			if v.blank() {
				return Num(0)
			}
			return v
		}
		var other Value
		asked := false
		for i := range v.Array().Len() {
			if x := v.Array().Index(i); x.kind == Err && replaces(x.Error()) {
				other, asked = c.values(c.chosen(1)), true
				break
			}
		}
		if !asked {
			return v
		}
		return c.lift([]Value{v, other}, func(a []Value) Value {
			if a[0].kind == Err && replaces(a[0].Error()) {
				return a[1]
			}
			return a[0]
		})
	}
}
