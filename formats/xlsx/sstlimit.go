package xlsx

import (
	"context"
)

// readDisplay is display for a read of the given picks.
func (wb reading) readDisplay(ctx context.Context, picks []chosen) (*display, error) {
	part := wb.relPart(relStrings)
	if part == "" || wb.pkg.Size(part) <= bigStrings {
		return wb.display(ctx)
	}
	st, err := wb.styles(ctx)
	if err != nil {
		return nil, err
	}
	d := &display{styles: st, strings: &sharedStrings{part: part, some: map[int]string{}}}
	if err := wb.eachPage(ctx, d, picks, func(p *page) { p.collect = true }); err != nil {
		return nil, err
	}
	return d, wb.lookUp(ctx, d.strings.some, 0)
}
