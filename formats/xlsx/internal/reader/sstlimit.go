package reader

import (
	"context"

	"atelier/formats/xlsx/internal/book"
)

// readDisplay is display for a read of the given picks.
func (wb reading) readDisplay(ctx context.Context, picks []chosen) (*book.Display, error) {
	part := wb.RelPart(book.RelStrings)
	if part == "" || wb.Package.Size(part) <= book.BigStrings {
		return wb.Display(ctx)
	}
	st, err := wb.Styles(ctx)
	if err != nil {
		return nil, err
	}
	d := &book.Display{Styles: st, Strings: &book.SharedStrings{Part: part, Wanted: map[int]string{}}}
	if err := wb.eachPage(ctx, d, picks, func(p *page) { p.collect = true }); err != nil {
		return nil, err
	}
	return d, wb.LookUp(ctx, d.Strings.Wanted, 0)
}
