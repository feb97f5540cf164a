package pptx

import (
	"context"
	"math"
	"strconv"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// formatTableArgs are the members of format_table.
type formatTableArgs struct {
	slideArgs
	tableArgs
	ColumnWidths []*lenient.Float `json:"column_widths" usage:"column_widths? (inches, one for each column; null keeps)" jsonschema:"{ops}: inches, one for each column"`
	RowHeight    *lenient.Float   `json:"row_height" usage:"row_height? (inches, of each row; text can make it higher)" jsonschema:"{ops}: inches, of each row"`
	FontSize     *lenient.Float   `json:"font_size" usage:"font_size? (of all cells)" jsonschema:"points"`
	HeaderRow    *lenient.Bool    `json:"header_row" usage:"header_row?" jsonschema:"{ops}: the first row stands out"`
	BandedRows   *lenient.Bool    `json:"banded_rows" usage:"banded_rows?" jsonschema:"{ops}: every other row is shaded"`
	FirstColumn  *lenient.Bool    `json:"first_column" usage:"first_column?" jsonschema:"{ops}: the first column stands out"`
	TotalRow     *lenient.Bool    `json:"total_row" usage:"total_row?" jsonschema:"{ops}: the last row stands out"`
}

// flags returns the attributes of a:tblPr (21.1.3.15) that are asked for.
func (a formatTableArgs) flags() map[string]string {
	out := map[string]string{}
	for name, on := range map[string]*lenient.Bool{"firstRow": a.HeaderRow, "bandRow": a.BandedRows, "firstCol": a.FirstColumn, "lastRow": a.TotalRow} {
		if on != nil {
			out[name] = map[bool]string{false: "0", true: "1"}[bool(*on)]
		}
	}
	return out
}

// formatTable sets widths, heights, text size and the parts of the style that
// show; what it does not name stays.
func (d *deckEdit) formatTable(ctx context.Context, c *call, a formatTableArgs) error {
	switch {
	case a.ColumnWidths == nil && a.RowHeight == nil && a.FontSize == nil && len(a.flags()) == 0:
		return formats.Errorf(formats.CodeInvalid, "nothing to set: give column_widths, row_height, font_size, header_row, banded_rows, first_column or total_row")
	case a.FontSize != nil && (*a.FontSize < 1 || *a.FontSize > 4000): // 21.1.10.68
		return formats.Errorf(formats.CodeInvalid, "font_size must be 1 to 4000 points, not %v", float64(*a.FontSize))
	}
	for _, v := range append([]*lenient.Float{a.RowHeight}, a.ColumnWidths...) {
		if v != nil && (*v < 0.01 || *v > maxInches) {
			return formats.Errorf(formats.CodeInvalid, "column_widths and row_height must be 0.01 to %d inches, not %v", maxInches, float64(*v))
		}
	}
	t, f, err := d.findTable(ctx, c, a.tableArgs)
	if err != nil {
		return err
	}
	var splices []xmlscan.Splice
	for _, s := range f.tables() {
		g := gridOf(s.tbl)
		cols, widths, err := gridColumns(s.tbl, g)
		if err != nil {
			return err
		}
		if a.ColumnWidths != nil && len(a.ColumnWidths) != len(cols) {
			return formats.Errorf(formats.CodeInvalid, "column_widths has %d widths, the table has %d columns; use null for one that stays", len(a.ColumnWidths), len(cols))
		}
		for k, v := range a.ColumnWidths {
			if v != nil {
				widths[k] = int(math.Round(float64(*v) * emuPerInch))
				splices = append(splices, t.SetAttr(cols[k], "w", strconv.Itoa(widths[k])))
			}
		}
		height := 0
		for _, row := range g.rows {
			h := intOr(row.Value("h"), 0)
			if a.RowHeight != nil {
				h = int(math.Round(float64(*a.RowHeight) * emuPerInch))
				splices = append(splices, t.SetAttr(row, "h", strconv.Itoa(h)))
			}
			height += h
		}
		splices = append(splices, t.tableFlags(s.tbl, a.flags())...)
		if a.FontSize != nil {
			splices = append(splices, t.tableFont(s.tbl, int(math.Round(float64(*a.FontSize)*100)))...)
		}
		width := 0
		for _, w := range widths {
			width += w
		}
		splices = append(splices, d.fitFrame(t, s, a, width, height)...)
	}
	c.r.Hits = 1
	d.setTree(t, splices)
	return nil
}

// fitFrame makes the frame of a table as large as its columns and rows.
func (d *deckEdit) fitFrame(t *tree, s *shape, a formatTableArgs, width, height int) (out []xmlscan.Splice) {
	ext := s.xfrm().Child(nsA, "ext")
	if ext == nil {
		return nil
	}
	if a.ColumnWidths != nil {
		out = append(out, t.SetAttr(ext, "cx", strconv.Itoa(width)))
	}
	if a.RowHeight != nil {
		out = append(out, t.SetAttr(ext, "cy", strconv.Itoa(height)))
	}
	return out
}

// tableFlags sets attributes of a:tblPr.
func (t *tree) tableFlags(tbl *node, flags map[string]string) (out []xmlscan.Splice) {
	props := tbl.Child(nsA, "tblPr")
	add := ""
	for _, name := range []string{"firstRow", "firstCol", "lastRow", "bandRow"} {
		switch v := flags[name]; {
		case v == "":
		case props == nil:
			add += " " + name + `="` + v + `"`
		case isTrue(props.Value(name)) != (v == "1"):
			out = append(out, t.SetAttr(props, name, v))
		}
	}
	if add != "" {
		out = append(out, xmlscan.Splice{Start: tbl.End, End: tbl.End, New: []byte("<" + qualify(tbl.Prefix, "tblPr") + add + "/>")})
	}
	return out
}

// tableFont sets the size of all text of a table, in hundredths of a point, also
// of that which is written into empty cells later.
func (t *tree) tableFont(tbl *node, size int) (out []xmlscan.Splice) {
	sz := strconv.Itoa(size)
	for n := range tbl.All() {
		switch {
		case n.Space != nsA:
		case n.Local == "rPr" || n.Local == "endParaRPr":
			if n.Value("sz") != sz {
				out = append(out, t.SetAttr(n, "sz", sz))
			}
		case (n.Local == "r" || n.Local == "fld" || n.Local == "br") && n.Child(nsA, "rPr") == nil:
			xml := "<" + qualify(n.Prefix, "rPr") + ` sz="` + sz + `"/>`
			if n.Empty {
				out = append(out, t.InsertLast(n, []byte(xml))...)
			} else {
				out = append(out, xmlscan.Splice{Start: n.End, End: n.End, New: []byte(xml)})
			}
		case n.Local == "p" && !hasRun(n) && n.Child(nsA, "endParaRPr") == nil:
			out = append(out, t.InsertLast(n, []byte("<"+qualify(n.Prefix, "endParaRPr")+` sz="`+sz+`"/>`))...)
		}
	}
	return out
}
