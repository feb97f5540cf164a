package xlsx

import "context"

// bigStrings is the inflated size from which a string table is not held as a
// whole for a read: only the texts of the cells shown are looked up.
const bigStrings = 4 << 20

// maxLookUp bounds the texts that are looked up for one read.
const maxLookUp = 4 * maxReadBytes

// readDisplay is display for a read of the given picks.
func (wb *workbook) readDisplay(ctx context.Context, picks []chosen) (*display, error) {
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
