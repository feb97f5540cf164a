package calc

import "math"

func init() {
	register(
		Func{Name: "MMULT", Min: 2, Max: 2, Args: "A", Call: mmult},
		Func{Name: "MDETERM", Min: 1, Max: 1, Args: "A", Call: mdeterm},
		Func{Name: "MINVERSE", Min: 1, Max: 1, Args: "A", Call: minverse},
		Func{Name: "MUNIT", Min: 1, Max: 1, Args: "n", Call: munit},
	)
}

// maxMatrix bounds the rows of a matrix that is inverted.
const maxMatrix = 500

// matrix returns an argument as numbers; a place without one is #VALUE!.
func (c *Call) matrix(v Value) ([][]float64, Value) {
	a, bad := c.ArrayOf(v)
	if bad.IsError() {
		return nil, bad
	}
	rows, cols := a.Size()
	c.takeRoom(rows * cols)
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, cols)
		for k := range out[i] {
			switch x := a.At(i, k); x.kind {
			case Number:
				out[i][k] = x.num
			case Err:
				return nil, x
			default:
				return nil, Fail(ErrValue)
			}
		}
	}
	return out, Value{}
}

func mmult(c *Call, a []Value) Value {
	x, bad := c.matrix(a[0])
	if bad.IsError() {
		return bad
	}
	y, bad := c.matrix(a[1])
	if bad.IsError() {
		return bad
	}
	if len(x[0]) != len(y) {
		return Fail(ErrValue)
	}
	out := c.NewArray(len(x), len(y[0]))
	for i := range x {
		for k := range y[0] {
			c.step(len(y))
			sum := 0.0
			for j := range y {
				sum += x[i][j] * y[j][k]
			}
			out.Set(i, k, Num(sum))
		}
	}
	return out.Result()
}

// square returns an argument that must have as many rows as columns.
func (c *Call) square(v Value) ([][]float64, Value) {
	m, bad := c.matrix(v)
	if bad.IsError() {
		return nil, bad
	}
	if len(m) != len(m[0]) {
		return nil, Fail(ErrValue)
	}
	if len(m) > maxMatrix {
		c.stop(ReasonLimit, "a matrix of more than %d rows", maxMatrix)
	}
	return m, Value{}
}

// eliminate makes m triangular, doing the same to with, and returns its
// determinant.
func (c *Call) eliminate(m, with [][]float64) float64 {
	det := 1.0
	for i := range m {
		p := i
		for k := i + 1; k < len(m); k++ {
			if math.Abs(m[k][i]) > math.Abs(m[p][i]) {
				p = k
			}
		}
		if m[p][i] == 0 {
			return 0
		}
		if p != i {
			m[i], m[p] = m[p], m[i]
			det = -det
			if with != nil {
				with[i], with[p] = with[p], with[i]
			}
		}
		det *= m[i][i]
		for k := range m {
			if k <= i && with == nil || k == i {
				continue
			}
			c.step(len(m))
			f := m[k][i] / m[i][i]
			for j := i; j < len(m); j++ {
				m[k][j] -= f * m[i][j]
			}
			for j := range with {
				with[k][j] -= f * with[i][j]
			}
		}
	}
	return det
}

func mdeterm(c *Call, a []Value) Value {
	m, bad := c.square(a[0])
	if bad.IsError() {
		return bad
	}
	return Num(c.eliminate(m, nil))
}

func minverse(c *Call, a []Value) Value {
	m, bad := c.square(a[0])
	if bad.IsError() {
		return bad
	}
	inverse := make([][]float64, len(m))
	for i := range inverse {
		inverse[i] = make([]float64, len(m))
		inverse[i][i] = 1
	}
	if c.eliminate(m, inverse) == 0 {
		return Fail(ErrNum)
	}
	out := c.NewArray(len(m), len(m))
	for i := range m {
		for k := range m {
			out.Set(i, k, Num(inverse[i][k]/m[i][i]))
		}
	}
	return out.Result()
}

func munit(c *Call, a []Value) Value {
	n := a[0].Int()
	if n < 1 {
		return Fail(ErrValue)
	}
	out := c.NewArray(min(n, maxArray), min(n, maxArray))
	for i := range n {
		for k := range n {
			out.Set(i, k, Num(0))
		}
		out.Set(i, i, Num(1))
	}
	return out.Result()
}
