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
	type bit struct {
		at   int
		text string
		mark byte // '+', '-' or 0
	}
	var bits []bit
	for _, it := range p.items {
		b := bit{at: it.start, text: it.text}
		if it.kind == opaqueItem && object != nil {
			b.text = object(p.doc[it.start:it.end])
		}
		for c := it.cont; changes && c >= 0; c = p.conts[c].parent {
			if n := p.conts[c].name; n == "ins" || n == "moveTo" {
				b.mark = '+'
			}
		}
		if b.text != "" {
			bits = append(bits, b)
		}
	}
	for _, m := range p.marks {
		if !changes {
			break
		}
		if s := p.deletedText(m.span); s != "" {
			bits = append(bits, bit{m.start, s, '-'})
		}
	}
	slices.SortStableFunc(bits, func(a, b bit) int { return a.at - b.at })
	var sb strings.Builder
	for i, b := range bits {
		open := i == 0 || bits[i-1].mark != b.mark
		shut := i == len(bits)-1 || bits[i+1].mark != b.mark
		switch {
		case b.mark == '+' && open:
			sb.WriteString("{+")
		case b.mark == '-' && open:
			sb.WriteString("[-")
		}
		sb.WriteString(b.text)
		switch {
		case b.mark == '+' && shut:
			sb.WriteString("+}")
		case b.mark == '-' && shut:
			sb.WriteString("-]")
		}
	}
	return sb.String()
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
