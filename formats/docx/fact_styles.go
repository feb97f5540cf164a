package docx

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/xmlscan"
)

// styleSheet is styles.xml with where each style stands.
type styleSheet struct {
	part  *part // nil: the document has no styles
	spans map[string]styleSpan
	order []string
	cache map[string]*el
}

type styleSpan struct {
	name, kind, based string
	start, end        int
	byDefault         bool
}

func (d *document) readSheet(ctx context.Context) (styleSheet, error) {
	s := styleSheet{spans: map[string]styleSpan{}, cache: map[string]*el{}}
	name, doc, err := d.related(ctx, "styles")
	if err != nil || name == "" {
		return s, err
	}
	s.part = &part{textPart: textPart{name: name}, doc: doc}
	sc := xmlscan.New(doc)
	id := ""
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Depth == 2 && t.Is(nsW, "style"):
			id = t.AttrLocal("styleId")
			if _, twice := s.spans[id]; !twice {
				s.order = append(s.order, id)
			}
			def := t.AttrLocal("default")
			s.spans[id] = styleSpan{kind: t.AttrLocal("type"), start: t.Start, end: t.End, byDefault: def == "1" || def == "true"}
		case t.Kind == xmlscan.End && t.Depth == 2 && t.Local == "style":
			st := s.spans[id]
			st.end = t.End
			s.spans[id] = st
		case t.Kind == xmlscan.Start && t.Depth == 3 && (t.Local == "name" || t.Local == "basedOn"):
			st, ok := s.spans[id]
			if !ok {
				break
			}
			if t.Local == "name" {
				st.name = t.AttrLocal("val")
			} else {
				st.based = t.AttrLocal("val")
			}
			s.spans[id] = st
		}
	}
	return s, corrupt(name, sc.Err())
}

// name returns what a style is called.
func (s styleSheet) name(id string) string {
	if st, ok := s.spans[id]; ok && st.name != "" {
		return "“" + st.name + "”"
	}
	return "“" + id + "”"
}

// style returns the element of a style, nil when there is none.
func (s styleSheet) style(id string) *el {
	st, ok := s.spans[id]
	if !ok {
		return nil
	}
	if s.cache[id] == nil {
		s.cache[id] = s.part.elementAt(st.start, st.end)
	}
	return s.cache[id]
}

// defaultFor returns the style of paragraphs that name none.
func (s styleSheet) defaultFor(kind string) string {
	for _, id := range s.order {
		if st := s.spans[id]; st.byDefault && st.kind == kind {
			return id
		}
	}
	return ""
}

// flatStyle returns all of a style as one set of properties.
func (s *comparedSide) flatStyle(e *el) propSet {
	w := s.describer(s.sheet.part)
	out := propSet{}
	for _, k := range e.kids {
		switch k.local {
		case "", "rsid":
		case "pPr":
			put(out, "", w.props(k, paraWords, nil))
		case "rPr":
			put(out, "", w.props(k, runWords, nil))
		case "tblPr", "trPr", "tcPr":
			put(out, "", w.props(k, tableWords, nil))
		case "tblStylePr":
			put(out, splitWords(k.attr("type"))+": ", s.flatStyle(k))
		default:
			w.addProp(out, k, styleWords, nil)
		}
	}
	return out
}

func put(out propSet, prefix string, more propSet) {
	for k, p := range more {
		p.label = prefix + p.label
		out[prefix+k] = p
	}
}

var styleWords = map[string]wording{"name": {"name", valWord}, "basedOn": {"based on", styleWord}, "next": {"followed by", styleWord}, "link": {"linked to", styleWord}, "uiPriority": {"place in the list", valWord}, "qFormat": {"in the gallery", nil}, "semiHidden": {"hidden in lists", nil}, "unhideWhenUsed": {"shown when used", nil}, "locked": {"locked", nil}, "aliases": {"other names", valWord}}

// addStyles adds the styles that differ, with what differs in them, and the
// formatting of all text.
func (s *comparedSide) addStyles(ctx context.Context) error {
	if s.sheet.part == nil {
		return nil
	}
	s.in.Cover(s.sheet.part.name)
	for i, id := range s.sheet.order {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		st := s.sheet.spans[id]
		own := s.sheet.part.doc[st.start:st.end]
		var theirs []byte
		if o, ok := s.other.sheet.spans[id]; ok {
			theirs = s.other.sheet.part.doc[o.start:o.end]
		}
		if bytes.Equal(own, theirs) {
			continue
		}
		t := inventory.Item{Kind: formats.FactStyle, Key: id, At: "style " + s.sheet.name(id)}
		if n := s.usage[id] + s.other.usage[id]; n > 0 && theirs != nil {
			t.At += fmt.Sprintf(" (%s)", formats.Count(max(s.usage[id], s.other.usage[id]), "paragraph"))
			if !s.before {
				s.other.styleAt[id] = t.At
			}
		}
		if s.before && s.styleAt[id] != "" {
			t.At = s.styleAt[id]
		}
		e := s.sheet.style(id)
		t.Sum = e.sum(nil, nil)
		mine := s.flatStyle(e)
		if theirs == nil {
			t.Text = clip(mine.String(), 400)
		} else {
			t.Text = mine.only(s.other.flatStyle(s.other.sheet.style(id))).String()
		}
		if why := s.styleHides(mine); why != "" {
			t.WarnAdded = "text in this style is " + why
		}
		s.in.Add(t)
	}
	s.addDefaults()
	return nil
}

// styleHides returns why text in a style cannot be seen.
func (s *comparedSide) styleHides(p propSet) string {
	switch color := p["color"]; {
	case p["vanish"].label != "" && !p["vanish"].off:
		return "hidden"
	case color.value == "white" && p["shd"].label == "" && p["highlight"].label == "":
		return "white"
	case p["sz"].value == "0.5 pt" || p["sz"].value == "1 pt":
		return "too small to read"
	}
	return ""
}

// only returns what differs from another set.
func (s propSet) only(other propSet) propSet {
	out := propSet{}
	for k, p := range s {
		if other[k].key != p.key {
			out[k] = p
		}
	}
	return out
}

// addDefaults adds what is in the style sheet beside the styles.
func (s *comparedSide) addDefaults() {
	mine, theirs := s.sheetDefaults(), s.other.sheetDefaults()
	if mine.props == nil {
		return
	}
	text := mine.props.only(theirs.props)
	s.in.Add(inventory.Item{Kind: formats.FactStyle, Key: "default formatting", At: "default formatting", Text: text.String(), Sum: mine.props.sum()},
		inventory.Item{Kind: formats.FactStyle, Key: "built-in styles", At: "built-in styles", Text: "what is shown of them", Sum: mine.rest})
}

type sheetDefaults struct {
	props propSet
	rest  inventory.Sum
}

func (s *comparedSide) sheetDefaults() sheetDefaults {
	if s.sheet.part == nil {
		return sheetDefaults{}
	}
	out := sheetDefaults{props: propSet{}}
	w := s.describer(s.sheet.part)
	var rest bytes.Buffer
	sc := xmlscan.New(s.sheet.part.doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind != xmlscan.Start || t.Depth != 2:
		case t.Local == "style":
			sc.Skip()
		case t.Local == "docDefaults":
			e := readElement(sc)
			put(out.props, "", w.props(e.child("pPrDefault").child("pPr"), paraWords, nil))
			put(out.props, "", w.props(e.child("rPrDefault").child("rPr"), runWords, nil))
		default:
			readElement(sc).canon(&rest, nil, nil)
		}
	}
	out.rest = inventory.SumOf(rest.Bytes())
	return out
}

func (s propSet) sum() inventory.Sum {
	var list [][]byte
	for k, p := range s {
		list = append(list, append([]byte(k+" "), p.key[:]...))
	}
	slices.SortFunc(list, bytes.Compare)
	return inventory.SumOf(list...)
}

// listSheet is numbering.xml: the lists by their numbers.
type listSheet struct {
	part  *part
	nums  map[string]numSpan // w:num
	kinds map[string]span    // w:abstractNum
	cache map[string]*el
	style func(string) string
}

type numSpan struct {
	span
	abstract string
}

func (d *document) readNumbering(ctx context.Context) (listSheet, error) {
	n := listSheet{nums: map[string]numSpan{}, kinds: map[string]span{}, cache: map[string]*el{}}
	name, doc, err := d.related(ctx, "numbering")
	if err != nil || name == "" {
		return n, err
	}
	n.part = &part{textPart: textPart{name: name}, doc: doc}
	sc := xmlscan.New(doc)
	num := ""
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Space != nsW {
			continue
		}
		switch {
		case t.Depth == 2 && t.Local == "abstractNum":
			id := t.AttrLocal("abstractNumId")
			n.kinds[id] = span{t.Start, sc.Skip()}
		case t.Depth == 2 && t.Local == "num":
			num = t.AttrLocal("numId")
			end := elementEnd(doc, t)
			n.nums[num] = numSpan{span: span{t.Start, end}}
		case t.Depth == 3 && t.Local == "abstractNumId":
			if at, ok := n.nums[num]; ok {
				at.abstract = t.AttrLocal("val")
				n.nums[num] = at
			}
		}
	}
	return n, corrupt(name, sc.Err())
}

// elementEnd returns the offset after an element that has just begun.
func elementEnd(doc []byte, t xmlscan.Token) int {
	sc := xmlscan.New(doc[t.Start:])
	if !sc.Next() {
		return t.End
	}
	return t.Start + sc.Skip()
}

func (n listSheet) kind(id string) *el {
	at, ok := n.kinds[id]
	if !ok {
		return nil
	}
	if n.cache[id] == nil {
		n.cache[id] = n.part.elementAt(at.start, at.end)
	}
	return n.cache[id]
}

// describeLevel returns a list by what its items are led by: “1.”, “•”.
func (n listSheet) describeLevel(numID, level string) string {
	if numID == "0" || numID == "" {
		return "none"
	}
	out := "level " + fmt.Sprint(max(0, atoi(level))+1)
	if sign := levelSign(n.kind(n.nums[numID].abstract), level); sign != "" {
		return "“" + sign + "”, " + out
	}
	return numID + ", " + out
}

var numberSamples = map[string]string{"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I", "decimalZero": "01", "ordinal": "1st", "cardinalText": "One", "ordinalText": "First"}

// levelSign returns what the first item of a level is led by.
func levelSign(kind *el, level string) string {
	if kind == nil {
		return ""
	}
	formatsOf := map[string]string{}
	sign := ""
	for _, l := range kind.kids {
		if l.local != "lvl" {
			continue
		}
		formatsOf[l.attr("ilvl")] = l.child("numFmt").attr("val")
		if l.attr("ilvl") == level {
			sign = l.child("lvlText").attr("val")
		}
	}
	if formatsOf[level] == "bullet" {
		return bulletSign(sign)
	}
	for i := range 9 {
		sample := numberSamples[formatsOf[fmt.Sprint(i)]]
		if sample == "" {
			sample = "1"
		}
		sign = strings.ReplaceAll(sign, fmt.Sprintf("%%%d", i+1), sample)
	}
	return sign
}

// bulletSign shows the private characters of symbol fonts as what they look like.
func bulletSign(s string) string {
	for _, r := range s {
		if r >= 0xE000 && r <= 0xF8FF {
			return "•"
		}
	}
	return s
}

// addNumbering adds the lists that differ.
func (s *comparedSide) addNumbering() {
	if s.lists.part == nil {
		return
	}
	s.in.Cover(s.lists.part.name)
	w := s.describer(s.lists.part)
	for _, id := range sortedKeys(s.lists.kinds) {
		at := s.lists.kinds[id]
		own := s.lists.part.doc[at.start:at.end]
		if o, ok := s.other.lists.kinds[id]; ok && bytes.Equal(own, s.other.lists.part.doc[o.start:o.end]) {
			continue
		}
		e := s.lists.kind(id)
		s.in.Add(inventory.Item{Kind: formats.FactList, Key: "kind " + id, At: "list definition " + id, Text: s.describeList(w, e, s.other.lists.kind(id)), Sum: e.sum(s.relTargets(s.lists.part), nil)})
	}
	for _, id := range sortedKeys(s.lists.nums) {
		at := s.lists.nums[id]
		own := s.lists.part.doc[at.start:at.end]
		if o, ok := s.other.lists.nums[id]; ok && bytes.Equal(own, s.other.lists.part.doc[o.start:o.end]) {
			continue
		}
		e := s.lists.part.elementAt(at.start, at.end)
		text := s.lists.describeLevel(id, "0")
		if e.child("lvlOverride") != nil {
			text += ", " + kidsWord(nil, e.child("lvlOverride"))
		}
		s.in.Add(inventory.Item{Kind: formats.FactList, Key: "num " + id, At: "list " + id, Text: text, Sum: e.sum(nil, nil)})
	}
	var rest bytes.Buffer
	sc := xmlscan.New(s.lists.part.doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Depth == 2 {
			if t.Local == "abstractNum" || t.Local == "num" {
				sc.Skip()
				continue
			}
			readElement(sc).canon(&rest, s.relTargets(s.lists.part), nil)
		}
	}
	if rest.Len() > 0 {
		s.in.Add(inventory.Item{Kind: formats.FactList, Key: "picture bullets", At: "lists", Text: "pictures that lead items", Sum: inventory.SumOf(rest.Bytes()), Parts: s.partsBelow(s.lists.part.name)})
	}
}

// describeList names the levels of a list; of one that is on the other side too, the
// levels that differ.
func (s *comparedSide) describeList(w *describer, e, other *el) string {
	theirs := map[string]propSet{}
	if other != nil {
		for _, l := range other.kids {
			if l.local == "lvl" {
				theirs[l.attr("ilvl")] = levelProps(w, l)
			}
		}
	}
	var out []string
	for _, l := range e.kids {
		if l.local != "lvl" {
			continue
		}
		level := fmt.Sprint(max(0, atoi(l.attr("ilvl"))) + 1)
		sign := levelSign(e, l.attr("ilvl"))
		if other == nil {
			out = append(out, "“"+sign+"”")
		} else if diff := levelProps(w, l).only(theirs[l.attr("ilvl")]); len(diff) > 0 {
			out = append(out, "level "+level+" “"+sign+"”: "+diff.String())
		}
	}
	return clip(strings.Join(out, ", "), 400)
}

func levelProps(w *describer, l *el) propSet {
	out := propSet{}
	for _, k := range l.kids {
		switch k.local {
		case "":
		case "pPr":
			put(out, "", w.props(k, paraWords, nil))
		case "rPr":
			put(out, "", w.props(k, runWords, nil))
		default:
			w.addProp(out, k, listWords, nil)
		}
	}
	return out
}

var listWords = map[string]wording{"start": {"begins at", valWord}, "numFmt": {"numbers", valWord}, "lvlText": {"text", func(_ *describer, e *el) string { return "“" + bulletSign(e.attr("val")) + "”" }}, "lvlJc": {"alignment", alignWord}, "pStyle": {"of the style", styleWord}, "suff": {"followed by", valWord}, "isLgl": {"all decimal", nil}, "lvlRestart": {"begins again after level", valWord}}
