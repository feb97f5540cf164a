package xlsx

import (
	"context"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/stylesheet"
)

type setStyleArgs struct {
	rangeArgs
	Style styleMap `json:"style" usage:"style"`
	whereArgs
}

// anew: the condition needs the values of the operations before.
func (op setStyleArgs) anew() bool { return len(op.Where) > 0 }

func (p *plan) setStyle(ctx context.Context, op setStyleArgs) (int, error) {
	rects, err := ranges(op.Range)
	if err != nil {
		return 0, err
	}
	if len(op.Style) == 0 {
		return 0, formats.Errorf(formats.CodeInvalid, `style is required, for example {"font_bold":true}`)
	}
	spec, err := stylesheet.ParseSpec(op.Style)
	if err != nil {
		return 0, err
	}
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	if len(op.Where) > 0 {
		block, runs, err := p.rowsWhere(ctx, s, op.Range, op.Where)
		if err != nil {
			return 0, err
		}
		rects = nil
		for _, r := range runs {
			rects = append(rects, cellref.Block(r.from, block.C1, r.to, block.C2))
		}
	}
	cells := 0
	for _, r := range rects {
		a := styleArea{r, spec}
		n := (r.R2 - r.R1 + 1) * (r.C2 - r.C1 + 1)
		switch {
		case a.wholeCols():
			n = 0
		case a.wholeRows():
			n = r.R2 - r.R1 + 1
		default:
			cells += n
		}
		if n > maxStyledCells {
			return 0, formats.Errorf(formats.CodeTooLarge, "the range %s has more than %d cells; give whole columns such as %s:%s instead", r, maxStyledCells, cellref.ColumnName(r.C1), cellref.ColumnName(r.C2))
		}
		if s.styled += n; s.styled > maxSheetStyled {
			return 0, formats.Errorf(formats.CodeTooLarge, "the operations of this call format more than %d cells of the sheet %q one by one; give whole columns or rows, or make several calls", maxSheetStyled, s.name)
		}
		s.areas = append(s.areas, a)
	}
	s.colFormats(p)
	return cells, nil
}
