package pptx

import (
	"bytes"
	"context"
	"fmt"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// grid is an a:tbl by rows and cells (21.1.3.13). A cell that is merged into
// another is in it too, with hMerge or vMerge set.
type grid struct {
	rows  []*node   // a:tr
	cells [][]*node // a:tc of each row
}

func gridOf(tbl *node) grid {
	var g grid
	for tr := range tbl.Kids() {
		if !tr.Is(nsA, "tr") {
			continue
		}
		var row []*node
		for tc := range tr.Kids() {
			if tc.Is(nsA, "tc") {
				row = append(row, tc)
			}
		}
		g.rows, g.cells = append(g.rows, tr), append(g.cells, row)
	}
	return g
}

// origin returns the cell that shows what the cell at row r and column c would.
func (g grid) origin(r, c int) (int, int) {
	for c > 0 && isTrue(g.cells[r][c].Value("hMerge")) {
		c--
	}
	for r > 0 && c < len(g.cells[r]) && isTrue(g.cells[r][c].Value("vMerge")) && c < len(g.cells[r-1]) {
		r--
	}
	return r, c
}

// findTable returns the table that an operation names; the only one of a slide
// need not be named.
func (d *deckEdit) findTable(ctx context.Context, c *call, a tableArgs) (*tree, *foundShape, error) {
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return nil, nil, err
	}
	f, err := c.findShape(t, shapeArgs(a), kindTable)
	if err != nil {
		return nil, nil, err
	}
	if f.tbl == nil {
		return nil, nil, formats.Errorf(formats.CodeInvalid, "the shape %s is no table but a %s", quote(f.name()), f.kind())
	}
	return t, f, nil
}

// tables returns the table in every branch of alternate content.
func (f *foundShape) tables() (out []*shape) {
	for _, s := range f.all {
		if s.tbl != nil {
			out = append(out, s)
		}
	}
	return out
}

// rowIndex returns the member row, 0 to n-1.
func rowIndex(row *lenient.Int, n int) (int, error) {
	if row == nil {
		return 0, formats.Errorf(formats.CodeInvalid, "row is required: counted from 0")
	}
	r := int(*row)
	if r < 0 || r >= n {
		return 0, formats.Errorf(formats.CodeInvalid, "the table has no row %d; it has %d, counted from 0", r, n)
	}
	return r, nil
}

// setTableCellArgs are the members of set_table_cell.
type setTableCellArgs struct {
	slideArgs
	tableArgs
	Row    *lenient.Int `json:"row" usage:"row" jsonschema:"table row, counted from 0"`
	Column *lenient.Int `json:"column" usage:"column" jsonschema:"table column, counted from 0"`
	textArgs
	lookArgs
}

// setTableCell sets the text of one cell.
func (d *deckEdit) setTableCell(ctx context.Context, c *call, a setTableCellArgs) error {
	lines, err := a.lines(a.lookArgs)
	if err != nil {
		return err
	}
	if a.Column == nil {
		return formats.Errorf(formats.CodeInvalid, "column is required: counted from 0")
	}
	t, f, err := d.findTable(ctx, c, a.tableArgs)
	if err != nil {
		return err
	}
	var splices []xmlscan.Splice
	for _, s := range f.tables() {
		g := gridOf(s.tbl)
		r, err := rowIndex(a.Row, len(g.rows))
		if err != nil {
			return err
		}
		col := int(*a.Column)
		if col < 0 || col >= len(g.cells[r]) {
			return formats.Errorf(formats.CodeInvalid, "the table has no column %d; it has %d, counted from 0", col, len(g.cells[r]))
		}
		if or, oc := g.origin(r, col); or != r || oc != col {
			return formats.Errorf(formats.CodeInvalid, "the cell at row %d, column %d is merged into that at row %d, column %d; set that one", r, col, or, oc)
		}
		splices = append(splices, t.setCell(g.cells[r][col], lines)...)
	}
	c.r.Hits, c.r.Cells = 1, 1
	d.setTree(t, splices)
	return nil
}

// setCell sets the text of an a:tc.
func (t *tree) setCell(tc *node, lines []line) []xmlscan.Splice {
	if body := tc.Child(nsA, "txBody"); body != nil {
		return t.setLines(body, lines)
	}
	var buf bytes.Buffer
	q := func(local string) string { return qualify(tc.Prefix, local) }
	fmt.Fprintf(&buf, "<%s><%s/><%s/>", q("txBody"), q("bodyPr"), q("lstStyle"))
	for _, l := range lines {
		t.writeParagraph(&buf, tc.Prefix, nil, l)
	}
	fmt.Fprintf(&buf, "</%s>", q("txBody"))
	if tc.Empty {
		return t.InsertLast(tc, buf.Bytes())
	}
	return []xmlscan.Splice{{Start: tc.End, End: tc.End, New: buf.Bytes()}}
}
