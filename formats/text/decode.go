package text

import (
	"context"
	"io"

	"atelier/formats"
)

// Decode returns the text of src in UTF-8 without a byte order mark, and the
// name of the encoding it found, as Info has it.
func Decode(ctx context.Context, src formats.Source) (r io.Reader, encoding string, err error) {
	cs, err := detectCharset(ctx, src)
	if err != nil {
		return nil, "", err
	}
	return cs.reader(ctx, src), cs.name, nil
}
