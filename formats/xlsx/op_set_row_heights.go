package xlsx

import (
	"context"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/internal/lenient"
)

type setRowHeightsArgs struct {
	sheetArgs
	Rows []RowHeight `json:"rows" usage:"rows" jsonschema:"{ops}: the rows"`
}

// RowHeight is one row of set_row_heights.
type RowHeight struct {
	Row    lenient.Int `json:"row" jsonschema:"1-based row number"`
	Height float64     `json:"height" jsonschema:"in points, 0 to 409"`
}

func (p *plan) setHeights(_ context.Context, op setRowHeightsArgs) (int, error) {
	if len(op.Rows) == 0 {
		return 0, formats.Errorf(formats.CodeInvalid, "rows is required")
	}
	for _, r := range op.Rows {
		if r.Row < 1 || r.Row > cellref.MaxRow {
			return 0, formats.Errorf(formats.CodeInvalid, "invalid row %d: expected 1 to %d", r.Row, cellref.MaxRow)
		}
		if !(r.Height >= 0 && r.Height <= 409) {
			return 0, formats.Errorf(formats.CodeInvalid, "invalid height %v of row %d: expected 0 to 409", r.Height, r.Row)
		}
	}
	s, err := p.writable(op.Sheet)
	if err != nil {
		return 0, err
	}
	if s.heights == nil {
		s.heights = map[int]float64{}
	}
	for _, r := range op.Rows {
		s.heights[int(r.Row)] = r.Height
	}
	return 0, nil
}
