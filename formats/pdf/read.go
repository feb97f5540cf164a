package pdf

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"atelier/formats"
)

// textOf returns the selected pages joined by "\n", as many of them as
// there is room for. In the place of a page without text stands a line that
// says so. A second instance of the engine for half of the pages was tried: it
// made reads slower.
func textOf(ctx context.Context, d document, j job) (formats.Text, error) {
	pages, err := parsePages(j.Pages, d.pages())
	if err != nil {
		return formats.Text{}, err
	}
	var blank []blankPage
	var alike []int // pages read with lines that look like marks
	read, size := 0, 0
	text, n, _, err := j.Limit.Joined("\n", func() (string, bool, error) {
		if read == len(pages) || size > maxText {
			return "", false, nil
		}
		var fields string
		if j.Marked && canPlace && d.hasForm() {
			fields = filledFields(pages[read], d.extras(ctx, pages[read]).fields) // before text, which makes content of fields
		}
		p, err := pageOf(ctx, d, pages[read])
		s := p.text
		switch {
		case err != nil:
		case isBlank(s):
			b := blankPage{read, pages[read], p.blank(ctx, d)}
			blank = append(blank, b)
			if s = b.placeholder(); fields != "" {
				s += "\n" + fields
			}
		case j.Marked:
			if looksMarked(s) {
				alike = append(alike, read)
			}
			s = p.marked(d, fields)
		}
		read, size = read+1, size+len(s)
		return s, true, err
	})
	if err != nil {
		return formats.Text{}, err
	}
	out := formats.Text{Text: text, Chunk: chunkOf(pages[:n], d.pages())}
	if n < len(pages) {
		if out.Chunk == nil { // pages were named more than once
			out.Chunk = chunkOf(pages[n:], d.pages())
			out.Chunk.Range = "pages " + ranges(pages[:n])
		}
		out.Chunk.HasMore, out.Chunk.Next = true, "pages="+ranges(pages[n:])
	}
	out.Notes = blankNotes(blank, n, d.pages())
	for _, b := range blank {
		if b.at < n {
			out.Blank = append(out.Blank, formats.BlankPage{Page: b.page + 1, Line: b.placeholder(), Ink: b.what != emptyPage})
		}
	}
	if j.Marked {
		out.Notes = append(out.Notes, markNotes(alike, pages, n)...)
	}
	return out, nil
}

func isBlank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) }) < 0
}

// blankPage is a page without text.
type blankPage struct {
	at   int // its place in the read
	page int // 0-based
	what string
}

// placeholder returns the line that stands for the page's text.
func (b blankPage) placeholder() string {
	return fmt.Sprintf("[page %d has no text; %s]", b.page+1, b.what)
}

// blankNotes returns which of the first n pages read have no text, and of how
// many.
func blankNotes(blank []blankPage, n, count int) []string {
	var pages []int
	shown := false
	for _, b := range blank {
		if b.at < n {
			pages, shown = append(pages, b.page), shown || b.what != emptyPage
		}
	}
	var what string
	switch {
	case len(pages) == 0:
		return nil
	case len(pages) == count && count > 1:
		what = "no page of this PDF has text"
	case len(pages) == 1:
		what = fmt.Sprintf("page %d has no text", pages[0]+1)
	default:
		what = fmt.Sprintf("pages %s have no text", clip(ranges(pages)))
	}
	if shown {
		what += "; what is written in pictures, such as scans, is not read"
	}
	return []string{what}
}
