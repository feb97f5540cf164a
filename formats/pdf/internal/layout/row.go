package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// chunk is a piece of a line of text: words with no more than the space of a
// line of text between them.
type chunk struct {
	words []int // in the order of the text
	boxes []Box // of the words
	box   Box
	base  float64
	size  float64 // about that of the font
}

// row is what is written side by side: usually chunks on one line, or, when
// cells have several lines one after the other in the text, all of these.
type row struct {
	chunks      []chunk
	first, last float64 // the bases of its upper and lower line
	size        float64
}

// wideGap is from how much space on a line, in sizes of the font, columns are
// assumed. Spaces of justified text are narrower but for rare lines.
const wideGap = 0.9

// sameLine is by how much the bases on one line differ, in sizes of the font.
const sameLine = 0.3

// maxBack is how many lines a cell may have.
const maxBack = 12

// maxChunks is how many chunks a row may have.
const maxChunks = 4 * maxColumns

// runs returns rows that follow each other in the text and on the page. Text
// that continues at the top of a next column begins a new run.
func (p *Page) runs(free []bool) [][]row {
	var out [][]row
	var run []row
	end := func() {
		if len(run) > 1 {
			out = append(out, run)
		}
		run = nil
	}
	for i := 0; i < len(p.Words); {
		j := i + 1
		for j < len(p.Words) && !p.breakBefore(j) {
			j++
		}
		chunks := p.chunks(i, j, free)
		i = j
		if chunks == nil {
			end()
		}
		for _, c := range chunks {
			if !place(&run, c) {
				end()
				place(&run, c)
			}
		}
	}
	end()
	return out
}

// breakBefore reports whether a line of the text ends before word i.
func (p *Page) breakBefore(i int) bool {
	from, to := p.Words[i-1].End, p.Words[i].Start
	return p.Plain[from-1] == HyphenMark || strings.ContainsAny(p.Plain[from:to], "\r\n")
}

// chunks splits a line of the text; nil when no word of it may be in a table.
func (p *Page) chunks(from, to int, free []bool) []chunk {
	var high, letters float64
	chars := 0
	var words []int
	for i := from; i < to; i++ {
		if !free[i] {
			continue
		}
		w := p.Words[i]
		words = append(words, i)
		high = max(high, w.Box.Height())
		if n := utf8.RuneCountInString(p.Plain[w.Start:w.End]); n > 1 {
			letters, chars = letters+w.Box.Width(), chars+n
		}
	}
	if len(words) == 0 {
		return nil
	}
	size := max(high/0.75, 3)
	if chars > 0 && letters > 0 {
		size = min(size, max(3, 2.2*letters/float64(chars)))
	}
	wide := wideGap * size
	if p.evenlySpaced(words, size) {
		wide = maxEven * size
	}
	var out []chunk
	for k, i := range words {
		w := p.Words[i]
		if k > 0 && i == words[k-1]+1 && math.Abs(w.Base-out[len(out)-1].base) <= sameLine*size && gap(p.Words[i-1].Box, w.Box) < wide {
			c := &out[len(out)-1]
			c.words, c.boxes, c.box = append(c.words, i), append(c.boxes, w.Box), c.box.union(w.Box)
			continue
		}
		out = append(out, chunk{words: []int{i}, boxes: []Box{w.Box}, box: w.Box, base: w.Base, size: size})
	}
	return out
}

// maxEven is the widest space of a line of justified text, in sizes of the font.
const maxEven = 2.2

// evenlySpaced reports whether all spaces of a line are alike, as in justified
// text; most words are no numbers.
func (p *Page) evenlySpaced(words []int, size float64) bool {
	if len(words) < 4 {
		return false
	}
	low, high, numbers := math.Inf(1), 0.0, 0
	for k, i := range words {
		w := p.Words[i]
		if numeric(p.Plain[w.Start:w.End]) {
			numbers++
		}
		if k > 0 {
			d := gap(p.Words[words[k-1]].Box, w.Box)
			low, high = min(low, d), max(high, d)
		}
	}
	return high-low < 0.25*size && high < maxEven*size && 2*numbers < len(words)
}

// part is the chunk of some of the words.
func (c chunk) part(from, to int) chunk {
	c.words, c.boxes, c.box = c.words[from:to], c.boxes[from:to], c.boxes[from]
	for _, b := range c.boxes {
		c.box = c.box.union(b)
	}
	return c
}

// gap is the space between two boxes on a line, also from right to left.
func gap(a, b Box) float64 { return max(b.Left-a.Right, a.Left-b.Right) }

// place puts a chunk into the run: into the row that it is level with, or into
// a new one below. ok is false when it is elsewhere.
func place(run *[]row, c chunk) bool {
	rows := *run
	if len(rows) == 0 {
		*run = append(rows, newRow(c))
		return true
	}
	last := rows[len(rows)-1]
	slack := sameLine * min(last.size, c.size)
	if c.base > last.last+slack {
		if c.base-last.last > 4*max(last.size, c.size) {
			return false
		}
		*run = append(rows, newRow(c))
		return true
	}
	for i := len(rows) - 1; i >= max(0, len(rows)-maxBack); i-- {
		if c.base < rows[i].first-slack {
			continue
		}
		whole := rows[i]
		for _, r := range rows[i+1:] {
			whole.chunks = append(whole.chunks, r.chunks...)
			whole.last = r.last
		}
		if len(whole.chunks) >= maxChunks || slices.ContainsFunc(whole.chunks, func(o chunk) bool { return overlap(o.box, c.box) }) {
			return false
		}
		whole.chunks = append(whole.chunks, c)
		whole.size = max(whole.size, c.size)
		*run = append(rows[:i], whole)
		return true
	}
	return false
}

func newRow(c chunk) row {
	return row{chunks: []chunk{c}, first: c.base, last: c.base, size: c.size}
}

// overlap reports whether two boxes share more than an edge.
func overlap(a, b Box) bool {
	return min(a.Right, b.Right)-max(a.Left, b.Left) > 0.5 && min(a.Bottom, b.Bottom)-max(a.Top, b.Top) > 0.5
}

// numeric reports whether s is a number as tables print them: with signs,
// currencies, percent, or a dash for none.
func numeric(s string) bool {
	digits, others := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			others++
		}
	}
	if digits == 0 {
		return s != "" && others == 0 && utf8.RuneCountInString(s) <= 2
	}
	return others <= 3 && others <= digits
}
