package xlsx

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
)

// placeChart moves a chart, sets its size and its description.
func (e *structure) placeChart(c *placedChart, op changeChartArgs) error {
	cx, cy, err := op.size()
	if err != nil {
		return err
	}
	var edits []xmlscan.Splice
	if op.Alt != nil {
		edits = append(edits, c.t.SetAttr(c.frame.Child(nsXdr, "nvGraphicFramePr").Child(nsXdr, "cNvPr"), "descr", *op.Alt))
	}
	if op.Cell != "" || cx > 0 || cy > 0 {
		more, err := e.moveAnchor(c, op.Cell, cx, cy)
		if err != nil {
			return err
		}
		edits = append(edits, more...)
	}
	if out := xmlscan.Apply(c.t.Doc, edits); !bytes.Equal(out, c.t.Doc) {
		e.ed.Set(c.drawing, out)
	}
	return nil
}

// moveAnchor gives an anchor another corner and size (20.5.2.24, 20.5.2.33). An
// anchor between two cells that gets a size keeps that from then on.
func (e *structure) moveAnchor(c *placedChart, cell string, cx, cy int64) ([]xmlscan.Splice, error) {
	n := c.anchor
	if n != c.frame.Parent {
		return nil, formats.Errorf(formats.CodeUnsupported, "the chart is in a group or in a chart sheet, so it cannot be moved alone")
	}
	from, to, ext := n.Child(nsXdr, "from"), n.Child(nsXdr, "to"), n.Child(nsXdr, "ext")
	if from == nil {
		return nil, formats.Errorf(formats.CodeUnsupported, "the chart has a sheet to itself or a fixed place, so it cannot be moved to a cell")
	}
	x := drawingWriter{prefix: prefixOf(n)}
	corner := func(m *tree.Node) (row, col int) {
		number := func(local string) int {
			v, _ := strconv.Atoi(strings.TrimSpace(c.t.Text(m.Child(nsXdr, local))))
			return max(0, min(v, cellref.MaxRow))
		}
		return number("row"), number("col")
	}
	row, col := corner(from)
	newRow, newCol := row, col
	if cell != "" {
		at, err := cellref.ParseCell(cell)
		if err != nil {
			return nil, err
		}
		newRow, newCol = at.Row-1, at.Col-1
	}
	var edits []xmlscan.Splice
	replace := func(m *tree.Node, xml string) {
		edits = append(edits, xmlscan.Splice{Start: m.Start, End: m.After, New: []byte(xml)})
	}
	if cell != "" {
		replace(from, x.corner("from", newRow, newCol, "0", "0"))
	}
	switch {
	case to == nil && ext != nil && (cx > 0 || cy > 0):
		el := element.Parse(c.t.Raw(ext), "", nil)
		for name, v := range map[string]int64{"cx": cx, "cy": cy} {
			if v > 0 {
				el.SetAttr(name, strconv.FormatInt(v, 10))
			}
		}
		replace(ext, el.String())
	case to == nil:
	case cx > 0 && cy > 0:
		replace(to, fmt.Sprintf(`<%sext cx="%d" cy="%d"/>`, x.prefix, cx, cy))
		raw := c.t.Raw(n)
		head := string(xmlscan.Apply(raw[:n.End-n.Start], nil))
		head = strings.Replace(head, "twoCellAnchor", "oneCellAnchor", 1)
		tag := element.Parse(head+"</"+x.prefix+"oneCellAnchor>", "", nil)
		tag.DropAttrs("editAs")
		head = strings.TrimSuffix(tag.String(), "</"+x.prefix+"oneCellAnchor>")
		head = strings.TrimSuffix(strings.TrimSuffix(head, "/>"), ">") + ">"
		edits = append(edits, xmlscan.Splice{Start: n.Start, End: n.End, New: []byte(head)},
			xmlscan.Splice{Start: n.Close, End: n.After, New: []byte("</" + x.prefix + "oneCellAnchor>")})
		e.rep.Notes = append(e.rep.Notes, "the chart keeps this size when rows and columns change theirs")
	case cx > 0 || cy > 0:
		return nil, formats.Errorf(formats.CodeInvalid, "the chart ends at a cell; give width and height together")
	case cell != "":
		endRow, endCol := corner(to)
		text := func(local string) string { return strings.TrimSpace(c.t.Text(to.Child(nsXdr, local))) }
		replace(to, x.corner("to", max(0, min(endRow+newRow-row, cellref.MaxRow-1)), max(0, min(endCol+newCol-col, cellref.MaxCol-1)), text("rowOff"), text("colOff")))
	}
	return edits, nil
}

// drawingWriter writes elements of a drawing.
type drawingWriter struct{ prefix string }

func prefixOf(n *tree.Node) string {
	if n.Prefix == "" {
		return ""
	}
	return n.Prefix + ":"
}

// corner returns a corner (20.5.2.15); offsets are in EMU.
func (d drawingWriter) corner(local string, row, col int, rowOff, colOff string) string {
	off := func(s string) string {
		if _, err := strconv.ParseInt(s, 10, 64); err != nil {
			return "0"
		}
		return s
	}
	return fmt.Sprintf(`<%[1]s%[2]s><%[1]scol>%[3]d</%[1]scol><%[1]scolOff>%[4]s</%[1]scolOff><%[1]srow>%[5]d</%[1]srow><%[1]srowOff>%[6]s</%[1]srowOff></%[1]s%[2]s>`, d.prefix, local, col, off(colOff), row, off(rowOff))
}
