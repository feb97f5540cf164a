//go:build !purepdf

package pdf

import (
	"context"
	"math"
	"unicode"

	"atelier/formats/pdf/internal/layout"
)

// canPlace says that this engine knows where words are.
const canPlace = true

// Limits of what is looked at on a page.
const (
	maxWords   = 20_000 // more have no positions
	maxObjects = 20_000 // with those in forms
	maxPoints  = 40_000 // of paths
	maxNested  = 4      // forms in forms
)

// content returns the text of a page with the positions of what is on it.
func (d *wasmDoc) content(ctx context.Context, page int) (layout.Page, error) {
	var out layout.Page
	err := d.textPage(ctx, page, func(p openPage) {
		out.Plain = p.text
		r := d.raw()
		if r == nil || p.page == 0 || p.chars == 0 {
			return
		}
		pl := r.place(p.page)
		out.Width, out.Height = pl.size()
		out.Words = r.words(ctx, pl, p)
		s := scan{r: r, ctx: ctx, place: pl, page: &out, objects: maxObjects, points: maxPoints, lines: len(out.Words) > 0}
		s.objectsOf("FPDFPage_CountObjects", "FPDFPage_GetObject", p.page, unmoved, 0)
	})
	return out, err
}

// openPage is a loaded page: its text and PDFium's pointers, 0 when they are
// not known.
type openPage struct {
	text        string
	count       int // characters PDFium has of it
	page, chars uint64
}

// place turns the coordinates of a page into those it is shown with.
type place struct {
	box   layout.Box // Top is the greater y
	turns int        // quarters, clockwise
}

func (r *raw) place(page uint64) place {
	pl := place{turns: max(0, r.int("FPDFPage_GetRotation", page)) % 4}
	if r.int("FPDF_GetPageBoundingBox", page, r.at(0)) > 0 {
		f := r.floats(4)
		pl.box = layout.Box{Left: f[0], Top: f[1], Right: f[2], Bottom: f[3]}
	}
	return pl
}

func (pl place) size() (width, height float64) {
	width, height = pl.box.Right-pl.box.Left, pl.box.Top-pl.box.Bottom
	if pl.turns%2 != 0 {
		return height, width
	}
	return width, height
}

func (pl place) point(x, y float64) layout.Point {
	switch pl.turns {
	case 1:
		return layout.Point{X: y - pl.box.Bottom, Y: x - pl.box.Left}
	case 2:
		return layout.Point{X: pl.box.Right - x, Y: y - pl.box.Bottom}
	case 3:
		return layout.Point{X: pl.box.Top - y, Y: pl.box.Right - x}
	}
	return layout.Point{X: x - pl.box.Left, Y: pl.box.Top - y}
}

func (pl place) rect(left, bottom, right, top float64) layout.Box {
	a, b := pl.point(left, top), pl.point(right, bottom)
	return layout.Box{Left: min(a.X, b.X), Top: min(a.Y, b.Y), Right: max(a.X, b.X), Bottom: max(a.Y, b.Y)}
}

// words returns the words of a page: where the first and the last character of
// each is. None when there are too many.
func (r *raw) words(ctx context.Context, pl place, p openPage) []layout.Word {
	var out []layout.Word
	start, first, last, n := -1, 0, 0, 0
	end := func(at int) bool {
		if start < 0 {
			return true
		}
		w := r.word(pl, p, first, last)
		w.Start, w.End = start, at
		out = append(out, w)
		start = -1
		return len(out) <= maxWords
	}
	mapped := p.runes() != p.count
	for i, c := range p.text {
		if len(out)%256 == 0 && ctx.Err() != nil {
			return nil
		}
		index := n
		n++
		if unicode.IsSpace(c) || c == 0 {
			if !end(i) {
				return nil
			}
			continue
		}
		if mapped {
			index = r.int("FPDFText_GetCharIndexFromTextIndex", p.chars, uint64(index))
		}
		if start < 0 {
			start, first = i, index
		}
		last = index
		if c == layout.HyphenMark && !end(i+1) { // the word continues on the next line
			return nil
		}
	}
	if !end(len(p.text)) {
		return nil
	}
	return out
}

func (p openPage) runes() int {
	n := 0
	for range p.text {
		n++
	}
	return n
}

func (r *raw) word(pl place, p openPage, first, last int) layout.Word {
	a, ok := r.charBox(pl, p.chars, first)
	if !ok {
		return layout.Word{Loose: true}
	}
	w := layout.Word{Box: a, Base: a.Bottom}
	if at, ok := r.origin(pl, p.chars, first); ok {
		w.Base = at.Y
	}
	if last == first {
		return w
	}
	b, ok := r.charBox(pl, p.chars, last)
	if !ok {
		return w
	}
	w.Box = layout.Box{Left: min(a.Left, b.Left), Top: min(a.Top, b.Top), Right: max(a.Right, b.Right), Bottom: max(a.Bottom, b.Bottom)}
	if across, down := math.Abs(a.Left-b.Left), math.Abs(a.Top+a.Bottom-b.Top-b.Bottom)/2; down > across && down > (a.Bottom-a.Top)/4 {
		end, ok := r.origin(pl, p.chars, last)
		w.Loose = !ok || math.Abs(end.Y-w.Base) > across
	}
	return w
}

// origin is the point on the line from which a character is drawn.
func (r *raw) origin(pl place, chars uint64, i int) (layout.Point, bool) {
	if r.int("FPDFText_GetCharOrigin", chars, uint64(i), r.at(0), r.at(8)) <= 0 {
		return layout.Point{}, false
	}
	f := r.doubles(2)
	return pl.point(f[0], f[1]), true
}

func (r *raw) charBox(pl place, chars uint64, i int) (layout.Box, bool) {
	if r.int("FPDFText_GetCharBox", chars, uint64(i), r.at(0), r.at(8), r.at(16), r.at(24)) <= 0 {
		return layout.Box{}, false
	}
	f := r.doubles(4)
	return pl.rect(f[0], f[2], f[1], f[3]), true
}
