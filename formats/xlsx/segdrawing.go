package xlsx

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/tags"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

const (
	nsDrawing = "http://schemas.openxmlformats.org/drawingml/2006/main"
	nsChartEx = "http://schemas.microsoft.com/office/drawing/2014/chartex"
)

// drawn collects the DrawingML paragraphs (21.1.2.2.6) of a part and what it
// shows beside them: names and labels of charts, alternative texts, tooltips.
func (c *collector) drawn(i int, part, kind string) error {
	if c.parts[part] {
		return nil
	}
	c.parts[part] = true
	doc, err := c.wb.Package.ReadXML(c.ctx, part)
	if err != nil {
		return err
	}
	paras, err := paragraph.Parse(doc, paragraph.Drawing)
	if err != nil {
		return book.CorruptPart(err, part)
	}
	d := &drawnPart{collector: c, i: i, part: part, kind: kind, doc: doc, paras: map[int]int{}, cells: map[string]*unit{}}
	d.id = strings.TrimPrefix(part, opc.Resolve(c.wb.Main, ".")+"/")
	for k, p := range paras {
		d.paras[p.Start] = k
	}
	d.sc = xmlscan.New(doc)
	for d.sc.Next() {
		t := d.sc.Token()
		switch t.Kind {
		case xmlscan.Start:
			if k, ok := d.paras[t.Start]; ok {
				d.paragraph(k, paras[k])
			}
			d.start(t)
			if !t.Empty && d.sc.Depth() == t.Depth {
				d.above = append(d.above, t)
			}
		case xmlscan.End:
			d.above = d.above[:len(d.above)-1]
		}
	}
	return book.CorruptPart(d.sc.Err(), part)
}

// drawnPart is a part of which the texts are collected.
type drawnPart struct {
	*collector
	i              int
	id, part, kind string
	doc            []byte
	sc             *xmlscan.Scanner
	above          []xmlscan.Token // the open elements
	paras          map[int]int     // index by offset
	values, attrs  int
	formula        string // c:f of the reference at hand
	level          int
	cells          map[string]*unit // values by what they are read from
}

func (d *drawnPart) unit(id, kind string) *unit {
	u := &unit{sst: -1, sheet: -1, home: d.i, part: d.part}
	u.seg = formats.Segment{ID: d.id + ":" + id, Place: d.wb.Sheets[d.i].Name + ", " + kind, Part: kind}
	return u
}

func (d *drawnPart) paragraph(k int, p *paragraph.Paragraph) {
	text := p.Tagged()
	if !tags.Translatable(tags.Plain(text)) {
		return
	}
	u := d.unit(fmt.Sprint(k+1), d.kind)
	u.para, u.seg.Text = k+1, text
	u.tag.text = text
	d.units = append(d.units, u)
	d.paraParts[d.part] = d.kind == "textbox"
}

func (d *drawnPart) start(t xmlscan.Token) {
	switch {
	case t.Is(nsChart, "f"):
		if !t.Empty {
			d.formula, d.level = sheetml.CharData(d.doc[t.End:sheetml.EndTagStart(d.doc, d.sc.Skip())]), 0
		}
	case t.Is(nsChart, "tx"), t.Is(nsChart, "strLit"):
		d.formula = ""
	case t.Is(nsChart, "lvl"):
		d.level++
	case t.Is(nsChart, "v"):
		if d.under("strCache", "strLit", "multiLvlStrCache", "dlblRangeCache", "tx") && !d.under("numCache", "numLit") {
			d.value(t, fmt.Sprintf("%s|%d|%s", d.formula, d.level, d.above[len(d.above)-1].AttrLocal("idx")))
		}
	case t.Space == nsChartEx && (t.Local == "pt" && d.under("strDim") || t.Local == "v" && d.under("txData")):
		d.formula = ""
		d.value(t, "")
	case t.Local == "cNvPr": // 20.1.2.2.8
		d.attributes(t, "alt text", xmlAttr, 0, "descr", "title")
	case t.Space == nsDrawing && (t.Local == "hlinkClick" || t.Local == "hlinkHover"):
		d.attributes(t, "tooltip", xmlAttr, 0, "tooltip")
	case (t.Local == "slicer" || t.Local == "timeline") && d.kind == "slicer": // [MS-XLSX] 2.6.68
		d.attributes(t, "slicer", sheetml.EscapeAttr, 255, "caption")
	}
}

func (d *drawnPart) under(names ...string) bool {
	return slices.ContainsFunc(d.above, func(t xmlscan.Token) bool { return slices.Contains(names, t.Local) })
}

// value takes a label or name of a chart. One that says what cells or formulas
// say follows those; the same cell's is one unit for the whole part.
func (d *drawnPart) value(t xmlscan.Token, from string) {
	d.values++
	if t.Empty {
		return
	}
	n := d.values
	at := sheetml.Piece(t.End, sheetml.EndTagStart(d.doc, d.sc.Skip()))
	text := sheetml.CharData(d.doc[at.Start:at.End])
	if d.formula != "" && d.texts[text] != nil {
		d.echoes = append(d.echoes, echo{d.part, at, text, false})
		return
	}
	if d.formula != "" && d.results[text] {
		return
	}
	if first := d.cells[from]; first != nil && d.formula != "" {
		first.more = append(first.more, at)
		return
	}
	u := d.unit(fmt.Sprintf("v%d", n), d.kind)
	u.span, u.write = at, xmlscan.Escape
	if d.put(u, text) != nil && d.formula != "" {
		u.seg.Notes = []string{"label that the chart keeps of a cell which does not say so now"}
		d.cells[from] = u
	}
}

// attributes takes the values of attributes.
func (d *drawnPart) attributes(t xmlscan.Token, kind string, write func(string) string, most int, names ...string) {
	for a := range t.Attrs() {
		if !slices.Contains(names, a.Name) {
			continue
		}
		d.attrs++
		u := d.unit(fmt.Sprintf("a%d", d.attrs), kind)
		u.span, u.write, u.seg.MaxLength = sheetml.Piece(a.ValStart, a.ValEnd), write, most
		d.put(u, a.Value())
	}
}

// xmlAttr is text as the value of an attribute, in which a line break would be
// read as a blank (XML 1.0, 3.3.3).
func xmlAttr(s string) string {
	return strings.NewReplacer("\n", "&#10;", "\t", "&#9;").Replace(xmlscan.Escape(s))
}
