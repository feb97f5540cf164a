package files

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"atelier/internal/textclip"
	"atelier/workshop"
)

// Raw asks read for a file's own bytes as text, whatever its kind.
type Raw struct {
	// MaxBytes cuts the text at the last character that fits; 0 is all of it,
	// up to MaxText.
	MaxBytes int
}

// readRaw decodes the bytes of an open file as UTF-8; each byte that is none
// becomes U+FFFD. A file of up to MaxBytes bytes is given whole, though its text
// may be longer then.
func readRaw(ctx context.Context, e workshop.Entry, src workshop.Source, raw Raw) (Content, error) {
	size := src.Size()
	cut := raw.MaxBytes > 0 && int64(raw.MaxBytes) < size
	if cut {
		size = min(size, int64(raw.MaxBytes)+utf8.UTFMax) // a cut character is seen whole, or ends beyond the limit
	}
	if size > MaxText {
		return Content{}, workshop.Faultf(workshop.Invalid, "%s has %d bytes; at most %d are read at once, so say how many", e.Path, src.Size(), MaxText)
	}
	b, err := io.ReadAll(io.NewSectionReader(reader{ctx, src}, 0, size))
	if err != nil {
		return Content{}, err
	}
	c := Content{Entry: e, Kind: e.Kind, Text: decodeUTF8(b)}
	if cut {
		c.Text, c.Truncated = textclip.Bytes(c.Text, raw.MaxBytes), true
	}
	return c, nil
}

func decodeUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var sb strings.Builder
	sb.Grow(len(b) + len(b)/8)
	for _, r := range string(b) { // a bad byte is one U+FFFD
		sb.WriteRune(r)
	}
	return sb.String()
}

// reader stops reading when its context ends.
type reader struct {
	ctx context.Context
	io.ReaderAt
}

func (r reader) ReadAt(p []byte, off int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.ReaderAt.ReadAt(p, off)
}
