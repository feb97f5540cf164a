package pptx

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
	"atelier/internal/lenient"
)

var colID = lazyregexp.New(`(:colId\b[^>]*\sval=")(\d+)(")`)

// gridColumns returns the a:gridCol of a table (21.1.3.2) with their widths in
// EMU. Rows that do not fit them are refused.
func gridColumns(tbl *node, g grid) (cols []*node, widths []int, err error) {
	if tg := tbl.Child(nsA, "tblGrid"); tg != nil {
		for n := range tg.Kids() {
			if n.Is(nsA, "gridCol") {
				cols, widths = append(cols, n), append(widths, max(0, intOr(n.Value("w"), 0)))
			}
		}
	}
	for r, row := range g.cells {
		if len(row) != len(cols) {
			return nil, nil, formats.Errorf(formats.CodeUnsupported, "row %d of the table has %d cells for %d columns; its columns cannot be changed", r, len(row), len(cols))
		}
	}
	if len(cols) == 0 || len(g.rows) == 0 {
		return nil, nil, formats.Errorf(formats.CodeUnsupported, "the table has no cells to copy")
	}
	return cols, widths, nil
}

// addTableColumnArgs are the members of add_table_column.
type addTableColumnArgs struct {
	slideArgs
	tableArgs
	Column *lenient.Int `json:"column" jsonschema:"table column, counted from 0"`
	Cells  []Cell       `json:"cells" usage:"cells" jsonschema:"{ops}: its texts"`
}

// addTableColumn adds a column that looks like the one to its left, or to its
// right when it becomes the first. The table keeps its width: every column
// gives a share.
func (d *deckEdit) addTableColumn(ctx context.Context, c *call, a addTableColumnArgs) error {
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
		n := len(cols)
		at := n
		if a.Column != nil {
			if at = int(*a.Column); at < 0 || at > n {
				return formats.Errorf(formats.CodeInvalid, "column must be 0 to %d, the place the new column gets, not %d", n, at)
			}
		}
		switch {
		case n >= maxTableSide:
			return formats.Errorf(formats.CodeInvalid, "the table has %d columns already, the most there can be", n)
		case len(a.Cells) > len(g.rows):
			return formats.Errorf(formats.CodeInvalid, "cells has %d texts, the table has %d rows", len(a.Cells), len(g.rows))
		}
		model, taken := cols[max(0, at-1)], 0
		for i, w := range widths {
			give := w / (n + 1)
			taken += give
			splices = append(splices, t.SetAttr(cols[i], "w", strconv.Itoa(w-give)))
		}
		pos := model.After
		if at == 0 {
			pos = model.Start
		}
		splices = append(splices, xmlscan.Splice{Start: pos, End: pos, New: t.newGridColumn(model, taken)})
		for r := range g.rows {
			text := ""
			if r < len(a.Cells) {
				text = string(a.Cells[r])
			}
			own, err := t.newColumnCell(g, r, at, text)
			if err != nil {
				return err
			}
			splices = append(splices, own...)
		}
		c.r.Made = fmt.Sprintf("column %d", at)
	}
	c.r.Hits, c.r.Cells = 1, len(a.Cells)
	d.setTree(t, splices)
	return nil
}

// newGridColumn returns a copy of a grid column with a width and an id of its
// own ([MS-ODRAWXML] 2.30.2).
func (t *tree) newGridColumn(like *node, width int) []byte {
	w := t.SetAttr(like, "w", strconv.Itoa(width))
	w.Start, w.End = w.Start-like.Start, w.End-like.Start
	col := xmlscan.Apply(t.Raw(like), []xmlscan.Splice{w})
	if m := colID.FindSubmatchIndex(col); m != nil {
		old, _ := strconv.ParseUint(string(col[m[4]:m[5]]), 10, 32)
		col = xmlscan.Apply(col, []xmlscan.Splice{{Start: m[4], End: m[5], New: strconv.AppendUint(nil, uint64(t.freeID(colID, uint32(old))), 10)}})
	}
	return col
}

// newColumnCell puts a cell into row r at column at. Between cells that are
// merged across it the new one joins them.
func (t *tree) newColumnCell(g grid, r, at int, text string) ([]xmlscan.Splice, error) {
	row := g.cells[r]
	if at > 0 && at < len(row) && isTrue(row[at].Value("hMerge")) {
		first := at
		for first > 0 && isTrue(row[first].Value("hMerge")) {
			first--
		}
		if text != "" {
			return nil, formats.Errorf(formats.CodeInvalid, "the cell at row %d, column %d reaches over the place of the new column: leave its text in cells empty", r, first)
		}
		joined := xmlscan.Splice{Start: row[at].Start, End: row[at].Start, New: slices.Clone(t.Raw(row[at]))}
		n := intOr(row[first].Value("gridSpan"), 1)
		return []xmlscan.Splice{joined, t.SetAttr(row[first], "gridSpan", strconv.Itoa(n+1))}, nil
	}
	tc, pos := row[max(0, at-1)], 0
	if at == 0 {
		pos = tc.Start
	} else {
		pos = tc.After
	}
	own := []xmlscan.Splice{t.cellStart(tc, false)}
	if body := tc.Child(nsA, "txBody"); body != nil {
		own = append(own, t.setLines(body, splitLines(text))...)
	} else if text != "" && !tc.Empty {
		own = append(own, t.setCell(tc, splitLines(text))...)
	}
	for i := range own {
		own[i].Start -= tc.Start
		own[i].End -= tc.Start
	}
	return []xmlscan.Splice{{Start: pos, End: pos, New: xmlscan.Apply(t.Raw(tc), own)}}, nil
}

// deleteTableColumnArgs are the members of delete_table_column.
type deleteTableColumnArgs struct {
	slideArgs
	tableArgs
	Column *lenient.Int `json:"column" usage:"column" jsonschema:"table column, counted from 0"`
}

// deleteTableColumn removes a column; its width goes to the others by theirs. A
// cell that reaches from it over columns to the right continues in the next
// one.
func (d *deckEdit) deleteTableColumn(ctx context.Context, c *call, a deleteTableColumnArgs) error {
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
		cols, widths, err := gridColumns(s.tbl, g)
		if err != nil {
			return err
		}
		at := int(*a.Column)
		if at < 0 || at >= len(cols) {
			return formats.Errorf(formats.CodeInvalid, "the table has no column %d; it has %d, counted from 0", at, len(cols))
		}
		if len(cols) == 1 {
			return formats.Errorf(formats.CodeInvalid, "the table has no other column; use delete_shape to delete it")
		}
		splices = append(splices, xmlscan.Splice{Start: cols[at].Start, End: cols[at].After})
		spare := widths[at]
		cols, widths = slices.Delete(cols, at, at+1), slices.Delete(widths, at, at+1)
		for i, w := range sharedOut(spare, widths) {
			splices = append(splices, t.SetAttr(cols[i], "w", strconv.Itoa(widths[i]+w)))
		}
		for r := range g.rows {
			splices = append(splices, t.dropCell(g, r, at)...)
		}
	}
	c.r.Hits = 1
	d.setTree(t, splices)
	return nil
}

// dropCell removes the cell of row r at column at.
func (t *tree) dropCell(g grid, r, at int) []xmlscan.Splice {
	row := g.cells[r]
	tc := row[at]
	less := func(n *node) xmlscan.Splice {
		span := ""
		if k := intOr(n.Value("gridSpan"), 1) - 1; k > 1 {
			span = strconv.Itoa(k)
		}
		return t.SetAttr(n, "gridSpan", span)
	}
	switch {
	case intOr(tc.Value("gridSpan"), 1) > 1 && at+1 < len(row):
		// The next cell, merged into this one, becomes the one that shows the text.
		s := less(tc)
		s.Start, s.End = s.Start-tc.Start, s.End-tc.Start
		return []xmlscan.Splice{{Start: tc.Start, End: tc.After}, {Start: row[at+1].Start, End: row[at+1].After, New: xmlscan.Apply(t.Raw(tc), []xmlscan.Splice{s})}}
	case isTrue(tc.Value("hMerge")):
		first := at
		for first > 0 && isTrue(row[first].Value("hMerge")) {
			first--
		}
		out := []xmlscan.Splice{{Start: tc.Start, End: tc.After}}
		if intOr(row[first].Value("gridSpan"), 1) > 1 {
			out = append(out, less(row[first]))
		}
		return out
	}
	return []xmlscan.Splice{{Start: tc.Start, End: tc.After}}
}

// sharedOut splits a length among columns by their widths; the parts add up to it.
func sharedOut(length int, widths []int) []int {
	total := 0
	for _, w := range widths {
		total += w
	}
	out := make([]int, len(widths))
	upTo, given := 0, 0
	for i, w := range widths {
		upTo += w
		to := length * (i + 1) / len(widths)
		if total > 0 {
			to = int((int64(length)*int64(upTo) + int64(total)/2) / int64(total))
		}
		out[i], given = to-given, to
	}
	return out
}
