package html

import "atelier/formats"

func (sc *scanner) startTag(t token) {
	f := sc.top()
	off, given := sc.protection(t)
	if !given {
		off = f.off
	}
	if !off {
		sc.attributes(t)
	}
	switch {
	case t.name == "br":
		sc.lineBreak(t)
	case voids[t.name] && blocks[t.name]:
		sc.closeRun()
		sc.implied(t.name)
	case voids[t.name]:
		sc.mark(t)
	case f.foreign && (!blocks[t.name] || spoken[t.name]):
		sc.foreignTag(t, given && off)
	case blocks[t.name]:
		sc.block(t, off, given)
	case given && f.off && !off: // translate="yes" in what is protected
		sc.push(frame{name: t.name, pre: f.pre})
	default:
		sc.inlineTag(t)
	}
}

// mark continues the run with a token of running text that is no text.
func (sc *scanner) mark(t token) {
	if !sc.top().off {
		sc.extend(t)
	}
}

func (sc *scanner) inlineTag(t token) {
	if t.name == "svg" || t.name == "math" {
		if end := sc.next("</"+t.name, t.end); end < len(sc.s) && sc.speaks(t.end, end) && !sc.top().off {
			sc.closeRun()
			sc.push(frame{name: t.name, off: true, foreign: true})
			return
		}
	}
	if end, ok := sc.opaque(&sc.z, t); ok {
		t.end = end
	}
	sc.mark(t)
}

// block opens a block element.
func (sc *scanner) block(t token, off, given bool) {
	sc.closeRun()
	for sc.top().foreign { // HTML that a drawing was not closed before (13.2.6.5)
		sc.pop()
	}
	sc.implied(t.name)
	f := sc.top()
	if !given {
		off = f.off
	}
	if t.closed && sc.xml {
		return
	}
	next := frame{name: t.name, off: off, pre: f.pre || t.name == "pre"}
	if t.name == "pre" && sc.isCode(sc.z, t) {
		next.off = true
	}
	sc.push(next)
}

func (sc *scanner) push(f frame) {
	if len(sc.stack) >= maxDepth {
		sc.err = formats.Errorf(formats.CodeTooLarge, "the page nests more than %d elements", maxDepth)
		return
	}
	sc.stack = append(sc.stack, f)
	sc.counts[f.name]++
}

func (sc *scanner) pop() {
	n := len(sc.stack) - 1
	sc.counts[sc.stack[n].name]--
	sc.stack = sc.stack[:n]
}

// implied closes the elements whose end tag a start tag makes needless.
func (sc *scanner) implied(name string) {
	if sc.top().name == "p" {
		sc.pop()
	}
	rule, ok := closedBy[name]
	if !ok {
		return
	}
	for i := len(sc.stack) - 1; i >= 0 && i >= len(sc.stack)-64 && !rule.within[sc.stack[i].name]; i-- {
		if rule.close[sc.stack[i].name] {
			for len(sc.stack) > i {
				sc.pop()
			}
		}
	}
}

func (sc *scanner) endTag(t token) {
	foreign := sc.top().foreign && !inlineForeign[t.name]
	if sc.counts[t.name] > 0 {
		sc.closeRun()
		for last := ""; last != t.name; {
			last = sc.top().name
			sc.pop()
		}
		return
	}
	if blocks[t.name] || foreign {
		sc.closeRun()
		return
	}
	sc.mark(t)
}

// lineBreak continues the run; a second one in a row ends it, as pages without
// paragraphs are written.
func (sc *scanner) lineBreak(t token) {
	f := sc.top()
	if f.off {
		return
	}
	sc.extend(t)
	if sc.run.breaks++; sc.run.breaks > 1 || f.pre {
		sc.closeRun()
	}
}

// foreignTag is a start tag in SVG or MathML.
func (sc *scanner) foreignTag(t token, off bool) {
	if inlineForeign[t.name] {
		sc.mark(t)
		return
	}
	sc.closeRun()
	switch {
	case t.closed:
		sc.z.raw = "" // there, <style/> is empty
	case t.name == "foreignobject":
		sc.push(frame{name: t.name, off: off})
	case spoken[t.name] || t.name == "svg" || t.name == "math" || t.name == "g":
		sc.push(frame{name: t.name, off: off || !spoken[t.name], foreign: true})
	}
}
