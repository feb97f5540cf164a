package pdf

import (
	"context"
	"strings"

	"atelier/formats"
)

// Read implements formats.Reader: the selected pages joined by "\n". A
// second instance of the engine for half of the pages was tried: it made reads
// slower.
func (f *format) Read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	var out formats.Text
	err := f.with(ctx, src, func(ctx context.Context, d document) error {
		pages, err := parsePages(sel.Pages, d.pages())
		if err != nil {
			return err
		}
		var sb strings.Builder
		for i, p := range pages {
			s, err := d.text(ctx, p)
			if err != nil {
				return err
			}
			if i > 0 {
				sb.WriteByte('\n')
			}
			sb.WriteString(clean(s))
			if sb.Len() > maxText && i+1 < len(pages) {
				pages = pages[:i+1]
				break
			}
		}
		out = formats.Text{Text: sb.String(), Chunk: chunkOf(pages, d.pages())}
		return nil
	})
	return out, err
}
