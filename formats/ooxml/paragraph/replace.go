package paragraph

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"atelier/formats/ooxml/xmlscan"
)

// Range is a part of Text, by byte offset, with its replacement.
type Range struct {
	Start, End int
	New        string
}

// Replace returns the splices that put each range's New in its place. The
// ranges are ascending and do not overlap. New takes the formatting of the
// first run it replaces; "\t" and "\n" in it become tabs and line breaks.
func (p *Paragraph) Replace(ranges []Range) []xmlscan.Splice {
	out, _ := p.AppendReplace(nil, nil, ranges)
	return out
}

// AppendReplace appends what Replace returns to out, with new texts in room where there is
// some, and returns both.
func (p *Paragraph) AppendReplace(out []xmlscan.Splice, room []byte, ranges []Range) ([]xmlscan.Splice, []byte) {
	if len(ranges) == 0 {
		return out, room
	}
	if len(p.items) == 1 && p.items[0].kind == textItem && p.items[0].run >= 0 {
		if from := len(room); p.appendReplaced(&room, p.items[0].text, ranges) {
			return append(out, xmlscan.Splice{Start: p.items[0].start, End: p.items[0].end, New: room[from:len(room):len(room)]}), room
		}
	}
	pos := 0
	for _, it := range p.items {
		end := pos + len(it.text)
		if it.text == "" {
			continue
		}
		if text, changed := replacedText(it.text, pos, rangesTouching(ranges, pos, end)); changed {
			out = append(out, p.rewriteItem(it, text))
		}
		pos = end
	}
	return out, room
}

// appendReplaced appends the element of the only text of a paragraph with ranges replaced,
// where it and what is put into it are ASCII that XML has as it is; else it does nothing.
func (p *Paragraph) appendReplaced(room *[]byte, text string, ranges []Range) bool {
	if text == "" || p.dialect.spaceAttr || !isVerbatim(text) {
		return false
	}
	for _, r := range ranges {
		if r.Start >= r.End || r.End > len(text) || !isVerbatim(r.New) {
			return false
		}
	}
	b, at := append(append(append(*room, '<'), p.prefix...), "t>"...), 0
	for _, r := range ranges {
		b = append(append(b, text[at:r.Start]...), r.New...)
		at = r.End
	}
	b = append(append(append(append(b, text[at:]...), "</"...), p.prefix...), "t>"...)
	*room = b
	return true
}

// isVerbatim reports whether XML has a text as it is: printable ASCII without what is
// escaped.
func isVerbatim(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '&' || c == '<' || c == '>' || c == '"' {
			return false
		}
	}
	return true
}

// InOneRun reports whether a part of Text that is not empty, by byte offset, is in a
// single text element of a run.
func (p *Paragraph) InOneRun(start, end int) bool {
	pos := 0
	for _, it := range p.items {
		if next := pos + len(it.text); start < next {
			return start >= pos && end <= next && it.kind == textItem && it.run >= 0
		} else {
			pos = next
		}
	}
	return false
}

// rangesTouching returns the ranges of an ascending list that meet the text
// from start to end, or its edges.
func rangesTouching(ranges []Range, start, end int) []Range {
	i := sort.Search(len(ranges), func(i int) bool { return ranges[i].End >= start })
	j := sort.Search(len(ranges), func(j int) bool { return ranges[j].Start > end })
	return ranges[i:max(i, j)]
}

// replacedText returns the text of an item that begins at pos after the ranges:
// a range's New goes to the item in which it begins.
func replacedText(text string, pos int, ranges []Range) (string, bool) {
	if len(ranges) == 0 {
		return text, false
	}
	var sb strings.Builder
	sb.Grow(len(text) + len(ranges)*len(ranges[0].New))
	at, changed := 0, false
	for _, r := range ranges {
		from, to := r.Start-pos, r.End-pos
		if to <= 0 && !(r.Start == r.End && to == 0 && pos == 0) || from >= len(text) {
			continue
		}
		changed = true
		if from >= at {
			sb.WriteString(text[at:from])
		}
		if from >= 0 {
			sb.WriteString(r.New)
		}
		at = min(max(to, 0), len(text))
	}
	if !changed {
		return text, false
	}
	sb.WriteString(text[at:])
	return sb.String(), true
}

// rewriteItem replaces an item's element by text in the same place.
func (p *Paragraph) rewriteItem(it item, text string) xmlscan.Splice {
	if it.run >= 0 && text != "" && isPrintable(text) {
		return xmlscan.Splice{Start: it.start, End: it.end, New: p.appendTextXML(nil, text)}
	}
	var b strings.Builder
	if it.run < 0 { // a break beside runs: text needs its own run
		for i, part := range strings.Split(text, "\n") {
			if i > 0 {
				b.WriteString("<" + p.prefix + "br/>")
			}
			if part != "" {
				b.WriteString("<" + p.prefix + "r>" + p.textXML(part) + "</" + p.prefix + "r>")
			}
		}
	} else {
		b.WriteString(p.contentXML(text, it.run))
	}
	return xmlscan.Splice{Start: it.start, End: it.end, New: []byte(b.String())}
}

// isPrintable reports whether text is ASCII without tabs, breaks and the like.
func isPrintable(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// contentXML writes text as the content of the run with that index (-1: a new
// run without properties): text elements, tabs and breaks. DrawingML has breaks
// beside runs, so there a run is closed and opened again.
func (p *Paragraph) contentXML(text string, runIndex int) string {
	if text == "" {
		if p.dialect.breakInRun {
			return ""
		}
		return p.textXML("") // a:r needs its a:t
	}
	var b strings.Builder
	if !p.dialect.breakInRun {
		for i, part := range strings.Split(text, "\n") {
			if i > 0 {
				b.WriteString("</" + p.prefix + "r><" + p.prefix + "br>" + p.properties(runIndex) + "</" + p.prefix + "br><" + p.prefix + "r>" + p.properties(runIndex))
			}
			b.WriteString(p.textXML(part))
		}
		return b.String()
	}
	for text != "" {
		i := strings.IndexAny(text, "\t\n\u2011\u00ad")
		switch {
		case i < 0:
			b.WriteString(p.textXML(text))
			return b.String()
		case i > 0:
			b.WriteString(p.textXML(text[:i]))
		}
		special, n := utf8.DecodeRuneInString(text[i:])
		b.WriteString("<" + p.prefix + specialCharacters[special] + "/>")
		text = text[i+n:]
	}
	return b.String()
}

// specialCharacters are characters that have their own elements in runs
// (17.3.3).
var specialCharacters = map[rune]string{'\t': "tab", '\n': "br", '\u2011': "noBreakHyphen", '\u00ad': "softHyphen"}

// Content returns text as the content of a run without properties; prefix is
// that of the elements, with colon.
func Content(d *Dialect, prefix, text string) string {
	p := &Paragraph{source: &source{dialect: d, prefix: prefix}}
	return p.contentXML(text, -1)
}

// properties returns the bytes of a run's rPr.
func (p *Paragraph) properties(runIndex int) string {
	if runIndex < 0 {
		return ""
	}
	r := p.runs[runIndex].rPr
	return string(p.doc[r.start:r.end])
}

// textXML returns a text element. xml:space keeps blanks at its edges, which an
// application may drop otherwise (ECMA-376-1, 17.3.3.31).
func (p *Paragraph) textXML(s string) string {
	return string(p.appendTextXML(nil, s))
}

func (p *Paragraph) appendTextXML(b []byte, s string) []byte {
	attr := ""
	if p.dialect.spaceAttr && strings.TrimSpace(s) != s {
		attr = ` xml:space="preserve"`
	}
	s = xmlscan.Escape(s)
	b = slices.Grow(b, len(s)+len(attr)+2*len(p.prefix)+len("<t></t>"))
	b = append(append(append(append(append(b, '<'), p.prefix...), 't'), attr...), '>')
	b = append(append(append(append(b, s...), "</"...), p.prefix...), "t>"...)
	return b
}
