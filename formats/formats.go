package formats

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"time"
)

// Kind is the kind of a file, as tools and reviews name it.
type Kind string

// The kinds of W-32. Office, pdf and image kinds are recognised by content
// where possible; text by extension, otherwise by content.
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

// WithArticle names the kind in a sentence: "a docx", "an image".
func (k Kind) WithArticle() string {
	switch k {
	case KindImage, KindODT, KindXlsx:
		return "an " + string(k)
	}
	return "a " + string(k)
}

// Format holds the operations on one kind of file. A nil field means that the
// operation is not supported: an image has no Editor, a binary file has none of
// them.
type Format struct {
	Kind      Kind
	Mapper    Mapper
	Reader    Reader
	Editor    Editor
	Segmenter Segmenter
	Differ    Differ
	Auditor   Auditor
	Pictures  Illustrated
	Sheets    SheetViewer
	Blocks    BlockViewer
}

// Mapper describes structure without content, bounded however large the file.
type Mapper interface {
	// Map returns a value that encodes to a JSON object: the fields of W-33
	// that are specific to the kind (sheets, sections, slides, page_count …).
	// It takes at most MaxMap bytes and contains counts of what was left out.
	Map(ctx context.Context, src Source, opt MapOptions) (any, error)
}

// MaxMap bounds the JSON of a map in bytes, whatever the file.
const MaxMap = 8 << 10

// MapOptions restrict a map to a part of the file, so that it can contain more
// detail in the same space. Members that do not concern the file's kind are
// ignored; the zero value maps the whole file.
type MapOptions struct {
	Detail     bool   // say all that fits: regions, styles in use, every shape
	Sheet      string // xlsx: this sheet only
	Section    string // docx: this section only, by heading or 0-based index
	SlideIndex *int   // pptx: this slide only, 0-based
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

	// Usage says in one line which members an op takes, for a model that knows
	// the schema: "at, text or runs, style?". A question mark marks optional
	// members.
	Usage(op string) string

	// Groups lists the members that several ops take together, so that a list of
	// all usage lines can name them once.
	Groups() []MemberGroup
	// Rare reports whether models are told only the name of an operation until they ask.
	Rare(op string) bool
}

// Settler is an Editor of documents that hold values which follow from others.
type Settler interface {
	// Settle writes now to dst with the values calculated that depend on what differs
	// between was and now, and returns how many it calculated.
	Settle(ctx context.Context, was, now Source, dst io.Writer, opt ApplyOptions) (int, error)
}

// Preparer is a Reader whose first call takes longer than others.
type Preparer interface {
	// Prepare does ahead what the first call would wait for, once for each folder
	// of caches. It may take seconds, of one processor.
	Prepare(ctx context.Context) error
}

// LineEditor is an Editor of documents with lines that others refer to by their numbers:
// the rows and columns of worksheets.
type LineEditor interface {
	// LinesChanged returns the lines that came, went or moved between two contents, nil
	// when there are none.
	LinesChanged(ctx context.Context, before, after Source) (LineChanges, error)
}

// LineChanges is lines that came, went or moved between two contents, such as blocks of
// rows that were inserted. Each can be undone without the others; they are named by
// their places from 0 to Len()-1.
type LineChanges interface {
	Len() int
	// Owns reports whether a change of a review tells line change k: a fact, or an item
	// of the group sheet.
	Owns(k int, f Fact) bool
	OwnsItem(k int, sheet string, it DiffItem) bool
	// Undo returns src, which has the lines of the newer content, with some line changes
	// undone: what refers to the lines follows. Lines that come back are blank.
	Undo(ctx context.Context, src Source, undo []int, opt ApplyOptions) (Source, error)
	// Align returns the older content with all line changes made but those of undo. The
	// lines that came are those of like, which has the same lines.
	Align(ctx context.Context, like Source, undo []int) (Source, error)
	// Fill returns src with the lines that came back by undo as they are in from, which
	// has the same lines.
	Fill(ctx context.Context, src, from Source, undo []int) (Source, error)
	// Place returns where a place of a sheet, such as B7 or 3:5, is when some line
	// changes are not undone.
	Place(undo []int, sheet, at string) string
	// Blocks are rows that changed places among each other, which go back together.
	Blocks() []LineBlock
}

// LineBlock is the rows From to To of a part of an office package.
type LineBlock struct {
	Part     string
	From, To int
}

// MemberGroup is a name for members of operations that go together, such as FONT,
// and the part of a usage line that it stands for.
type MemberGroup struct {
	Name, Usage string
}

// Segmenter takes translatable text out of a document and puts it back.
type Segmenter interface {
	// Segments lists the translatable segments in document order.
	Segments(ctx context.Context, src Source, opt SegmentOptions) ([]Segment, error)
	// Replace writes to dst a copy of src in which the segments named by the
	// keys of targets (Segment.ID) carry the given text with inline tags; an ID
	// that Segments lists only with an option is accepted without that option.
	// Segments without a target keep their bytes. A target whose tags differ
	// from those of its segment is refused with CodeInvalid before anything is
	// written.
	Replace(ctx context.Context, src Source, dst io.Writer, targets map[string]string, opt ReplaceOptions) error
}

// BulkSegmenter is a Segmenter of documents that may have so many segments that they
// are not held all at once.
type BulkSegmenter interface {
	Segmenter
	// EachSegment calls do with the segments in document order; its error ends the
	// matter and is returned.
	EachSegment(ctx context.Context, src Source, opt SegmentOptions, do func(Segment) error) error
	// ReplaceEach is Replace with the targets by the ID of their segment, in the order
	// of EachSegment. It may iterate over them more than once.
	ReplaceEach(ctx context.Context, src Source, dst io.Writer, targets iter.Seq2[string, string], opt ReplaceOptions) error
}

// SegmentOptions add texts to what is translated; the zero value covers what
// the document itself shows. A member that does not concern the kind is
// ignored.
type SegmentOptions struct {
	Masters    bool // pptx: texts of masters and layouts too
	SheetNames bool // xlsx: names of sheets too; formulas and defined names follow
}

// ReplaceOptions refine one Replace; the zero value changes text only.
type ReplaceOptions struct {
	// Language is the BCP 47 tag of the targets' language, such as "es" or
	// "zh-TW". When set, each replaced text gets the attributes that its
	// language needs: language, direction, and fonts' script slots where the
	// kind has them (TR-11). "" leaves those attributes as they are.
	Language string
	// Warn, when not nil, receives warnings about the result, such as a changed
	// encoding of a text file.
	Warn func(message string)
	// Calculate fills the formulas that read a replaced text (xlsx).
	Calculate bool
	// Report, when not nil, receives what an edit tells of the document: effects in
	// other places, warnings, and Calculated. It has no operations.
	Report *Report
}

// ApplyOptions refine one Apply; the zero value is the common case.
type ApplyOptions struct {
	// TrackChanges records text edits as revisions, where the kind has them.
	TrackChanges bool
	Author       string    // of revisions and comments; "" is "Atelier"
	Now          time.Time // their date; the zero time is the present
	// Open opens another file that an operation names, such as a picture or a
	// workbook to copy from. Nil: such operations are refused.
	Open func(ctx context.Context, path string) (SourceCloser, error)
	// Calculate fills the formulas that the operations left without a value (xlsx).
	Calculate bool
	// Language is that of the program for which a workbook is calculated whose values
	// show none, such as a new one: a BCP 47 tag; "" when it is not known.
	Language string
}

// SourceCloser is a Source that its receiver must close.
type SourceCloser interface {
	Source
	io.Closer
}

// Revisor returns author and date for revisions and comments.
func (o ApplyOptions) Revisor() (author string, when time.Time) {
	author, when = o.Author, o.Now
	if author == "" {
		author = "Atelier"
	}
	if when.IsZero() {
		when = time.Now()
	}
	return author, when.UTC().Truncate(time.Second)
}

// OpenFile reads a file that an operation names, at most limit bytes of it.
func (o ApplyOptions) OpenFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	if o.Open == nil {
		return nil, Errorf(CodeUnsupported, "other files cannot be used here: %s", path)
	}
	src, err := o.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return ReadAll(src, limit)
}

// CalcAtelier marks values of formulas that Atelier calculated, not the program that
// saved the file.
const CalcAtelier = "atelier"

// Report describes what Apply did.
type Report struct {
	Ops      []OpReport `json:"ops"`
	Warnings []string   `json:"warnings,omitempty"` // about the document as a whole
	// Effects are what the operations together caused in places that they do not
	// name: "12 list labels changed: …".
	Effects []string `json:"effects,omitempty"`
	// Calculated counts the values of formulas that were calculated (xlsx).
	Calculated int `json:"calculated,omitempty"`
}

// OpReport describes what one operation did.
type OpReport struct {
	Index    int      `json:"index"`           // 0-based position in the call
	Op       string   `json:"op"`              // its name
	Hits     int      `json:"hits,omitempty"`  // matches replaced, paragraphs set, slides added
	Cells    int      `json:"cells,omitempty"` // cells written
	Made     string   `json:"made,omitempty"`  // address of what it made: "slide 4", "Sheet1!A1:C9", "comment 3"
	Moved    string   `json:"moved,omitempty"` // addresses that changed: "the former p4 is now p5, and so on"
	Notes    []string `json:"notes,omitempty"` // how it was done, where the operation left that open: "style Normal; no list"
	Warnings []string `json:"warnings,omitempty"`
	// Ignored are the members that the operation does not take.
	Ignored []Ignored `json:"ignored,omitempty"`
	// Unchanged: the operation changed nothing; Warnings may say why.
	Unchanged bool `json:"unchanged,omitempty"`
}

// Selector names the part of a file to read (W-35). Members that do not
// concern the file's kind are ignored. The zero value reads everything the
// kind's default window allows.
type Selector struct {
	Sheet      string // xlsx: sheet name
	Range      string // xlsx: A1:E50, A:C, 3:9, Sheet!A1:B2, a table or defined name; several with commas
	Section    string // docx: heading text (any case) or 0-based index
	SlideIndex *int   // pptx: 0-based
	Pages      string // pdf: "2", "1-5", "1,3-4"; 1-based
	LineStart  *int   // text: 1-based; nil with nil LineCount reads the whole file
	LineCount  *int   // text: default 200 once LineStart is given
	// Chunked asks for the first chunk of a long docx where no section is named
	// (W-42); its ChunkInfo says how to read the next.
	Chunked bool
	// AsShown adds what a reader of the document sees beside its text: list labels
	// before the paragraphs of a docx, with charts, diagrams and embedded objects in
	// words; the number of each page of a pdf, with the images that it has.
	AsShown bool
	// Include lists optional content to read; see the Include constants.
	// Unknown words are ignored.
	Include []string
	// Offset skips that many characters of the selection, and Limit bounds the
	// result. Both are for ReadFitting; Read ignores them.
	Offset int
	Limit  TextLimit
}

// Values of Selector.Include. IncludeAll stands for all of them but IncludeImages.
const (
	IncludeHeaders   = "headers"   // docx: headers and footers
	IncludeNotes     = "notes"     // docx: footnotes and endnotes; pptx: speaker notes
	IncludeComments  = "comments"  // docx, xlsx, pptx
	IncludeChanges   = "changes"   // docx: tracked changes shown as {+inserted+} and [-deleted-]
	IncludeAddresses = "addresses" // docx, pptx: each paragraph led by the address operations take
	IncludeStyles    = "styles"    // docx: addresses, with style, list and formatting of each paragraph
	IncludeFormulas  = "formulas"  // xlsx: formulas with their values
	IncludeHidden    = "hidden"    // xlsx: hidden rows and columns are marked
	IncludeEstimates = "estimates" // xlsx: estimates of formulas that have no value
	IncludeCharts    = "charts"    // xlsx: charts with their series and stored values
	IncludePivots    = "pivots"    // xlsx: pivot tables and slicers
	IncludeRules     = "rules"     // xlsx: conditional formats and data validations
	IncludePage      = "page"      // xlsx: print and page set-up
	IncludeImages    = "images"    // pictures, and pages of a PDF without text; readers leave them to others
	IncludeAll       = "all"
)

// Includes reports whether the selector asks for what.
func (s Selector) Includes(what string) bool {
	return slices.Contains(s.Include, what) || slices.Contains(s.Include, IncludeAll)
}

// Text is the result of a read.
type Text struct {
	Text  string
	Chunk *ChunkInfo // set when the text is a part of more
	// Notes are remarks about the text, such as that a page has none. They are
	// not part of the text.
	Notes []string
	// Blank are the pages of the text, 1-based, in whose place a line says that they
	// have no text (pdf).
	Blank []BlankPage

	positions *positions // Index
}

// BlankPage is a page without text.
type BlankPage struct {
	Page int    // 1-based
	Line string // what stands for it in the text
	Ink  bool   // it shows something
}

// ChunkInfo says which part of the file a Text is and whether more follows
// (W-42). Next, when not empty, says in words how to request the next part.
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
	Part      string   `json:"part,omitempty"`       // kind of place, of a few words a kind has: "body", "header", "cell", "chart", "notes"
	Notes     []string `json:"notes,omitempty"`      // constraints in words
	MaxLength int      `json:"max_length,omitempty"` // in characters; 0: none
}
