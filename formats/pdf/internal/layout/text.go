package layout

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// HyphenMark stands in Page.Plain where a hyphen ends a line within a word; a
// word ends behind it and its rest follows without space.
const HyphenMark = '\x02'

// Text returns the text of the page: tables row by row, with tabs between the
// cells, and all other text as in Plain. ok is false when the page has no
// table: the text is Plain then.
func (p *Page) Text(ctx context.Context) (text string, ok bool) {
	tables := p.tables(ctx)
	if len(tables) == 0 {
		return p.Plain, false
	}
	in := make([]*table, len(p.Words))
	for _, t := range tables {
		for _, w := range t.words() {
			in[w] = t
		}
	}
	out := writer{p: p}
	for i := range p.Words {
		switch t := in[i]; {
		case t == nil:
			out.word(i)
		case !t.written:
			t.written = true
			out.table(t)
		default:
			out.skipped = true
		}
	}
	return out.String(), true
}

// writer puts the text of a page together.
type writer struct {
	strings.Builder
	p       *Page
	last    int  // the end of the last word in Plain
	skipped bool // words of a table since then
	fresh   bool // a line begins
}

func (o *writer) word(i int) {
	w := o.p.Words[i]
	between := o.p.Plain[o.last:w.Start]
	switch {
	case o.fresh:
	case !o.skipped:
		o.WriteString(between)
	default:
		o.newline()
	}
	o.WriteString(o.p.Plain[w.Start:w.End])
	o.last, o.skipped, o.fresh = w.End, false, false
}

func (o *writer) newline() {
	if o.Len() > 0 && !o.fresh {
		o.WriteByte('\n')
	}
	o.fresh = true
}

func (o *writer) table(t *table) {
	o.newline()
	for _, row := range t.rows {
		for c, cell := range row {
			if c > 0 {
				o.WriteByte('\t')
			}
			o.cell(cell)
		}
		o.WriteByte('\n')
	}
	o.fresh, o.skipped = true, true
}

// cell writes the words of a cell on one line.
func (o *writer) cell(words []int) {
	glued := true
	for _, i := range words {
		if !glued {
			o.WriteByte(' ')
		}
		s := o.p.Plain[o.p.Words[i].Start:o.p.Words[i].End]
		o.WriteString(s)
		glued = s[len(s)-1] == HyphenMark
	}
}

// table is a table with the words of its cells.
type table struct {
	rows    [][][]int // words by row and column, in the order of the text
	written bool
}

func (t *table) words() (all []int) {
	for _, row := range t.rows {
		for _, cell := range row {
			all = append(all, cell...)
		}
	}
	return all
}

// tables returns the tables of the page: those with drawn lines, then those
// whose cells are aligned. A hyphenated word is in one cell, or in none.
func (p *Page) tables(ctx context.Context) []*table {
	if len(p.Words) < 4 || len(p.Words) > maxWords {
		return nil
	}
	free := make([]bool, len(p.Words))
	for i, w := range p.Words {
		free[i] = !w.Loose
	}
	var out []*table
	all := p.rules(true)
	for _, rules := range []*rules{all, p.rules(false)} {
		for _, g := range rules.grids(ctx) {
			if ctx.Err() != nil {
				return nil
			}
			if t := p.ruled(g, free); t != nil {
				out = append(out, t)
				for _, w := range t.words() {
					free[w] = false
				}
			}
		}
	}
	for _, run := range p.runs(free) {
		if ctx.Err() != nil {
			return nil
		}
		out = append(out, p.aligned(run, all)...)
	}
	for _, t := range out {
		if p.rightToLeft(t) {
			for _, row := range t.rows {
				slices.Reverse(row)
			}
		}
	}
	return out
}

// rightToLeft reports whether most words with letters of a table are in a
// script from right to left: its first column is the rightmost then.
func (p *Page) rightToLeft(t *table) bool {
	letters, right := 0, 0
	for _, w := range t.words() {
		s := p.Plain[p.Words[w].Start:p.Words[w].End]
		if i := strings.IndexFunc(s, unicode.IsLetter); i >= 0 {
			letters++
			if r, _ := utf8.DecodeRuneInString(s[i:]); unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) {
				right++
			}
		}
	}
	return 2*right > letters
}

// maxWords is how many words a page with tables has at most.
const maxWords = 20_000
