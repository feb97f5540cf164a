package audit

import (
	"fmt"
	"math"
)

// RGB is a colour as 0xRRGGBB.
type RGB uint32

func (c RGB) String() string { return fmt.Sprintf("%06X", uint32(c)) }

func (c RGB) parts() (r, g, b float64) {
	return float64(c>>16&255) / 255, float64(c>>8&255) / 255, float64(c&255) / 255
}

// grey reports whether a colour has hardly any hue.
func (c RGB) grey() bool {
	r, g, b := c.parts()
	return max(r, g, b)-min(r, g, b) < 0.06
}

// distance returns how far apart two colours are, 0 to about 1.7.
func (c RGB) distance(d RGB) float64 {
	r, g, b := c.parts()
	x, y, z := d.parts()
	return math.Sqrt((r-x)*(r-x) + (g-y)*(g-y) + (b-z)*(b-z))
}

// luminance is that of WCAG 2.
func (c RGB) luminance() float64 {
	linear := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	r, g, b := c.parts()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// contrast returns the contrast ratio of two colours, 1 to 21 (WCAG 2, 1.4.3).
func contrast(a, b RGB) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Color is a colour of a text or line.
type Color struct {
	RGB     RGB
	Known   bool // RGB is what it looks like
	Literal bool // the slide itself says RGB
	Theme   bool // the slide itself names a colour of the theme
}

// Fill is what fills an area.
type Fill struct {
	Kind  FillKind
	Color Color
}

// FillKind says how an area is filled.
type FillKind int

// The kinds of fills.
const (
	FillNone  FillKind = iota
	FillSolid          // nothing can be seen through it
	FillOther          // a gradient, picture or pattern, or it can be seen through
)
