package docx

import (
	"bytes"
	"context"

	"atelier/formats/ooxml/paragraph"
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

// node is a block of a part with where it stands, by byte offset.
type node struct {
	kind       nodeKind
	start, end int // the element
	inner      int // behind its start tag
	innerEnd   int // before its end tag; an empty element has inner == innerEnd == end
	empty      bool
	props      span // pPr, tblPr, trPr or tcPr; zero when it has none
	grid       span // tblGrid of a table
	before     span // tblPrEx of a row, which is before its properties
	id         string
	noteType   string // of a note: separator and the like
	para       int    // paraNode: index among the part's paragraphs
	style      string // paraNode
	list       listRef
	gone       bool // paraNode: its mark is a tracked deletion
	span       int  // cellNode: columns it takes
	kids       []*node
	boxes      []*node // paraNode: text boxes anchored in it
	box        int     // boxNode: its index among the part's
	parent     *node
	hidden     bool // it repeats, for older applications, what is elsewhere
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
	p, err := parsePart(tp, doc)
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

func parsePart(tp textPart, doc []byte) (*part, error) {
	p := &part{textPart: tp, doc: doc}
	var err error
	if p.paras, err = paragraph.Parse(doc, tp.dialect); err != nil {
		return nil, corrupt(tp.name, err)
	}
	if tp.dialect != paragraph.Word {
		return p, nil
	}
	b := treeBuilder{part: p, sc: xmlscan.New(doc)}
	for b.sc.Next() {
		t := b.sc.Token()
		switch t.Kind {
		case xmlscan.Start:
			b.start(t)
			if t.Empty {
				b.end(t)
			}
		case xmlscan.End:
			b.end(t)
		}
	}
	return p, corrupt(tp.name, b.sc.Err())
}

// treeBuilder makes the nodes of a part.
type treeBuilder struct {
	*part
	sc       *xmlscan.Scanner
	open     []*node
	depths   []int // of the open nodes' elements
	fallback []int // depths of open Fallback elements
	choice   []int // open Choice elements: paragraphs before them
	chosen   int   // paragraphs in the last Choice
	props    []propsFrame
}

type propsFrame struct {
	depth int
	dst   *span
}

func (b *treeBuilder) top() *node {
	if len(b.open) == 0 {
		return nil
	}
	return b.open[len(b.open)-1]
}

func (b *treeBuilder) start(t xmlscan.Token) {
	if t.Space == nsMC {
		switch {
		case t.Local == "AlternateContent":
			b.chosen = 0
		case t.Local == "Choice" && !t.Empty:
			b.choice = append(b.choice, len(b.nodes))
		case t.Local == "Fallback" && b.chosen > 0 && !t.Empty:
			b.fallback = append(b.fallback, t.Depth)
		}
		return
	}
	if t.Space != nsW {
		return
	}
	if t.Depth == 1 && t.Prefix != "" {
		b.prefix = t.Prefix + ":"
	}
	top := b.top()
	kind := paraNode
	switch t.Local {
	case "body", "hdr", "ftr", "footnote", "endnote", "comment":
		if top != nil {
			return
		}
		kind = storyNode
	case "p":
	case "tbl":
		kind = tableNode
	case "tr":
		kind = rowNode
	case "tc":
		kind = cellNode
	case "txbxContent":
		kind = boxNode
	default:
		b.noteProperty(t, top)
		return
	}
	b.push(&node{kind: kind, start: t.Start, inner: t.End, end: t.End, innerEnd: t.End, empty: t.Empty, parent: top, span: 1}, t)
}

// noteProperty notes what belongs to the node that is open.
func (b *treeBuilder) noteProperty(t xmlscan.Token, top *node) {
	if top == nil {
		return
	}
	own := map[nodeKind]string{paraNode: "pPr", tableNode: "tblPr", rowNode: "trPr", cellNode: "tcPr"}[top.kind]
	at := b.depths[len(b.depths)-1]
	switch {
	case t.Local == own && t.Depth == at+1:
		b.extent(t, &top.props)
	case top.kind == tableNode && t.Local == "tblGrid" && t.Depth == at+1:
		b.extent(t, &top.grid)
	case top.kind == rowNode && t.Local == "tblPrEx" && t.Depth == at+1:
		b.extent(t, &top.before)
	case top.kind == paraNode && t.Local == "pStyle" && t.Depth == at+2:
		top.style = t.AttrLocal("val")
	case top.kind == paraNode && t.Depth == at+3 && len(b.props) > 0 && b.props[len(b.props)-1].dst == &top.props:
		b.paraProperty(t, top)
	case top.kind == cellNode && t.Local == "gridSpan" && t.Depth == at+2:
		top.span = max(1, atoi(t.AttrLocal("val")))
	}
}

// paraProperty notes what is in numPr or rPr of a paragraph's properties.
func (b *treeBuilder) paraProperty(t xmlscan.Token, top *node) {
	switch t.Local {
	case "numId":
		top.list.num = t.AttrLocal("val")
	case "ilvl":
		top.list.at = levelOf(t.AttrLocal("val"))
	case "del", "moveFrom":
		top.gone = true
	}
}

func (b *treeBuilder) extent(t xmlscan.Token, dst *span) {
	*dst = span{t.Start, t.End}
	if !t.Empty {
		b.props = append(b.props, propsFrame{t.Depth, dst})
	}
}

func (b *treeBuilder) push(n *node, t xmlscan.Token) {
	top := b.top()
	switch n.kind {
	case paraNode:
		n.para, n.id = len(b.nodes), t.AttrLocal("paraId")
		n.list.at = -1
		b.nodes = append(b.nodes, n)
	case storyNode:
		n.id, n.noteType = t.AttrLocal("id"), t.AttrLocal("type")
		b.stories = append(b.stories, n)
	}
	n.hidden = len(b.fallback) > 0
	if n.kind == boxNode && !n.hidden {
		n.box = len(b.boxes)
		b.boxes = append(b.boxes, n)
		if top != nil {
			top.boxes = append(top.boxes, n)
		}
	}
	if top != nil && n.kind != boxNode && !(n.hidden && !top.hidden) {
		top.kids = append(top.kids, n)
	}
	b.open = append(b.open, n)
	b.depths = append(b.depths, t.Depth)
}

func (b *treeBuilder) end(t xmlscan.Token) {
	if n := len(b.props); n > 0 && b.props[n-1].depth == t.Depth && !t.Empty {
		b.props[n-1].dst.end = t.End
		b.props = b.props[:n-1]
	}
	if t.Space == nsMC && !t.Empty {
		if n := len(b.fallback); n > 0 && b.fallback[n-1] == t.Depth && t.Local == "Fallback" {
			b.fallback = b.fallback[:n-1]
		}
		if n := len(b.choice); n > 0 && t.Local == "Choice" {
			b.chosen = len(b.nodes) - b.choice[n-1]
			b.choice = b.choice[:n-1]
		}
	}
	n := len(b.open)
	if n == 0 || b.depths[n-1] != t.Depth || t.Space != nsW {
		return
	}
	b.open[n-1].end = t.End
	if !t.Empty {
		b.open[n-1].innerEnd = t.Start
	}
	b.open, b.depths = b.open[:n-1], b.depths[:n-1]
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
