// Package layout finds the tables of a page of a PDF by the positions of its
// words and lines.
//
//	text := page.Text(ctx) // rows of tables have their cells separated by tabs
//
// Positions are in points (1/72 inch) from the upper left corner of the page as
// it is shown; y grows downwards.
package layout

// Box is a rectangle.
type Box struct{ Left, Top, Right, Bottom float64 }

// Width returns the width.
func (b Box) Width() float64 { return b.Right - b.Left }

// Height returns the height.
func (b Box) Height() float64 { return b.Bottom - b.Top }

// Within returns the part of the box on a page of a size.
func (b Box) Within(width, height float64) Box {
	return Box{max(b.Left, 0), max(b.Top, 0), min(b.Right, width), min(b.Bottom, height)}
}

func (b Box) union(c Box) Box {
	return Box{min(b.Left, c.Left), min(b.Top, c.Top), max(b.Right, c.Right), max(b.Bottom, c.Bottom)}
}

// Word is a run of characters without space in the text of a page.
type Word struct {
	Start, End int // bytes of Page.Plain
	Box        Box
	Base       float64 // y of the line on which it is written
	Loose      bool    // belongs to no table: it is not level, or has no known place
}

// Line is a drawn line, or a side of a drawn rectangle.
type Line struct {
	From, To Point
	Filled   bool // a side of an area of a colour, without a line around it
}

// Point is a position.
type Point struct{ X, Y float64 }

// Page is what is known of a page.
type Page struct {
	Width, Height float64
	Plain         string // its text as the engine orders it
	Words         []Word // of Plain, in its order
	Lines         []Line
	Images        []Box
}

// Covered is the share of the page that its images cover; more than 1 where
// they overlap.
func (p *Page) Covered() float64 {
	var area float64
	for _, b := range p.Images {
		b = b.Within(p.Width, p.Height)
		area += max(b.Width(), 0) * max(b.Height(), 0)
	}
	if whole := p.Width * p.Height; whole > 0 {
		return area / whole
	}
	return 0
}
