package calc

// Array is a block of values, each of which is no array and, unless each is set, no reference. Rows
// behind those it holds all have the same value: the empty cells under a column
// take no memory.
type Array struct {
	rows, cols int
	data       []Value // of the first rows
	rest       Value   // of the others
	each       bool    // functions take the values one by one; they may be references
}

// Size returns the numbers of rows and columns.
func (a *Array) Size() (rows, cols int) { return a.rows, a.cols }

// Len returns the number of values.
func (a *Array) Len() int { return a.rows * a.cols }

// held returns how many rows are in data.
func (a *Array) held() int { return len(a.data) / a.cols }

// At returns the value in a row and column counted from 0.
func (a *Array) At(row, col int) Value {
	if i := row*a.cols + col; i < len(a.data) {
		return a.data[i]
	}
	return a.rest
}

// Index returns the i-th value, row by row.
func (a *Array) Index(i int) Value {
	if i < len(a.data) {
		return a.data[i]
	}
	return a.rest
}

// Set sets a value of the rows that the array holds.
func (a *Array) Set(row, col int, v Value) { a.data[row*a.cols+col] = v }

// pick returns the value that an array has for a place of a larger block: a
// single row or column repeats, and other places are #N/A.
func (a *Array) pick(row, col int) Value {
	if a.rows == 1 {
		row = 0
	}
	if a.cols == 1 {
		col = 0
	}
	if row >= a.rows || col >= a.cols {
		return Fail(ErrNA)
	}
	return a.At(row, col)
}

// arrayValue returns an array as a value; one of a single value is that value.
func arrayValue(a *Array) Value {
	if a.rows == 1 && a.cols == 1 {
		return a.At(0, 0)
	}
	return Value{kind: ArrayKind, obj: &object{array: a}}
}

// NewArray returns an array of empty values. It stops the formula when that is
// too much memory.
func (e *Evaluator) NewArray(rows, cols int) *Array {
	if rows < 1 || cols < 1 {
		e.stop(ReasonForm, "an array has no values")
	}
	e.takeRoom(rows * cols)
	return &Array{rows: rows, cols: cols, data: make([]Value, rows*cols)}
}

// newTall is NewArray of which only the first held rows take memory.
func (e *Evaluator) newTall(rows, cols, held int) *Array {
	held = min(max(held, 0), rows)
	e.takeRoom(held * cols)
	return &Array{rows: rows, cols: cols, data: make([]Value, held*cols)}
}

// Result returns an array as the result of a function.
func (a *Array) Result() Value { return arrayValue(a) }
