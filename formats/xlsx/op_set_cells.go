package xlsx

import (
	"context"
	"encoding/json"
	"maps"
	"strings"

	"atelier/formats"
	opset "atelier/formats/ops"
	"atelier/formats/xlsx/internal/cellref"
)

type setCellsArgs struct {
	sheetArgs
	Cells []CellValue `json:"cells" usage:"cells" shape:"an array of {\"cell\",\"value\"}" jsonschema:"{ops}: the cells to write"`
	Style styleMap    `json:"style" usage:"style? (of those that give none)"`
}

// CellValue is one cell of set_cells.
type CellValue struct {
	Cell  string   `json:"cell" jsonschema:"reference such as B2; for an array formula {=…} over several cells their range, such as B2:B9"`
	Value any      `json:"value" jsonschema:"string, number, boolean, or null to clear; a string that begins with = is a formula, {=…} an array formula; a formula that gives several values spills; a full date such as 2026-11-22 or 2026-11-22T10:30 becomes a date, unless the cell has a text format; an error such as #N/A becomes that error"`
	Type  string   `json:"type,omitempty" jsonschema:"text: store the value as text even when it begins with = or is a number or a date; date: store it as a date whatever the format of the cell; also number, boolean, formula"`
	Style styleMap `json:"style,omitempty" jsonschema:"as in set_style; without value the cell keeps its value"`
	keep  bool     // there is no value member, only a style
}

// UnmarshalJSON implements json.Unmarshaler. It marks the cells that give a
// style but no value: unlike a null it leaves what is there.
func (a *setCellsArgs) UnmarshalJSON(b []byte) error {
	type plain setCellsArgs
	if err := opset.DecodeNumbers(b, (*plain)(a)); err != nil {
		return err
	}
	var given struct {
		Cells []map[string]json.RawMessage `json:"cells"`
	}
	for i, c := range a.Cells {
		if c.Style == nil || c.Value != nil {
			continue
		}
		if given.Cells == nil {
			if err := json.Unmarshal(b, &given); err != nil {
				return err
			}
		}
		_, has := given.Cells[i]["value"]
		a.Cells[i].keep = !has
	}
	return nil
}

// cellWrite is a value and where it goes.
type cellWrite struct {
	at    cellref.Cell
	v     value
	date  *dateCell
	block cellref.Range // of an array formula over several cells, else empty
}

// cells are the cells that a write is about.
func (w cellWrite) cells() cellref.Range {
	if !w.block.Empty() {
		return w.block
	}
	return cellref.Block(w.at.Row, w.at.Col, w.at.Row, w.at.Col)
}

// write puts a value into its cell, or an array formula into its block.
func (s *planSheet) write(w cellWrite) {
	if w.block.Empty() {
		s.setDate(w.at, w.v, w.date)
	} else {
		s.setArray(w.block, w.v)
	}
}

// readCells reads the cells of set_cells.
func (p *plan) readCells(ctx context.Context, cells []CellValue) ([]cellWrite, error) {
	writes := make([]cellWrite, 0, len(cells))
	for i, c := range cells {
		if i&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		several := strings.Contains(c.Cell, ":")
		first, _, _ := strings.Cut(c.Cell, ":")
		at, err := cellref.ParseCell(first)
		if err != nil {
			return nil, err
		}
		v, date, err := p.typedValue(at, c.Value, c.Type)
		if err != nil {
			return nil, inCell(err, at)
		}
		w := cellWrite{at: at, v: v, date: date}
		if several {
			if w.block, err = arrayBlock(c.Cell, v); err != nil {
				return nil, err
			}
			w.at = cellref.At(w.block.R1, w.block.C1)
		}
		writes = append(writes, w)
	}
	return writes, nil
}

func (p *plan) setCells(ctx context.Context, op setCellsArgs) (int, error) {
	if strings.TrimSpace(op.Sheet) == "" {
		return 0, formats.Errorf(formats.CodeInvalid, "sheet is required")
	}
	if len(op.Cells) == 0 {
		return 0, formats.Errorf(formats.CodeInvalid, "cells is required")
	}
	writes, err := p.readCells(ctx, op.Cells)
	if err != nil {
		return 0, err
	}
	p.saidOfValues()
	s, err := p.writable(op.Sheet)
	if err != nil {
		return 0, err
	}
	for i, e := range writes {
		if !op.Cells[i].keep {
			s.write(e)
		}
		if err := s.styleCells(op.styleOf(i), e.cells()); err != nil {
			return 0, inCell(err, e.at)
		}
	}
	return len(writes), nil
}

// styleOf is the style of a cell of set_cells: its own, over that of all.
func (op setCellsArgs) styleOf(i int) styleMap {
	own := op.Cells[i].Style
	switch {
	case own == nil:
		return op.Style
	case op.Style == nil:
		return own
	}
	all := maps.Clone(op.Style)
	maps.Copy(all, own)
	return all
}
