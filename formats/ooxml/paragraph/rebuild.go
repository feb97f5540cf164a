package paragraph

import (
	"fmt"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// rebuild rewrites the content of a paragraph in the order of units, for
// translations that move formatted words. Objects, marks and run properties
// keep their bytes.
func (p *Paragraph) rebuild(gs []group, from, to int, units []unit) ([]xmlscan.Splice, error) {
	if err := p.checkMovable(gs[from:to], units); err != nil {
		return nil, err
	}
	byTag := map[int]group{}
	for _, g := range gs[from:to] {
		if g.tag != 0 {
			byTag[g.tag] = g
		}
	}
	first, last := gs[0].first(), gs[len(gs)-1].last()
	region := span{p.outerSpan(first, false).start, p.outerSpan(last, false).end}
	var b strings.Builder
	for _, m := range p.marks {
		if m.start >= region.start && m.end <= region.end && !m.anchor {
			b.Write(p.doc[m.start:m.end])
		}
	}
	for _, g := range gs[:from] {
		p.emitOpaque(&b, g)
	}
	plain, plainCont := p.plainRun(gs), -1
	_, plainCont = mainFormatting(gs)
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

// checkMovable reports why the content cannot change its order, nil when it can:
// a field's begin and end must not cross, and containers with an identity of
// their own cannot be written twice.
func (p *Paragraph) checkMovable(gs []group, units []unit) error {
	held := make([]int, len(p.conts)) // how often each container would be written
	hold := func(cont int) {
		for ; cont >= 0; cont = p.conts[cont].parent {
			held[cont]++
		}
	}
	bound := map[int]bool{}
	for _, g := range gs {
		bound[g.tag] = g.tag != 0 && g.bound()
		if g.tag != 0 {
			hold(g.cont)
		}
	}
	_, plain := mainFormatting(gs)
	last := 0
	for _, u := range units {
		if u.tag == 0 && u.text != "" {
			hold(plain)
		}
		if !u.single || !bound[u.tag] {
			continue
		}
		if u.tag < last {
			return fmt.Errorf("the tag <%d/> belongs to a field and must stay behind <%d/>", u.tag, last)
		}
		last = u.tag
	}
	for i, c := range p.conts {
		if held[i] > 1 && (c.name == "sdtContent" || c.name == "customXml") {
			return fmt.Errorf("the tags must keep their order here, since the text stands in a content control")
		}
	}
	return checkRangeOrder(gs, units)
}

// containerHolds reports whether the container i is cont or around it.
func (p *Paragraph) containerHolds(i, cont int) bool {
	for cont >= 0 && cont != i {
		cont = p.conts[cont].parent
	}
	return cont == i
}

// checkRangeOrder returns an error that names a tag whose range would end
// before it begins.
func checkRangeOrder(gs []group, units []unit) error {
	at := map[int]int{} // place of each single tag
	for i, u := range units {
		if u.single {
			at[u.tag] = i
		}
	}
	tags := map[*mark]int{}
	for _, g := range gs {
		for _, it := range g.items {
			if it.mark != nil {
				tags[it.mark] = g.tag
			}
		}
	}
	for _, g := range gs {
		for _, it := range g.items {
			if it.mark == nil || it.mark.partner == nil || !strings.HasSuffix(it.mark.local, "End") {
				continue
			}
			if open := tags[it.mark.partner]; open != 0 && at[g.tag] < at[open] {
				return fmt.Errorf("the tag <%d/> ends what <%d/> begins and must stay behind it", g.tag, open)
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

// writeInContainer writes what f writes inside the container with that index.
func (p *Paragraph) writeInContainer(b *strings.Builder, cont int, f func()) {
	if cont < 0 {
		f()
		return
	}
	// From the outermost in: of a content control with its properties.
	c := p.conts[cont]
	p.writeInContainer(b, p.visibleContainer(c.parent), func() {
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
	p.writeInContainer(b, cont, func() {
		b.WriteString("<" + p.prefix + "r>" + p.properties(runIndex) + p.contentXML(text, runIndex) + "</" + p.prefix + "r>")
	})
}

func (p *Paragraph) emitOpaque(b *strings.Builder, g group) {
	if g.isMarks() { // they may be anywhere
		for _, it := range g.items {
			b.Write(p.doc[it.start:it.end])
		}
		return
	}
	p.writeInContainer(b, g.cont, func() {
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
