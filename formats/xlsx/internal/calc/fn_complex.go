package calc

import (
	"math"
	"math/cmplx"
	"strings"
)

// Complex numbers, which are texts such as 3+4i.

func init() {
	number := func(name string, f func(z complex128) Value) Func {
		return Func{Name: name, Min: 1, Max: 1, Args: "v", Call: func(c *Call, a []Value) Value {
			z, bad := c.complex(a[0])
			if bad.IsError() {
				return bad
			}
			return f(z.complex128)
		}}
	}
	two := func(name string, f func(x, y complex128) complex128) Func {
		return Func{Name: name, Min: 2, Max: 2, Args: "v", Call: func(c *Call, a []Value) Value { return c.joined(a, f) }}
	}
	register(
		number("IMABS", func(z complex128) Value { return Num(cmplx.Abs(z)) }),
		number("IMREAL", func(z complex128) Value { return Num(real(z)) }),
		number("IMAGINARY", func(z complex128) Value { return Num(imag(z)) }),
		number("IMARGUMENT", func(z complex128) Value {
			if z == 0 {
				return Fail(ErrDiv0)
			}
			return Num(cmplx.Phase(z))
		}),
		two("IMSUB", func(x, y complex128) complex128 { return x - y }),
		two("IMDIV", func(x, y complex128) complex128 {
			size := real(y)*real(y) + imag(y)*imag(y)
			z := x * cmplx.Conj(y)
			return complex(real(z)/size, imag(z)/size)
		}),
		Func{Name: "IMSUM", Min: 1, Max: -1, Args: "a", Call: func(c *Call, a []Value) Value {
			return c.joined(a, func(x, y complex128) complex128 { return x + y })
		}},
		Func{Name: "IMPRODUCT", Min: 1, Max: -1, Args: "a", Call: func(c *Call, a []Value) Value {
			return c.joined(a, func(x, y complex128) complex128 { return x * y })
		}},
		Func{Name: "IMCONJUGATE", Min: 1, Max: 1, Args: "v", Call: func(c *Call, a []Value) Value {
			z, bad := c.complex(a[0])
			return orBad(bad, c.imaginary(imaginary{cmplx.Conj(z.complex128), z.unit}))
		}},
		Func{Name: "COMPLEX", Min: 2, Max: 3, Args: "n n s", Call: func(c *Call, a []Value) Value {
			unit := "i"
			if len(a) > 2 && a[2].str != "" {
				unit = a[2].str
			}
			if unit != "i" && unit != "j" {
				return Fail(ErrValue)
			}
			return c.imaginary(imaginary{complex(a[0].num, a[1].num), unit})
		}},
	)
}

// imaginary is a complex number with its letter, "" where it has none.
type imaginary struct {
	complex128
	unit string
}

// complex reads a complex number.
func (c *Call) complex(v Value) (imaginary, Value) {
	switch v.kind {
	case Err:
		return imaginary{}, v
	case Number:
		return imaginary{complex(v.num, 0), ""}, Value{}
	case Bool:
		return imaginary{}, Fail(ErrValue)
	case Empty:
		return imaginary{}, Value{}
	}
	s := v.str
	if x, ok := c.plain(s); ok {
		return imaginary{complex(x, 0), ""}, Value{}
	}
	body, unit := strings.TrimSuffix(s, "i"), "i"
	if body == s {
		body, unit = strings.TrimSuffix(s, "j"), "j"
	}
	split := strings.LastIndexAny(body, "+-")
	for split > 0 && strings.ContainsAny(body[split-1:split], "eE") {
		split = strings.LastIndexAny(body[:split], "+-")
	}
	split = max(split, 0)
	y, ok := 1.0, true
	switch im := body[split:]; im {
	case "", "+":
	case "-":
		y = -1
	default:
		y, ok = c.plain(im)
	}
	x, ok2 := 0.0, true
	if split > 0 {
		x, ok2 = c.plain(body[:split])
	}
	if body == s || !ok || !ok2 {
		return imaginary{}, Fail(ErrNum)
	}
	return imaginary{complex(x, y), unit}, Value{}
}

// value writes a complex number.
func (c *Call) imaginary(z imaginary) Value {
	x, y := Num(real(z.complex128)), Num(imag(z.complex128))
	if x.IsError() || y.IsError() {
		return Fail(ErrNum)
	}
	if y.num == 0 {
		return Str(c.numberText(x.num))
	}
	unit := z.unit
	if unit == "" {
		unit = "i"
	}
	im := c.numberText(y.num)
	if math.Abs(y.num) == 1 {
		im = strings.TrimSuffix(im, "1")
	}
	if x.num == 0 {
		return Str(im + unit)
	}
	if y.num > 0 {
		im = "+" + im
	}
	return Str(c.numberText(x.num) + im + unit)
}

// joined joins complex numbers, whose letters are the same.
func (c *Call) joined(a []Value, f func(x, y complex128) complex128) Value {
	var sum imaginary
	first, bad := true, Value{}
	for _, arg := range a {
		c.Each(arg, func(v Value, _ bool) bool {
			var z imaginary
			if z, bad = c.complex(v); bad.IsError() {
				return false
			}
			if sum.unit != "" && z.unit != "" && sum.unit != z.unit {
				bad = Fail(ErrValue)
				return false
			}
			if sum.unit == "" {
				sum.unit = z.unit
			}
			if first {
				sum.complex128, first = z.complex128, false
			} else {
				sum.complex128 = f(sum.complex128, z.complex128)
			}
			return true
		})
		if bad.IsError() {
			return bad
		}
	}
	return c.imaginary(sum)
}
