package formats

import "context"

// BlockViewer gives the blocks of a text document, for programs that draw them.
type BlockViewer interface {
	// Blocks returns a stretch of the blocks of the body. Errors are *Error:
	// CodeInvalid for a request that cannot be met.
	Blocks(ctx context.Context, src Source, req BlockRequest) (*BlockWindow, error)
}

// BlockRequest says which blocks are wanted.
type BlockRequest struct {
	First int // the first block, from 0
	Count int // how many, at most 2000; 0 is 200
}

// BlockWindow is a stretch of the body of a document.
type BlockWindow struct {
	First  int      `json:"first" jsonschema:"the number of the first block here, from 0"`
	Total  int      `json:"total" jsonschema:"how many blocks the body has"`
	Blocks []Block  `json:"blocks" jsonschema:"fewer than were asked for at the end, and where the answer would be too large"`
	Notes  []string `json:"notes,omitempty" jsonschema:"what the blocks do not show, in sentences"`
}

// Block is a paragraph or a table. A paragraph has the members of BlockParagraph, a
// table its rows.
type Block struct {
	Kind string `json:"kind" jsonschema:"paragraph or table"`
	BlockParagraph
	Rows    []TableRow `json:"rows,omitempty" jsonschema:"of a table"`
	Omitted int        `json:"omitted,omitempty" jsonschema:"rows of a table that are left out for their number"`
}

// BlockParagraph is a paragraph of the body or of a cell.
type BlockParagraph struct {
	At     string     `json:"at" jsonschema:"the address that reviews and operations use, such as p12 or t0"`
	Style  string     `json:"style,omitempty" jsonschema:"the name of the paragraph's style, where it is not the default one"`
	Level  int        `json:"level,omitempty" jsonschema:"of a heading, 1 to 9"`
	Title  bool       `json:"title,omitempty" jsonschema:"it is the document's title"`
	Label  string     `json:"label,omitempty" jsonschema:"the marker of a list, such as 2.1 or •"`
	Align  string     `json:"align,omitempty" jsonschema:"center, right or justify"`
	Indent float64    `json:"indent,omitempty" jsonschema:"from the start side, in points"`
	Spans  []TextSpan `json:"spans,omitempty" jsonschema:"the text"`
}

// TextSpan is a stretch of text that looks alike. A line break is \n, a tab \t.
type TextSpan struct {
	Text      string `json:"text" jsonschema:"of an object, words for it"`
	Bold      bool   `json:"bold,omitempty" jsonschema:"bold"`
	Italic    bool   `json:"italic,omitempty" jsonschema:"italic"`
	Underline bool   `json:"underline,omitempty" jsonschema:"underlined, in any way"`
	Strike    bool   `json:"strike,omitempty" jsonschema:"struck through"`
	Raised    string `json:"raised,omitempty" jsonschema:"superscript or subscript"`
	Color     string `json:"color,omitempty" jsonschema:"RRGGBB"`
	Highlight string `json:"highlight,omitempty" jsonschema:"the name of a color, such as yellow"`
	Link      string `json:"link,omitempty" jsonschema:"where it leads; # and a name is a place in the document"`
	Change    string `json:"change,omitempty" jsonschema:"inserted or deleted: a tracked change"`
	Object    string `json:"object,omitempty" jsonschema:"picture, equation, footnote, endnote, comment, break or object: what is here in place of text"`
}

// TableRow is a row of a table.
type TableRow struct {
	At    string      `json:"at" jsonschema:"its address"`
	Head  bool        `json:"head,omitempty" jsonschema:"it is repeated on each page"`
	Cells []TableCell `json:"cells" jsonschema:"those that no other cell covers"`
}

// TableCell is a cell of a table.
type TableCell struct {
	Columns    int              `json:"columns,omitempty" jsonschema:"how many it spans; left out for 1"`
	Rows       int              `json:"rows,omitempty" jsonschema:"how many it spans; left out for 1"`
	Fill       string           `json:"fill,omitempty" jsonschema:"the color behind it, RRGGBB"`
	Paragraphs []BlockParagraph `json:"paragraphs" jsonschema:"also those of tables in it"`
}
