package pdf

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"atelier/formats"
)

// pagesOf gives the selected pages one by one, until the text of those that it
// gave is longer than j.Bytes. A second instance of the engine for half of the
// pages was tried: it made reads slower.
func pagesOf(ctx context.Context, d document, j job, opened func(count int) error, emit func(*pageRead) error) error {
	pages, err := parsePages(j.Pages, d.pages())
	if err != nil {
		return err
	}
	if err := opened(d.pages()); err != nil {
		return err
	}
	forms := canPlace && d.hasForm()
	size := 0
	for _, page := range pages {
		out := pageRead{Page: page}
		if forms {
			out.Fields = filledFields(page, d.extras(ctx, page).fields) // before text, which makes content of fields
		}
		p, err := pageOf(ctx, d, page)
		if err != nil {
			return err
		}
		out.Text, out.Figures, out.Label = p.text, p.figures(), strings.TrimSpace(clip(cleanText(d.label(page))))
		out.Alike = looksMarked(p.text)
		if isBlank(p.text) {
			out.What = p.blank(ctx, d)
		}
		if err := emit(&out); err != nil {
			return err
		}
		if size += len(out.Text); j.Bytes > 0 && size > j.Bytes {
			return nil
		}
	}
	return nil
}

// reading reads pages of one document, first those that are kept.
type reading struct {
	f     *format
	src   formats.Source
	key   string // of the pages that are kept, "" when they are not
	until time.Time
	count int // pages of the document, 0 when it is not known yet
}

func (f *format) reading(src formats.Source) *reading {
	r := &reading{f: f, src: src, until: time.Now().Add(f.pool.opt.Timeout)}
	if h := src.Hash(); len(h) >= 8 {
		r.key = h + " " + strconv.FormatInt(src.Size(), 10)
		r.count, _ = f.kept.find(r.key, 0)
	}
	return r
}

// run has a worker read the pages of a selection up to a number of bytes, and
// passes them on. A page may come twice, when the first worker was killed.
func (r *reading) run(ctx context.Context, pages string, bytes int, each func(*pageRead) error) error {
	j := job{Op: opPages, Pages: pages, Bytes: bytes, Key: r.key, until: r.until}
	_, err := r.f.do(ctx, r.src, j, func(m message) error {
		if m.Opened > 0 {
			r.count = m.Opened
		}
		if m.Page == nil {
			return nil
		}
		if m.secret {
			r.key = ""
		}
		r.f.kept.add(r.key, r.count, m.Page)
		return each(m.Page)
	})
	return err
}

// kept returns a page that is kept.
func (r *reading) kept(page int) *pageRead {
	if r.key == "" {
		return nil
	}
	_, p := r.f.kept.find(r.key, page)
	return p
}

// text returns the selected pages joined by "\n", as many of them as
// there is room for. In the place of a page without text is a line that says so.
func (r *reading) text(ctx context.Context, sel formats.Selector) (formats.Text, error) {
	got := map[int]*pageRead{}
	room := maxText
	if sel.Limit.Limited() {
		room = max(sel.Limit.Whole, sel.Limit.Part)
	}
	fetch := func(pages string) error {
		return r.run(ctx, pages, room, func(p *pageRead) error { got[p.Page] = p; return nil })
	}
	if r.count == 0 {
		if err := fetch(sel.Pages); err != nil {
			return formats.Text{}, err
		}
	}
	pages, err := parsePages(sel.Pages, r.count)
	if err != nil {
		return formats.Text{}, err
	}
	var blank []blankPage
	var alike []int // pages read with lines that look like marks
	read, size := 0, 0
	text, n, _, err := sel.Limit.Joined("\n", func() (string, bool, error) {
		if read == len(pages) || size > maxText {
			return "", false, ctx.Err()
		}
		p := cmp.Or(got[pages[read]], r.kept(pages[read]))
		if p == nil {
			rest := read + 1
			for rest < len(pages) && got[pages[rest]] == nil && r.kept(pages[rest]) == nil {
				rest++
			}
			if err := fetch(ranges(pages[read:rest])); err != nil {
				return "", false, err
			}
			if p = got[pages[read]]; p == nil {
				return "", false, unreadable(r.src)
			}
		}
		s := p.Text
		switch {
		case isBlank(s):
			b := blankPage{read, p.Page, p.What}
			blank = append(blank, b)
			if s = b.placeholder(); sel.AsShown && p.Fields != "" {
				s += "\n" + p.Fields
			}
		case sel.AsShown:
			if p.Alike {
				alike = append(alike, read)
			}
			s = p.marked(r.count)
		}
		read, size = read+1, size+len(s)
		return s, true, nil
	})
	if err != nil {
		return formats.Text{}, err
	}
	out := formats.Text{Text: text, Chunk: chunkOf(pages[:n], r.count)}
	if n < len(pages) {
		if out.Chunk == nil { // pages were named more than once
			out.Chunk = chunkOf(pages[n:], r.count)
			out.Chunk.Range = "pages " + ranges(pages[:n])
		}
		out.Chunk.HasMore, out.Chunk.Next = true, "pages="+ranges(pages[n:])
	}
	out.Notes = blankNotes(blank, n, r.count)
	for _, b := range blank {
		if b.at < n {
			out.Blank = append(out.Blank, formats.BlankPage{Page: b.page + 1, Line: b.placeholder(), Ink: b.what != emptyPage})
		}
	}
	if sel.AsShown {
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
