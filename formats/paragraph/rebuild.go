package paragraph

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats/xmlscan"
)

// rebuild writes the content of a paragraph anew in the order of units, for
// translations that move formatted words. Objects, marks and run properties
// keep their bytes.
func (p *Paragraph) rebuild(gs []group, from, to int, units []unit) ([]xmlscan.Splice, error) {
	if err := p.movable(gs[from:to], units); err != nil {
		return nil, err
	}
	byTag := map[int]group{}
	for _, g := range gs[from:to] {
		if g.tag != 0 {
			byTag[g.tag] = g
		}
	}
	first, last := gs[0].first(), gs[len(gs)-1].last()
	region := span{p.outer(first, false).start, p.outer(last, false).end}
	var b strings.Builder
	for i, m := range p.marks {
		if m.start >= region.start && m.end <= region.end && !p.anchors(&p.marks[i]) {
			b.Write(p.doc[m.start:m.end])
		}
	}
	for _, g := range gs[:from] {
		p.emitOpaque(&b, g)
	}
	plain, plainCont := p.plainRun(gs), -1
	_, plainCont = dominant(gs)
	for _, u := range units {
		switch {
		case u.single:
			p.emitOpaque(&b, byTag[u.tag])
		case byTag[u.tag].isField():
			g := byTag[u.tag]
			p.emitOpaque(&b, group{items: g.lead, cont: g.cont})
			if u.text != "" {
				p.emitText(&b, u.text, firstRun(g), g.cont)
			}
			p.emitOpaque(&b, group{items: g.tail, cont: g.cont})
		case u.text == "":
		case u.tag == 0:
			p.emitText(&b, u.text, plain, plainCont)
		default:
			p.emitText(&b, u.text, firstRun(byTag[u.tag]), byTag[u.tag].cont)
		}
	}
	for _, g := range gs[to:] {
		p.emitOpaque(&b, g)
	}
	return []xmlscan.Splice{{Start: region.start, End: region.end, New: []byte(b.String())}}, nil
}

func firstRun(g group) int {
	for _, it := range g.items {
		if it.run >= 0 {
			return it.run
		}
	}
	return -1
}

// movable reports why the content cannot change its order, nil when it can:
// a field's begin and end must not cross, and containers with an identity of
// their own cannot be written twice.
func (p *Paragraph) movable(gs []group, units []unit) error {
	_, plain := dominant(gs)
	for i, c := range p.conts {
		if c.name != "sdtContent" && c.name != "customXml" {
			continue
		}
		held := 0
		for _, g := range gs {
			if g.tag != 0 && p.holds(i, g.cont) {
				held++
			}
		}
		for _, u := range units {
			if u.tag == 0 && u.text != "" && p.holds(i, plain) {
				held++
			}
		}
		if held > 1 {
			return fmt.Errorf("the tags must keep their order here, since the text stands in a content control")
		}
	}
	if err := p.rangesHold(gs, units); err != nil {
		return err
	}
	last := 0
	for _, u := range units {
		if !u.single {
			continue
		}
		for _, g := range gs {
			if g.tag != u.tag || !g.bound() {
				continue
			}
			if u.tag < last {
				return fmt.Errorf("the tag <%d/> belongs to a field and must stay behind <%d/>", u.tag, last)
			}
			last = u.tag
		}
	}
	return nil
}

// holds reports whether the container i is cont or around it.
func (p *Paragraph) holds(i, cont int) bool {
	for cont >= 0 && cont != i {
		cont = p.conts[cont].parent
	}
	return cont == i
}

// rangesHold reports the tag that would end a range before it begins.
func (p *Paragraph) rangesHold(gs []group, units []unit) error {
	place := func(m *mark) (at, tag int) {
		for _, g := range gs {
			if slices.ContainsFunc(g.items, func(it item) bool { return it.mark == m }) {
				return slices.IndexFunc(units, func(u unit) bool { return u.single && u.tag == g.tag }), g.tag
			}
		}
		return -1, 0
	}
	for i := range p.marks {
		m := &p.marks[i]
		if !strings.HasSuffix(m.local, "Start") {
			continue
		}
		from, open := place(m)
		if end := p.partner(m); end != nil && from >= 0 {
			if to, shut := place(end); to >= 0 && to < from {
				return fmt.Errorf("the tag <%d/> ends what <%d/> begins and must stay behind it", shut, open)
			}
		}
	}
	return nil
}

func (g group) bound() bool {
	for _, it := range g.items {
		if it.bound {
			return true
		}
	}
	return false
}

// wrapped writes what f writes inside the container with that index.
func (p *Paragraph) wrapped(b *strings.Builder, cont int, f func()) {
	if cont < 0 {
		f()
		return
	}
	// From the outermost in: of a content control with its properties.
	c := p.conts[cont]
	p.wrapped(b, p.visible(c.parent), func() {
		if c.name == "sdt" {
			f() // it is written with its content
			return
		}
		from, to := c.start, c.end
		if c.name == "sdtContent" && c.parent >= 0 {
			from, to = p.conts[c.parent].start, p.conts[c.parent].end
		}
		b.Write(p.doc[from:c.openEnd])
		f()
		b.Write(p.doc[c.closeStart:to])
	})
}

func (p *Paragraph) emitText(b *strings.Builder, text string, runIndex, cont int) {
	p.wrapped(b, cont, func() {
		b.WriteString("<" + p.prefix + "r>" + p.properties(runIndex) + p.contentXML(text, runIndex) + "</" + p.prefix + "r>")
	})
}

func (p *Paragraph) emitOpaque(b *strings.Builder, g group) {
	if g.isMarks() { // they may stand anywhere
		for _, it := range g.items {
			b.Write(p.doc[it.start:it.end])
		}
		return
	}
	p.wrapped(b, g.cont, func() {
		for _, it := range g.items {
			if it.run < 0 {
				b.Write(p.doc[it.start:it.end])
				continue
			}
			b.WriteString("<" + p.prefix + "r>" + p.properties(it.run))
			b.Write(p.doc[it.start:it.end])
			b.WriteString("</" + p.prefix + "r>")
		}
	})
}
