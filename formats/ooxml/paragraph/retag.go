package paragraph

import (
	"fmt"
	"slices"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/tags"
)

// unit is a piece of a target: text under a tag (0: none), or a single tag.
type unit struct {
	tag    int
	single bool
	text   string
}

// Retag returns the splices that make the paragraph say target, whose tags must
// be those of Tagged. Equal text gives no splice. The error says in words what
// is wrong with the target.
func (p *Paragraph) Retag(target string) ([]xmlscan.Splice, error) {
	source := p.Tagged()
	if source == target {
		return nil, nil
	}
	if err := tags.Check(source, target); err != nil {
		return nil, err
	}
	gs, from, to := p.groups()
	if from == to {
		return nil, fmt.Errorf("the paragraph has no text to replace")
	}
	units := unitsOf(tags.Parse(target))
	if out, ok := p.retagInOrder(gs[from:to], units); ok {
		return out, nil
	}
	return p.rebuild(gs, from, to, units)
}

// unitsOf flattens tokens: text belongs to the innermost tag around it.
func unitsOf(toks []tags.Token) []unit {
	var out []unit
	open := []int{0}
	for _, t := range toks {
		tag := open[len(open)-1]
		switch t.Kind {
		case tags.Open:
			open = append(open, t.N)
			out = append(out, unit{tag: t.N}) // an emptied tag still has its place
		case tags.Close:
			open = open[:len(open)-1]
		case tags.Single:
			out = append(out, unit{tag: t.N, single: true})
		default:
			if n := len(out); n > 0 && !out[n-1].single && out[n-1].tag == tag {
				out[n-1].text += t.Text
			} else {
				out = append(out, unit{tag: tag, text: t.Text})
			}
		}
	}
	return out
}

// retagInOrder writes units into the groups they come from when their order is that
// of the source; ok is false when it is not.
func (p *Paragraph) retagInOrder(gs []group, units []unit) (out []xmlscan.Splice, ok bool) {
	assigned := make([]string, len(gs))
	var added []xmlscan.Splice
	j := 0
	for i, u := range units {
		if u.tag != 0 {
			k := slices.IndexFunc(gs[j:], func(g group) bool { return g.tag == u.tag })
			if k < 0 {
				return nil, false
			}
			assigned[j+k] = u.text
			j += k + 1
			continue
		}
		limit := len(gs) // the group of the next tagged unit
		for _, next := range units[i+1:] {
			if next.tag != 0 {
				if k := slices.IndexFunc(gs[j:], func(g group) bool { return g.tag == next.tag }); k >= 0 {
					limit = j + k
				}
				break
			}
		}
		k := limit
		for c := j; c < limit; c++ {
			// Blanks of another style in front of the text do not style the text.
			if gs[c].tag == 0 && (k == limit || gs[k].invisible() && !gs[c].invisible()) {
				k = c
			}
		}
		if k < limit {
			assigned[k] = u.text
			j = k + 1
		} else {
			added = append(added, p.insertUntagged(gs, j, u.text))
		}
	}
	for i, g := range gs {
		if !g.opaque && g.text() != assigned[i] {
			out = append(out, p.assignText(g, assigned[i])...)
		}
	}
	return append(out, added...), true
}

// assignText replaces the text of a group: its first item receives all of it.
func (p *Paragraph) assignText(g group, text string) []xmlscan.Splice {
	carrier := max(0, slices.IndexFunc(g.items, func(it item) bool { return it.kind == textItem }))
	var out []xmlscan.Splice
	for i, it := range g.items {
		s := ""
		if i == carrier {
			s = text
		}
		out = append(out, p.rewriteItem(it, s))
	}
	return out
}

// insertUntagged puts untagged text between the groups j-1 and j, where the source
// had none.
func (p *Paragraph) insertUntagged(gs []group, j int, text string) xmlscan.Splice {
	run := p.plainRun(gs)
	at := 0
	if j > 0 {
		last := gs[j-1].last()
		if j < len(gs) && last.run >= 0 && gs[j].first().run == last.run {
			return xmlscan.Splice{Start: last.end, End: last.end, New: []byte(p.contentXML(text, last.run))}
		}
		at = p.outerSpan(last, false).end
		if j < len(gs) {
			at = p.runPosition(last, gs[j].first())
		}
	} else {
		first := gs[0].first()
		if first.run >= 0 && p.sharesRun(first) {
			return xmlscan.Splice{Start: first.start, End: first.start, New: []byte(p.contentXML(text, first.run))}
		}
		at = p.outerSpan(first, false).start
	}
	return xmlscan.Splice{Start: at, End: at, New: []byte("<" + p.prefix + "r>" + p.properties(run) + p.contentXML(text, run) + "</" + p.prefix + "r>")}
}

// plainRun returns a run with the formatting of untagged text, -1 when there is
// none.
func (p *Paragraph) plainRun(gs []group) int {
	key, _ := mainFormatting(gs)
	for i, r := range p.runs {
		if r.key == key {
			return i
		}
	}
	return -1
}

// sharesRun reports whether another item is before it in its run.
func (p *Paragraph) sharesRun(it item) bool {
	for _, o := range p.items {
		if o.run == it.run && o.start < it.start {
			return true
		}
	}
	return false
}

// runPosition returns where a run between two items can stand: after the run of
// last and the containers that do not hold next too.
func (p *Paragraph) runPosition(last, next item) int {
	end := last.end
	if last.run >= 0 {
		end = p.runs[last.run].end
	}
	for c := last.cont; c >= 0 && !p.containerHolds(c, next.cont); c = p.conts[c].parent {
		end = p.conts[c].end
	}
	return end
}

// outerSpan returns the extent of what holds an item: its run, or with inside
// false the outermost container it is in.
func (p *Paragraph) outerSpan(it item, inside bool) span {
	s := it.span
	if it.run >= 0 {
		s = p.runs[it.run].span
	}
	if !inside {
		for c := it.cont; c >= 0; c = p.conts[c].parent {
			s = span{p.conts[c].start, p.conts[c].end}
		}
	}
	return s
}
