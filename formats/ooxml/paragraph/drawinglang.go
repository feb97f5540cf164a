package paragraph

import (
	"strings"

	"atelier/formats/language"
	"atelier/formats/ooxml/xmlscan"
)

// Setting describes the language to set on paragraphs of DrawingML.
type Setting struct {
	Language string // BCP 47
	// Align is the alignment (ST_TextAlignType: "l", "ctr", "r" …) that the
	// paragraph with that index in Parse has unless its own properties say one;
	// "" when nothing says it and it must stay open. Nil: "" for all.
	Align func(i int) string
}

// SetLanguage returns a part with DrawingML in which the paragraphs in which is
// true, by their index in Parse, are marked as text in s.Language: the language
// of runs, right-to-left direction with the alignment mirrored (l and r are
// sides of the page in DrawingML, not start and end), and where a run names a
// Latin font, that font for complex scripts too (ECMA-376-1, 21.1.2.2.7,
// 21.1.2.3.9). Attributes that are right already keep their bytes.
func SetLanguage(doc []byte, in func(i int) bool, s Setting) ([]byte, error) {
	l := &localizer{doc: doc, s: s, culture: language.Culture(s.Language), slot: language.SlotOf(s.Language), rtl: language.RightToLeft(s.Language)}
	sc := xmlscan.New(doc)
	n := -1
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || !t.Is(Drawing.space, "p") {
			continue
		}
		if n++; in(n) && !t.Empty {
			l.paragraph(sc, t, n)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	return xmlscan.Apply(doc, l.edits), nil
}

type localizer struct {
	doc     []byte
	s       Setting
	culture string
	slot    language.Slot
	rtl     bool
	edits   []xmlscan.Splice
}

func (l *localizer) addEdit(start, end int, text string) {
	l.edits = append(l.edits, xmlscan.Splice{Start: start, End: end, New: []byte(text)})
}

// paragraph handles the paragraph that sc has just entered.
func (l *localizer) paragraph(sc *xmlscan.Scanner, p xmlscan.Token, n int) {
	first := true
	bare := xmlscan.Token{} // a run of which no child was seen yet
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start && t.Kind != xmlscan.End {
			continue
		}
		own := t.Kind == xmlscan.Start && t.Space == Drawing.space
		if bare.Local != "" && !(own && t.Local == "rPr") {
			l.addEdit(bare.End, bare.End, "<"+prefixOf(bare)+`rPr lang="`+xmlscan.Escape(l.culture)+`"`+l.alternativeLanguage()+"/>")
		}
		bare = xmlscan.Token{}
		if first && !(own && t.Local == "pPr") {
			l.addDirection(p, n)
		}
		switch {
		case t.Kind == xmlscan.End && t.Depth == p.Depth:
			return
		case !own:
		case first && t.Local == "pPr":
			l.properties(t, n)
		case t.Local == "endParaRPr" && t.Depth == p.Depth+1, t.Local == "rPr" && t.Depth == p.Depth+2:
			l.run(sc, t)
		case t.Local == "r" && t.Depth == p.Depth+1 && !t.Empty:
			bare = t
		}
		first = false
	}
}

func prefixOf(t xmlscan.Token) string {
	if t.Prefix == "" {
		return ""
	}
	return t.Prefix + ":"
}

// alternativeLanguage returns the attribute that East Asian text has for Latin
// words in it.
func (l *localizer) alternativeLanguage() string {
	if l.slot == language.EastAsian {
		return ` altLang="en-US"`
	}
	return ""
}

// addDirection gives a paragraph without properties those it needs.
func (l *localizer) addDirection(p xmlscan.Token, n int) {
	if !l.rtl {
		return
	}
	align := ""
	if mirrored, ok := mirrorAlign(l.inherited(n)); ok {
		align = ` algn="` + mirrored + `"`
	}
	l.addEdit(p.End, p.End, "<"+prefixOf(p)+"pPr"+align+` rtl="1"/>`)
}

func (l *localizer) inherited(n int) string {
	if l.s.Align == nil {
		return ""
	}
	return l.s.Align(n)
}

func mirrorAlign(align string) (string, bool) {
	switch align {
	case "l":
		return "r", true
	case "r":
		return "l", true
	}
	return "", false
}

// properties sets a paragraph's direction and mirrors its alignment.
func (l *localizer) properties(t xmlscan.Token, n int) {
	was := t.AttrLocal("rtl")
	if is := was == "1" || was == "true"; is == l.rtl {
		return
	}
	set := map[string]string{"rtl": "0"}
	if l.rtl {
		set["rtl"] = "1"
	}
	align, own := t.Attr("algn")
	if !own && l.rtl {
		align = l.inherited(n)
	}
	if m, ok := mirrorAlign(align); ok {
		set["algn"] = m
	}
	l.attributes(t, set, "algn", "rtl")
}

// run handles the properties of a run or of the paragraph's end.
func (l *localizer) run(sc *xmlscan.Scanner, t xmlscan.Token) {
	set := map[string]string{"lang": l.culture}
	if _, has := t.Attr("altLang"); !has && l.slot == language.EastAsian {
		set["altLang"] = "en-US"
	}
	l.attributes(t, set, "lang", "altLang")
	if t.Empty || l.slot != language.Complex {
		return
	}
	face, at := "", 0
	for sc.Next() {
		k := sc.Token()
		if k.Kind == xmlscan.End && k.Depth == t.Depth {
			break
		}
		if k.Kind != xmlscan.Start || k.Depth != t.Depth+1 {
			continue
		}
		end := sc.Skip()
		switch k.Local {
		case "latin":
			face, at = k.AttrLocal("typeface"), end
		case "ea":
			at = end
		case "cs":
			return
		}
	}
	// A name with + stands for the theme's font, which has all slots.
	if face != "" && !strings.HasPrefix(face, "+") {
		l.addEdit(at, at, "<"+prefixOf(t)+`cs typeface="`+xmlscan.Escape(face)+`"/>`)
	}
}

// attributes sets attributes of a start tag, new ones in the order of names.
func (l *localizer) attributes(t xmlscan.Token, set map[string]string, names ...string) {
	for a := range t.Attrs() {
		if v, ok := set[a.Name]; ok {
			if a.Value() != v {
				l.addEdit(a.ValStart, a.ValEnd, xmlscan.Escape(v))
			}
			delete(set, a.Name)
		}
	}
	added := ""
	for _, name := range names {
		if v, ok := set[name]; ok {
			added += " " + name + `="` + xmlscan.Escape(v) + `"`
		}
	}
	if at := t.Start + 1 + len(prefixOf(t)) + len(t.Local); added != "" {
		l.addEdit(at, at, added)
	}
}
