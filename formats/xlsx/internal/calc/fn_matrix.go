package calc

import "math"

// Functions of matrices.

func init() {
	register(
		Func{Name: "MMULT", Min: 2, Max: 2, Args: "A", Call: matrixProduct},
		Func{Name: "MDETERM", Min: 1, Max: 1, Args: "A", Call: determinant},
		Func{Name: "MINVERSE", Min: 1, Max: 1, Args: "A", Call: matrixInverse},
		Func{Name: "MUNIT", Min: 1, Max: 1, Args: "n", Call: unitMatrix},
	)
}

// maxSquare bounds the rows of a matrix that is solved.
const maxSquare = 200

func (c *Call) matrixValue(m matrix) Value {
	out := c.NewArray(len(m), len(m[0]))
	for i, row := range m {
		for j, x := range row {
			out.Set(i, j, Num(x))
		}
	}
	return out.Result()
}

func matrixProduct(c *Call, a []Value) Value {
	x, bad := c.numbersOf(a[0])
	if bad.IsError() {
		return bad
	}
	y, bad := c.numbersOf(a[1])
	if bad.IsError() {
		return bad
	}
	if len(x[0]) != len(y) {
		return Fail(ErrValue)
	}
	c.takeRoom(len(x) * len(y[0]))
	out := make(matrix, len(x))
	for i := range out {
		out[i] = make([]float64, len(y[0]))
		for k, f := range x[i] {
			c.step(len(y[0]))
			for j, z := range y[k] {
				out[i][j] += f * z
			}
		}
	}
	return c.matrixValue(out)
}

// square reads a square matrix.
func (c *Call) square(v Value) (matrix, Value) {
	m, bad := c.numbersOf(v)
	if bad.IsError() {
		return nil, bad
	}
	if len(m) != len(m[0]) {
		return nil, Fail(ErrValue)
	}
	if len(m) > maxSquare {
		c.stop(ReasonLimit, "a matrix of more than %d rows", maxSquare)
	}
	c.step(len(m) * len(m) * len(m))
	return m, Value{}
}

// eliminate makes the identity of the left part of a matrix by steps that change
// the right part too. It returns the determinant of the left part.
func eliminate(m matrix) float64 {
	det := 1.0
	for k := range m {
		pivot := k
		for i := k; i < len(m); i++ {
			if math.Abs(m[i][k]) > math.Abs(m[pivot][k]) {
				pivot = i
			}
		}
		if m[pivot][k] == 0 {
			return 0
		}
		if pivot != k {
			m[pivot], m[k] = m[k], m[pivot]
			det = -det
		}
		p := m[k][k]
		det *= p
		for i := range m {
			f := m[i][k] / p
			if i == k || f == 0 {
				continue
			}
			for j := k; j < len(m[i]); j++ {
				m[i][j] -= f * m[k][j]
			}
		}
		for j := k; j < len(m[k]); j++ {
			m[k][j] /= p
		}
	}
	return det
}

// size returns the product of the lengths of the rows, which no determinant exceeds.
func (m matrix) size() float64 {
	all := 1.0
	for _, row := range m {
		sum := 0.0
		for _, x := range row {
			sum += x * x
		}
		all *= math.Sqrt(sum)
	}
	return all
}

// whole reports whether all numbers are whole and small, so that the determinant
// is whole too.
func (m matrix) whole() bool {
	for _, row := range m {
		for _, x := range row {
			if x != math.Trunc(x) {
				return false
			}
		}
	}
	return m.size() < 1e12
}

func (c *Call) solved(m matrix) (det float64, out matrix) {
	bound, whole := m.size(), m.whole()
	n := len(m)
	wide := make(matrix, n)
	for i, row := range m {
		wide[i] = append(append([]float64{}, row...), make([]float64, n)...)
		wide[i][n+i] = 1
	}
	det = eliminate(wide)
	if r := math.Round(det); whole && r != 0 {
		det = r
	} else if det != 0 && math.Abs(det) < bound*1e-13 {
		c.stop(ReasonForm, "a matrix that may have no inverse but for errors of rounding")
	}
	for i := range wide {
		wide[i] = wide[i][n:]
	}
	return det, wide
}

func determinant(c *Call, a []Value) Value {
	m, bad := c.square(a[0])
	if bad.IsError() {
		return bad
	}
	det, _ := c.solved(m)
	return Num(det)
}

func matrixInverse(c *Call, a []Value) Value {
	m, bad := c.square(a[0])
	if bad.IsError() {
		return bad
	}
	det, out := c.solved(m)
	if det == 0 {
		return Fail(ErrNum)
	}
	return c.matrixValue(out)
}

func unitMatrix(c *Call, a []Value) Value {
	n := a[0].Int()
	if n < 1 {
		return Fail(ErrValue)
	}
	out := c.NewArray(min(n, maxArray), min(n, maxArray))
	for i := range n {
		for j := range n {
			out.Set(i, j, Num(0))
		}
		out.Set(i, i, Num(1))
	}
	return out.Result()
}
