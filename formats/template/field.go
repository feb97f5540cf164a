package template

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// fields replaces the merge fields of Word (17.16.5.35) and the text of content
// controls (17.5.2) that the data has a name for by placeholders.
func (f *filler) fields(ctx context.Context, doc []byte) ([]byte, error) {
	if bytes.Contains(doc, []byte("MERGEFIELD")) || bytes.Contains(doc, []byte("NEXT")) {
		t, err := tree.Parse(ctx, doc, nil)
		if err != nil {
			return nil, err
		}
		var edits []xmlscan.Splice
		for n := range t.Root.All() {
			switch {
			case n.Is(nsWord, "fldSimple"):
				edits = f.simpleField(t, n, edits)
			case n.First != nil:
				edits = f.complexFields(t, n, edits)
			}
		}
		doc = xmlscan.Apply(doc, edits)
	}
	if !bytes.Contains(doc, []byte("sdtContent")) {
		return doc, nil
	}
	t, err := tree.Parse(ctx, doc, nil)
	if err != nil {
		return nil, err
	}
	var edits []xmlscan.Splice
	for n := range t.Root.All() {
		if n.Is(nsWord, "sdt") && !inControl(n) {
			edits = f.control(t, n, edits)
		}
	}
	return xmlscan.Apply(doc, edits), nil
}

var (
	mergeField  = lazyregexp.New(`^\s*MERGEFIELD\s+(?:"([^"]+)"|(\S+))(.*)$`)
	fieldSwitch = lazyregexp.New(`\\([@#*bf])\s*(?:"([^"]*)"|(\S+))`)
)

// placeholderOf returns the placeholder that a field code stands for.
func (f *filler) placeholderOf(code string) (string, bool) {
	m := mergeField.FindStringSubmatch(straight.Replace(code))
	if m == nil {
		return "", false
	}
	name := m[1] + m[2]
	if !f.known[normal(name)] || strings.ContainsAny(name, "{}|") {
		f.tally.missing(strings.TrimSpace(code), "a merge field")
		return "", false
	}
	filters := ""
	for _, s := range fieldSwitch.FindAllStringSubmatch(m[3], -1) {
		switch arg := s[2] + s[3]; {
		case s[1] == "@":
			filters += `|date:"` + arg + `"`
		case s[1] == "#":
			filters += `|number:"` + arg + `"`
		case strings.EqualFold(arg, "upper"), strings.EqualFold(arg, "lower"):
			filters += "|" + strings.ToLower(arg)
		case s[1] == "b", s[1] == "f":
			f.tally.Note(`the switch \` + s[1] + ` of merge fields (text before or after) was not applied`)
		}
	}
	return "{{" + name + filters + "}}", true
}

// runOf returns a run with the formatting of like that says text.
func runOf(t *tree.Tree, like *tree.Node, text string) []byte {
	p := strings.TrimSuffix(like.Name(), like.Local)
	return []byte("<" + p + "r>" + string(t.Raw(like.Child(nsWord, "rPr"))) + "<" + p + `t xml:space="preserve">` + xmlscan.Escape(text) + "</" + p + "t></" + p + "r>")
}

func (f *filler) simpleField(t *tree.Tree, n *tree.Node, edits []xmlscan.Splice) []xmlscan.Splice {
	code := ""
	for a := range n.Attributes() {
		if strings.HasSuffix(a.Name, "instr") {
			code = a.Value()
		}
	}
	text, ok := f.textFor(code, false)
	if !ok {
		return edits
	}
	like := n.Child(nsWord, "r")
	if like == nil {
		like = &tree.Node{Token: n.Token}
	}
	return append(edits, xmlscan.Splice{Start: n.Start, End: n.After, New: runOf(t, like, text)})
}

// complexFields replaces the fields whose begin and end are children of n.
func (f *filler) complexFields(t *tree.Tree, n *tree.Node, edits []xmlscan.Splice) []xmlscan.Splice {
	var begin, result *tree.Node
	var code, inner strings.Builder // of the field, and of one in it
	depth, nested, separated := 0, false, false
	for k := range n.Kids() {
		if !k.Is(nsWord, "r") {
			continue
		}
		for c := range k.Kids() {
			switch {
			case c.Is(nsWord, "instrText") && depth == 1:
				code.WriteString(t.Text(c))
			case c.Is(nsWord, "instrText") && depth == 2:
				inner.WriteString(t.Text(c))
			case c.Is(nsWord, "t") && separated && result == nil:
				result = k
			case !c.Is(nsWord, "fldChar"):
			default:
				switch fieldChar(c) {
				case "begin":
					if depth++; depth == 1 {
						begin, result, nested, separated = k, nil, false, false
						code.Reset()
					} else {
						nested = true
						inner.Reset()
					}
				case "separate":
					separated = depth == 1 || separated
				case "end":
					depth = max(depth-1, 0)
					if depth == 1 && !separated {
						code.WriteString(innerName(inner.String()))
					}
					if depth > 0 || begin == nil {
						continue
					}
					if text, ok := f.textFor(code.String(), nested); ok {
						if result == nil {
							result = begin
						}
						edits = append(edits, xmlscan.Splice{Start: begin.Start, End: k.After, New: runOf(t, result, text)})
					}
					begin = nil
				}
			}
		}
	}
	return edits
}

// textFor returns what takes the place of a field.
func (f *filler) textFor(code string, nested bool) (text string, ok bool) {
	if !nested {
		text, ok = f.placeholderOf(code)
	} else {
		text, ok = f.conditional(code)
	}
	if !ok {
		f.keptField(code)
	}
	return text, ok
}

// innerName writes a merge field that is in another one as ifField has it.
func innerName(code string) string {
	if m := mergeField.FindStringSubmatch(straight.Replace(code)); m != nil {
		return "\x00" + m[1] + m[2] + "\x00"
	}
	return "\x00\x00"
}

func fieldChar(n *tree.Node) string {
	for a := range n.Attributes() {
		if strings.HasSuffix(a.Name, "fldCharType") {
			return a.Value()
		}
	}
	return ""
}

// inControl reports whether a content control is inside another.
func inControl(n *tree.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Is(nsWord, "sdt") {
			return true
		}
	}
	return false
}

// wordValue returns the w:val of a child element.
func wordValue(n *tree.Node, child string) string {
	for a := range n.Child(nsWord, child).Attributes() {
		if strings.HasSuffix(a.Name, "val") {
			return a.Value()
		}
	}
	return ""
}

// checkbox puts a condition in place of the sign of a check box ([MS-DOCX] 2.6.1.1);
// tick sets its state when the sign is known.
func (f *filler) checkbox(t *tree.Tree, pr *tree.Node, texts []*tree.Node, name string, edits []xmlscan.Splice) []xmlscan.Splice {
	on, off := "☒", "☐"
	for k := range pr.All() {
		for a := range k.Attributes() {
			if n, err := strconv.ParseUint(a.Value(), 16, 16); err == nil && strings.HasSuffix(a.Name, "val") {
				switch k.Local {
				case "checkedState":
					on = string(rune(n))
				case "uncheckedState":
					off = string(rune(n))
				}
			}
		}
	}
	for i, k := range texts {
		text := ""
		if i == 0 {
			text = xmlscan.Escape("{{#if " + name + "}}" + on + "{{else}}" + off + "{{/if}}")
		}
		edits = append(edits, t.SetText(k, []byte(text)))
	}
	f.boxes[name] = on
	return edits
}

// ticked sets the state of the check boxes of a filled part to what their sign says.
func (f *filler) ticked(ctx context.Context, doc []byte) ([]byte, error) {
	if len(f.boxes) == 0 || !bytes.Contains(doc, []byte("checkedState")) {
		return doc, nil
	}
	t, err := tree.Parse(ctx, doc, nil)
	if err != nil {
		return nil, err
	}
	var edits []xmlscan.Splice
	for n := range t.Root.All() {
		if !n.Is(nsWord, "sdt") {
			continue
		}
		pr := n.Child(nsWord, "sdtPr")
		on := f.boxes[wordValue(pr, "tag")]
		if on == "" {
			on = f.boxes[wordValue(pr, "alias")]
		}
		if on == "" {
			continue
		}
		state := "0"
		for k := range n.Child(nsWord, "sdtContent").All() {
			if k.Is(nsWord, "t") && t.Text(k) == on {
				state = "1"
			}
		}
		for k := range pr.All() {
			if k.Local == "checked" && k.Space != nsWord {
				edits = append(edits, xmlscan.Splice{Start: k.Start, End: k.After, New: []byte("<" + k.Name() + " " + strings.TrimSuffix(k.Name(), "checked") + `val="` + state + `"/>`)})
			}
		}
	}
	return xmlscan.Apply(doc, edits), nil
}

// control puts a placeholder in place of the text of a content control.
func (f *filler) control(t *tree.Tree, n *tree.Node, edits []xmlscan.Splice) []xmlscan.Splice {
	pr := n.Child(nsWord, "sdtPr")
	name := wordValue(pr, "tag")
	if !f.known[normal(name)] {
		name = wordValue(pr, "alias")
	}
	if name == "" || !f.known[normal(name)] {
		return edits
	}
	content := n.Child(nsWord, "sdtContent")
	var texts []*tree.Node
	for k := range content.Kids() {
		if k.Is(nsWord, "tr") || k.Is(nsWord, "tbl") {
			return edits
		}
	}
	for k := range content.All() {
		if k.Is(nsWord, "t") {
			texts = append(texts, k)
		}
	}
	switch {
	case len(texts) == 0:
		f.tally.Note("a content control has no text to take the place of: " + clip(name))
		return edits
	case len(texts) > 0 && bytes.Contains(t.Raw(content), []byte("{{")):
		return edits
	case bytes.Contains(t.Raw(pr), []byte("checkbox")):
		return f.checkbox(t, pr, texts, name, edits)
	}
	for i, k := range texts {
		text := ""
		if i == 0 {
			text = xmlscan.Escape("{{" + name + "}}")
		}
		edits = append(edits, t.SetText(k, []byte(text)))
	}
	if k := pr.Child(nsWord, "showingPlcHdr"); k != nil {
		edits = append(edits, xmlscan.Splice{Start: k.Start, End: k.After})
	}
	if style := texts[0].Parent.Down(nsWord, "rPr", "rStyle"); style != nil && bytes.Contains(t.Raw(style), []byte("PlaceholderText")) {
		edits = append(edits, xmlscan.Splice{Start: style.Start, End: style.After})
	}
	return edits
}
