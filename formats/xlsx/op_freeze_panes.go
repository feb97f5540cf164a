package xlsx

import (
	"context"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/internal/lenient"
)

type freezePanesArgs struct {
	sheetArgs
	Row    *lenient.Int `json:"row" jsonschema:"{ops}: 0-based first row that scrolls"`
	Column any          `json:"column" usage:"column? (0-based, first that scrolls)" jsonschema:"{ops}: 0-based first column that scrolls"`
}

func (p *plan) freezePanes(_ context.Context, op freezePanesArgs) (int, error) {
	var at cellref.Cell
	if op.Row != nil {
		at.Row = int(*op.Row)
	}
	if op.Column != nil {
		var err error
		if at.Col, err = columnIndex(op.Column); err != nil {
			return 0, err
		}
	}
	if op.Row == nil && op.Column == nil {
		return 0, formats.Errorf(formats.CodeInvalid, "row or column is required")
	}
	if at.Row < 0 || at.Row >= cellref.MaxRow || at.Col < 0 || at.Col >= cellref.MaxCol {
		return 0, formats.Errorf(formats.CodeInvalid, "row %d, column %d is outside the sheet", at.Row, at.Col)
	}
	s, err := p.writable(op.Sheet)
	if err != nil {
		return 0, err
	}
	s.freeze = &at
	return 0, nil
}
