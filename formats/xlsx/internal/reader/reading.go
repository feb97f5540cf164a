package reader

import (
	"context"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
)

// reading is a workbook that is read or mapped.
type reading struct{ *book.Workbook }

func openReading(ctx context.Context, src formats.Source) (reading, error) {
	wb, err := book.Open(ctx, src)
	return reading{wb}, err
}
