package xlsx

import (
	"context"
	"strings"

	"atelier/formats"
)

type setColumnWidthsArgs struct {
	sheetArgs
	Columns []ColumnWidth `json:"columns" usage:"columns" jsonschema:"{ops}: the columns"`
}

// ColumnWidth is one column of set_column_widths.
type ColumnWidth struct {
	Column string `json:"column" jsonschema:"letter such as B, or A:D; several with commas"`
	Width  any    `json:"width" jsonschema:"in characters, 0 to 255, or auto: as wide as what the cells show"`
}

func (p *plan) setWidths(_ context.Context, op setColumnWidthsArgs) (int, error) {
	if len(op.Columns) == 0 {
		return 0, formats.Errorf(formats.CodeInvalid, "columns is required")
	}
	widths := map[int]float64{}
	var auto []int
	for _, c := range op.Columns {
		w, fit, err := columnWidth(c)
		if err != nil {
			return 0, err
		}
		for _, part := range strings.Split(c.Column, ",") {
			r, err := columnRange(strings.TrimSpace(part))
			if err != nil {
				return 0, err
			}
			for col := r.C1; col <= r.C2; col++ {
				delete(widths, col)
				if fit {
					auto = append(auto, col)
				} else {
					widths[col] = w
				}
			}
		}
	}
	s, err := p.writable(op.Sheet)
	if err != nil {
		return 0, err
	}
	s.setWidths(p, widths, auto)
	return 0, nil
}
