package formats

import (
	"context"
	"encoding/json"
	"io"
)

// Kind is what a file is, in the words tools and reviews use.
type Kind string

// The kinds of W-32. Office, pdf and image kinds are recognised by content
// where possible; text by extension.
const (
	KindText   Kind = "text"
	KindDocx   Kind = "docx"
	KindODT    Kind = "odt"
	KindXlsx   Kind = "xlsx"
	KindPptx   Kind = "pptx"
	KindPDF    Kind = "pdf"
	KindImage  Kind = "image"
	KindBinary Kind = "binary"
)

// Format is one kind of file with the things that can be done to it. A nil
// field means "cannot": an image has no Editor, a binary file has nothing.
type Format struct {
	Kind      Kind
	Mapper    Mapper
	Reader    Reader
	Editor    Editor
	Segmenter Segmenter
}

// Mapper describes structure without content, bounded however large the file.
type Mapper interface {
	// Map returns a value that encodes to a JSON object: the fields of W-33
	// that are specific to the kind (sheets, sections, slides, page_count …).
	Map(ctx context.Context, src Source) (any, error)
}

// Reader turns the selected part of a file into text for a model.
type Reader interface {
	Read(ctx context.Context, src Source, sel Selector) (Text, error)
}

// Editor makes an edited copy.
type Editor interface {
	// Apply writes to dst a copy of src with ops applied in order: all or none.
	// A nil src starts from a new, complete, empty document of this kind.
	// Each op is a JSON object with a member "op". When an op fails nothing
	// useful has been written to dst and the error is an *Error with its Op set.
	Apply(ctx context.Context, src Source, dst io.Writer, ops []json.RawMessage, opt ApplyOptions) (Report, error)

	// Operation returns the zero value of the struct that one op decodes into,
	// so that a JSON Schema can be made from it, and the op names it accepts.
	Operation() (zero any, names []string)
}

// Segmenter takes translatable text out of a document and puts it back.
type Segmenter interface {
	// Segments lists the translatable segments in document order.
	Segments(ctx context.Context, src Source) ([]Segment, error)
	// Replace writes to dst a copy of src in which the segments named by the
	// keys of targets (Segment.ID) carry the given text with inline tags.
	// Segments without a target keep their bytes. A target whose tags do not
	// match its segment's is refused with CodeInvalid before anything is written.
	Replace(ctx context.Context, src Source, dst io.Writer, targets map[string]string) error
}

// ApplyOptions refine one Apply; the zero value is the common case.
type ApplyOptions struct{}

// Report says what an Apply did.
type Report struct {
	Ops      []OpReport `json:"ops"`
	Warnings []string   `json:"warnings,omitempty"` // about the document as a whole
}

// OpReport says what one operation did.
type OpReport struct {
	Index    int      `json:"index"`           // 0-based position in the call
	Op       string   `json:"op"`              // its name
	Hits     int      `json:"hits,omitempty"`  // matches replaced, paragraphs set, slides added
	Cells    int      `json:"cells,omitempty"` // cells written
	Warnings []string `json:"warnings,omitempty"`
}

// Selector names the part of a file to read (W-35). Members that do not
// concern the file's kind are ignored. The zero value reads everything the
// kind's default window allows.
type Selector struct {
	Sheet      string // xlsx: sheet name
	Range      string // xlsx: A1:E50
	Section    string // docx: heading text (any case) or 0-based index
	SlideIndex *int   // pptx: 0-based
	Pages      string // pdf: "2", "1-5", "1,3-4"; 1-based
	LineStart  *int   // text: 1-based; nil with nil LineCount reads the whole file
	LineCount  *int   // text: default 200 once LineStart is given
}

// Text is what a read gives a model.
type Text struct {
	Text  string
	Chunk *ChunkInfo // set when the text is a part of more
}

// ChunkInfo says which part of the file a Text is and whether more follows
// (W-42). Next, when not empty, says how to ask for the next part in words.
type ChunkInfo struct {
	ChunkIndex  int    `json:"chunk_index"` // 0-based
	TotalChunks int    `json:"total_chunks"`
	HasMore     bool   `json:"has_more"`
	Range       string `json:"range"`          // "1-200", "A1:J50", "pages 1-5"
	Next        string `json:"next,omitempty"` // e.g. `line_start=201`
}

// Segment is a unit of translation: a paragraph, cell, shape paragraph, note.
// Formatting inside it is numbered inline tags in Text: <1>bold</1>, <2/>.
// A literal '<' or '&' of the document is written &lt; and &amp; in Text (and
// must be so in a target), so that tags are never confused with content.
type Segment struct {
	ID        string   `json:"id"`                   // stable for the same bytes; the key for Replace
	Text      string   `json:"text"`                 // source text with inline tags
	Place     string   `json:"place"`                // for people: "Sales!B3", "paragraph 12", "slide 2, title"
	Notes     []string `json:"notes,omitempty"`      // constraints in words
	MaxLength int      `json:"max_length,omitempty"` // in characters; 0: none
}
