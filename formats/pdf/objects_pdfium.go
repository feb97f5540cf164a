//go:build !purepdf

package pdf

import (
	"context"

	"github.com/klippa-app/go-pdfium/enums"

	"atelier/formats/pdf/internal/layout"
)

// matrix maps x, y to a·x+c·y+e, b·x+d·y+f (ISO 32000-1, 8.3.3).
type matrix [6]float64

var unmoved = matrix{1, 0, 0, 1, 0, 0}

// then applies m, and n to the result.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// scan looks for lines and images among the objects of a page.
type scan struct {
	r               *raw
	ctx             context.Context
	place           place
	page            *layout.Page
	objects, points int // that may still be looked at
	lines           bool
}

func (s *scan) objectsOf(count, get string, of uint64, m matrix, depth int) {
	n := s.r.int(count, of)
	for i := 0; i < n && s.objects > 0; i++ {
		s.objects--
		if s.objects%256 == 0 && s.ctx.Err() != nil {
			return
		}
		o, ok := s.r.call(get, of, uint64(i))
		if !ok {
			return
		}
		switch enums.FPDF_PAGEOBJ(s.r.int("FPDFPageObj_GetType", o)) {
		case enums.FPDF_PAGEOBJ_PATH:
			if s.lines {
				s.path(o, s.matrix(o).then(m))
			}
		case enums.FPDF_PAGEOBJ_IMAGE:
			s.image(s.matrix(o).then(m))
		case enums.FPDF_PAGEOBJ_FORM:
			if depth < maxNested {
				s.objectsOf("FPDFFormObj_CountObjects", "FPDFFormObj_GetObject", o, s.matrix(o).then(m), depth+1)
			}
		}
	}
}

func (s *scan) matrix(o uint64) matrix {
	if s.r.int("FPDFPageObj_GetMatrix", o, s.r.at(0)) <= 0 {
		return unmoved
	}
	return matrix(s.r.floats(6))
}

// image adds an image, which fills the unit square (8.9.5.1).
func (s *scan) image(m matrix) {
	x0, y0 := m.apply(0, 0)
	x1, y1 := m.apply(1, 1)
	x2, y2 := m.apply(0, 1)
	x3, y3 := m.apply(1, 0)
	s.page.Images = append(s.page.Images, s.place.rect(min(x0, x1, x2, x3), min(y0, y1, y2, y3), max(x0, x1, x2, x3), max(y0, y1, y2, y3)))
}

// path adds the straight lines of a path.
func (s *scan) path(o uint64, m matrix) {
	n := s.r.int("FPDFPath_CountSegments", o)
	if n < 2 {
		return
	}
	filled := s.r.int("FPDFPath_GetDrawMode", o, s.r.at(0), s.r.at(4)) > 0 && s.r.words32(2)[1] == 0
	var start, at layout.Point
	first := len(s.page.Lines) // of the part that begins with a move
	for i := 0; i < n && s.points > 0; i++ {
		s.points--
		seg, ok := s.r.call("FPDFPath_GetPathSegment", o, uint64(i))
		if !ok || s.r.int("FPDFPathSegment_GetPoint", seg, s.r.at(0), s.r.at(4)) <= 0 {
			return
		}
		f := s.r.floats(2)
		x, y := m.apply(f[0], f[1])
		to := s.place.point(x, y)
		switch enums.FPDF_SEGMENT(s.r.int("FPDFPathSegment_GetType", seg)) {
		case enums.FPDF_SEGMENT_MOVETO:
			s.area(first, filled)
			start, first = to, len(s.page.Lines)
		case enums.FPDF_SEGMENT_LINETO:
			s.line(at, to)
		}
		at = to
		if s.r.int("FPDFPathSegment_GetClose", seg) > 0 {
			s.line(at, start)
			at = start
		}
	}
	s.area(first, filled)
}

// thin is the width of an area that is a line.
const thin = 3.5

// area marks the lines from the first on as sides of an area.
func (s *scan) area(first int, filled bool) {
	lines := s.page.Lines[first:]
	if !filled || len(lines) == 0 {
		return
	}
	low, high := lines[0].From, lines[0].From
	for _, l := range lines {
		low = layout.Point{X: min(low.X, l.From.X, l.To.X), Y: min(low.Y, l.From.Y, l.To.Y)}
		high = layout.Point{X: max(high.X, l.From.X, l.To.X), Y: max(high.Y, l.From.Y, l.To.Y)}
	}
	if high.X-low.X <= thin || high.Y-low.Y <= thin {
		return
	}
	for i := range lines {
		lines[i].Filled = true
	}
}

func (s *scan) line(from, to layout.Point) {
	if from != to {
		s.page.Lines = append(s.page.Lines, layout.Line{From: from, To: to})
	}
}
