package calc

import (
	"math"
	"strconv"
	"strings"
)

// Conversions between number systems, and operations on bits.

func init() {
	systems := []struct {
		name string
		system
	}{{"BIN", system{2, 10}}, {"OCT", system{8, 30}}, {"HEX", system{16, 40}}}
	for _, from := range systems {
		register(
			Func{Name: from.name + "2DEC", Min: 1, Max: 1, Args: "v", Call: func(c *Call, a []Value) Value {
				x, bad := c.readDigits(a[0], from.system)
				return orBad(bad, Num(x))
			}},
			Func{Name: "DEC2" + from.name, Min: 1, Max: 2, Args: "n n?", Call: func(c *Call, a []Value) Value {
				return c.digits(math.Trunc(a[0].num), a, from.system)
			}},
		)
		for _, to := range systems {
			if to.name == from.name {
				continue
			}
			register(Func{Name: from.name + "2" + to.name, Min: 1, Max: 2, Args: "v n?", Call: func(c *Call, a []Value) Value {
				x, bad := c.readDigits(a[0], from.system)
				if bad.IsError() {
					return bad
				}
				return c.digits(x, a, to.system)
			}})
		}
	}
	bits := func(name string, f func(x, y uint64) uint64) Func {
		return Func{Name: name, Min: 2, Max: 2, Args: "n", Call: func(_ *Call, a []Value) Value {
			if !isBits(a[0].num) || !isBits(a[1].num) {
				return Fail(ErrNum)
			}
			return Num(float64(f(uint64(a[0].num), uint64(a[1].num))))
		}}
	}
	register(
		bits("BITAND", func(x, y uint64) uint64 { return x & y }),
		bits("BITOR", func(x, y uint64) uint64 { return x | y }),
		bits("BITXOR", func(x, y uint64) uint64 { return x ^ y }),
		Func{Name: "BITLSHIFT", Min: 2, Max: 2, Args: "n", Call: shift(1)},
		Func{Name: "BITRSHIFT", Min: 2, Max: 2, Args: "n", Call: shift(-1)},
		Func{Name: "DELTA", Min: 1, Max: 2, Args: "n n?", Call: func(_ *Call, a []Value) Value {
			if a[0].num == number(a, 1, 0) {
				return Num(1)
			}
			return Num(0)
		}},
		Func{Name: "GESTEP", Min: 1, Max: 2, Args: "n n?", Call: func(_ *Call, a []Value) Value {
			if a[0].num >= number(a, 1, 0) {
				return Num(1)
			}
			return Num(0)
		}},
	)
}

// system is a number system: its base, and the bits of ten digits. Half of the
// numbers are negative.
type system struct {
	base int
	bits uint
}

// maxDigits is how many digits a number has at most.
const maxDigits = 10

// readDigits reads a number of a system.
func (c *Call) readDigits(v Value, s system) (float64, Value) {
	if v.kind == Bool {
		return 0, Fail(ErrValue)
	}
	text := c.toText(v).str
	if v.kind == Text && text == "" {
		c.stop(ReasonForm, "a number without digits")
	}
	if text == "" {
		return 0, Value{}
	}
	n, err := strconv.ParseUint(text, s.base, 64)
	if len(text) > maxDigits || err != nil {
		return 0, Fail(ErrNum)
	}
	x := float64(n)
	if n >= 1<<(s.bits-1) {
		x -= float64(uint64(1) << s.bits)
	}
	return x, Value{}
}

// digits writes a number with as many digits as the second argument says.
func (c *Call) digits(x float64, a []Value, s system) Value {
	half := float64(uint64(1) << (s.bits - 1))
	if x < -half || x >= half {
		return Fail(ErrNum)
	}
	if x < 0 {
		return Str(strings.ToUpper(strconv.FormatUint(uint64(x+2*half), s.base)))
	}
	text := strings.ToUpper(strconv.FormatUint(uint64(x), s.base))
	if len(a) < 2 || a[1].Missing() {
		return Str(text)
	}
	places := a[1].Int()
	if places == 0 {
		c.stop(ReasonForm, "a number of no digits")
	}
	if places < len(text) || places > maxDigits {
		return Fail(ErrNum)
	}
	return Str(strings.Repeat("0", places-len(text)) + text)
}

// isBits reports whether a number is whole and has at most 48 bits.
func isBits(x float64) bool { return x >= 0 && x < 1<<48 && x == math.Trunc(x) }

func shift(sign float64) func(*Call, []Value) Value {
	return func(_ *Call, a []Value) Value {
		by := math.Trunc(a[1].num) * sign
		if !isBits(a[0].num) || math.Abs(by) > 53 {
			return Fail(ErrNum)
		}
		x := math.Floor(math.Ldexp(a[0].num, int(by)))
		if !isBits(x) {
			return Fail(ErrNum)
		}
		return Num(x)
	}
}
