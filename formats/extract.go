package formats

import "context"

// Extracted is the text of a whole document.
type Extracted struct {
	Text      string
	Kind      Kind
	Truncated bool // the document has more text than a reader gives at once (some MiB)
}

// Extract reads the text of a whole document in reading order, as searching
// and indexing need it. A format without text is a CodeUnsupported error.
func (s *Set) Extract(ctx context.Context, src Source) (Extracted, error) {
	f, err := s.Detect(ctx, src)
	if err != nil {
		return Extracted{}, err
	}
	if f.Reader == nil {
		return Extracted{Kind: f.Kind}, Errorf(CodeUnsupported, "%s is a %s file, which has no text", src.Name(), f.Kind)
	}
	t, err := f.Reader.Read(ctx, src, Selector{Whole: true})
	return Extracted{t.Text, f.Kind, t.Chunk != nil && t.Chunk.HasMore}, err
}
