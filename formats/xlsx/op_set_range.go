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
	Values  [][]any      `json:"values" usage:"values" shape:"an array of rows, each an array of values" jsonschema:"{ops}: rows of values; each a string, number, boolean or null (clears the cell); a string that begins with = is a formula, {=…} an array formula in one cell; a full date such as 2026-11-22 or 2026-11-22T10:30 becomes a date, unless the cell has a text format"`
	Literal lenient.Bool `json:"literal" jsonschema:"{ops}: text stays text, also when it begins with ="`
	Type    string       `json:"type" jsonschema:"{ops}: text or date, for all values"`
	styleArgs
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
	typ := op.Type
	if op.Literal {
		typ = "text"
	}
	vals, dates := map[cellref.Cell]value{}, map[cellref.Cell]*dateCell{}
	for i, row := range op.Values {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for j, raw := range row {
			to := cellref.At(at.Row+i, at.Col+j)
			if to.Row > cellref.MaxRow || to.Col > cellref.MaxCol {
				return 0, formats.Errorf(formats.CodeInvalid, "the values reach beyond the sheet: row %d, column %d of the block", i+1, j+1)
			}
			as := typ
			if _, isText := raw.(string); !isText && bool(op.Literal) {
				as = "" // literal is about strings only
			}
			if vals[to], dates[to], err = p.typedValue(to, raw, as); err != nil {
				return 0, inCell(err, to)
			}
		}
	}
	p.saidOfValues()
	p.saidRagged(op.Values)
	s, err := p.writable(op.Sheet)
	if err != nil {
		return 0, err
	}
	block := cellref.Range{}
	for to, v := range vals {
		s.setDate(to, v, dates[to])
		block.Add(to.Row, to.Col)
	}
	return len(vals), s.styleCells(op.Style, block)
}
