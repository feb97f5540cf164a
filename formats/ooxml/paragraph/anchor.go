package paragraph

import (
	"slices"
	"strings"
)

// withAnchors returns the items with the ends of what a translator must keep
// around the same words: ranges of comments, and bookmarks that hold text,
// since a reference shows it. At the edges of the text they need no tag, as
// with any object; other marks stay where they are.
func (p *Paragraph) withAnchors() []item {
	p.pairMarks()
	var anchors []item
	for i := range p.marks {
		if m := &p.marks[i]; m.anchor {
			anchors = append(anchors, item{kind: opaqueItem, span: m.span, run: -1, cont: m.cont, mark: m})
		}
	}
	if anchors == nil {
		return p.items
	}
	out := append(slices.Clone(p.items), anchors...)
	slices.SortStableFunc(out, func(a, b item) int { return a.start - b.start })
	return out
}

// pairMarks pairs the start and end of ranges and determines whether their
// place in the text matters. It runs once for a paragraph.
func (p *Paragraph) pairMarks() {
	if p.paired {
		return
	}
	p.paired = true
	type rangeID struct{ kind, id string }
	open := map[rangeID]*mark{}
	for i := range p.marks {
		m := &p.marks[i]
		if kind, ok := strings.CutSuffix(m.local, "Start"); ok {
			open[rangeID{kind, m.id}] = m
		} else if kind, ok := strings.CutSuffix(m.local, "End"); ok {
			id := rangeID{kind, m.id}
			m.partner = open[id]
			if m.partner != nil {
				m.partner.partner = m
			}
			delete(open, id)
		}
	}
	var texts []int // where text begins
	for _, it := range p.items {
		if it.text != "" {
			texts = append(texts, it.start)
		}
	}
	for i := range p.marks {
		m := &p.marks[i]
		comment := strings.HasPrefix(m.local, "commentRange")
		switch {
		case !comment && !strings.HasPrefix(m.local, "bookmark"):
		case m.partner == nil:
			m.anchor = comment // it continues over paragraphs
		case strings.HasSuffix(m.local, "Start"):
			k, _ := slices.BinarySearch(texts, m.end)
			holds := k < len(texts) && texts[k] < m.partner.start
			m.anchor = holds && !isGeneratedBookmark(m.name)
			m.partner.anchor = m.anchor
		}
	}
}

// isGeneratedBookmark reports whether an application created the bookmark
// automatically.
func isGeneratedBookmark(name string) bool {
	return name == "_GoBack" || strings.HasPrefix(name, "_Hlk") || strings.HasPrefix(name, "OLE_LINK")
}

// isMarks reports whether a group is nothing but marks.
func (g group) isMarks() bool {
	return !slices.ContainsFunc(g.items, func(it item) bool { return it.mark == nil })
}
