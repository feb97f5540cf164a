package pdf

import (
	"context"
	"strconv"

	"atelier/formats"
)

// Parts implements formats.Parter: each page.
func (f *format) Parts(ctx context.Context, src formats.Source, emit func(formats.Part) error) error {
	return f.with(ctx, src, func(ctx context.Context, d document) error {
		for page := range d.pages() {
			s, err := d.text(ctx, page)
			if err != nil {
				return err
			}
			if err := emit(formats.Part{Kind: "page", Name: strconv.Itoa(page + 1), Text: clean(s)}); err != nil {
				return err
			}
		}
		return nil
	})
}

var _ formats.Parter = (*format)(nil)
