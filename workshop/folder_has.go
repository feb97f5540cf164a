package workshop

import "context"

// Has reports whether the draft or the published files have something at path,
// or the draft removes what was there.
func (wb *Workbench) Has(ctx context.Context, path string) bool {
	p, err := ParseStrict(path)
	if err != nil {
		return false
	}
	for _, v := range []View{wb.DraftView(Cause{}), wb.Published()} {
		if _, err := v.Stat(ctx, p); err == nil {
			return true
		}
	}
	return len(wb.selected([]Path{p})) > 0
}
