package formats

import "context"

// Part is a named part of a document's text.
type Part struct {
	Kind string // "section", "sheet", "slide", "page", "notes"
	Name string // heading of a section, 1-based number of a page; "" for text before the first heading
	Text string // may have several lines; no final line end
	// At gives the address of each line of Text, "" for a line that only shows
	// structure, such as the number of a slide; nil if lines have no addresses.
	// A paragraph of a docx has "p12", a table row "t0.r1", a shape of a slide
	// "shape_id 4". A row of a sheet, whose line has several cells, has its
	// number; xlsx.RowCells splits it.
	At []string
}

// Parter is a Reader that can also pass the whole text to emit part by part, in
// document order, opening the file once. It stops at the first error of emit.
type Parter interface {
	Parts(ctx context.Context, src Source, emit func(Part) error) error
}
