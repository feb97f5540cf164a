package calc

import (
	"math"
	"math/rand/v2"
)

// Functions with a value that is drawn. They have one only where Options.Random is set.

func init() {
	register(
		Func{Name: "RAND", Volatile: "it has another value each time", Call: func(c *Call, _ []Value) Value { return Num(c.opts.Random.Float64()) }},
		Func{Name: "RANDBETWEEN", Min: 2, Max: 2, Args: "n", Volatile: "it has another value each time", Call: randBetween},
		Func{Name: "RANDARRAY", Max: 5, Args: "n? n? n? n? b?", Volatile: "it has other values each time", Call: randArray},
	)
}

// NewRandom returns a source for Options.Random; the same seed draws the same values.
func NewRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)) }

// maxDrawn is the size of the numbers between which whole numbers are drawn: beyond it
// not all of them are numbers of a cell.
const maxDrawn = 1 << 53

// drawWhole draws a whole number from low to high, both included.
func (c *Call) drawWhole(low, high float64) Value {
	if math.Abs(low) > maxDrawn || math.Abs(high) > maxDrawn {
		c.stop(ReasonForm, "%s of numbers with more than 15 digits", c.Func.Name)
	}
	return Num(low + float64(c.opts.Random.Int64N(int64(high)-int64(low)+1)))
}

// randBetween draws a whole number between two numbers. Between two without a whole
// number programs differ.
func randBetween(c *Call, a []Value) Value {
	low, high := a[0].num, a[1].num
	if low > high {
		return Fail(ErrNum)
	}
	if low, high = math.Ceil(low), math.Floor(high); low > high {
		c.stop(ReasonForm, "RANDBETWEEN of two numbers without a whole number between them")
	}
	return c.drawWhole(low, high)
}

// randArray is RANDARRAY(rows, columns, min, max, whole).
func randArray(c *Call, a []Value) Value {
	rows, cols := math.Trunc(number(a, 0, 1)), math.Trunc(number(a, 1, 1))
	low, high, whole := number(a, 2, 0), number(a, 3, 1), flag(a, 4, false)
	switch {
	case rows < 0 || cols < 0 || low > high:
		return Fail(ErrValue)
	case whole && (low != math.Trunc(low) || high != math.Trunc(high)):
		c.stop(ReasonForm, "RANDARRAY of whole numbers between numbers with a fraction")
	}
	return c.made(limit(rows), limit(cols), func(int, int) Value {
		if whole {
			return c.drawWhole(low, high)
		}
		return Num(low + (high-low)*c.opts.Random.Float64())
	})
}
