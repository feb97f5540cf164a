package formats

import "context"

// Part is a named part of a document's text.
type Part struct {
	Kind string // "section", "page", "notes"
	Name string // heading of a section, 1-based number of a page; "" for text before the first heading
	Text string // may have several lines; no final line end
}

// Parter is a Reader that can also pass the whole text to emit part by part, in
// document order, opening the file once. It stops at the first error of emit.
type Parter interface {
	Parts(ctx context.Context, src Source, emit func(Part) error) error
}
