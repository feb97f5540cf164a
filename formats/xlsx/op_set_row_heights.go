package xlsx

import (
	"context"
	"maps"
	"strings"

	"atelier/formats"
)

type setRowHeightsArgs struct {
	sheetArgs
	Rows []RowHeight `json:"rows" usage:"rows" jsonschema:"{ops}: the rows"`
}

// RowHeight is one row of set_row_heights.
type RowHeight struct {
	Row    any     `json:"row" jsonschema:"1-based row number, or several rows such as 3:9,12"`
	Height float64 `json:"height" jsonschema:"in points, 0 to 409"`
}

func (p *plan) setHeights(_ context.Context, op setRowHeightsArgs) (int, error) {
	if len(op.Rows) == 0 {
		return 0, formats.Errorf(formats.CodeInvalid, "rows is required")
	}
	heights := map[int]float64{}
	for _, r := range op.Rows {
		runs, err := r.runs()
		if err != nil {
			return 0, err
		}
		if !(r.Height >= 0 && r.Height <= 409) {
			return 0, formats.Errorf(formats.CodeInvalid, "invalid height %v of row %v: expected 0 to 409", r.Height, r.Row)
		}
		for _, run := range runs {
			if len(heights)+run.to-run.from+1 > maxHidden {
				return 0, formats.Errorf(formats.CodeTooLarge, "more than %d rows are too many to set heights of at once; name only the rows that hold something, or use several operations", maxHidden)
			}
			for row := run.from; row <= run.to; row++ {
				heights[row] = r.Height
			}
		}
	}
	s, err := p.writable(op.Sheet)
	if err != nil {
		return 0, err
	}
	if s.heights == nil {
		s.heights = map[int]float64{}
	}
	maps.Copy(s.heights, heights)
	return 0, nil
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
