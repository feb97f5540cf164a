package calc

import "math"

func init() {
	register(
		Func{Name: "SUM", Min: 1, Max: -1, Args: "a", Call: reduced(sumOf)},
		Func{Name: "PRODUCT", Min: 1, Max: -1, Args: "a", Call: reduced(productOf)},
		Func{Name: "SUMSQ", Min: 1, Max: -1, Args: "a", Call: reduced(func(t totals) Value { return Num(t.squares) })},
		Func{Name: "AVERAGE", Min: 1, Max: -1, Args: "a", Call: reduced(averageOf)},
		Func{Name: "MIN", Min: 1, Max: -1, Args: "a", Call: reduced(minOf)},
		Func{Name: "MAX", Min: 1, Max: -1, Args: "a", Call: reduced(maxOf)},
		Func{Name: "AVERAGEA", Min: 1, Max: -1, Args: "a", Call: reducedA(averageOf)},
		Func{Name: "MINA", Min: 1, Max: -1, Args: "a", Call: reducedA(minOf)},
		Func{Name: "MAXA", Min: 1, Max: -1, Args: "a", Call: reducedA(maxOf)},
		Func{Name: "COUNT", Min: 1, Max: -1, Args: "a", Call: countFunc},
		Func{Name: "COUNTA", Min: 1, Max: -1, Args: "a", Call: countAFunc},
		Func{Name: "COUNTBLANK", Min: 1, Max: 1, Args: "a", Each: true, Call: countBlank},
		Func{Name: "SUMPRODUCT", Min: 1, Max: -1, Args: "A", Call: sumProduct},
		Func{Name: "SUMX2MY2", Min: 2, Max: 2, Args: "A", Call: pairs(func(x, y float64) float64 { return x*x - y*y })},
		Func{Name: "SUMX2PY2", Min: 2, Max: 2, Args: "A", Call: pairs(func(x, y float64) float64 { return x*x + y*y })},
		Func{Name: "SUMXMY2", Min: 2, Max: 2, Args: "A", Call: pairs(func(x, y float64) float64 { return (x - y) * (x - y) })},
		Func{Name: "SERIESSUM", Min: 4, Max: 4, Args: "n n n a", Call: seriesSum},
	)
}

// totals are sums over numbers.
type totals struct {
	n                     int
	sum, product, squares float64
	min, max              float64
	keeps                 bool      // whether all has the numbers
	all                   []float64 // for a variance
}

func newTotals() totals {
	return totals{product: 1, min: math.Inf(1), max: math.Inf(-1)}
}

func (t *totals) add(x float64) {
	t.n++
	t.sum += x
	t.product *= x
	t.squares += x * x
	t.min, t.max = min(t.min, x), max(t.max, x)
	if t.keeps {
		t.all = append(t.all, x)
	}
}

func sumOf(t totals) Value { return Num(t.sum) }

func productOf(t totals) Value {
	if t.n == 0 {
		return Num(0)
	}
	return Num(t.product)
}

func averageOf(t totals) Value {
	if t.n == 0 {
		return Fail(ErrDiv0)
	}
	return Num(t.sum / float64(t.n))
}

func minOf(t totals) Value {
	if t.n == 0 {
		return Num(0)
	}
	return Num(t.min)
}

func maxOf(t totals) Value {
	if t.n == 0 {
		return Num(0)
	}
	return Num(t.max)
}

// reduced makes a function of the totals of its arguments.
func reduced(f func(t totals) Value) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value { return c.reduce(runningNumbers, a).result(f) }
}

// reducedA is reduced over the values that EachNumberA takes.
func reducedA(f func(t totals) Value) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value { return c.reduce(runningNumbersA, a).result(f) }
}

// result is a function of the totals, or the error among the values.
func (t runningTotal) result(f func(t totals) Value) Value {
	if t.bad.IsError() {
		return t.bad
	}
	return f(t.totals)
}

func countFunc(c *Call, a []Value) Value {
	return Num(float64(c.reduce(runningCount, a).totals.n))
}

func countAFunc(c *Call, a []Value) Value {
	return Num(float64(c.reduce(runningCountA, a).totals.n))
}

func countBlank(c *Call, a []Value) Value {
	n := 0
	switch v := a[0]; v.kind {
	case RefKind:
		for _, area := range v.Ref() {
			n += area.rows() * area.cols()
		}
	case ArrayKind:
		n = v.Array().Len()
	default:
		return Fail(ErrValue)
	}
	return Num(float64(n - c.reduce(runningFilled, a).totals.n))
}

// arrays returns arguments as arrays of one size; the error value of what is
// wrong otherwise.
func (c *Call) arrays(a []Value) ([]*Array, Value) {
	out := make([]*Array, len(a))
	for i, v := range a {
		arr, bad := c.ArrayOf(v)
		if bad.IsError() {
			return nil, bad
		}
		if arr.Len() == 1 && arr.At(0, 0).kind == Text {
			return nil, Fail(ErrValue) // one cell counts as one value
		}
		if out[i] = arr; arr.rows != out[0].rows || arr.cols != out[0].cols {
			return nil, Fail(ErrValue)
		}
	}
	return out, Value{}
}

func sumProduct(c *Call, a []Value) Value {
	arrays, bad := c.arrays(a)
	if bad.IsError() {
		return bad
	}
	held := 0
	for _, arr := range arrays {
		held = max(held, len(arr.data))
	}
	sum := 0.0
	for i := range held {
		c.step(1)
		x, bad := product(arrays, i)
		if bad.IsError() {
			return bad
		}
		sum += x
	}
	if rest := arrays[0].Len() - held; rest > 0 {
		x, bad := product(arrays, held)
		if bad.IsError() {
			return bad
		}
		sum += x * float64(rest)
	}
	return Num(sum)
}

// product multiplies the i-th values of arrays; what is no number is 0.
func product(arrays []*Array, i int) (float64, Value) {
	x := 1.0
	for _, arr := range arrays {
		switch v := arr.Index(i); v.kind {
		case Err:
			return 0, v
		case Number:
			x *= v.num
		default:
			x = 0
		}
	}
	return x, Value{}
}

// pairs sums a function of two numbers at the same place of two arrays.
func pairs(f func(x, y float64) float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		x, bad := c.ArrayOf(a[0])
		if bad.IsError() {
			return bad
		}
		y, bad := c.ArrayOf(a[1])
		if bad.IsError() {
			return bad
		}
		if x.Len() != y.Len() {
			return Fail(ErrNA)
		}
		sum, n := 0.0, 0
		for i := range max(len(x.data), len(y.data)) {
			c.step(1)
			u, v := x.Index(i), y.Index(i)
			switch {
			case u.kind == Err:
				return u
			case v.kind == Err:
				return v
			case u.kind == Number && v.kind == Number:
				sum += f(u.num, v.num)
				n++
			}
		}
		if n == 0 {
			return Fail(ErrDiv0)
		}
		return Num(sum)
	}
}

func seriesSum(c *Call, a []Value) Value {
	coefficients, bad := c.Numbers(a[3:])
	if bad.IsError() {
		return bad
	}
	sum := 0.0
	for i, k := range coefficients {
		sum += k * math.Pow(a[0].num, a[1].num+float64(i)*a[2].num)
	}
	return Num(sum)
}
