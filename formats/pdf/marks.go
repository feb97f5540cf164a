package pdf

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats/pdf/internal/layout"
	"atelier/internal/lazyregexp"
)

// pageText is the text of a page, with its tables, and what else it has.
type pageText struct {
	page int // 0-based
	text string
	layout.Page
}

func pageOf(ctx context.Context, d document, page int) (pageText, error) {
	p, err := d.content(ctx, page)
	if err != nil {
		return pageText{}, err
	}
	s, _ := p.Text(ctx)
	return pageText{page, cleanText(s), p}, ctx.Err()
}

// blank says what a page without text is.
func (p pageText) blank(ctx context.Context, d document) string {
	if p.Covered() > scanShare {
		return scanned
	}
	return d.pictured(ctx, p.page)
}

// scanShare is how much of a page the images of a scan cover at least.
const scanShare = 0.5

// marked returns the text after a line with the number of the page, where there
// are several, and before one with its images and one with what is filled in.
func (p *pageRead) marked(count int) string {
	s := p.Text
	number := strconv.Itoa(p.Page + 1)
	switch {
	case p.Label != "" && p.Label != number:
		s = fmt.Sprintf("[page %s, labelled %q]\n%s", number, p.Label, s)
	case count > 1:
		s = fmt.Sprintf("[page %s]\n%s", number, s)
	}
	for _, line := range []string{p.Figures, p.Fields} {
		if line != "" {
			s = strings.TrimRight(s, "\n") + "\n" + line
		}
	}
	return s
}

// maxFilled is how many fields of a page are named.
const maxFilled = 60

// filledFields names in one line the fields of a page that are filled in or checked, ""
// when none is. The text has the values where they are drawn, but neither the names nor
// which box is checked.
func filledFields(page int, fields []Field) string {
	var named []string
	filled := 0
	for _, f := range fields {
		if !f.filled() {
			continue
		}
		if filled++; filled > maxFilled {
			continue
		}
		s := strconv.Quote(clip(cleanText(f.Name)))
		switch v := clip(cleanText(f.Value)); {
		case f.Type == "checkbox" || f.Type == "radio":
			s += " checked"
		default:
			s += " = " + strconv.Quote(v)
		}
		named = append(named, s)
	}
	if filled == 0 {
		return ""
	}
	if more := filled - len(named); more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("[filled form fields of page %d: %s]", page+1, strings.Join(named, "; "))
}

// filled reports whether somebody filled the field in or checked it.
func (f Field) filled() bool {
	switch f.Type {
	case "checkbox", "radio":
		return f.Checked
	case "button", "signature":
		return false
	}
	return strings.TrimSpace(f.Value) != ""
}

const (
	maxFigures = 6  // named of a page, the largest
	minFigure  = 24 // points; smaller images are icons and parts of drawings
)

// figures names the images of a page in one line, "" when it has none.
func (p pageText) figures() string {
	var large []layout.Box
	for _, b := range p.Images {
		if b = b.Within(p.Width, p.Height); b.Width() >= minFigure && b.Height() >= minFigure {
			large = append(large, b)
		}
	}
	if len(large) == 0 {
		return ""
	}
	slices.SortStableFunc(large, func(a, b layout.Box) int {
		return cmp.Compare(b.Width()*b.Height(), a.Width()*a.Height())
	})
	var named []string
	for _, b := range large[:min(len(large), maxFigures)] {
		named = append(named, fmt.Sprintf("%.0f×%.0f pt at %.0f,%.0f", b.Width(), b.Height(), b.Left, b.Top))
	}
	if more := len(large) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("[images of page %d, from its upper left; render shows them: %s]", p.page+1, strings.Join(named, "; "))
}

var markLike = lazyregexp.New(`(?m)^\[(?:page|images of page|filled form fields of page) \d`)

// looksMarked reports whether a page's own text has lines like the marks.
func looksMarked(text string) bool { return markLike.MatchString(text) }

// markNotes tells which of the first n pages read have lines like marks, and
// that an engine finds no tables.
func markNotes(alike, pages []int, n int) (notes []string) {
	var own []int
	for _, at := range alike {
		if at < n {
			own = append(own, pages[at])
		}
	}
	if len(own) > 0 {
		notes = append(notes, fmt.Sprintf("lines in the text of page %s look like page marks", clip(ranges(own))))
	}
	if !canPlace {
		notes = append(notes, "this build of Atelier does not recognise the tables and images of PDFs")
	}
	return notes
}
