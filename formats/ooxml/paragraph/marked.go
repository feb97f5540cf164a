package paragraph

import (
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// Marked is Text with tracked changes shown: {+inserted+} and [-deleted-].
func (p *Paragraph) Marked() string { return p.Render(nil, true) }

// Render is Text, with what object makes of the bytes of each object in its
// place (nil: nothing) and, with changes, tracked changes shown as in Marked.
func (p *Paragraph) Render(object func(xml []byte) string, changes bool) string {
	bits := p.shownBits(object, changes)
	if changes {
		for _, m := range p.marks {
			if s := p.deletedText(m.span); s != "" {
				bits = append(bits, shownBit{m.start, s, '-'})
			}
		}
	}
	slices.SortStableFunc(bits, func(a, b shownBit) int { return a.at - b.at })
	signs := map[byte][2]string{'+': {"{+", "+}"}, '-': {"[-", "-]"}}
	var sb strings.Builder
	for i, b := range bits {
		if i == 0 || bits[i-1].mark != b.mark {
			sb.WriteString(signs[b.mark][0])
		}
		sb.WriteString(b.text)
		if i == len(bits)-1 || bits[i+1].mark != b.mark {
			sb.WriteString(signs[b.mark][1])
		}
	}
	return sb.String()
}

// shownBit is a piece of what Render shows.
type shownBit struct {
	at   int // offset in the part
	text string
	mark byte // '+', '-' or 0
}

// shownBits returns text and objects; with changes, insertions are marked.
func (p *Paragraph) shownBits(object func(xml []byte) string, changes bool) (bits []shownBit) {
	for _, it := range p.items {
		b := shownBit{at: it.start, text: it.text}
		if it.kind == opaqueItem && object != nil {
			b.text = object(p.doc[it.start:it.end])
		}
		if changes && p.inserted(it.cont) {
			b.mark = '+'
		}
		if b.text != "" {
			bits = append(bits, b)
		}
	}
	return bits
}

// inserted reports whether a container is in a tracked insertion.
func (p *Paragraph) inserted(cont int) bool {
	for ; cont >= 0; cont = p.conts[cont].parent {
		if n := p.conts[cont].name; n == "ins" || n == "moveTo" {
			return true
		}
	}
	return false
}

// deletedText returns the text of a tracked deletion, "" of any other mark.
func (p *Paragraph) deletedText(m span) string {
	sc := xmlscan.New(p.doc[m.start:m.end])
	var sb strings.Builder
	in := false
	for first := true; sc.Next(); first = false {
		t := sc.Token()
		// The namespace is declared outside this fragment: names must do.
		if first && !p.dialect.deleted[t.Local] {
			return ""
		}
		switch {
		case t.Kind == xmlscan.Start && (t.Local == "delText" || t.Local == "t"):
			in = !t.Empty
		case t.Kind == xmlscan.Start && t.Local == "tab":
			sb.WriteByte('\t')
		case t.Kind == xmlscan.Start && (t.Local == "br" || t.Local == "cr"):
			sb.WriteByte('\n')
		case t.Kind == xmlscan.End:
			in = false
		case t.Kind == xmlscan.Text && in:
			sb.WriteString(xmlscan.Unescape(t.Bytes()))
		}
	}
	return sb.String()
}
