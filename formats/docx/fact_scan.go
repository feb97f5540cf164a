package docx

import (
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// collector walks the parts of a side and adds an item for everything except
// text and its formatting.
type collector struct {
	*comparedSide
	part     *part
	nodes    map[int]*node // paragraphs of the part by offset
	cur      *node
	at, key  string
	was      string
	pending  []inventory.Item // found between paragraphs: they are at the next one
	left     map[string][]inventory.Sum
	sections []pageSetup
	tracked  []repeatedFact
	unplaced []int // of tracked: found between paragraphs, in the same way
	hidden   []repeatedFact
	refs     map[string]*reference // "footnote 2", "comment 1"
}

// pageSetup is the set-up of the pages up to the paragraph at, or to the end.
type pageSetup struct {
	end  *node
	e    *el
	part *part
}

// reference is where a note or comment is referred to.
type reference struct {
	at, was string
	on      strings.Builder // the words a comment is about
}

// collect walks all parts with text.
func (s *comparedSide) collect() (*collector, error) {
	c := &collector{comparedSide: s, refs: map[string]*reference{}}
	parts, err := s.textParts(s.ctx)
	if err != nil {
		return nil, err
	}
	for _, tp := range parts {
		if tp.dialect != paragraph.Word {
			continue
		}
		p, err := s.load(s.ctx, tp)
		if err != nil {
			return nil, err
		}
		if err := c.walk(p); err != nil {
			return nil, err
		}
		if err := c.scanFields(p); err != nil {
			return nil, err
		}
		s.addTables(p)
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
	}
	return c, s.err
}

// containers of blocks, whose own attributes are ids, or reported with comments
// and notes.
var blockBoxes = map[string]bool{"document": true, "body": true, "hdr": true, "ftr": true, "footnotes": true, "footnote": true, "endnotes": true, "endnote": true, "comments": true, "comment": true,
	"tbl": true, "tr": true, "tc": true, "sdt": true, "sdtContent": true, "customXml": true, "ins": true, "moveTo": true, "txbxContent": true, "smartTag": true}

// walk goes through a part; paragraphs are taken apart one at a time.
func (c *collector) walk(p *part) error {
	c.part, c.nodes, c.left, c.cur = p, make(map[int]*node, len(p.nodes)), map[string][]inventory.Sum{}, nil
	for _, n := range p.nodes {
		c.nodes[n.start] = n
	}
	c.at, c.key, c.was = c.storyName(p), c.storyName(p), c.storyName(p)
	sc := xmlscan.New(p.doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch {
		case t.Is(nsW, "p"):
			n := c.nodes[t.Start]
			switch {
			case n != nil && c.same[n]:
				c.moveTo(n)
				sc.Skip()
			case n != nil && n.end-n.start > longParagraph:
				c.addLong(n)
				sc.Skip()
			default:
				c.paragraph(n, readElement(sc))
			}
			if err := c.ctx.Err(); err != nil {
				return err
			}
		case t.Space == nsW && blockBoxes[t.Local]:
			if kind := t.AttrLocal("type"); (t.Local == "footnote" || t.Local == "endnote") && kind != "" && kind != "normal" {
				e := readElement(sc)
				c.addItem(formats.FactNote, kind, "line above the "+t.Local+"s", e.sum(c.relTargets(p), nil), "", "")
			}
		default:
			c.block(readElement(sc))
		}
	}
	c.flush()
	for name, sums := range c.left {
		var list [][]byte
		for _, s := range sums {
			list = append(list, s[:])
		}
		c.in.Leftover(p.name, c.storyName(p), map[string]inventory.Sum{name: inventory.SumOf(list...)})
	}
	c.in.Cover(p.name)
	return corrupt(p.name, sc.Err())
}

func (c *collector) storyName(p *part) string {
	if p.what == "" {
		return "body"
	}
	return c.partName[p.name]
}

// addLong stands for a paragraph that is too long to be taken apart.
func (c *collector) addLong(n *node) {
	c.moveTo(n)
	c.addItem(formats.FactPart, "long", "a very long paragraph", inventory.SumOf(c.part.rawNode(n)), "changed in ways that are not told here: the paragraph is very long", "")
}

// moveTo continues to a paragraph.
func (c *collector) moveTo(n *node) {
	c.cur = n
	c.at, c.key, c.was = c.comparedSide.blockPlace(n)
	c.flush()
}

func (c *collector) flush() {
	for _, t := range c.pending {
		t.Key = c.key + " " + t.Key
		t.At = c.at
		t.Was = c.was
		c.in.Add(t)
	}
	for _, i := range c.unplaced {
		c.tracked[i].at, c.tracked[i].was = c.at, c.was
	}
	c.pending, c.unplaced = nil, nil
}

// addItem adds an item at the present paragraph.
func (c *collector) addItem(kind, name, text string, sum inventory.Sum, warnAdded, warnRemoved string, parts ...string) {
	c.in.Add(inventory.Item{Kind: kind, Key: c.key + " " + name, At: c.at, Was: c.was, Text: text, Sum: sum, WarnAdded: warnAdded, WarnRemoved: warnRemoved, Parts: parts})
}

// block takes what is between paragraphs.
func (c *collector) block(e *el) {
	later := func(t inventory.Item) { c.pending = append(c.pending, t) }
	switch {
	case e.irrelevant() || e.w("tblPr", "tblGrid", "trPr", "tcPr", "tblPrEx"):
		n := len(c.tracked)
		c.trackedProps(e)
		for ; n < len(c.tracked); n++ {
			c.unplaced = append(c.unplaced, n)
		}
	case e.w("sectPr"):
		c.sections = append(c.sections, pageSetup{nil, e, c.part})
		c.trackedProps(e)
	case e.w("sdtPr"):
		later(c.controlItem(e))
	case e.w("bookmarkStart"):
		c.bookmark(e)
	case e.w("altChunk"):
		to, sum, parts := c.relTarget(e)
		later(inventory.Item{Kind: formats.FactObject, Key: "altChunk", Text: "embedded document " + to, Sum: sum, Parts: parts, WarnAdded: "new embedded document: " + to, WarnRemoved: "lost: an embedded document"})
	case e.w("background"):
		c.in.Add(inventory.Item{Kind: formats.FactPageSetup, Key: "background", At: "page background", Text: colorWord(nil, &el{attrs: []elAttr{{"", "val", e.attr("color")}}}), Sum: e.sum(c.relTargets(c.part), nil)})
	case e.w("permStart"):
		later(inventory.Item{Kind: formats.FactProtection, Key: "perm", Text: "text that " + permWho(e) + " may edit", Sum: e.sum(nil, nil)})
	case e.w("commentRangeStart", "commentRangeEnd", "permEnd", "moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd", "sdtEndPr", "customXmlPr", "smartTagPr"):
		if len(e.kids) > 0 {
			c.addRest(e)
		}
	case e.w("del", "moveFrom"):
		c.trackedText(e, e.local)
	case isDrawing(e):
		c.drawing(e)
	default:
		c.addRest(e)
	}
}

// addRest notes an element that nothing else reports.
func (c *collector) addRest(e *el) {
	c.left[e.local] = append(c.left[e.local], e.sum(c.relTargets(c.part), nil))
}

func permWho(e *el) string {
	for _, a := range []string{"ed", "edGrp"} {
		if v := e.attr(a); v != "" {
			return v
		}
	}
	return "some"
}

// walkBoxes goes through the blocks of a text box.
func (c *collector) walkBoxes(e *el) {
	cur, at, key, was := c.cur, c.at, c.key, c.was
	for _, k := range e.kids {
		switch {
		case k.local == "":
		case k.w("p"):
			n := c.nodes[k.start]
			if n != nil && c.same[n] {
				continue
			}
			if n != nil && n.hidden {
				continue
			}
			c.paragraph(n, k)
		case k.space == nsW && blockBoxes[k.local]:
			c.walkBoxes(k)
		default:
			c.block(k)
		}
	}
	c.cur, c.at, c.key, c.was = cur, at, key, was
}

// relTarget returns what the relationship of an element leads to: its name or
// address, a checksum, and its parts.
func (c *collector) relTarget(e *el) (to string, sum inventory.Sum, parts []string) {
	for _, a := range e.attrs {
		if a.space != nsR {
			continue
		}
		r, ok := c.relation(c.part.name, a.value)
		if !ok {
			continue
		}
		if r.External {
			return r.Target, inventory.SumOf([]byte(r.Target)), nil
		}
		t := c.partTarget(r.Target)
		return r.Target, t.sum, t.parts
	}
	return "", e.sum(nil, nil), nil
}

// scanFields finds fields, whose words may be spread over runs and paragraphs,
// from begin to separator (17.16.18), and the places of notes and comments.
func (c *collector) scanFields(p *part) error {
	c.part = p
	c.at, c.key, c.was = c.storyName(p), c.storyName(p), c.storyName(p)
	s := fieldScanner{collector: c, sc: xmlscan.New(p.doc), nodes: make(map[int]*node, len(p.nodes))}
	for _, n := range p.nodes {
		s.nodes[n.start] = n
	}
	for s.sc.Next() {
		if t := s.sc.Token(); t.Kind != xmlscan.Start {
			continue
		} else if t.Is(nsMC, "Fallback") {
			s.sc.Skip()
		} else if t.Space == nsW {
			s.start(t)
		}
	}
	for _, f := range s.fields { // cut off
		s.tell(f)
	}
	return corrupt(p.name, s.sc.Err())
}

// maxOpen bounds the fields and comments that are open at one place.
const maxOpen = 32

// fieldScanner follows the fields and comments of a part.
type fieldScanner struct {
	*collector
	sc        *xmlscan.Scanner
	nodes     map[int]*node // paragraphs by offset
	fields    []*openField
	commented []string // ids of comments whose range is open
}

// openField is a field whose end was not met yet.
type openField struct {
	instr        strings.Builder
	at, key, was string
	form         string // what its form data has chosen
	sum          inventory.Sum
	told         bool
}

// tell reports a field once, at the place where it began.
func (s *fieldScanner) tell(f *openField) {
	if f.told {
		return
	}
	f.told = true
	s.at, s.key, s.was = f.at, f.key, f.was
	s.addField(f.instr.String(), f.form, f.sum)
}

func (s *fieldScanner) start(t xmlscan.Token) {
	switch t.Local {
	case "p":
		if n := s.nodes[t.Start]; n != nil {
			s.at, s.key, s.was = s.comparedSide.blockPlace(n)
		}
	case "fldSimple":
		s.addField(t.AttrLocal("instr"), "", inventory.SumOf([]byte(t.AttrLocal("fldLock")), []byte(t.AttrLocal("dirty"))))
	case "fldChar":
		s.fieldMark(t.AttrLocal("fldCharType"))
	case "instrText":
		text := readElement(s.sc).plain()
		if n := len(s.fields); n > 0 && !s.fields[n-1].told && s.fields[n-1].instr.Len() < 4096 {
			s.fields[n-1].instr.WriteString(text)
		}
	case "footnoteReference", "endnoteReference", "commentReference":
		r := s.reference(strings.TrimSuffix(t.Local, "Reference") + " " + t.AttrLocal("id"))
		r.at, r.was = s.at, s.was
	case "commentRangeStart":
		if len(s.commented) < maxOpen {
			s.commented = append(s.commented, t.AttrLocal("id"))
		}
	case "commentRangeEnd":
		if i := slices.Index(s.commented, t.AttrLocal("id")); i >= 0 {
			s.commented = slices.Delete(s.commented, i, i+1)
		}
	case "t":
		s.commentedText()
	}
}

// fieldMark handles a mark of a field: begin, separate or end.
func (s *fieldScanner) fieldMark(kind string) {
	if kind == "begin" {
		f := &openField{at: s.at, key: s.key, was: s.was}
		begin := readElement(s.sc)
		f.sum, f.form = begin.sum(nil, nil), chosenIn(begin.child("ffData"))
		if len(s.fields) < maxOpen {
			s.fields = append(s.fields, f)
		}
		return
	}
	n := len(s.fields)
	if n == 0 {
		return
	}
	at, key, was := s.at, s.key, s.was
	s.tell(s.fields[n-1])
	s.at, s.key, s.was = at, key, was
	if kind == "end" {
		s.fields = s.fields[:n-1]
	}
}

// commentedText adds a text to the comments whose range is open.
func (s *fieldScanner) commentedText() {
	if len(s.commented) == 0 {
		return
	}
	text := readElement(s.sc).plain()
	for _, id := range s.commented {
		if r := s.reference("comment " + id); r.on.Len() < 80 {
			r.on.WriteString(text)
		}
	}
}

func (c *collector) reference(key string) *reference {
	if c.refs[key] == nil {
		c.refs[key] = &reference{}
	}
	return c.refs[key]
}

// chosenIn returns what the data of a legacy form field have chosen: the tick of a
// checkbox, the entry of a list (17.16.8, 17.16.9).
func chosenIn(data *el) string {
	if data == nil {
		return ""
	}
	if box := data.child("checkBox"); box != nil {
		on := box.child("checked")
		if on == nil {
			on = box.child("default")
		}
		if on == nil || !on.on() {
			return "not checked"
		}
		return "checked"
	}
	list := data.child("ddList")
	if list == nil {
		return ""
	}
	at := max(0, atoi(list.child("result").attr("val")))
	for _, k := range list.kids {
		if k.local == "listEntry" {
			if at == 0 {
				return "chosen “" + clip(k.attr("val"), 60) + "”"
			}
			at--
		}
	}
	return ""
}

// addField reports a field by its instruction and what its form has chosen.
func (c *collector) addField(instr, chosen string, sum inventory.Sum) {
	instr = strings.Join(strings.Fields(instr), " ")
	name, _, _ := strings.Cut(instr, " ")
	kind, text, warning := formats.FactField, "field "+clip(instr, 300), ""
	if strings.EqualFold(name, "HYPERLINK") {
		kind = formats.FactLink
	}
	if reachingField.MatchString(instr) {
		warning = "new field that reaches out: " + clip(instr, 120)
	}
	if chosen != "" {
		text += ", " + chosen
	}
	if len(instr) > 300 {
		sum = inventory.SumOf(sum[:], []byte(instr))
	}
	c.addItem(kind, "field", text, sum, warning, "")
}
