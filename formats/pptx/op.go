package pptx

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/internal/lenient"
)

// Operation is one pptx operation; which members it needs depends on Op.
type Operation struct {
	Op        string       `json:"op" jsonschema:"the operation"`
	Index     *lenient.Int `json:"index,omitempty" jsonschema:"the slide, counted from 0"`
	Position  *lenient.Int `json:"position,omitempty" jsonschema:"add_slide, duplicate_slide, move_slide: index the slide gets"`
	Layout    string       `json:"layout,omitempty" jsonschema:"add_slide, set_layout: title, title_and_content, two_content, title_only, section_header, blank, or a layout's name"`
	Title     *Lines       `json:"title,omitempty" jsonschema:"add_slide, set_slide_text: the title; add_chart: above it"`
	Body      *Lines       `json:"body,omitempty" jsonschema:"add_slide, set_slide_text: the body; a paragraph on each line, a leading tab for each outline level"`
	TitleRuns []Run        `json:"title_runs,omitempty" jsonschema:"title with formatting"`
	BodyRuns  []Run        `json:"body_runs,omitempty" jsonschema:"body with formatting; a line break begins a paragraph"`
	Bullets   Bullets      `json:"bullets,omitempty" jsonschema:"append_bullets: paragraphs to add to the body"`
	Text      *Lines       `json:"text,omitempty" jsonschema:"set_shape_text, add_text_box, set_table_cell, set_notes, set_alt_text: the text"`
	Texts     []Paragraph  `json:"paragraphs,omitempty" jsonschema:"instead of text, body or bullets: paragraphs with formatting"`
	ParagraphFormat
	Font
	ShapeID    *lenient.Int  `json:"shape_id,omitempty" jsonschema:"a shape, by the number that maps and reads give"`
	ShapeName  string        `json:"shape_name,omitempty" jsonschema:"a shape by name; add_table, add_chart, add_image, add_text_box: the name it gets"`
	Row        *lenient.Int  `json:"row,omitempty" jsonschema:"table row, counted from 0"`
	Column     *lenient.Int  `json:"column,omitempty" jsonschema:"table column, counted from 0"`
	Cells      []Cell        `json:"cells,omitempty" jsonschema:"add_table_row, add_table_column: its texts"`
	Rows       [][]Cell      `json:"rows,omitempty" jsonschema:"add_table: texts by row; the first is the head"`
	Type       string        `json:"type,omitempty" jsonschema:"add_chart: bar, column, line, pie, area or doughnut, also stacked_bar, stacked_column, stacked_line, stacked_area"`
	XTitle     string        `json:"x_title,omitempty" jsonschema:"add_chart: of the label axis"`
	YTitle     string        `json:"y_title,omitempty" jsonschema:"add_chart: of the value axis"`
	Categories []Cell        `json:"categories,omitempty" jsonschema:"add_chart: the labels"`
	Series     []Series      `json:"series,omitempty" jsonschema:"add_chart: what it shows"`
	URL        *string       `json:"url,omitempty" jsonschema:"set_hyperlink: where the link leads; \"\" takes it away"`
	Of         string        `json:"of,omitempty" jsonschema:"set_hyperlink: shape (default) or text"`
	Search     *string       `json:"search,omitempty" jsonschema:"replace_text: text to find; it may span formatting"`
	Replace    *string       `json:"replace,omitempty" jsonschema:"replace_text: what takes its place"`
	MatchCase  lenient.Bool  `json:"match_case,omitempty" jsonschema:"tell upper from lower case"`
	WholeWord  lenient.Bool  `json:"whole_word,omitempty" jsonschema:"only whole words"`
	Regex      lenient.Bool  `json:"regex,omitempty" jsonschema:"search is a regular expression (RE2), replace may have $1"`
	Slides     []lenient.Int `json:"slides,omitempty" jsonschema:"replace_text: only these slides"`
	Notes      *lenient.Bool `json:"notes,omitempty" jsonschema:"replace_text: also in speaker notes; default true"`
	Hidden     *lenient.Bool `json:"hidden,omitempty" jsonschema:"hide_slide: false shows it again"`
	Path       string        `json:"path,omitempty" jsonschema:"add_image: the picture file"`
	Alt        string        `json:"alt,omitempty" jsonschema:"add_image, add_chart, add_table: alternative text"`
	Place
}

// Place is where a shape is and how large; what is absent is found or as before.
type Place struct {
	X      *lenient.Float `json:"x,omitempty" jsonschema:"inches from the left"`
	Y      *lenient.Float `json:"y,omitempty" jsonschema:"inches from the top"`
	Width  *lenient.Float `json:"width,omitempty" jsonschema:"inches"`
	Height *lenient.Float `json:"height,omitempty" jsonschema:"inches"`
}

// legacy are the members older callers use.
type legacy struct {
	SlideIndex *lenient.Int `json:"slide_index"`
	At         *lenient.Int `json:"at"`
	Find       *string      `json:"find"`
}

// Lines is a text; models also send it as a list of lines.
type Lines string

// UnmarshalJSON implements json.Unmarshaler.
func (l *Lines) UnmarshalJSON(data []byte) error {
	list, err := stringList(data)
	if err == nil {
		*l = Lines(strings.Join(list, "\n"))
	}
	return err
}

// Bullets is a list of texts; models also send one text with line breaks.
type Bullets []string

// UnmarshalJSON implements json.Unmarshaler.
func (b *Bullets) UnmarshalJSON(data []byte) error {
	list, err := stringList(data)
	if err == nil {
		*b = list
	}
	return err
}

// Cell is the text of a table cell; numbers and booleans are texts too.
type Cell string

// UnmarshalJSON implements json.Unmarshaler.
func (c *Cell) UnmarshalJSON(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	switch v := v.(type) {
	case nil:
		*c = ""
	case string:
		*c = Cell(v)
	case float64, bool:
		*c = Cell(data)
	default:
		return fmt.Errorf("expected a text, got %s", clip(string(data), 40))
	}
	return nil
}

// stringList reads a string or a list of strings.
func stringList(data []byte) ([]string, error) {
	var one string
	if json.Unmarshal(data, &one) == nil {
		return []string{one}, nil
	}
	var list []string
	if json.Unmarshal(data, &list) != nil {
		return nil, fmt.Errorf("expected a text or a list of texts, got %s", clip(string(data), 40))
	}
	return list, nil
}

// call is an operation while it is done.
type call struct {
	Operation
	r     *formats.OpReport
	slide int    // its index
	part  string // the slide's part; "" for operations on the deck
}

func (c *call) warn(format string, args ...any) {
	c.r.Warnings = append(c.r.Warnings, fmt.Sprintf(format, args...))
}

// made says where what the operation made is.
func (c *call) made(slide int, shape int) {
	c.r.Made = fmt.Sprintf("slide index %d", slide)
	if shape > 0 {
		c.r.Made += fmt.Sprintf(", shape %d", shape)
	}
}

// operation is what Apply knows of an operation.
type operation struct {
	name    string
	onSlide bool // it needs an index
	do      func(*deckEdit, context.Context, *call) error
}

// operations are those of X-40 and what a deck needs beyond them.
var operations = []operation{
	{"add_slide", false, (*deckEdit).addSlide},
	{"duplicate_slide", true, (*deckEdit).duplicateSlide},
	{"delete_slide", true, (*deckEdit).deleteSlide},
	{"move_slide", true, (*deckEdit).moveSlide},
	{"hide_slide", true, (*deckEdit).hideSlide},
	{"set_slide_text", true, (*deckEdit).setSlideText},
	{"append_bullets", true, (*deckEdit).appendBullets},
	{"set_notes", true, (*deckEdit).setNotes},
	{"set_layout", true, (*deckEdit).setLayout},
	{"replace_text", false, (*deckEdit).replaceText},
	{"set_shape_text", true, (*deckEdit).setShapeText},
	{"set_hyperlink", true, (*deckEdit).setHyperlink},
	{"set_alt_text", true, (*deckEdit).setAltText},
	{"move_shape", true, (*deckEdit).moveShape},
	{"delete_shape", true, (*deckEdit).deleteShape},
	{"add_text_box", true, (*deckEdit).addTextBox},
	{"add_image", true, (*deckEdit).addImage},
	{"add_table", true, (*deckEdit).addTable},
	{"add_chart", true, (*deckEdit).addChart},
	{"set_table_cell", true, (*deckEdit).setTableCell},
	{"add_table_row", true, (*deckEdit).addTableRow},
	{"delete_table_row", true, (*deckEdit).deleteTableRow},
	{"add_table_column", true, (*deckEdit).addTableColumn},
	{"delete_table_column", true, (*deckEdit).deleteTableColumn},
}

var opNames = func() (names []string) {
	for _, o := range operations {
		names = append(names, o.name)
	}
	return names
}()

func findOperation(name string) *operation {
	for i := range operations {
		if operations[i].name == name {
			return &operations[i]
		}
	}
	return nil
}

// decodeOp reads one operation.
func decodeOp(raw json.RawMessage, i int) (Operation, error) {
	var head struct {
		Op string `json:"op"`
	}
	var op Operation
	var old legacy
	if err := json.Unmarshal(raw, &head); err != nil {
		return op, formats.InOp(formats.Errorf(formats.CodeInvalid, "an operation must be an object with a member op: %s", lenient.Problem(err)), i, "")
	}
	if head.Op == "" {
		return op, formats.InOp(formats.Errorf(formats.CodeInvalid, "op is required: one of %s", strings.Join(opNames, ", ")), i, "")
	}
	if findOperation(head.Op) == nil {
		return op, formats.InOp(formats.Errorf(formats.CodeInvalid, "unsupported op: %s", head.Op), i, head.Op)
	}
	for _, v := range []any{&op, &old} {
		if err := json.Unmarshal(raw, v); err != nil {
			return op, formats.InOp(formats.Errorf(formats.CodeInvalid, "%s", lenient.Problem(err)), i, head.Op)
		}
	}
	if op.Index == nil {
		op.Index = old.SlideIndex
	}
	if op.Position == nil {
		op.Position = old.At
	}
	if op.Search == nil {
		op.Search = old.Find
	}
	return op, nil
}
