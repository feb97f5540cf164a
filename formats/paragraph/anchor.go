package paragraph

import (
	"slices"
	"strings"
)

// withAnchors are the items with the ends of what a translator must keep around
// the same words: ranges of comments, and bookmarks that hold text, since a
// reference shows it. At the edges of the text they need no tag, as with any
// object; other marks stay where they are.
func (p *Paragraph) withAnchors() []item {
	var anchors []item
	for i := range p.marks {
		m := &p.marks[i]
		if p.anchors(m) {
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

// anchors reports whether the place of a mark in the text matters.
func (p *Paragraph) anchors(m *mark) bool {
	switch m.local {
	case "commentRangeStart", "commentRangeEnd", "bookmarkEnd", "bookmarkStart":
	default:
		return false
	}
	from, to := m, p.partner(m)
	if to == nil {
		return strings.HasPrefix(m.local, "comment") // it goes on over paragraphs
	}
	if strings.HasSuffix(m.local, "End") {
		from, to = to, from
	}
	if scratch(from.name) {
		return false
	}
	return slices.ContainsFunc(p.items, func(it item) bool {
		return it.text != "" && it.start > from.start && it.start < to.start
	})
}

// scratch reports whether an application made a bookmark for itself.
func scratch(name string) bool {
	return name == "_GoBack" || strings.HasPrefix(name, "_Hlk") || strings.HasPrefix(name, "OLE_LINK")
}

// partner is the other end of a range in the same paragraph, nil when it is
// not there.
func (p *Paragraph) partner(m *mark) *mark {
	want := strings.TrimSuffix(strings.TrimSuffix(m.local, "Start"), "End")
	if strings.HasSuffix(m.local, "Start") {
		want += "End"
	} else {
		want += "Start"
	}
	for i := range p.marks {
		if o := &p.marks[i]; o.local == want && o.id == m.id {
			return o
		}
	}
	return nil
}

// isMarks reports whether a group is nothing but marks.
func (g group) isMarks() bool {
	return !slices.ContainsFunc(g.items, func(it item) bool { return it.mark == nil })
}
