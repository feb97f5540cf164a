package paragraph

import (
	"slices"
	"strings"
)

// pairFields makes a complex field (17.16.18) whose result is text of one
// formatting one group, so that a translator sees the result between two tags:
// "see <1>section 4</1>". One that is all of the paragraph's text stays as it
// is, since its edges need no tags.
func (p *Paragraph) pairFields(gs []group) []group {
	var out []group
	for i := 0; i < len(gs); i++ {
		if i+2 < len(gs) && len(gs) > 3 && !gs[i+1].opaque && p.fieldEdge(gs[i], "begin", "separate") && p.fieldEdge(gs[i+2], "end") && gs[i].cont == gs[i+2].cont {
			g := gs[i+1]
			g.lead, g.tail = gs[i].items, gs[i+2].items
			out = append(out, g)
			i += 2
			continue
		}
		out = append(out, gs[i])
	}
	return out
}

// fieldEdge reports whether a group is nothing but the edge of one field: these
// characters, and its code.
func (p *Paragraph) fieldEdge(g group, chars ...string) bool {
	if !g.opaque {
		return false
	}
	var have []string
	for _, it := range g.items {
		if !it.bound {
			return false
		}
		raw := string(p.doc[it.start:it.end])
		if _, rest, ok := strings.Cut(raw, `fldCharType="`); ok {
			kind, _, _ := strings.Cut(rest, `"`)
			have = append(have, kind)
		}
	}
	return slices.Equal(have, chars)
}

// isField reports whether a group is the result of a field with its edges.
func (g group) isField() bool { return g.lead != nil }

// first and last are the items at the edges of a group.
func (g group) first() item {
	if g.isField() {
		return g.lead[0]
	}
	return g.items[0]
}

func (g group) last() item {
	if g.isField() {
		return g.tail[len(g.tail)-1]
	}
	return g.items[len(g.items)-1]
}
