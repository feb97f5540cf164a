package paragraph

import (
	"sync"

	"atelier/formats/ooxml/xmlscan"
)

// slab is memory for some dozens of paragraphs, items or runs.
type slab[T any] struct {
	free []T
	all  []T // of the last slab, where it is used again
}

// minSlab and maxSlab are for how many paragraphs, items or runs a slab is made: few in a
// small part, and not so many that one paragraph which is kept keeps much.
const (
	minSlab = 4
	maxSlab = 32
)

// take returns n places; size is that of a new slab.
func (s *slab[T]) take(n, size int) []T {
	if n > len(s.free) {
		if n >= size {
			return make([]T, n)
		}
		s.free = make([]T, size)
		s.all = s.free
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

// slabs are where the paragraphs of a part with their items and runs get their memory, of
// the size that they have in the end.
type slabs struct {
	paras slab[Paragraph]
	items slab[item]
	runs  slab[run]
	size  int // of the next slabs
	limit int // of size

	spareItems [][]item // of paragraphs that are read: the innermost takes the last
	spareRuns  [][]run
}

func (s *slabs) paragraph() *Paragraph {
	if len(s.paras.free) == 0 {
		s.size = min(max(minSlab, 2*s.size), s.limit)
	}
	return &s.paras.take(1, s.size)[0]
}

// scratch returns where a paragraph that begins has its items and runs until keep.
func (s *slabs) scratch() (items []item, runs []run) {
	if n := len(s.spareItems); n > 0 {
		items, s.spareItems = s.spareItems[n-1], s.spareItems[:n-1]
	}
	if n := len(s.spareRuns); n > 0 {
		runs, s.spareRuns = s.spareRuns[n-1], s.spareRuns[:n-1]
	}
	return items, runs
}

// keep gives a paragraph that is read its items and runs for good.
func (s *slabs) keep(para *Paragraph) {
	items, runs := para.items, para.runs
	para.items, para.runs = nil, nil
	if len(items) > 0 {
		para.items = s.items.take(len(items), s.size)
		copy(para.items, items)
	}
	if len(runs) > 0 {
		para.runs = s.runs.take(len(runs), s.size)
		copy(para.runs, runs)
	}
	if cap(items) > 0 {
		s.spareItems = append(s.spareItems, items[:0])
	}
	if cap(runs) > 0 {
		s.spareRuns = append(s.spareRuns, runs[:0])
	}
}

// Space is memory for the paragraphs of one part after the other. The zero value is ready
// to use.
type Space struct {
	paras []Paragraph
	items []item
	runs  []run
	size  int
}

// ParseIn is Parse for paragraphs that are used until the next call with the same space.
func ParseIn(space *Space, doc []byte, d *Dialect) ([]*Paragraph, error) {
	p := newParser(doc, d)
	defer p.release()
	s := &p.space
	s.paras, s.items, s.runs = slab[Paragraph]{space.paras, space.paras}, slab[item]{space.items, space.items}, slab[run]{space.runs, space.runs}
	s.size, s.limit = space.size, maxSpare
	list, err := p.parse()
	*space = Space{s.paras.all, s.items.all, s.runs.all, s.size}
	return list, err
}

// parsers are kept for the next part: small parts cost less to read than what a parser
// needs.
var parsers sync.Pool

// maxSpare bounds the items and runs that a parser is kept with.
const maxSpare = 1000

func newParser(doc []byte, d *Dialect) *parser {
	p, ok := parsers.Get().(*parser)
	if !ok {
		p = &parser{}
	}
	p.doc, p.d, p.sc = doc, d, xmlscan.Pooled(doc)
	p.space.limit = maxSlab
	return p
}

// release ends the use of a parser. It keeps nothing of the part.
func (p *parser) release() {
	p.sc.Release()
	stack, space := p.stack[:cap(p.stack)], slabs{}
	clear(stack)
	if items := lastSpare(p.space.spareItems); items != nil {
		space.spareItems = append(p.space.spareItems[:0], items)
	}
	if runs := lastSpare(p.space.spareRuns); runs != nil {
		space.spareRuns = append(p.space.spareRuns[:0], runs)
	}
	*p = parser{stack: stack[:0], space: space}
	parsers.Put(p)
}

// lastSpare returns the last of lists, with nothing in it; nil where that is too large.
func lastSpare[T any](lists [][]T) []T {
	n := len(lists)
	if n == 0 || cap(lists[n-1]) > maxSpare {
		return nil
	}
	list := lists[n-1]
	clear(list[:cap(list)])
	clear(lists)
	return list
}
