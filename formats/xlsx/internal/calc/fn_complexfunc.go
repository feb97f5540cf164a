package calc

import (
	"math"
	"math/cmplx"
)

// Powers, roots, logarithms and trigonometric functions of complex numbers (OpenFormula
// 6.8). Their texts have 15 digits; the last ones follow from the order of operations
// and can differ from those of other programs.

func init() {
	// row makes a function of a complex number; pole reports where it has no value.
	row := func(name string, pole func(z complex128) bool, f func(z complex128) complex128) Func {
		return Func{Name: name, Min: 1, Max: 1, Args: "v", Call: func(c *Call, a []Value) Value {
			z, bad := c.complex(a[0])
			if bad.IsError() {
				return bad
			}
			if pole != nil && pole(z.complex128) {
				return Fail(ErrNum)
			}
			return c.imaginary(imaginary{f(z.complex128), z.unit})
		}}
	}
	zero := func(z complex128) bool { return z == 0 }
	scaled := func(by float64) func(complex128) complex128 {
		return func(z complex128) complex128 {
			l := cmplx.Log(z)
			return complex(real(l)*by, imag(l)*by)
		}
	}
	register(
		row("IMEXP", nil, cmplx.Exp),
		row("IMLN", zero, cmplx.Log),
		row("IMLOG10", zero, scaled(math.Log10E)),
		row("IMLOG2", zero, scaled(math.Log2E)),
		row("IMSQRT", nil, func(z complex128) complex128 { return complexPower(z, 0.5) }),
		row("IMSIN", nil, cmplx.Sin), row("IMCOS", nil, cmplx.Cos), row("IMTAN", nil, cmplx.Tan),
		row("IMSINH", nil, cmplx.Sinh), row("IMCOSH", nil, cmplx.Cosh),
		row("IMSEC", nil, func(z complex128) complex128 { return 1 / cmplx.Cos(z) }),
		row("IMSECH", nil, func(z complex128) complex128 { return 1 / cmplx.Cosh(z) }),
		row("IMCSC", zero, func(z complex128) complex128 { return 1 / cmplx.Sin(z) }),
		row("IMCSCH", zero, func(z complex128) complex128 { return 1 / cmplx.Sinh(z) }),
		row("IMCOT", zero, cmplx.Cot),
		Func{Name: "IMPOWER", Min: 2, Max: 2, Args: "v n", Call: func(c *Call, a []Value) Value {
			z, bad := c.complex(a[0])
			switch {
			case bad.IsError():
				return bad
			case z.complex128 == 0 && a[1].num <= 0:
				return Fail(ErrNum)
			}
			return c.imaginary(imaginary{complexPower(z.complex128, a[1].num), z.unit})
		}},
	)
}

// complexPower raises the size of a number and multiplies its angle.
func complexPower(z complex128, n float64) complex128 {
	if z == 0 {
		return 0
	}
	r, angle := cmplx.Polar(z)
	sin, cos := math.Sincos(n * angle)
	size := math.Pow(r, n)
	return complex(size*cos, size*sin)
}
