package docx

import (
	"bytes"
	"context"
	"strings"

	"atelier/formats/language"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
)

// localizer gives what carries a target the attributes its language needs
// (TR-11): runs the language, and for scripts from right to left or of many
// characters what makes applications take the right font; paragraphs, tables
// and sections their direction. In a paragraph from right to left, left and
// right of alignment and indent mean start and end, as Word reads them, so
// they stay.
type localizer struct {
	tag  string // as applications write it, with a region
	slot language.Slot
	rtl  bool
	font string // of runs, since the theme has none for the language; "" is none
	had  bool   // the document has text from right to left already
}

// fallbackFonts are fonts that Windows brings, for documents whose theme names
// none, by language and then by slot.
var fallbackFonts = map[string]string{"ja": "MS Mincho", "ko": "Batang", "zh-TW": "PMingLiU", "zh-HK": "PMingLiU", "zh-MO": "PMingLiU", "zh": "SimSun", "th": "Angsana New", "hi": "Mangal"}

func newLocalizer(tag string) *localizer {
	l := &localizer{tag: language.Culture(tag), slot: language.SlotOf(tag), rtl: language.RightToLeft(tag)}
	if base, _, _ := strings.Cut(l.tag, "-"); fallbackFonts[l.tag] != "" {
		l.font = fallbackFonts[l.tag]
	} else if l.font = fallbackFonts[base]; l.font == "" && l.slot == language.Complex {
		l.font = "Arial"
	}
	return l
}

// localizer reads what of the document a language depends on.
func (d *document) localizer(ctx context.Context, tag string) (*localizer, error) {
	l := newLocalizer(tag)
	rels, err := d.ed.Rels(ctx, d.main)
	if err != nil {
		return nil, err
	}
	for _, rel := range rels {
		word := rel.Type[strings.LastIndexByte(rel.Type, '/')+1:]
		if rel.External || !d.ed.Has(rel.Target) || word != "theme" && word != "styles" {
			continue
		}
		doc, err := d.ed.ReadXML(ctx, rel.Target)
		if err != nil {
			return nil, err
		}
		if word == "theme" && themeHas(doc, l.slot, l.font) {
			l.font = ""
		}
		if word == "styles" && (bytes.Contains(doc, []byte(":bidi/>")) || bytes.Contains(doc, []byte(":rtl/>"))) {
			l.had = true
		}
	}
	return l, nil
}

// themeHas reports whether a theme names a font for a slot: one for all of it,
// or for the script that font is for (20.1.4.1.16, 20.1.4.1.25).
func themeHas(doc []byte, slot language.Slot, font string) bool {
	element := map[language.Slot]string{language.EastAsian: "ea", language.Complex: "cs"}[slot]
	code := map[string]string{"MS Mincho": "Jpan", "SimSun": "Hans", "PMingLiU": "Hant", "Batang": "Hang"}[font]
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.AttrLocal("typeface") == "" {
			continue
		}
		if t.Local == element || t.Local == "font" && (slot == language.Complex || t.AttrLocal("script") == code) {
			return true
		}
	}
	return false
}

// run makes the properties of a run those of the language.
func (l *localizer) run(raw, prefix string) string {
	p := runProps(raw, prefix)
	switch l.slot {
	case language.Latin:
		setAttrs(p, "lang", attr{"val", l.tag})
	case language.EastAsian:
		setAttrs(p, "lang", attr{"eastAsia", l.tag})
		fonts := []attr{{"hint", "eastAsia"}}
		if l.font != "" && !strings.Contains(p.Get("rFonts"), "eastAsia=") && !strings.Contains(p.Get("rFonts"), "eastAsiaTheme=") {
			fonts = append(fonts, attr{"eastAsia", l.font})
		}
		setAttrs(p, "rFonts", fonts...)
	case language.Complex:
		setAttrs(p, "lang", attr{"bidi", l.tag})
		fonts := []attr{{"hint", "cs"}}
		if l.font != "" && !strings.Contains(p.Get("rFonts"), "cs=") && !strings.Contains(p.Get("rFonts"), "cstheme=") {
			fonts = append(fonts, attr{"cs", l.font})
		}
		setAttrs(p, "rFonts", fonts...)
		mirrorComplex(p)
	}
	switch {
	case l.rtl:
		setFlag(p, "rtl", true)
		p.Drop("cs")
	case l.slot == language.Complex:
		setFlag(p, "cs", true)
		p.Drop("rtl")
	case l.had:
		setFlag(p, "rtl", false)
	default:
		p.Drop("rtl", "cs")
	}
	return p.Optional()
}

// mirrorComplex returns complex script the weight, slope and size of the rest,
// which have their own elements (17.3.2.1 to 17.3.2.39).
func mirrorComplex(p *element.Element) (changed bool) {
	for _, name := range []string{"b", "i", "sz"} {
		have := p.Get(name)
		if !strings.HasPrefix(have, "<"+p.Prefix()+name) || p.Get(name+"Cs") != "" {
			continue
		}
		p.Set(name+"Cs", strings.Replace(have, "<"+p.Prefix()+name, "<"+p.Prefix()+name+"Cs", 1))
		changed = true
	}
	return changed
}

// paragraph makes the properties of a paragraph those of the language; sect
// says that the section it may end has a target.
func (l *localizer) paragraph(raw, prefix string, target, sect bool) string {
	p := paraProps(raw, prefix)
	if target {
		l.direct(p, "bidi")
		if l.rtl { // the mark lends its look to the number of a list
			r := runProps(p.Get("rPr"), p.Prefix())
			setFlag(r, "rtl", true)
			p.Set("rPr", r.Optional())
		}
	}
	if s := p.Get("sectPr"); s != "" && sect {
		p.Set("sectPr", l.section(s, p.Prefix()))
	}
	return p.Optional()
}

func (l *localizer) section(raw, prefix string) string {
	p := sectProps(raw, prefix)
	l.direct(p, "bidi")
	return p.Optional()
}

func (l *localizer) table(raw, prefix string) string {
	p := tableProps(raw, prefix)
	l.direct(p, "bidiVisual")
	if s := p.Optional(); s != "" {
		return s
	}
	return raw // tblPr must be there, if empty
}

// direct sets the flag of direction, or takes it back where the document had
// it.
func (l *localizer) direct(p *element.Element, name string) {
	switch {
	case l.rtl:
		setFlag(p, name, true)
	case l.had:
		setFlag(p, name, false)
	default:
		p.Drop(name)
	}
}

// styles mirrors weight, slope and size in the styles for complex language.
func (l *localizer) styles(doc []byte) []byte {
	if l.slot != language.Complex {
		return doc
	}
	var splices []xmlscan.Splice
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || !t.Is(nsW, "rPr") || t.Empty {
			continue
		}
		end := sc.Skip()
		p := runProps(string(doc[t.Start:end]), colon(t.Prefix))
		if mirrorComplex(p) {
			splices = append(splices, xmlscan.Splice{Start: t.Start, End: end, New: []byte(p.Optional())})
		}
	}
	if sc.Err() != nil {
		return doc
	}
	return xmlscan.Apply(doc, splices)
}

// settings says the language by which theme fonts are chosen (17.15.1.88).
func (l *localizer) settings(doc []byte) []byte {
	name := map[language.Slot]string{language.Latin: "val", language.EastAsian: "eastAsia", language.Complex: "bidi"}[l.slot]
	prefix := ""
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Depth == 1:
			if prefix = colon(t.Prefix); t.Empty || t.Space != nsW {
				return doc
			}
		case t.Kind == xmlscan.Start && t.Depth == 2 && t.Is(nsW, "themeFontLang"):
			end := sc.Skip()
			lang := element.Parse(doc[t.Start:end], "", nil)
			lang.SetAttr(prefix+name, l.tag)
			return xmlscan.Apply(doc, []xmlscan.Splice{{Start: t.Start, End: end, New: []byte(lang.String())}})
		}
	}
	lang := element.Parse("", prefix+"themeFontLang", nil)
	lang.SetAttr(prefix+name, l.tag)
	edit, ok := element.Insert(doc, settingsSchema, "themeFontLang", lang.String())
	if sc.Err() != nil || !ok {
		return doc
	}
	return xmlscan.Apply(doc, []xmlscan.Splice{edit})
}

func colon(prefix string) string {
	if prefix == "" {
		return ""
	}
	return prefix + ":"
}
