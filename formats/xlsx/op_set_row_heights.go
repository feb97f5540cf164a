package xlsx

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/stylesheet"
	"atelier/internal/lenient"
)

type setRowHeightsArgs struct {
	sheetArgs
	Rows      []RowHeight `json:"rows" usage:"rows" jsonschema:"{ops}: the rows"`
	Range     string      `json:"range"`
	RowHeight any         `json:"row_height" jsonschema:"{ops}: as height, of all rows of range, such as 2:9,12:14"`
}

// RowHeight is one row of set_row_heights.
type RowHeight struct {
	Row    lenient.Int `json:"row" jsonschema:"1-based row number"`
	Height any         `json:"height" jsonschema:"in points, 0 to 409, or auto: as high as the text needs, estimated from fonts, column widths and wrapping"`
}

// maxSetHeights bounds the rows that one set_row_heights gives a height.
const maxSetHeights = 200_000

// rowHeights is what set_row_heights comes to.
type rowHeights struct {
	set map[int]float64
	fit []cellref.Range
}

func (p *plan) setHeights(_ context.Context, op setRowHeightsArgs) (int, error) {
	h, err := op.read()
	if err != nil {
		return 0, err
	}
	s, err := p.writable(op.Sheet)
	if err != nil {
		return 0, err
	}
	if s.heights == nil {
		s.heights = map[int]float64{}
	}
	if len(h.fit) > 0 {
		rows := rowSet(h.fit)
		maps.DeleteFunc(s.heights, func(row int, _ float64) bool { return rows.Has(row, 1) })
		p.deferEdit(s, func(ctx context.Context, w *sheetWork) error { return w.fitRows(ctx, h.fit) })
	}
	maps.Copy(s.heights, h.set)
	return 0, nil
}

// rowSet returns the rows of blocks as cells of column 1.
func rowSet(blocks []cellref.Range) *cellref.Set {
	rows := &cellref.Set{}
	for _, b := range blocks {
		rows.AddRange(cellref.Block(b.R1, 1, b.R2, 1))
	}
	return rows
}

// read reads the heights that are given.
func (op setRowHeightsArgs) read() (*rowHeights, error) {
	h := &rowHeights{set: map[int]float64{}}
	switch {
	case op.Range == "" && op.RowHeight != nil:
		return nil, formats.Errorf(formats.CodeInvalid, "range is required with row_height: rows such as 2:9,12:14")
	case op.Range != "" && op.RowHeight == nil:
		return nil, formats.Errorf(formats.CodeInvalid, "row_height is required for the rows of range: points, or auto")
	case op.Range == "" && len(op.Rows) == 0:
		return nil, formats.Errorf(formats.CodeInvalid, "rows is required")
	case op.Range != "":
		blocks, err := ranges(op.Range)
		if err != nil {
			return nil, err
		}
		if err := h.add(blocks, op.RowHeight, "the rows of range"); err != nil {
			return nil, err
		}
	}
	for _, r := range op.Rows {
		if r.Row < 1 || r.Row > cellref.MaxRow {
			return nil, formats.Errorf(formats.CodeInvalid, "invalid row %d: expected 1 to %d", r.Row, cellref.MaxRow)
		}
		if err := h.add([]cellref.Range{cellref.Block(int(r.Row), 1, int(r.Row), 1)}, r.Height, fmt.Sprintf("row %d", r.Row)); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// add gives the rows of blocks a height: points, or auto.
func (h *rowHeights) add(blocks []cellref.Range, height any, what string) error {
	if s, ok := height.(string); ok && strings.EqualFold(strings.TrimSpace(s), "auto") {
		h.fit = append(h.fit, blocks...)
		return nil
	}
	n, err := stylesheet.AsNumber(height)
	if height == nil || err != nil || !(*n >= 0 && *n <= maxRowHeight) {
		return formats.Errorf(formats.CodeInvalid, "invalid height %s of %s: expected 0 to %d, or auto", cellref.QuoteArg(fmt.Sprint(height)), what, maxRowHeight)
	}
	for _, b := range blocks {
		if len(h.set)+b.R2-b.R1+1 > maxSetHeights {
			return formats.Errorf(formats.CodeTooLarge, "range %s has more than %d rows; name those that hold something", cellref.FormatList(blocks), maxSetHeights)
		}
		for row := b.R1; row <= b.R2; row++ {
			h.set[row] = *n
		}
	}
	return nil
}
