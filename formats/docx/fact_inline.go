package docx

import (
	"bytes"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/equation"
)

const nsMath = "http://schemas.openxmlformats.org/officeDocument/2006/math"

// paragraph takes what a paragraph holds beside its text.
func (c *collector) paragraph(n *node, e *el) {
	if n != nil {
		c.moveTo(n)
	}
	c.inline(e)
	c.hiddenText(n, e)
}

// inline goes through the content of a paragraph, a run or what is around runs.
func (c *collector) inline(e *el) {
	for _, k := range e.kids {
		switch {
		case k.local == "" || k.irrelevant():
		case k.space == nsW:
			c.startWord(e, k)
		case k.is(nsMath, "oMath") || k.is(nsMath, "oMathPara"):
			text := equation.Text(c.part.doc[k.start:])
			c.addItem(formats.FactEquation, "", "equation “"+clip(text, 200)+"”", k.sum(c.relTargets(c.part), nil), "", "lost: an equation “"+clip(text, 60)+"”")
		case isDrawing(k):
			c.drawing(k)
		default:
			c.addRest(k)
		}
	}
}

// startWord takes an element of WordprocessingML in e.
func (c *collector) startWord(e, k *el) {
	switch k.local {
	case "r":
		c.trackedProps(k.child("rPr"))
		c.inline(k)
	case "t", "tab", "cr", "noBreakHyphen", "softHyphen", "rPr", "fldChar", "instrText", "delInstrText", "delText", "footnoteRef", "endnoteRef", "annotationRef",
		"footnoteReference", "endnoteReference", "commentReference", "commentRangeStart", "commentRangeEnd", "permEnd",
		"moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd", "sdtEndPr":
	case "pPr":
		c.trackedProps(k)
		if s := k.child("sectPr"); s != nil {
			c.sections = append(c.sections, pageSetup{c.cur, s, c.part})
			c.trackedProps(s)
		}
		c.trackedProps(k.child("rPr"))
	case "br":
		switch kind := k.attr("type"); {
		case kind == "page" || kind == "column":
			c.addItem(formats.FactBreak, kind, kind+" break", inventory.Sum{}, "", "")
		case k.attr("clear") != "":
			c.addItem(formats.FactBreak, "clear", "line break below what stands beside, "+k.attr("clear"), inventory.Sum{}, "", "")
		}
	case "hyperlink":
		c.link(k)
		c.inline(k)
	case "ins", "moveTo":
		c.trackedText(k, k.local)
		c.inline(k)
	case "del", "moveFrom":
		c.trackedText(k, k.local)
	case "sdt":
		t := c.controlItem(k.child("sdtPr"))
		t.Key, t.At, t.Was = c.key+" "+t.Key, c.at, c.was
		c.in.Add(t)
		c.inline(k)
	case "sdtPr", "smartTagPr", "customXmlPr":
	case "sdtContent":
		c.inline(k)
	case "smartTag", "customXml":
		text := "tag " + k.attr("element")
		c.addItem(formats.FactControl, "tag", text, (&el{attrs: k.attrs, kids: onlyKids(k, k.local+"Pr")}).sum(nil, nil), "", "")
		c.inline(k)
	case "fldSimple":
		c.inline(k)
	case "dir", "bdo":
		c.addItem(formats.FactSymbol, "dir", "text direction "+k.attr("val"), inventory.Sum{}, "", "")
		c.inline(k)
	case "bookmarkStart":
		c.bookmark(k)
	case "permStart":
		c.addItem(formats.FactProtection, "perm", "text that "+permWho(k)+" may edit", k.sum(nil, nil), "", "")
	case "ruby":
		c.addItem(formats.FactSymbol, "ruby", "phonetic guide “"+k.child("rt").words()+"” over “"+k.child("rubyBase").words()+"”", k.sum(nil, nil), "", "")
	case "sym":
		c.addItem(formats.FactSymbol, "sym", "symbol "+k.attr("char")+" of "+k.attr("font"), inventory.Sum{}, "", "")
	case "subDoc":
		to, sum, parts := c.relTarget(k)
		c.addItem(formats.FactObject, "subDoc", "embedded document "+to, sum, "new embedded document: "+to, "lost: an embedded document", parts...)
	case "contentPart":
		_, sum, parts := c.relTarget(k)
		c.addItem(formats.FactShape, "ink", "ink", sum, "", "lost: ink", parts...)
	case "ptab", "pgNum", "dayShort", "dayLong", "monthShort", "monthLong", "yearShort", "yearLong", "separator", "continuationSeparator":
		c.addItem(formats.FactSymbol, k.local, spaced(splitWords(k.local), attrsWord(nil, k)), k.sum(nil, nil), "", "")
	default:
		if isDrawing(k) {
			c.drawing(k)
			return
		}
		text := spaced(splitWords(k.local), attrsWord(nil, k))
		c.addItem(formats.FactPart, k.local, text, k.sum(c.relTargets(c.part), nil), "holds what cannot be told here: "+text, "lost: "+text)
	}
}

func onlyKids(e *el, local string) []*el {
	if k := e.child(local); k != nil {
		return []*el{k}
	}
	return nil
}

// words returns the text of the runs below e.
func (e *el) words() string {
	if e == nil {
		return ""
	}
	var sb strings.Builder
	var walk func(e *el)
	walk = func(e *el) {
		for _, k := range e.kids {
			switch {
			case k.local == "":
			case k.w("t", "delText"):
				sb.WriteString(k.plain())
			case k.w("tab"):
				sb.WriteByte('\t')
			case k.w("br", "cr"):
				sb.WriteByte('\n')
			case k.local == "Fallback":
			default:
				walk(k)
			}
		}
	}
	walk(e)
	return sb.String()
}

func (c *collector) link(k *el) {
	to := ""
	if id := k.rel("id"); id != "" {
		if r, ok := c.relation(c.part.name, id); ok {
			to = r.Target
		} else {
			to = "a target that is missing"
		}
	}
	if a := k.attr("anchor"); a != "" {
		to += "#" + a
	}
	sum := (&el{local: "hyperlink", attrs: slices.DeleteFunc(slices.Clone(k.attrs), func(a elAttr) bool { return a.space == nsR || a.local == "anchor" })}).sum(nil, nil)
	c.addItem(formats.FactLink, "link", "“"+clip(k.words(), 100)+"” → "+to, sum, "", "")
}

func (c *collector) bookmark(k *el) {
	name := k.attr("name")
	if name == "_GoBack" { // where Word last stood
		return
	}
	sum := (&el{attrs: slices.DeleteFunc(slices.Clone(k.attrs), func(a elAttr) bool { return a.local == "id" || a.local == "name" })}).sum(nil, nil)
	c.in.Add(inventory.Item{Kind: formats.FactBookmark, Key: name, At: c.at, Was: c.was, Text: "“" + name + "”", Sum: sum})
}

var controlWords = map[string]wording{"alias": {"title", valWord}, "tag": {"tag", valWord}, "lock": {"lock", valWord}, "dataBinding": {"bound to", func(_ *describer, e *el) string { return e.attr("xpath") }}, "showingPlcHdr": {"shows its placeholder", nil}, "temporary": {"goes when edited", nil},
	"checkbox": {"check box", func(_ *describer, e *el) string {
		if e.child("checked").on() {
			return "checked"
		}
		return "not checked"
	}}, "date": {"date", func(_ *describer, e *el) string {
		format := e.child("dateFormat").attr("val")
		if format != "" && format != "yyyy-MM-dd" {
			format = "format " + format
		} else {
			format = ""
		}
		return strings.TrimSpace(format + " " + e.attr("fullDate"))
	}},
	"dropDownList": {"choices", choicesWord}, "comboBox": {"choices", choicesWord}, "text": {"plain text", nil}, "picture": {"picture", nil}, "richText": {"rich text", nil}, "docPartObj": {"gallery", kidsWord}, "placeholder": {"placeholder", kidsWord}}

func choicesWord(_ *describer, e *el) string {
	var out []string
	for _, k := range e.kids {
		if k.local == "listItem" {
			v := k.attr("displayText")
			if v == "" {
				v = k.attr("value")
			}
			out = append(out, "“"+v+"”")
		}
	}
	return clip(strings.Join(out, ", "), 200)
}

// controlItem returns the item of a content control (17.5.2).
func (c *collector) controlItem(pr *el) inventory.Item {
	t := inventory.Item{Kind: formats.FactControl, Key: "control", Text: "content control"}
	if pr == nil {
		return t
	}
	w := c.describer(c.part)
	props := w.props(pr, controlWords, nil)
	delete(props, "id")
	t.Key += " " + pr.child("tag").attr("val") + pr.child("alias").attr("val")
	if say := props.String(); say != "" {
		t.Text += ": " + say
	}
	t.Sum = pr.sum(nil, func(e *el) bool { return e.local == "id" })
	if l := pr.child("lock").attr("val"); l != "" && l != "unlocked" {
		t.WarnRemoved = "the lock on a content control is gone"
	}
	return t
}

// isDrawing reports whether e is a picture, a shape or another object.
func isDrawing(e *el) bool { return e.w("drawing", "pict", "object") || e.is(nsMC, "AlternateContent") }

// objectName returns what is in a text for an element.
func objectName(k *el) string {
	switch {
	case isDrawing(k):
		return "object"
	case k.is(nsMath, "oMath") || k.is(nsMath, "oMathPara"):
		return "equation"
	case k.w("br"):
		return k.attr("type") + " break"
	}
	return splitWords(k.local)
}

// inBox reports whether e is the text of a shape, which is reported by its own
// paragraphs; the copy for older programs is when it says the same.
func boxText(e *el) func(*el) bool {
	var first []byte
	seen := false
	return func(k *el) bool {
		if !k.w("txbxContent") {
			return false
		}
		text := []byte(k.words())
		if !seen {
			first, seen = text, true
			return true
		}
		return bytes.Equal(first, text)
	}
}
