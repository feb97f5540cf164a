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
	case voidElements[t.name] && blockElements[t.name]:
		sc.closeRun()
		sc.implied(t.name)
	case voidElements[t.name]:
		sc.addMark(t)
	case f.foreign && (!blockElements[t.name] || languageElements[t.name]):
		sc.foreignTag(t, given && off)
	case blockElements[t.name]:
		sc.openBlock(t, off, given)
	case given && f.off && !off: // translate="yes" in what is protected
		sc.push(frame{name: t.name, pre: f.pre})
	default:
		sc.inlineTag(t)
	}
}

// addMark extends the run with a token that is not text.
func (sc *scanner) addMark(t token) {
	if !sc.top().off {
		sc.extendRun(t)
	}
}

func (sc *scanner) inlineTag(t token) {
	if t.name == "svg" || t.name == "math" {
		if end := sc.nextTag("</"+t.name, t.end); end < len(sc.s) && sc.hasLanguage(t.end, end) && !sc.top().off {
			sc.closeRun()
			sc.push(frame{name: t.name, off: true, foreign: true})
			return
		}
	}
	if end, ok := sc.opaqueEnd(&sc.z, t); ok {
		t.end = end
	}
	sc.addMark(t)
}

// openBlock opens a block element.
func (sc *scanner) openBlock(t token, off, given bool) {
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

// implied closes the elements whose end tag may be omitted before this start
// tag.
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
	if blockElements[t.name] || foreign {
		sc.closeRun()
		return
	}
	sc.addMark(t)
}

// lineBreak extends the run; a second one in a row ends it, since some pages
// separate paragraphs that way.
func (sc *scanner) lineBreak(t token) {
	f := sc.top()
	if f.off {
		return
	}
	sc.extendRun(t)
	if sc.run.breaks++; sc.run.breaks > 1 || f.pre {
		sc.closeRun()
	}
}

// foreignTag is a start tag in SVG or MathML.
func (sc *scanner) foreignTag(t token, off bool) {
	if inlineForeign[t.name] {
		sc.addMark(t)
		return
	}
	sc.closeRun()
	switch {
	case t.closed:
		sc.z.raw = "" // there, <style/> is empty
	case t.name == "foreignobject":
		sc.push(frame{name: t.name, off: off})
	case languageElements[t.name] || t.name == "svg" || t.name == "math" || t.name == "g":
		sc.push(frame{name: t.name, off: off || !languageElements[t.name], foreign: true})
	}
}
