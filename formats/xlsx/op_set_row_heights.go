package xlsx

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/stylesheet"
)

type setRowHeightsArgs struct {
	sheetArgs
	Rows []RowHeight `json:"rows" usage:"rows" jsonschema:"{ops}: the rows"`
}

// RowHeight is one row, or several rows, of set_row_heights.
type RowHeight struct {
	Row    any `json:"row" jsonschema:"1-based row number, or several rows such as 3:9,12"`
	Height any `json:"height" jsonschema:"in points, 0 to 409, or auto: as high as the text needs, estimated from fonts, column widths and wrapping"`
}

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
	if len(op.Rows) == 0 {
		return nil, formats.Errorf(formats.CodeInvalid, "rows is required")
	}
	h := &rowHeights{set: map[int]float64{}}
	for _, r := range op.Rows {
		runs, err := r.runs()
		if err != nil {
			return nil, err
		}
		if err := h.add(runs, r); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// add gives rows a height: points, or auto.
func (h *rowHeights) add(runs []lineRun, r RowHeight) error {
	if s, ok := r.Height.(string); ok && strings.EqualFold(strings.TrimSpace(s), "auto") {
		for _, run := range runs {
			h.fit = append(h.fit, cellref.Block(run.from, 1, run.to, 1))
		}
		return nil
	}
	n, err := stylesheet.AsNumber(r.Height)
	if r.Height == nil || err != nil || !(*n >= 0 && *n <= maxRowHeight) {
		return formats.Errorf(formats.CodeInvalid, "invalid height %s of row %v; expected 0 to %d, or auto", cellref.QuoteArg(fmt.Sprint(r.Height)), r.Row, maxRowHeight)
	}
	for _, run := range runs {
		if len(h.set)+run.to-run.from+1 > maxHidden {
			return formats.Errorf(formats.CodeTooLarge, "more than %d rows are too many to set heights of at once; name only the rows that hold something, or use several operations", maxHidden)
		}
		for row := run.from; row <= run.to; row++ {
			h.set[row] = *n
		}
	}
	return nil
}

// runs are the rows that an item names.
func (r RowHeight) runs() ([]lineRun, error) {
	if text, ok := r.Row.(string); ok && strings.TrimSpace(text) != "" {
		return runsIn(false, text)
	}
	row, err := columnIndex(r.Row)
	if err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "invalid row %s: expected a number such as 3, or rows such as 3:9,12", argText(r.Row))
	}
	return runFrom(false, row, nil)
}
