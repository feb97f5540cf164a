package docx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
)

// Bounds of what one window of blocks holds.
const (
	blocksUsual, blocksMost = 200, 2000
	maxFlowText             = 1 << 20 // bytes
	maxFlowRows             = 400     // of a table
)

// Blocks implements formats.BlockViewer.
func (reader) Blocks(ctx context.Context, src formats.Source, req formats.BlockRequest) (*formats.BlockWindow, error) {
	if req.First < 0 {
		return nil, formats.Errorf(formats.CodeInvalid, "first is %d; it is 0 or more", req.First)
	}
	if req.Count < 0 || req.Count > blocksMost {
		return nil, formats.Errorf(formats.CodeInvalid, "count is %d; it is 1 to %d", req.Count, blocksMost)
	}
	if req.Count == 0 {
		req.Count = blocksUsual
	}
	f, err := openFlow(ctx, src)
	if err != nil {
		return nil, err
	}
	return f.window(ctx, req)
}

// flow is a document as it is drawn. It does not change once it is made, and needs no
// source.
type flow struct {
	part   *part
	styles styles
	texts  map[string][]lookProp // the properties of text that each style sets, by its id
	labels map[*node]string
	links  map[string]string // targets of relationships, by id
	plain  string            // the default style of paragraphs
}

func openFlow(ctx context.Context, src formats.Source) (*flow, error) {
	if f := flows.get(src.Hash()); f != nil {
		return f, nil
	}
	d, err := openDocument(ctx, src)
	if err != nil {
		return nil, err
	}
	f := &flow{styles: d.styles, links: map[string]string{}, plain: d.styles.standard()}
	if f.part, err = d.body(ctx); err != nil {
		return nil, err
	}
	nb, err := d.numbering(ctx)
	if err != nil {
		return nil, err
	}
	f.labels = d.labels(f.part, nb)
	if f.texts, err = d.styleTexts(ctx); err != nil {
		return nil, err
	}
	rels, err := d.ed.Rels(ctx, d.main)
	if err != nil {
		return nil, err
	}
	for _, r := range rels {
		if r.External && r.Type == opc.RelPrefix+"hyperlink" {
			f.links[r.ID] = r.Target
		}
	}
	flows.put(src.Hash(), f, len(f.part.doc))
	return f, nil
}

// flowWindow is a window that is being made.
type flowWindow struct {
	*flow
	*formats.BlockWindow
	text  int                         // bytes, with the addresses, which grow where tables are in tables
	cut   bool                        // a cell is not whole
	looks map[string]formats.TextSpan // of the styles that were met
}

func (f *flow) window(ctx context.Context, req formats.BlockRequest) (*formats.BlockWindow, error) {
	w := flowWindow{flow: f, BlockWindow: &formats.BlockWindow{First: req.First, Blocks: []formats.Block{}}, looks: map[string]formats.TextSpan{}}
	paras, tables := 0, 0
	for i, k := range f.part.stories[0].kids {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at := ""
		switch k.kind {
		case paraNode:
			at = fmt.Sprintf("p%d", paras)
			paras++
		case tableNode:
			at = fmt.Sprintf("t%d", tables)
			tables++
		default:
			continue
		}
		n := w.Total
		w.Total++
		if n < req.First || n >= req.First+req.Count || w.text > maxFlowText {
			continue
		}
		b := formats.Block{Kind: "paragraph"}
		if k.kind == paraNode {
			b.BlockParagraph = w.paragraph(k, at)
		} else if err := w.table(ctx, k, at, &b); err != nil {
			return nil, err
		}
		w.Blocks = append(w.Blocks, b)
	}
	if w.text > maxFlowText {
		w.Notes = append(w.Notes, "The window ends early, since it holds much text; ask for the blocks that follow.")
	}
	if w.cut {
		w.Notes = append(w.Notes, "A cell of a table holds more than is shown here; the pages show it.")
	}
	if len(f.part.boxes) > 0 {
		w.Notes = append(w.Notes, "The layout of text boxes is not drawn here; the pages show it.")
	}
	return w.BlockWindow, nil
}

// paragraph describes a paragraph.
func (w *flowWindow) paragraph(k *node, at string) formats.BlockParagraph {
	p := formats.BlockParagraph{At: at, Label: shownLabel(w.labels[k])}
	if k.style != "" && k.style != w.plain {
		p.Style = w.styles.label(k.style)
	}
	if level := w.styles.level(k.style); level == 0 {
		p.Title = true
	} else if level > 0 {
		p.Level = level
	}
	e := w.part.elementAt(k.start, k.end)
	if e == nil {
		return p
	}
	align := ""
	if props := e.child("pPr"); props != nil {
		if jc := props.child("jc"); jc != nil {
			align = jc.attr("val")
		}
		if ind := props.child("ind"); ind != nil {
			v := ind.attr("left")
			if v == "" {
				v = ind.attr("start")
			}
			p.Indent = float64(max(0, min(atoi(v), 31680))) / 20
		}
		if o := props.child("outlineLvl"); o != nil && p.Level == 0 {
			p.Level = outlineLevel(o.attr("val"))
		}
	}
	for _, st := range w.styles.chain(k.style) {
		if align == "" {
			align = st.align
		}
	}
	switch align {
	case "center", "right":
		p.Align = align
	case "end":
		p.Align = "right"
	case "both", "distribute":
		p.Align = "justify"
	}
	s := spanReader{flowWindow: w, base: w.lookOf(k.style)}
	if k.style == "" {
		s.base = w.lookOf(w.plain)
	}
	s.walk(e, s.base, "", "")
	s.end()
	p.Spans = s.spans
	w.text += s.size + len(at)
	return p
}

// table describes the rows of a table.
func (w *flowWindow) table(ctx context.Context, t *node, at string, b *formats.Block) error {
	b.Kind, b.At = "table", at
	rows := t.kidsOf(rowNode)
	open := map[int]*formats.TableCell{} // cells that may continue in the next row, by their first column
	for r, row := range rows {
		if r%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if r == maxFlowRows || w.text > maxFlowText {
			b.Omitted = len(rows) - r
			return nil
		}
		out := formats.TableRow{At: fmt.Sprintf("%s.r%d", at, r), Cells: []formats.TableCell{}}
		if e := w.propsOf(row); e != nil {
			out.Head = e.child("tblHeader") != nil && e.child("tblHeader").on()
		}
		column := 0
		kept := map[int]int{} // columns of the cells of this row
		for c, cell := range row.kidsOf(cellNode) {
			goesOn, fill := false, ""
			if e := w.propsOf(cell); e != nil {
				if m := e.child("vMerge"); m != nil {
					goesOn = m.attr("val") != "restart"
				}
				if s := e.child("shd"); s != nil {
					fill = plainHex(s.attr("fill"))
				}
			}
			if above := open[column]; goesOn && above != nil {
				above.Rows = max(above.Rows, 1) + 1
			} else {
				tc := formats.TableCell{Fill: fill, Paragraphs: w.cell([]formats.BlockParagraph{}, cell, fmt.Sprintf("%s.c%d", out.At, c))}
				if cell.span > 1 {
					tc.Columns = min(cell.span, 1000)
				}
				kept[column] = len(out.Cells)
				out.Cells = append(out.Cells, tc)
				delete(open, column)
			}
			column += cell.span
		}
		b.Rows = append(b.Rows, out)
		for at, i := range kept {
			open[at] = &out.Cells[i]
		}
	}
	return nil
}

// cell appends the paragraphs of a cell to out, with those of tables in it.
func (w *flowWindow) cell(out []formats.BlockParagraph, c *node, at string) []formats.BlockParagraph {
	paras, tables := 0, 0
	for _, k := range c.kids {
		if w.text > maxFlowText {
			w.cut = true
			return out
		}
		switch k.kind {
		case paraNode:
			out = append(out, w.paragraph(k, fmt.Sprintf("%s.p%d", at, paras)))
			paras++
		case tableNode:
			for r, row := range k.kidsOf(rowNode) {
				if r == maxFlowRows || w.text > maxFlowText {
					w.cut = true
					break
				}
				for i, inner := range row.kidsOf(cellNode) {
					out = w.cell(out, inner, fmt.Sprintf("%s.t%d.r%d.c%d", at, tables, r, i))
				}
			}
			tables++
		}
	}
	return out
}

// propsOf returns the properties of a block, nil when it has none.
func (w *flowWindow) propsOf(n *node) *el {
	if n.props.end == 0 {
		return nil
	}
	return w.part.elementAt(n.props.start, n.props.end)
}

// plainHex returns a color as RRGGBB, "" for anything else.
func plainHex(v string) string {
	if m := hexColor.FindStringSubmatch(v); m != nil {
		return strings.ToUpper(m[1])
	}
	return ""
}
