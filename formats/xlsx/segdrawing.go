package xlsx

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/segment"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/tags"
	"atelier/formats/xlsx/internal/book"
)

// scanShared lists the texts of a drawing, chart, diagram or the properties.
// in is the place of its texts.
func (wb *workbook) scanShared(ctx context.Context, doc []byte, part string, in segment.Where) (*segment.Part, error) {
	name := strings.TrimPrefix(part, opc.Resolve(wb.Main, ".")+"/")
	id := func(s segment.Series, n int, element string) string {
		switch {
		case in.Kind == "property":
			return "property:" + element
		case s == segment.Paragraph:
			return fmt.Sprintf("%s:%d", name, n)
		}
		return fmt.Sprintf("%s:%c%d", name, s, n)
	}
	p, err := segment.Scan(ctx, doc, segment.Options{Where: in, ID: id, Attributes: captionOf})
	return p, cmp.Or(ctx.Err(), book.CorruptPart(err, part))
}

// captionOf returns the attribute with the caption of a slicer or timeline
// ([MS-XLSX] 2.6.68).
func captionOf(t xmlscan.Token) []segment.Named {
	if t.Local == "slicer" || t.Local == "timeline" {
		return []segment.Named{{Name: "caption", Kind: "slicer"}}
	}
	return nil
}

// shared collects the texts of a part of a sheet that all office formats have.
func (c *collector) shared(i int, part, kind string) error {
	return c.sharedPart(part, i, segment.Where{Place: c.wb.Sheets[i].Name + ", " + kind, Kind: kind})
}

// sharedPart collects the texts of a part; home is the sheet it belongs to, -1
// none.
func (c *collector) sharedPart(part string, home int, in segment.Where) error {
	if c.parts[part] {
		return nil
	}
	c.parts[part] = true
	doc, err := c.wb.Package.ReadXML(c.ctx, part)
	if err != nil {
		return err
	}
	p, err := c.wb.scanShared(c.ctx, doc, part, in)
	if err != nil {
		return err
	}
	c.diagrams.Pair(p)
	c.sharedParts[part] = in
	for k := range p.Texts {
		c.sharedText(&p.Texts[k], part, home)
	}
	return nil
}

// sharedText collects a text of a part. A label of a chart that says what cells
// or formulas say follows those.
func (c *collector) sharedText(t *segment.Text, part string, home int) {
	text := t.Tagged()
	switch {
	case t.Repeats != "":
		c.repeating[part] = true
		return
	case t.Cells != "" && c.cellWith(t.Plain) >= 0:
		c.labels = append(c.labels, label{part, t.ID, t.Plain})
		return
	case t.Cells != "" && c.results[t.Plain], !tags.Translatable(tags.Plain(text)):
		return
	}
	u := &unit{sst: -1, sheet: -1, home: home, part: part, shared: true, tag: tagged{text: text}}
	u.seg = formats.Segment{ID: t.ID, Text: text, Place: t.Place, Part: t.Kind}
	if t.Series == segment.Attribute {
		u.seg.Place = c.wb.Sheets[home].Name + ", " + t.Kind
	}
	if t.Kind == "slicer" {
		u.seg.MaxLength = 255
	}
	if t.Cells != "" {
		u.seg.Notes = []string{"label that the chart keeps of a cell which does not say so now"}
	}
	c.addUnit(u)
}
