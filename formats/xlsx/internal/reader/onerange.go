package reader

import (
	"context"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// OneRange returns the sheet, by index, and the block of cells that a selection names: a
// range, or the first sheet that has cells where sel names neither sheet nor range. A
// selection of several blocks is a CodeInvalid error.
func OneRange(ctx context.Context, b *book.Workbook, sel formats.Selector) (sheet int, block cellref.Range, err error) {
	wb := reading{b}
	picks, err := wb.selected(ctx, sel)
	if err != nil {
		return 0, block, err
	}
	if len(picks) > 1 && sel.Sheet == "" && sel.Range == "" {
		for _, p := range picks {
			if p.sheet.Worksheet() {
				picks = []chosen{p}
				break
			}
		}
	}
	if len(picks) > 1 && !picks[0].onward {
		return 0, block, formats.Errorf(formats.CodeInvalid, "invalid range: %s names %d blocks of cells; give one", cellref.QuoteArg(sel.Range), len(picks))
	}
	return wb.Find(picks[0].sheet.Name), picks[0].block, nil
}
