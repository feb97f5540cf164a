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
}

func (p *plan) setStyle(_ context.Context, op setStyleArgs) (int, error) {
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
