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

// inventories lists what both sides hold beside text and its looks, and
// compares.
func (c *comparison) inventories(ctx context.Context) ([]formats.Fact, error) {
	found := [2]*collector{}
	for i, s := range []*comparedSide{c.b, c.a} {
		var err error
		if found[i], err = s.collect(); err != nil {
			return nil, err
		}
		found[i].addNotes()
		if err := s.addStyles(ctx); err != nil {
			return nil, err
		}
		s.addNumbering()
		for _, add := range []func() error{s.addHeaders, s.addSettings, s.addParts} {
			if err := add(); err != nil {
				return nil, err
			}
		}
		if s.err != nil {
			return nil, s.err
		}
	}
	pairSections(found[1], found[0])
	for _, st := range c.b.stories {
		if st.part.stories[0] == st.node {
			c.rowsAndCells(st.part)
		}
	}
	c.compareLoose(found[1].tracked, found[0].tracked)
	c.compareLoose(found[1].hidden, found[0].hidden)
	return inventory.Compare(ctx, c.a.in, c.b.in)
}

// pairSections adds the sections of both sides: breaks that came and went, and
// what differs in the set-up of pages.
func pairSections(a, b *collector) {
	pair := make([]int, len(b.sections)) // section of a, -1 for none
	taken := make([]bool, len(a.sections))
	for j := range b.sections {
		pair[j] = -1
		for i := range a.sections {
			x, y := a.sections[i].end, b.sections[j].end
			if !taken[i] && (x == nil && y == nil || x != nil && y != nil && a.counterpart[x] == y) {
				pair[j], taken[i] = i, true
				break
			}
		}
	}
	said := func(c *collector, s pageSetup) propSet {
		return c.describer(s.part).props(s.e, sectionWords, c.relTargets(s.part))
	}
	place := func(c *collector, i int) string {
		if len(a.sections) == 1 && len(b.sections) == 1 {
			return "document"
		}
		return fmt.Sprintf("section %d", i+1)
	}
	alone := func(c *collector, i int) {
		s := c.sections[i]
		t := inventory.Item{Kind: formats.FactSection, Key: fmt.Sprint("section ", i), Text: "section: " + said(c, s).String(), Sum: s.e.sum(c.relTargets(s.part), func(k *el) bool { return handledElsewhere[k.local] })}
		if t.At = place(c, i); s.end != nil {
			t.At += ", up to " + c.placeWithStory(s.end)
		}
		c.in.Add(t)
	}
	for j, i := range pair {
		if i < 0 {
			alone(b, j)
			continue
		}
		sa, sb := a.sections[i], b.sections[j]
		was, now := said(a, sa), said(b, sb)
		key, at := fmt.Sprint("page set-up ", j), place(b, j)
		attrs := func(e *el) inventory.Sum { return (&el{attrs: e.attrs}).sum(nil, nil) }
		sumA, sumB := was.sum(), now.sum()
		atA, atB := attrs(sa.e), attrs(sb.e)
		a.in.Add(inventory.Item{Kind: formats.FactPageSetup, Key: key, At: at, Text: was.only(now).String(), Sum: inventory.SumOf(sumA[:], atA[:])})
		t := inventory.Item{Kind: formats.FactPageSetup, Key: key, At: at, Text: now.only(was).String(), Sum: inventory.SumOf(sumB[:], atB[:])}
		if j == 0 { // later sections continue with those of the one before
			t.WarnAdded = unused(was, now)
		}
		b.in.Add(t)
	}
	for i := range a.sections {
		if !taken[i] {
			alone(a, i)
		}
	}
}

// unused names the headers and footers that pages no longer show.
func unused(was, now propSet) string {
	var out []string
	for _, k := range sortedKeys(was) {
		if _, still := now[k]; !still && strings.Contains(k, "Reference") {
			out = append(out, was[k].String())
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "no longer shown: " + strings.Join(out, ", ")
}

func (c *collector) placeWithStory(n *node) string { return c.comparedSide.place(n) }

// addHeaders adds headers and footers as such; their text is reported as text.
func (s *comparedSide) addHeaders() error {
	for _, st := range s.stories {
		kind := map[string]string{"header": formats.FactHeader, "footer": formats.FactFooter}[st.part.word]
		if kind == "" {
			continue
		}
		name := s.partName[st.part.name]
		t := inventory.Item{Kind: kind, Key: name, At: name, Text: name}
		var texts []string
		for _, l := range st.lines {
			if l.text != "" {
				texts = append(texts, l.text)
			}
		}
		if st.pair == nil {
			if len(texts) > 0 {
				t.Text = "“" + clip(strings.Join(texts, " / "), 200) + "”"
			}
			t.WarnRemoved = "lost: a " + st.part.word
		}
		s.in.Add(t)
	}
	return nil
}

// addNotes adds comments and notes with their places and states; their text is
// reported as text where they are on both sides.
func (c *collector) addNotes() {
	states := c.commentStates()
	for _, st := range c.stories {
		word := st.part.word
		if word != "comments" && word != "footnotes" && word != "endnotes" {
			continue
		}
		id := st.node.id
		ref := c.reference(strings.TrimSuffix(word, "s") + " " + id)
		pairID := id
		if c.before {
			if pairID = "gone " + id; st.pair != nil {
				pairID = st.pair.node.id
			}
		}
		t := inventory.Item{Kind: formats.FactNote, Key: word + " " + pairID, At: ref.at, Was: ref.was, Text: strings.TrimSuffix(word, "s")}
		if t.At == "" {
			t.At, t.Text = t.Text+" "+id, t.Text+" without a place in the text"
			t.WarnAdded = "nothing in the text refers to it"
		}
		var text []string
		for _, l := range st.lines {
			text = append(text, l.text)
		}
		e := st.part.openTag(st.node)
		if word == "comments" {
			t.Kind, t.Text = formats.FactComment, strings.Replace(t.Text, "comment", "comment by "+e.attr("author"), 1)
			t.Revertible = !c.before && st.pair == nil
			if state := states[lastParagraphID(st)]; state.words != "" {
				t.Text += ", " + state.words
			}
			if on := strings.TrimSpace(ref.on.String()); on != "" && st.pair == nil {
				t.Text += " on “" + clip(on, 80) + "”"
			}
			t.Sum = (&el{attrs: slices.DeleteFunc(e.attrs, func(a elAttr) bool { return a.local == "id" })}).sum(nil, nil)
		}
		if st.pair == nil {
			t.Text += ": “" + clip(strings.Join(text, " / "), 300) + "”"
			t.WarnRemoved = "lost: " + t.Text
		}
		c.in.Add(t)
	}
}

// openTag returns the start tag of a block.
func (p *part) openTag(n *node) *el {
	sc := xmlscan.New(p.doc[n.start:n.inner])
	sc.Next()
	return newEl(sc)
}

// lastParagraphID returns what the extended parts know a comment by (MS-DOCX
// 2.5.3).
func lastParagraphID(st *storyText) string {
	id := ""
	for _, k := range st.node.kids {
		if k.kind == paraNode {
			id = k.id
		}
	}
	return strings.ToUpper(id)
}

type commentState struct{ words string }

// commentStates reads which comments are resolved or replies, and claims the
// parts that only number comments for programs.
func (c *collector) commentStates() map[string]commentState {
	out := map[string]commentState{}
	rels, err := c.pkg.Rels(c.ctx, c.main)
	if err != nil {
		return out
	}
	for _, r := range rels {
		kind := kindOfRel(r.Type)
		if r.External || !c.pkg.Has(r.Target) || kind != "commentsExtended" && kind != "commentsIds" && kind != "commentsExtensible" && kind != "people" {
			continue
		}
		if kind != "commentsExtended" {
			c.addTree(formats.FactComment, r.Target, map[string]string{"people": "authors of comments", "commentsIds": "numbers of comments", "commentsExtensible": "dates of comments"}[kind], "comments")
			continue
		}
		c.in.Cover(r.Target)
		doc, err := c.pkg.ReadXML(c.ctx, r.Target)
		if err != nil {
			continue
		}
		for _, k := range (&part{doc: doc}).root().kids {
			var words []string
			if k.attr("paraIdParent") != "" {
				words = append(words, "a reply")
			}
			if v := k.attr("done"); v == "1" || v == "true" {
				words = append(words, "resolved")
			}
			out[strings.ToUpper(k.attr("paraId"))] = commentState{strings.Join(words, ", ")}
		}
	}
	return out
}

// root returns the whole of a small part.
func (p *part) root() *el {
	sc := xmlscan.New(p.doc)
	for sc.Next() {
		if sc.Token().Kind == xmlscan.Start {
			return readElement(sc)
		}
	}
	return &el{}
}

// addTree adds a part with all it leads to as one item.
func (s *comparedSide) addTree(kind, name, text, at string) {
	t, err := inventory.TreeItem(s.ctx, s.pkg, kind, name, text)
	if err != nil && s.err == nil {
		s.err = err
	}
	t.At = at
	if kind != formats.FactProperty && kind != formats.FactComment {
		t.WarnRemoved = "lost: " + text
	}
	s.in.Add(t)
}

// addParts adds the parts beside the text that the document leads to.
func (s *comparedSide) addParts() error {
	if err := s.in.AddProperties(s.ctx); err != nil {
		return err
	}
	rels, err := s.pkg.Rels(s.ctx, s.main)
	if err != nil {
		return err
	}
	count := map[string]int{}
	for _, r := range rels {
		if r.External || !s.pkg.Has(r.Target) {
			continue
		}
		kind := kindOfRel(r.Type)
		count[kind]++
		switch kind {
		case "theme":
			if err := s.in.AddTheme(s.ctx, r.Target, "theme"); err != nil {
				return err
			}
		case "webSettings":
			s.addNamed(r.Target, formats.FactProperty, "web settings")
		case "fontTable":
			s.addFonts(r.Target)
		case "stylesWithEffects":
			s.addTree(formats.FactStyle, r.Target, "copy of the styles for Word 2010", "styles")
		case "glossaryDocument":
			s.addTree(formats.FactProperty, r.Target, "building blocks", "document")
		case "customXml":
			s.addTree(formats.FactProperty, r.Target, fmt.Sprintf("custom XML data %d", count[kind]), "document")
		case "diagramDrawing":
			s.addTree(formats.FactDiagram, r.Target, "stored drawing of SmartArt", fmt.Sprintf("SmartArt %d", count[kind]))
		case "keyMapCustomizations", "recipientData", "attachedToolbars", "mailMergeHeaderSource":
			s.addTree(formats.FactProperty, r.Target, splitWords(kind), "document")
		}
	}
	root, err := s.pkg.Rels(s.ctx, "")
	if err != nil {
		return err
	}
	for _, r := range root {
		if r.External || !s.pkg.Has(r.Target) {
			continue
		}
		switch kind := kindOfRel(r.Type); {
		case kind == "thumbnail":
			s.addTree(formats.FactProperty, r.Target, "small picture of the first page", "document")
		case r.Type == relSignature:
			s.addTree(formats.FactProtection, r.Target, "digital signature", "document")
		case kind == "classificationlabels":
			s.addTree(formats.FactProtection, r.Target, "sensitivity label", "document")
		}
	}
	return nil
}

// addNamed adds each child of a part's root as a property.
func (s *comparedSide) addNamed(name, kind, at string) {
	doc, err := s.pkg.ReadXML(s.ctx, name)
	if err != nil {
		return
	}
	s.in.Cover(name)
	p := &part{textPart: textPart{name: name}, doc: doc}
	s.rels[name], _ = s.pkg.Rels(s.ctx, name)
	w := s.describer(p)
	props := propSet{}
	for _, k := range p.root().kids {
		if k.local != "" {
			w.addProp(props, k, nil, s.relTargets(p))
		}
	}
	for _, k := range sortedKeys(props) {
		s.in.Add(inventory.Item{Kind: kind, Key: name + " " + k, At: at, Text: props[k].String(), Sum: props[k].key})
	}
}

// addFonts adds the fonts that the file names or holds.
func (s *comparedSide) addFonts(name string) {
	doc, err := s.pkg.ReadXML(s.ctx, name)
	if err != nil {
		return
	}
	s.in.Cover(name)
	s.in.Cover(s.partsBelow(name)...)
	p := &part{textPart: textPart{name: name}, doc: doc}
	s.rels[name], _ = s.pkg.Rels(s.ctx, name)
	for _, k := range p.root().kids {
		if k.local == "" {
			continue
		}
		text := "font " + k.attr("name")
		if k.find(func(e *el) bool { return strings.HasPrefix(e.local, "embed") }, nil) != nil {
			text += ", embedded"
		}
		s.in.Add(inventory.Item{Kind: formats.FactProperty, Key: name + " " + k.attr("name"), At: "font table", Text: text, Sum: k.sum(s.relTargets(p), nil)})
	}
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b string) int {
		if len(a) != len(b) && atoi(a) >= 0 && atoi(b) >= 0 {
			return len(a) - len(b)
		}
		return bytes.Compare([]byte(a), []byte(b))
	})
	return out
}
