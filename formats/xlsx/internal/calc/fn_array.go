package calc

func init() {
	register(
		Func{Name: "LET", Min: 3, Max: -1, Lazy: true, Call: letFunc},
		Func{Name: "LAMBDA", Min: 1, Max: -1, Lazy: true, Call: lambdaFunc},
		Func{Name: "ISOMITTED", Min: 1, Max: 1, Args: "a", Call: func(_ *Call, a []Value) Value { return Boolean(a[0].Missing()) }},
	)
}

// letFunc gives names to values and calculates its last argument with them.
func letFunc(c *Call, _ []Value) Value {
	if c.N()%2 == 0 {
		return Fail(ErrValue)
	}
	names, ok := parameterNames(c.args[:c.N()-1], func(i int) bool { return i%2 == 0 })
	if !ok {
		return Fail(ErrName)
	}
	outer := c.env
	for i, name := range names {
		v := c.Arg(2*i + 1)
		c.env = &env{name, v, c.env}
	}
	v := c.Arg(c.N() - 1)
	c.env = outer
	return v
}

// lambdaFunc makes a function of its last argument, with the others as names.
func lambdaFunc(c *Call, _ []Value) Value {
	params, ok := parameterNames(c.args[:c.N()-1], func(int) bool { return true })
	if !ok {
		return Fail(ErrValue)
	}
	needs := 0
	for i := range params {
		if !c.args[i].(*nameNode).optional {
			needs = i + 1
		}
	}
	return Value{kind: LambdaKind, obj: &object{lambda: &lambda{params: params, needs: needs, body: c.args[c.N()-1], env: c.env, array: c.array}}}
}
