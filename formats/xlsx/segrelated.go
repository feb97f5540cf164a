package xlsx

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

const (
	relDiagramData    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
	relDiagramDrawing = "http://schemas.microsoft.com/office/2007/relationships/diagramDrawing"
	relChartShapes    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/chartUserShapes"
	relSlicer         = "http://schemas.microsoft.com/office/2007/relationships/slicer"
	relTimeline       = "http://schemas.microsoft.com/office/2011/relationships/timeline"
)

// related collects what belongs to a sheet: comments, drawings with their
// charts and diagrams, slicers.
func (c *collector) related(i int) error {
	c.home = i
	rels, err := c.wb.Package.Rels(c.ctx, c.wb.Sheets[i].Part)
	if err != nil {
		return err
	}
	for _, r := range rels {
		if r.External || !c.wb.Package.Has(r.Target) || c.parts[r.Target] {
			continue
		}
		switch r.Type {
		case book.RelComments:
			c.parts[r.Target] = true
			err = c.comments(i, r.Target)
		case book.RelThreaded:
			c.parts[r.Target] = true
			err = c.threaded(i, r.Target)
		case book.RelDrawing:
			err = c.drawing(i, r.Target)
		case relSlicer, relTimeline:
			err = c.shared(i, r.Target, "slicer")
		case relVML:
			err = c.controls(i, r.Target)
		case book.RelPivot:
			err = c.pivot(i, r.Target)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) comments(i int, part string) error {
	doc, err := c.wb.Package.ReadXML(c.ctx, part)
	if err != nil {
		return err
	}
	at := ""
	n := 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch {
		case t.Local == "comment":
			at = t.AttrLocal("ref")
			n++
		case t.Local == "text" && t.Depth == 4 && !t.Empty:
			end := sheetml.EndTagStart(doc, sc.Skip())
			// What Excel writes for programs that know no threaded comments
			// follows those.
			if strings.HasPrefix(sheetml.PlainText(doc[t.End:end]), "[Threaded comment]") {
				c.standIns = append(c.standIns, standIn{part, sheetml.Piece(t.End, end), parseRst(bytes.Clone(doc[t.End:end]))})
				continue
			}
			u := c.add(fmt.Sprintf("note:%d:%d", i+1, n), fmt.Sprintf("%s!%s, comment", c.wb.Sheets[i].Name, at), doc[t.End:end])
			if u != nil {
				u.part, u.span, u.seg.Part = part, sheetml.Piece(t.End, end), "comment"
			}
		}
	}
	return book.CorruptPart(sc.Err(), part)
}

// threaded collects comments of the newer kind ([MS-XLSX] 2.6.206), which are
// plain text.
func (c *collector) threaded(i int, part string) error {
	doc, err := c.wb.Package.ReadXML(c.ctx, part)
	if err != nil {
		return err
	}
	at := ""
	n := 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind != xmlscan.Start:
		case t.Local == "threadedComment":
			at = t.AttrLocal("ref")
			n++
		case t.Local == "text" && t.Depth == 3 && !t.Empty:
			end := sheetml.EndTagStart(doc, sc.Skip())
			u := &unit{sst: -1, sheet: -1, home: i, part: part, span: sheetml.Piece(t.End, end), write: xmlscan.Escape}
			u.thread = true
			u.seg = formats.Segment{ID: fmt.Sprintf("thread:%d:%d", i+1, n), Place: fmt.Sprintf("%s!%s, comment", c.wb.Sheets[i].Name, at), Part: "comment"}
			c.put(u, sheetml.CharData(doc[t.End:end]))
		}
	}
	return book.CorruptPart(sc.Err(), part)
}

// drawing collects the text of a drawing and of the charts and diagrams in it.
func (c *collector) drawing(i int, part string) error {
	if c.parts[part] {
		return nil
	}
	if err := c.shared(i, part, "textbox"); err != nil {
		return err
	}
	rels, err := c.wb.Package.Rels(c.ctx, part)
	if err != nil {
		return err
	}
	var drawings []string // of diagrams: they repeat the data
	for _, r := range rels {
		if r.External || !c.wb.Package.Has(r.Target) {
			continue
		}
		switch {
		case book.IsChartRel(r):
			err = c.chart(i, r.Target)
		case r.Type == relDiagramData:
			err = c.shared(i, r.Target, "smartart")
		case r.Type == relDiagramDrawing:
			drawings = append(drawings, r.Target)
		}
		if err != nil {
			return err
		}
	}
	for _, d := range drawings {
		if err := c.shared(i, d, "smartart"); err != nil {
			return err
		}
	}
	return nil
}

// chart collects a chart and the shapes drawn on it.
func (c *collector) chart(i int, part string) error {
	if err := c.shared(i, part, "chart"); err != nil {
		return err
	}
	rels, err := c.wb.Package.Rels(c.ctx, part)
	if err != nil {
		return err
	}
	for _, r := range rels {
		if r.Type == relChartShapes && !r.External && c.wb.Package.Has(r.Target) {
			if err := c.shared(i, r.Target, "chart"); err != nil {
				return err
			}
		}
	}
	return nil
}

// captions are what a pivot table calls its fields (18.10.1.73).
var captions = map[string][]string{
	"pivotTableDefinition": {"dataCaption", "rowHeaderCaption", "colHeaderCaption", "grandTotalCaption", "missingCaption", "errorCaption"},
	"dataField":            {"name"}, "pivotField": {"name", "subtotalCaption"},
}

// pivot collects the captions of a pivot table that no cell says: the others
// follow those cells.
func (c *collector) pivot(i int, part string) error {
	if c.parts[part] {
		return nil
	}
	c.parts[part] = true
	doc, err := c.wb.Package.ReadXML(c.ctx, part)
	if err != nil {
		return err
	}
	sc := xmlscan.New(doc)
	n := 0
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || captions[t.Local] == nil {
			continue
		}
		for a := range t.Attrs() {
			if slices.Index(captions[t.Local], a.Name) < 0 {
				continue
			}
			n++
			text, at := sheetml.Unescape(a.Value()), sheetml.Piece(a.ValStart, a.ValEnd)
			if c.cellWith(text) >= 0 {
				c.echoes = append(c.echoes, echo{part, at, text})
				continue
			}
			u := &unit{sst: -1, sheet: -1, home: i, part: part, span: at, write: sheetml.EscapeAttr}
			u.seg = formats.Segment{ID: fmt.Sprintf("pivot:%s:%d", part, n), Place: c.wb.Sheets[i].Name + ", pivot table", Part: "pivot", MaxLength: 255}
			c.put(u, text)
		}
	}
	return book.CorruptPart(sc.Err(), part)
}
