package audit

import "math"

// Point is a place on a slide.
type Point struct{ X, Y float64 }

// Frame is a rectangle on a slide.
type Frame struct{ X, Y, W, H float64 }

func (f Frame) empty() bool { return f.W <= 0 || f.H <= 0 }

func (f Frame) area() float64 { return f.W * f.H }

// cut returns what two frames have in common.
func (f Frame) cut(g Frame) Frame {
	x, y := math.Max(f.X, g.X), math.Max(f.Y, g.Y)
	return Frame{x, y, math.Min(f.X+f.W, g.X+g.W) - x, math.Min(f.Y+f.H, g.Y+g.H) - y}
}

// share returns how much of f is in g, 0 to 1.
func (f Frame) share(g Frame) float64 {
	c := f.cut(g)
	if c.empty() || f.empty() {
		return 0
	}
	return c.area() / f.area()
}

// touches reports whether the frames have more than an edge in common.
func (f Frame) touches(g Frame) bool { return !f.cut(g).empty() }

// around returns the frame around both.
func (f Frame) around(g Frame) Frame {
	if f.empty() {
		return g
	}
	if g.empty() {
		return f
	}
	x, y := math.Min(f.X, g.X), math.Min(f.Y, g.Y)
	return Frame{x, y, math.Max(f.X+f.W, g.X+g.W) - x, math.Max(f.Y+f.H, g.Y+g.H) - y}
}

// Turned returns the bounds of f when it is turned around its middle, in degrees.
func (f Frame) Turned(degrees float64) Frame {
	if degrees == 0 {
		return f
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	w := f.W*math.Abs(cos) + f.H*math.Abs(sin)
	h := f.W*math.Abs(sin) + f.H*math.Abs(cos)
	return Frame{f.X + (f.W-w)/2, f.Y + (f.H-h)/2, w, h}
}

const emuPerInch = 914400

// inches rounds a length to hundredths of an inch.
func inches(emu float64) float64 { return math.Round(emu/emuPerInch*100) / 100 }
