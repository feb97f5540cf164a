package text

import (
	"context"

	"atelier/formats"
)

// Editable is a text in memory that can be written back the way it was stored:
// with its encoding and byte order mark.
type Editable struct{ d *document }

// OpenEditable reads src, at most 64 MiB. A file whose bytes would not come
// back the same is a CodeCorrupt error.
func OpenEditable(ctx context.Context, src formats.Source) (Editable, error) {
	d, err := loadDocument(ctx, src, maxSegmentBytes, nil)
	return Editable{d}, err
}

// Text returns the text in UTF-8 without byte order mark. Bytes that are not
// characters are left in it where the file is UTF-8 otherwise.
func (e Editable) Text() string { return e.d.text }

// Encoding returns the name of the file's encoding, as the map has it.
func (e Editable) Encoding() string { return e.d.cs.name }

// Bytes returns text as the file would store it; a CodeInvalid error when its
// encoding lacks a character.
func (e Editable) Bytes(text string) ([]byte, error) {
	b, err := e.d.encode(text)
	if err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "%s is stored as %s, which lacks a character of the new text", e.d.name, e.d.cs.name)
	}
	return []byte(b), nil
}
