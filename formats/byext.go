package formats

import (
	"context"
	"io"
	"path"
	"strings"
)

// ByExtension is a Segmenter that chooses another Segmenter by the extension of
// the file's name. With maps extensions (lower case, with dot) to Segmenters;
// Other handles all remaining files.
type ByExtension struct {
	With  map[string]Segmenter
	Other Segmenter
}

func (b ByExtension) segmenterOf(src Source) Segmenter {
	if s := b.With[strings.ToLower(path.Ext(src.Name()))]; s != nil {
		return s
	}
	return b.Other
}

// Segments implements Segmenter.
func (b ByExtension) Segments(ctx context.Context, src Source, opt SegmentOptions) ([]Segment, error) {
	return b.segmenterOf(src).Segments(ctx, src, opt)
}

// Replace implements Segmenter.
func (b ByExtension) Replace(ctx context.Context, src Source, dst io.Writer, targets map[string]string, opt ReplaceOptions) error {
	return b.segmenterOf(src).Replace(ctx, src, dst, targets, opt)
}
