package calc

import "math"

// Linear and exponential regression by least squares: LINEST, LOGEST, TREND, GROWTH.

func init() {
	register(
		Func{Name: "LINEST", Min: 1, Max: 4, Args: "a a b? b", Call: estimate(false)},
		Func{Name: "LOGEST", Min: 1, Max: 4, Args: "a a b? b", Call: estimate(true)},
		Func{Name: "TREND", Min: 1, Max: 4, Args: "a a a b?", Call: extrapolate(false)},
		Func{Name: "GROWTH", Min: 1, Max: 4, Args: "a a a b?", Call: extrapolate(true)},
	)
}

// maxVariables bounds the variables of a regression, whose time grows with their
// square.
const maxVariables = 64

// matrix has numbers in rows and columns.
type matrix [][]float64

func transposed(m matrix) matrix {
	out := make(matrix, len(m[0]))
	for i := range out {
		out[i] = make([]float64, len(m))
		for j := range m {
			out[i][j] = m[j][i]
		}
	}
	return out
}

// flat returns all values of a matrix, each in a row of one.
func flat(m matrix) matrix {
	var out matrix
	for _, row := range m {
		for _, x := range row {
			out = append(out, []float64{x})
		}
	}
	return out
}

// regression is a model of observations: what depends, and a row of variables of
// each.
type regression struct {
	y        []float64
	x        matrix
	across   bool // the observations are columns
	single   bool // one variable, in an array of any form
	constant bool // the line need not go through the origin

	slopes     []float64
	intercept  float64
	inverse    matrix // of the matrix of the sums of products of the variables
	meanX      []float64
	meanY      float64
	rest, all  float64 // sums of squares: not explained, and about the mean
	rows, cols int     // of what depends
}

// model reads what depends and the variables, and fits the model.
func (c *Call) model(a []Value, constant, exponential bool) (*regression, Value) {
	ys, bad := c.matrix(a[0])
	if bad.IsError() {
		return nil, bad
	}
	r := &regression{constant: constant, rows: len(ys), cols: len(ys[0])}
	for _, row := range flat(ys) {
		y := row[0]
		if exponential {
			if y <= 0 {
				return nil, Fail(ErrNum)
			}
			y = math.Log(y)
		}
		r.y = append(r.y, y)
	}
	if bad := c.variables(r, a); bad.IsError() {
		return nil, bad
	}
	return r, c.fit(r)
}

func (c *Call) variables(r *regression, a []Value) Value {
	if len(a) < 2 || a[1].Missing() {
		r.single = true
		for i := range r.y {
			r.x = append(r.x, []float64{float64(i + 1)})
		}
		return Value{}
	}
	xs, bad := c.matrix(a[1])
	switch {
	case bad.IsError():
		return bad
	case len(xs) == r.rows && len(xs[0]) == r.cols:
		r.single, r.x = true, flat(xs)
	case r.cols == 1 && len(xs) == r.rows:
		r.x = xs
	case r.rows == 1 && len(xs[0]) == r.cols:
		r.across, r.x = true, transposed(xs)
	default:
		return Fail(ErrRef)
	}
	return Value{}
}

// fit calculates the coefficients by an orthogonal triangularization of the
// variables.
func (c *Call) fit(r *regression) Value {
	n, k := len(r.y), len(r.x[0])
	free := n - k
	if r.constant {
		free--
	}
	if k > maxVariables || free < 0 {
		c.stop(ReasonForm, "a regression with more variables than observations, or more than %d", maxVariables)
	}
	c.takeRoom(n * (k + 1))
	r.meanX = make([]float64, k)
	if r.constant {
		r.meanY = mean(r.y)
		for _, row := range r.x {
			for j, x := range row {
				r.meanX[j] += x / float64(n)
			}
		}
	}
	q := make(matrix, n) // the variables and behind them what depends, about their means
	for i, row := range r.x {
		q[i] = make([]float64, k+1)
		for j, x := range row {
			q[i][j] = x - r.meanX[j]
		}
		q[i][k] = r.y[i] - r.meanY
		r.all += q[i][k] * q[i][k]
	}
	c.step(n * (k + 1) * (k + 1))
	if !triangularize(q, k) {
		c.stop(ReasonForm, "a regression whose variables depend on each other")
	}
	r.solve(q, k)
	for i := k; i < n; i++ {
		r.rest += q[i][k] * q[i][k]
	}
	return Value{}
}

// triangularize makes the first k columns zero under their diagonal by reflections.
// It returns false when a column depends on those before it.
func triangularize(q matrix, k int) bool {
	for j := range k {
		size, whole := 0.0, 0.0
		for i := range q {
			if whole += q[i][j] * q[i][j]; i >= j {
				size += q[i][j] * q[i][j]
			}
		}
		if size <= whole*1e-20 {
			return false
		}
		length := -math.Copysign(math.Sqrt(size), q[j][j])
		q[j][j] -= length
		norm := -q[j][j] * length // half of the squared length of the reflecting vector
		for col := j + 1; col < len(q[0]); col++ {
			dot := 0.0
			for i := j; i < len(q); i++ {
				dot += q[i][j] * q[i][col]
			}
			for i := j; i < len(q); i++ {
				q[i][col] -= dot / norm * q[i][j]
			}
		}
		for i := j + 1; i < len(q); i++ {
			q[i][j] = 0
		}
		q[j][j] = length
	}
	return true
}

// solve takes the coefficients and the inverse of the products of the variables from
// a triangular matrix.
func (r *regression) solve(q matrix, k int) {
	back := func(right func(i int) float64) []float64 {
		out := make([]float64, k)
		for i := k - 1; i >= 0; i-- {
			sum := right(i)
			for j := i + 1; j < k; j++ {
				sum -= q[i][j] * out[j]
			}
			out[i] = sum / q[i][i]
		}
		return out
	}
	r.slopes = back(func(i int) float64 { return q[i][k] })
	r.intercept = r.meanY
	for j, b := range r.slopes {
		r.intercept -= b * r.meanX[j]
	}
	columns := make(matrix, k) // of the inverse of the triangle
	for at := range k {
		columns[at] = back(func(i int) float64 {
			if i == at {
				return 1
			}
			return 0
		})
	}
	r.inverse = make(matrix, k)
	for i := range k {
		r.inverse[i] = make([]float64, k)
		for j := range k {
			for _, col := range columns {
				r.inverse[i][j] += col[i] * col[j]
			}
		}
	}
}

// flag returns an argument that is TRUE or FALSE, or what holds without it.
func flag(a []Value, i int, otherwise bool) bool {
	if i >= len(a) || a[i].Missing() {
		return otherwise
	}
	return a[i].Bool()
}

// estimate returns the coefficients, that of the last variable first, and with the
// fourth argument four rows of statistics.
func estimate(exponential bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		r, bad := c.model(a, flag(a, 2, true), exponential)
		if bad.IsError() {
			return bad
		}
		value := func(x float64) Value {
			if exponential {
				x = math.Exp(x)
			}
			return Num(x)
		}
		stats, k := flag(a, 3, false), len(r.slopes)
		rows := 1
		if stats {
			rows = 5
		}
		out := c.NewArray(rows, k+1)
		for j, b := range r.slopes {
			out.Set(0, k-1-j, value(b))
		}
		out.Set(0, k, value(r.intercept))
		if stats {
			c.statistics(r, out)
		}
		return out.Result()
	}
}

func (c *Call) statistics(r *regression, out *Array) {
	k := len(r.slopes)
	free := len(r.y) - k
	if r.constant {
		free--
	}
	if free == 0 || r.rest <= r.all*1e-24 {
		c.stop(ReasonForm, "statistics of a regression that fits without error")
	}
	variance := r.rest / float64(free)
	for j := range r.slopes {
		out.Set(1, k-1-j, Num(math.Sqrt(variance*r.inverse[j][j])))
	}
	for row := 1; row < 5; row++ {
		for col := min(row, 2); col <= k; col++ {
			if row > 1 {
				out.Set(row, col, Fail(ErrNA))
			}
		}
	}
	out.Set(1, k, Fail(ErrNA))
	if r.constant {
		sum := 1 / float64(len(r.y))
		for i, x := range r.meanX {
			for j, y := range r.meanX {
				sum += x * y * r.inverse[i][j]
			}
		}
		out.Set(1, k, Num(math.Sqrt(variance*sum)))
	}
	out.Set(2, 0, Num(1-r.rest/r.all))
	out.Set(2, 1, Num(math.Sqrt(variance)))
	out.Set(3, 0, Num((r.all-r.rest)/float64(k)/variance))
	out.Set(3, 1, Num(float64(free)))
	out.Set(4, 0, Num(r.all-r.rest))
	out.Set(4, 1, Num(r.rest))
}

// extrapolate returns what the model gives for other values of the variables.
func extrapolate(exponential bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		r, bad := c.model(a, flag(a, 3, true), exponential)
		if bad.IsError() {
			return bad
		}
		at, rows, cols := r.x, r.rows, r.cols
		if len(a) > 2 && !a[2].Missing() {
			m, bad := c.matrix(a[2])
			if bad.IsError() {
				return bad
			}
			if at, rows, cols = r.places(m); at == nil {
				return Fail(ErrRef)
			}
		}
		out := c.NewArray(rows, cols)
		for i, row := range at {
			y := r.intercept
			for j, x := range row {
				y += r.slopes[j] * x
			}
			if exponential {
				y = math.Exp(y)
			}
			out.Set(i/cols, i%cols, Num(y))
		}
		return out.Result()
	}
}

// places returns rows of variables from an argument, and the form of the result.
func (r *regression) places(m matrix) (at matrix, rows, cols int) {
	switch {
	case r.single || len(r.slopes) == 1:
		return flat(m), len(m), len(m[0])
	case r.across && len(m) == len(r.slopes):
		return transposed(m), 1, len(m[0])
	case !r.across && len(m[0]) == len(r.slopes):
		return m, len(m), 1
	}
	return nil, 0, 0
}
