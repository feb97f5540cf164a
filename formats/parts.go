package formats

import "context"

// Part is a stretch of a document's text under its own name.
type Part struct {
	Kind string // "section", "page", "notes"
	Name string // heading of a section, 1-based number of a page; "" for text before the first heading
	Text string // may have several lines; no final line end
}

// Parter is a Reader that can also hand out the whole text part by part, in
// document order, opening the file once. An error of emit ends it.
type Parter interface {
	Parts(ctx context.Context, src Source, emit func(Part) error) error
}
