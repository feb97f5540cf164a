package pdf

import (
	"context"
	"strconv"

	"atelier/formats"
)

// parts gives each page of a document.
func (r *reading) parts(ctx context.Context, emit func(formats.Part) error) error {
	next := 0
	each := func(p *pageRead) error {
		if p.Page != next {
			return nil // it came twice
		}
		next++
		return emit(formats.Part{Kind: "page", Name: strconv.Itoa(p.Page + 1), Text: p.Text})
	}
	if r.count == 0 {
		return r.run(ctx, "", 0, each)
	}
	for next < r.count {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p := r.kept(next); p != nil {
			if err := each(p); err != nil {
				return err
			}
			continue
		}
		last := next
		for last+1 < r.count && r.kept(last+1) == nil {
			last++
		}
		if err := r.run(ctx, pageRange(next, last), 0, each); err != nil {
			return err
		}
		if next <= last {
			return unreadable(r.src)
		}
	}
	return nil
}
