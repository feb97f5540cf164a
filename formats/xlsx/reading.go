package xlsx

import (
	"context"

	"atelier/formats"
)

// reading is a workbook that is read or mapped.
type reading struct{ *baseBook }

func openReading(ctx context.Context, src formats.Source) (reading, error) {
	wb, err := openBook(ctx, src)
	return reading{wb}, err
}
