package formats

import (
	"context"
	"io"
)

// Illustrated lists the pictures inside documents.
type Illustrated interface {
	// Pictures gives the pictures of the part of the document that sel selects, in its
	// order; an error of emit ends it. A picture that is used several times comes
	// several times. Errors are those of Reader.Read.
	Pictures(ctx context.Context, src Source, sel Selector, emit func(Picture) error) error
}

// Picture is a picture inside a document.
type Picture struct {
	At   string // where: "Sales!B2:F9", "p12", "slide_index 1, shape_id 5"
	Name string // of the shape, "" for none
	Alt  string // description for people who do not see it
	Type string // extension of its part: png, jpeg, emf
	Part string // name of its part
	Size int64  // bytes
	// Linked is the address of a picture that is not in the file, and Lost says that
	// its part is missing.
	Linked string
	Lost   bool
	// Open reads it; nil for one that is not in the file.
	Open func() (io.ReadCloser, error)
}
