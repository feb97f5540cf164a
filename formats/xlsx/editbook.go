package xlsx

import (
	"context"

	"atelier/formats"
)

// workbook is a workbook that is edited.
type workbook struct {
	*baseBook
	dropped droppedValues
}

func open(ctx context.Context, src formats.Source) (*workbook, error) {
	wb, err := openBook(ctx, src)
	if err != nil {
		return nil, err
	}
	return &workbook{baseBook: wb}, nil
}
