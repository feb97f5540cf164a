package paragraph

import (
	"sync"

	"atelier/formats/ooxml/xmlscan"
)

// slabs are where the paragraphs of a part with their items and runs get their memory:
// in pieces of some dozens, of the size that they have in the end.
type slabs struct {
	paras []Paragraph
	items []item
	runs  []run
	size  int // of the last slab

	spareItems [][]item // of paragraphs that are read: the innermost takes the last
	spareRuns  [][]run
}

// minSlab and maxSlab are how many items, runs or paragraphs get their memory at once:
// few in a small part, and not so many that one paragraph kept keeps much.
const (
	minSlab = 4
	maxSlab = 32
)

func (s *slabs) paragraph() *Paragraph {
	if len(s.paras) == 0 {
		s.size = min(max(minSlab, 2*s.size), maxSlab)
		s.paras = make([]Paragraph, s.size)
	}
	para := &s.paras[0]
	s.paras = s.paras[1:]
	return para
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
	para.items, para.runs = carve(&s.items, items, s.size), carve(&s.runs, runs, s.size)
	if cap(items) > 0 {
		clear(items)
		s.spareItems = append(s.spareItems, items[:0])
	}
	if cap(runs) > 0 {
		clear(runs)
		s.spareRuns = append(s.spareRuns, runs[:0])
	}
}

// carve copies list to slab, or to a new one of size.
func carve[T any](slab *[]T, list []T, size int) []T {
	n := len(list)
	if n == 0 {
		return nil
	}
	if n > len(*slab) {
		if n >= size {
			return append(make([]T, 0, n), list...)
		}
		*slab = make([]T, size)
	}
	out := (*slab)[:n:n]
	*slab = (*slab)[n:]
	copy(out, list)
	return out
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
	return p
}

// release ends the use of a parser. It keeps nothing of the part.
func (p *parser) release() {
	p.sc.Release()
	stack, space := p.stack[:cap(p.stack)], slabs{}
	clear(stack)
	if n := len(p.space.spareItems); n > 0 && cap(p.space.spareItems[n-1]) <= maxSpare {
		space.spareItems = append(p.space.spareItems[:0], p.space.spareItems[n-1])
	}
	if n := len(p.space.spareRuns); n > 0 && cap(p.space.spareRuns[n-1]) <= maxSpare {
		space.spareRuns = append(p.space.spareRuns[:0], p.space.spareRuns[n-1])
	}
	*p = parser{stack: stack[:0], space: space}
	parsers.Put(p)
}
