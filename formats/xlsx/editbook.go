package xlsx

import (
	"context"
	"io"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// workbook is a workbook that is edited.
type workbook struct {
	*book.Workbook
	dropped droppedValues
	former  *formerValues // remembers the values that are removed; nil: does not
	due     bool          // formulas have no value
	// blank are the formulas without a value that the edit does not concern, by part.
	blank map[string]*cellref.Set

	stale     map[string]string // pivot tables whose source changes, by part
	refreshed []string          // parts of pivot tables that are calculated anew

	temporary []io.Closer // files of the pass, which go when it has been written
}

func open(ctx context.Context, src formats.Source) (*workbook, error) {
	wb, err := book.Open(ctx, src)
	if err != nil {
		return nil, err
	}
	return &workbook{Workbook: wb}, nil
}
