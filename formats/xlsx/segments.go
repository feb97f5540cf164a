package xlsx

import (
	"context"
	"io"

	"atelier/formats"
)

// Segments lists nothing yet.
func (segmenter) Segments(context.Context, formats.Source) ([]formats.Segment, error) {
	return nil, nil
}

// Replace copies.
func (segmenter) Replace(context.Context, formats.Source, io.Writer, map[string]string) error {
	return nil
}
