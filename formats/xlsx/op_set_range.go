package xlsx

import (
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/internal/lenient"
)

type setRangeArgs struct {
	sheetArgs
	Start   string       `json:"start" usage:"start" jsonschema:"{ops}: top left cell of the block, for example A1"`
	Values  [][]any      `json:"values" usage:"values" shape:"an array of rows, each an array of values" jsonschema:"{ops}: rows of values; each a string, number, boolean or null (clears the cell); a string that begins with = is a formula, {=…} an array formula in one cell; a full date such as 2026-11-22 or 2026-11-22T10:30 becomes a date, unless the cell has a text format; an error such as #N/A becomes that error"`
	Literal lenient.Bool `json:"literal" jsonschema:"{ops}: text stays text, also when it begins with ="`
	Type    string       `json:"type" jsonschema:"{ops}: text or date, for all values"`
	styleArgs
}

// typeOf is the type that a value is stored as, "" to find out.
func (op setRangeArgs) typeOf(raw any) string {
	_, isText := raw.(string)
	switch {
	case !bool(op.Literal):
		return op.Type
	case isText:
		return "text"
	}
	return "" // literal is about strings only
}

// readBlock reads the values of set_range, which begin at a cell.
func (p *plan) readBlock(ctx context.Context, op setRangeArgs, start cellref.Cell) (writes []cellWrite, err error) {
	for i, row := range op.Values {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for j, raw := range row {
			w := cellWrite{at: cellref.At(start.Row+i, start.Col+j)}
			if w.at.Row > cellref.MaxRow || w.at.Col > cellref.MaxCol {
				return nil, formats.Errorf(formats.CodeInvalid, "the values reach beyond the sheet: row %d, column %d of the block", i+1, j+1)
			}
			if w.v, w.date, err = p.typedValue(w.at, raw, op.typeOf(raw)); err != nil {
				return nil, inCell(err, w.at)
			}
			writes = append(writes, w)
		}
	}
	return writes, nil
}

func (p *plan) setRange(ctx context.Context, op setRangeArgs) (int, error) {
	switch {
	case strings.TrimSpace(op.Sheet) == "":
		return 0, formats.Errorf(formats.CodeInvalid, "sheet is required")
	case strings.TrimSpace(op.Start) == "":
		return 0, formats.Errorf(formats.CodeInvalid, "start is required")
	case len(op.Values) == 0:
		return 0, formats.Errorf(formats.CodeInvalid, "values is required")
	}
	at, err := cellref.ParseCell(op.Start)
	if err != nil {
		return 0, err
	}
	writes, err := p.readBlock(ctx, op, at)
	if err != nil {
		return 0, err
	}
	p.saidOfValues()
	p.saidRagged(op.Values)
	s, err := p.writable(op.Sheet)
	if err != nil {
		return 0, err
	}
	block := cellref.Range{}
	for _, w := range writes {
		s.setDate(w.at, w.v, w.date)
		block.Add(w.at.Row, w.at.Col)
	}
	return len(writes), s.styleCells(op.Style, block)
}
