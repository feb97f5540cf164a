package docx

import (
	"bytes"
	"context"
	"errors"

	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
)

// nodeKind is what a block is.
type nodeKind uint8

const (
	storyNode nodeKind = iota // body, header, footer, one note, one comment
	paraNode
	tableNode
	rowNode
	cellNode
	boxNode // content of a text box
)

// span is a piece of a part, by byte offset.
type span struct{ start, end int }

// node is a block of a part with where it stands, by byte offset.
type node struct {
	kind       nodeKind
	empty      bool
	gone       bool // paraNode: its mark is a tracked deletion
	hidden     bool // it repeats, for older applications, what is elsewhere
	start, end int  // the element
	inner      int  // behind its start tag
	innerEnd   int  // before its end tag; an empty element has inner == innerEnd == end
	props      span // pPr, tblPr, trPr or tcPr; zero when it has none
	also       span // see grid and before
	id         string
	para       int    // paraNode: index among the part's paragraphs
	style      string // paraNode; of a note see noteType
	list       listRef
	span       int // cellNode: columns it takes
	kids       []*node
	boxes      []*node // paraNode: text boxes anchored in it
	box        int     // boxNode: its index among the part's
	parent     *node
}

// grid is the tblGrid of a table.
func (n *node) grid() span {
	if n.kind == tableNode {
		return n.also
	}
	return span{}
}

// before is the tblPrEx of a row, which is before its properties.
func (n *node) before() span {
	if n.kind == rowNode {
		return n.also
	}
	return span{}
}

// noteType is the type of a note: separator and the like; "" for other nodes.
func (n *node) noteType() string {
	if n.kind == storyNode {
		return n.style
	}
	return ""
}

// kidsOf lists the kids of a kind.
func (n *node) kidsOf(k nodeKind) []*node {
	var out []*node
	for _, c := range n.kids {
		if c.kind == k {
			out = append(out, c)
		}
	}
	return out
}

// part is one part with text while it is worked on.
type part struct {
	textPart
	doc     []byte
	prefix  string // of its elements, with colon
	stories []*node
	boxes   []*node
	paras   []*paragraph.Paragraph
	nodes   []*node // of paras

	relPrefix string // of relationship ids, with colon; set when first asked for

	// What reads keep for the next one; nil: not yet made.
	outline *outline // of the first story
	labels  []string // list labels, by paragraph
	left    *leftIndex
}

// load parses a part as it is in the edit; unchanged parts are parsed once.
func (d *document) load(ctx context.Context, tp textPart) (*part, error) {
	if p := d.parsed[tp.name]; p != nil {
		return p, nil
	}
	doc, err := d.ed.ReadXML(ctx, tp.name)
	if err != nil {
		return nil, err
	}
	p, err := parsePart(ctx, tp, doc)
	if err != nil {
		return nil, err
	}
	d.parsed[tp.name] = p
	return p, ctx.Err()
}

// splice changes a part; it does nothing without splices.
func (d *document) splice(p *part, splices ...xmlscan.Splice) {
	if len(splices) == 0 {
		return
	}
	if doc := xmlscan.Apply(p.doc, splices); !bytes.Equal(doc, p.doc) {
		d.set(p.name, doc)
	}
}

// set replaces a part.
func (d *document) set(name string, doc []byte) {
	delete(d.parsed, name)
	d.ed.Set(name, doc)
}

// parsePart reads the paragraphs of a part, and of one of WordprocessingML its
// blocks.
func parsePart(ctx context.Context, tp textPart, doc []byte) (*part, error) {
	p := &part{textPart: tp, doc: doc}
	var err error
	if p.paras, err = paragraph.Parse(doc, tp.dialect); err != nil {
		return nil, corrupt(tp.name, err)
	}
	if tp.dialect != paragraph.Word {
		return p, nil
	}
	t, err := tree.Parse(ctx, doc, keepBlocks)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && !errors.Is(err, tree.ErrNoElement) {
		return nil, corrupt(tp.name, err)
	}
	if err == nil {
		if t.Root.Space == nsW {
			p.prefix = colon(t.Root.Prefix)
		}
		b := blockReader{part: p}
		b.visit(t.Root, nil)
	}
	return p, nil
}

// blockKinds are the elements of blocks besides stories.
var blockKinds = map[string]nodeKind{"p": paraNode, "tbl": tableNode, "tr": rowNode, "tc": cellNode, "txbxContent": boxNode}

func isStory(local string) bool {
	switch local {
	case "body", "hdr", "ftr", "footnote", "endnote", "comment":
		return true
	}
	return false
}

// propertiesOf names the properties of a block.
var propertiesOf = [boxNode + 1]string{paraNode: "pPr", tableNode: "tblPr", rowNode: "trPr", cellNode: "tcPr"}

// keepBlocks is a filter for blocks, the properties that node holds, and
// alternate content.
func keepBlocks(parent *tree.Node, t xmlscan.Token) bool {
	switch t.Space {
	case nsMC:
		return t.Local == "AlternateContent" || t.Local == "Choice" || t.Local == "Fallback"
	case nsW:
	default:
		return false
	}
	switch t.Local {
	case "p", "tbl", "tr", "tc", "txbxContent", "pPr", "tblPr", "trPr", "tcPr", "tblGrid", "tblPrEx":
		return true
	case "pStyle", "numPr", "rPr":
		return parent.Local == "pPr"
	case "gridSpan":
		return parent.Local == "tcPr"
	case "numId", "ilvl":
		return parent.Local == "numPr"
	case "del", "moveFrom":
		return parent.Local == "rPr"
	}
	return isStory(t.Local)
}

// blockReader makes the nodes of a part from its tree.
type blockReader struct {
	*part
	hidden int // open Fallback elements that repeat a Choice
	chosen int // paragraphs in the last Choice
}

// visit adds the blocks that t is and has; top is the block around it.
func (b *blockReader) visit(t *tree.Node, top *node) {
	switch {
	case t.Space == nsMC:
		b.visitAlternate(t, top)
		return
	case t.Space != nsW:
	case isStory(t.Local) && top == nil:
		top = b.add(storyNode, t, nil)
	default:
		if kind, ok := blockKinds[t.Local]; ok {
			top = b.add(kind, t, top)
		}
	}
	b.visitKids(t, top)
}

func (b *blockReader) visitKids(t *tree.Node, top *node) {
	for k := range t.Kids() {
		b.visit(k, top)
	}
}

// visitAlternate visits an element of markup compatibility. What Fallback has
// is hidden when a Choice before it has paragraphs.
func (b *blockReader) visitAlternate(t *tree.Node, top *node) {
	switch {
	case t.Local == "Choice" && !t.Empty:
		first := len(b.nodes)
		b.visitKids(t, top)
		b.chosen = len(b.nodes) - first
	case t.Local == "Fallback" && b.chosen > 0:
		b.hidden++
		b.visitKids(t, top)
		b.hidden--
	default:
		if t.Local == "AlternateContent" {
			b.chosen = 0
		}
		b.visitKids(t, top)
	}
}

// add makes a block from its element.
func (b *blockReader) add(kind nodeKind, t *tree.Node, top *node) *node {
	n := &node{kind: kind, start: t.Start, inner: t.End, end: t.After, innerEnd: t.Close, empty: t.Empty, parent: top, span: 1, hidden: b.hidden > 0}
	switch kind {
	case paraNode:
		n.para, n.id = len(b.nodes), t.AttrLocal("paraId")
		n.list.at = -1
		b.nodes = append(b.nodes, n)
	case storyNode:
		n.id, n.style = t.AttrLocal("id"), t.AttrLocal("type")
		b.stories = append(b.stories, n)
	}
	if kind == boxNode && !n.hidden {
		n.box = len(b.boxes)
		b.boxes = append(b.boxes, n)
		if top != nil {
			top.boxes = append(top.boxes, n)
		}
	}
	if top != nil && kind != boxNode && (top.hidden || !n.hidden) {
		top.kids = append(top.kids, n)
	}
	for k := range t.Kids() {
		if k.Space == nsW && k.Depth == t.Depth+1 {
			n.readProperties(k)
		}
	}
	return n
}

// readProperties takes the child k of a block when it has properties of it.
func (n *node) readProperties(k *tree.Node) {
	at := span{k.Start, k.After}
	switch {
	case k.Local == propertiesOf[n.kind]:
		n.props = at
		for p := range k.Kids() {
			n.readProperty(p, k.Depth)
		}
	case n.kind == tableNode && k.Local == "tblGrid":
		n.also = at
	case n.kind == rowNode && k.Local == "tblPrEx":
		n.also = at
	}
}

// readProperty takes what is in the properties of a paragraph or cell, which
// are at a depth.
func (n *node) readProperty(p *tree.Node, depth int) {
	switch {
	case p.Depth != depth+1:
	case p.Local == "pStyle":
		n.style = p.AttrLocal("val")
	case p.Local == "gridSpan":
		n.span = max(1, atoi(p.AttrLocal("val")))
	}
	for k := range p.Kids() {
		if k.Depth != depth+2 || k.Space != nsW {
			continue
		}
		switch k.Local {
		case "numId":
			n.list.num = k.AttrLocal("val")
		case "ilvl":
			n.list.at = levelOf(k.AttrLocal("val"))
		case "del", "moveFrom":
			n.gone = true
		}
	}
}

// text returns the plain text of a block: of a cell, its paragraphs by line.
func (p *part) text(n *node) string {
	if n.kind == paraNode {
		return p.paras[n.para].Text()
	}
	var b bytes.Buffer
	for i, k := range n.kids {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.text(k))
	}
	return b.String()
}

// raw returns the bytes of a span.
func (p *part) raw(s span) string { return string(p.doc[s.start:s.end]) }
