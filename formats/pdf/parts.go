package pdf

import (
	"context"
	"strconv"

	"atelier/formats"
)

// partsOf gives each page of a document.
func partsOf(ctx context.Context, d document, emit func(formats.Part) error) error {
	for page := range d.pages() {
		p, err := pageOf(ctx, d, page)
		if err != nil {
			return err
		}
		if err := emit(formats.Part{Kind: "page", Name: strconv.Itoa(page + 1), Text: p.text}); err != nil {
			return err
		}
	}
	return nil
}
