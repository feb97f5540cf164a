package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/formats/ooxml/xmlscan"
)

// maxLook bounds in characters what a read says of the formatting of one
// paragraph.
const maxLook = 200

var unbracketed = strings.NewReplacer("[", "(", "]", ")", "\n", " ", "\t", " ")

// shownLabel returns a list label at the length that a read shows.
func shownLabel(label string) string { return clip(label, 40) }

// looks returns how a read with addresses describes paragraphs: list label and
// style, nothing of plain text in the default style.
func (d *document) looks(labels func(*part, *node) string) func(l line) string {
	standard := d.styles.standard()
	return func(l line) string { return d.styles.describe(l.node, labels(l.part, l.node), standard) }
}

// describe returns list label and style of a paragraph, without standard, the
// default style.
func (s styles) describe(n *node, label, standard string) string {
	var words []string
	if label != "" {
		words = append(words, shownLabel(label))
	}
	if n.style != "" && n.style != standard {
		words = append(words, clip(s.label(n.style), 40))
	}
	return unbracketed.Replace(strings.Join(words, " "))
}

// toldLayout are the properties of paragraphs that a read with styles tells:
// those that a reader sees, or that decide where a page ends.
var toldLayout = map[string]bool{"keepNext": true, "keepLines": true, "pageBreakBefore": true, "framePr": true, "pBdr": true, "shd": true, "bidi": true,
	"spacing": true, "ind": true, "jc": true, "outlineLvl": true}

// toldFont are the properties of text that a read with styles tells.
var toldFont = map[string]bool{"rStyle": true, "rFonts": true, "b": true, "i": true, "caps": true, "smallCaps": true, "strike": true, "dstrike": true, "vanish": true,
	"color": true, "sz": true, "highlight": true, "u": true, "shd": true, "vertAlign": true}

// fullLooks returns how a read with styles describes paragraphs: list label,
// style, list with its level, and direct formatting of the paragraph and of all
// its text.
func (d *document) fullLooks(ctx context.Context, labels func(*part, *node) string) (func(l line) string, error) {
	nb, err := d.numbering(ctx)
	if err != nil {
		return nil, err
	}
	w := &describer{style: d.styles.label}
	standard := d.styles.standard()
	return func(l line) string {
		name := l.node.style
		if name == "" {
			name = standard
		}
		words := []string{strings.TrimSpace(shownLabel(labels(l.part, l.node)) + " " + clip(d.styles.label(name), 40))}
		if m, ok := nb.listOf(d.styles, l.node.style, l.node.list); ok {
			words = append(words, fmt.Sprintf("list %s level %d", clip(m.num, 12), m.level))
		}
		words = append(words, d.layoutWords(w, l)...)
		words = append(words, fontWords(w, l)...)
		return unbracketed.Replace(clip(strings.Trim(strings.Join(words, "; "), "; "), maxLook))
	}, nil
}

// layoutWords describes the layout of a paragraph: what it says itself, and the
// alignment of its style.
func (d *document) layoutWords(w *describer, l line) []string {
	var out []string
	set := propSet{}
	if l.node.props.end > 0 {
		set = w.props(l.part.elementAt(l.node.props.start, l.node.props.end).only(toldLayout), paraWords, nil)
		if s := set.String(); s != "" {
			out = append(out, s)
		}
	}
	if _, own := set["jc"]; own {
		return out
	}
	for _, st := range d.styles.chain(l.node.style) {
		if st.align != "" {
			if word := alignName(st.align); word != "left" {
				out = append(out, "alignment "+word+" by style")
			}
			break
		}
	}
	return out
}

// fontWords describes the direct formatting of a paragraph's text.
func fontWords(w *describer, l line) []string {
	raw, shared := l.part.paras[l.node.para].SharedProperties()
	if !shared {
		return []string{"text with different formatting"}
	}
	if raw == "" {
		return nil
	}
	sc := xmlscan.New(l.part.within(raw))
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Is(nsW, "rPr") {
			if s := w.props(readElement(sc).only(toldFont), runWords, nil).String(); s != "" {
				return []string{"text " + s}
			}
			break
		}
	}
	return nil
}

// within returns the bytes of an element of the part inside a copy of its root's
// start tag, which binds the prefixes.
func (p *part) within(raw string) []byte {
	sc := xmlscan.New(p.doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		return slices.Concat(p.doc[t.Start:t.End], []byte(raw), []byte("</"+colon(t.Prefix)+t.Local+">"))
	}
	return []byte(raw)
}

// only returns the element with those of its children that have one of the names.
func (e *el) only(names map[string]bool) *el {
	out := *e
	out.kids = nil
	for _, k := range e.kids {
		if names[k.local] && !(k.local == "rFonts" && fontWord(nil, k) == attrsWord(nil, k)) {
			out.kids = append(out.kids, k)
		}
	}
	return &out
}

// textSize is how many characters of a read a line with a text takes, without what is
// before the text.
func textSize(text string) int { return utf8.RuneCountInString(text) + 1 }
