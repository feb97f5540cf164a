package text

import (
	"context"

	"atelier/formats"
)

// Editable is a text in memory that can be stored again with its original
// encoding and byte order mark.
type Editable struct{ d *document }

// OpenEditable reads src, at most 64 MiB. A file that could not be written back
// with the same bytes gives a CodeCorrupt error.
func OpenEditable(ctx context.Context, src formats.Source) (Editable, error) {
	d, err := loadDocument(ctx, src, maxSegmentBytes, nil)
	return Editable{d}, err
}

// Text returns the text in UTF-8 without byte order mark. Bytes that are not
// characters are left in it where the file is UTF-8 otherwise.
func (e Editable) Text() string { return e.d.text }

// Encoding returns the name of the file's encoding, as the map has it.
func (e Editable) Encoding() string { return e.d.cs.name }

// Bytes returns text in the encoding of the file, or a CodeInvalid error when
// the encoding lacks a character.
func (e Editable) Bytes(text string) ([]byte, error) {
	b, err := e.d.encode(text)
	if err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "%s is stored as %s, which lacks a character of the new text", e.d.name, e.d.cs.name)
	}
	return []byte(b), nil
}
