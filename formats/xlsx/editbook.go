package xlsx

import (
	"context"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
)

// workbook is a workbook that is edited.
type workbook struct {
	*book.Workbook
	dropped droppedValues
}

func open(ctx context.Context, src formats.Source) (*workbook, error) {
	wb, err := book.Open(ctx, src)
	if err != nil {
		return nil, err
	}
	return &workbook{Workbook: wb}, nil
}
