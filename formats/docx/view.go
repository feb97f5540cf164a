package docx

import (
	"bytes"
	"context"
	"strings"

	"atelier/formats/ooxml/equation"
	"atelier/formats/ooxml/xmlscan"
)

// line is what one paragraph or table row reads as.
type line struct {
	text    string
	address string
	level   int // of a heading; -1 when it is none
	node    *node
	part    *part // of node; nil: the line is only text
}

// view holds the options for how text is shown to a reader.
type view struct {
	styles    styles
	addresses bool // each line is led by its address
	changes   bool // tracked changes are marked
	notes     bool // references to notes and comments are shown as [fn2], [cm0]
	comments  bool
	shown     []line                        // of the body, by the present read
	asShown   bool                          // list labels are part of the text
	labels    func(p *part, n *node) string // list labels; nil: not shown
	look      func(l line) string           // with addresses: what is said of a paragraph; nil: nothing
	objects   func(l line) []string         // words for what is drawn in a line; nil: not shown
}

// lines shows a story: paragraphs, and tables row by row with cells joined by
// tabs. base is the story's step in addresses.
func (v *view) lines(ctx context.Context, p *part, story *node, base string) ([]line, error) {
	if base != "" {
		base += "."
	}
	return v.blocks(ctx, p, story, base)
}

func (v *view) blocks(ctx context.Context, p *part, n *node, base string) ([]line, error) {
	o, err := v.outline(ctx, p, n)
	if err != nil {
		return nil, err
	}
	return outlineText{v, o, p, base}.linesOf(ctx, 0, len(o.lines))
}

// row joins the cells of a row; tables in a cell are part of its text.
func (v *view) row(ctx context.Context, p *part, row *node) (string, error) {
	var cells []string
	for _, c := range row.kidsOf(cellNode) {
		texts, err := v.cell(ctx, p, c)
		if err != nil {
			return "", err
		}
		cells = append(cells, strings.Join(texts, " "))
	}
	return strings.Join(cells, "\t"), nil
}

func (v *view) cell(ctx context.Context, p *part, c *node) (out []string, err error) {
	for i, k := range c.kids {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch k.kind {
		case paraNode:
			if t := v.labelled(p, k, v.text(p, k)); t != "" {
				out = append(out, strings.ReplaceAll(t, "\n", " "))
			}
		case tableNode:
			for _, row := range k.kidsOf(rowNode) {
				text, err := v.row(ctx, p, row)
				if err != nil {
					return nil, err
				}
				if t := strings.TrimSpace(text); t != "" {
					out = append(out, t)
				}
			}
		}
	}
	return out, nil
}

// lineText returns the text of a line; where no address is before it, the list
// label is.
func (v *view) lineText(l line) string {
	if v.addresses || l.part == nil || l.node.kind != paraNode {
		return l.text
	}
	return v.labelled(l.part, l.node, l.text)
}

// labelled returns the text of a paragraph behind its list label, as a reader
// sees it.
func (v *view) labelled(p *part, k *node, text string) string {
	if !v.asShown || v.labels == nil {
		return text
	}
	label := shownLabel(v.labels(p, k))
	if label == "" || text == "" {
		return label + text
	}
	return label + " " + text
}

func (v *view) text(p *part, k *node) string {
	para := p.paras[k.para]
	if !v.notes && !v.comments && !(v.asShown && bytes.Contains(p.doc[k.start:k.end], []byte("oMath"))) {
		if v.changes {
			return para.Marked()
		}
		return para.Text()
	}
	return para.Render(v.reference, v.changes)
}

// reference shows what refers to a note or comment by the address of that, and
// an equation as LaTeX between dollars.
func (v *view) reference(xml []byte) string {
	sc := xmlscan.New(xml)
	if !sc.Next() {
		return ""
	}
	t := sc.Token()
	switch {
	case v.notes && t.Local == "footnoteReference":
		return "[fn" + t.AttrLocal("id") + "]"
	case v.notes && t.Local == "endnoteReference":
		return "[en" + t.AttrLocal("id") + "]"
	case v.asShown && t.Local == "oMath":
		return "$" + equation.Text(xml) + "$"
	case v.asShown && t.Local == "oMathPara":
		return "$$" + equation.Text(xml) + "$$"
	case v.comments && t.Local == "commentReference":
		return "[cm" + t.AttrLocal("id") + "]"
	}
	return ""
}

// level returns that of a heading, -1 for other paragraphs.
func (v *view) level(p *part, k *node) int {
	level := v.styles.level(k.style)
	if k.props.end > 0 {
		if o := attrInt(paraProps(p.raw(k.props), p.prefix).Get("outlineLvl"), "val"); o >= 0 && o <= 8 {
			level = o + 1
		}
	}
	if level >= 0 && strings.TrimSpace(p.paras[k.para].Text()) == "" {
		return -1 // an empty heading begins nothing
	}
	return level
}

// joinLines joins lines, with their addresses where the view has them.
func (v *view) joinLines(lines []line) string {
	var sb strings.Builder
	size := 0
	for _, l := range lines {
		size += len(l.text) + 1
	}
	sb.Grow(size)
	for i, l := range lines {
		if i > 0 {
			sb.WriteByte('\n')
		}
		if v.addresses {
			sb.WriteString("[" + l.address)
			if l.node != nil && l.node.kind == paraNode && l.node.id != "" {
				sb.WriteString(" #" + l.node.id)
			}
			if v.look != nil && l.part != nil && l.node.kind == paraNode {
				if look := v.look(l); look != "" {
					sb.WriteString(" " + look)
				}
			}
			sb.WriteString("] ")
		}
		sb.WriteString(v.lineText(l))
		if v.objects != nil && l.part != nil {
			for _, o := range v.objects(l) {
				sb.WriteString("\n" + o)
			}
		}
	}
	return sb.String()
}
