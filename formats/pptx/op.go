package pptx

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"atelier/formats"
	opset "atelier/formats/ops"
	"atelier/internal/lenient"
)

// operations are those of X-40 and what a deck needs beyond them.
var operations = opset.NewTable(
	define("add_slide", (*deckEdit).addSlide),
	define("duplicate_slide", (*deckEdit).duplicateSlide),
	define("delete_slide", (*deckEdit).deleteSlide),
	define("move_slide", (*deckEdit).moveSlide),
	opset.Rare(define("hide_slide", (*deckEdit).hideSlide)),
	define("set_slide_text", (*deckEdit).setSlideText),
	define("append_bullets", (*deckEdit).appendBullets),
	define("set_notes", (*deckEdit).setNotes),
	define("set_layout", (*deckEdit).setLayout),
	opset.Rare(define("fill_placeholders", (*deckEdit).fillPlaceholders)),
	opset.Rare(define("set_footers", (*deckEdit).setFooters)),
	opset.Rare(define("set_theme", (*deckEdit).setTheme)),
	opset.Rare(define("format_master", (*deckEdit).formatMaster)),
	opset.Rare(define("set_background", (*deckEdit).setBackground)),
	opset.Rare(define("set_logo", (*deckEdit).setLogo)),
	opset.Rare(define("set_transition", (*deckEdit).setTransition)),
	opset.Rare(define("set_slide_size", (*deckEdit).setSlideSize)),
	opset.Rare(define("set_sections", (*deckEdit).setSections)),
	define("replace_text", (*deckEdit).replaceText),
	define("set_shape_text", (*deckEdit).setShapeText),
	opset.Rare(define("set_hyperlink", (*deckEdit).setHyperlink)),
	opset.Rare(define("set_alt_text", (*deckEdit).setAltText)),
	define("move_shape", (*deckEdit).moveShape),
	opset.Rare(define("arrange_shapes", (*deckEdit).arrangeShapes)),
	opset.Rare(define("group_shapes", (*deckEdit).groupShapes)),
	opset.Rare(define("ungroup_shapes", (*deckEdit).ungroupShapes)),
	opset.Rare(define("format_shape", (*deckEdit).formatShape)),
	define("delete_shape", (*deckEdit).deleteShape),
	define("add_text_box", (*deckEdit).addTextBox),
	opset.Rare(define("add_image", (*deckEdit).addImage)),
	define("add_table", (*deckEdit).addTable),
	define("add_chart", (*deckEdit).addChart),
	opset.Rare(define("set_chart_data", (*deckEdit).setChartData)),
	opset.Rare(define("set_chart_options", (*deckEdit).setChartOptions)),
	opset.Rare(define("set_chart_type", (*deckEdit).setChartType)),
	define("set_table_cell", (*deckEdit).setTableCell),
	define("add_table_row", (*deckEdit).addTableRow),
	define("delete_table_row", (*deckEdit).deleteTableRow),
	opset.Rare(define("format_table", (*deckEdit).formatTable)),
	opset.Rare(define("add_table_column", (*deckEdit).addTableColumn)),
	opset.Rare(define("delete_table_column", (*deckEdit).deleteTableColumn)),
)

// call is an operation while it is applied.
type call struct {
	d     *deckEdit
	r     *formats.OpReport
	slide int    // index of the slide that the operation names
	part  string // the slide's part; "" for operations on the deck
}

// define returns the table's row of an operation.
func define[A any](name string, do func(d *deckEdit, ctx context.Context, c *call, args A) error) opset.Op[*call] {
	return opset.Define(name, func(c *call, ctx context.Context, args A) error { return do(c.d, ctx, c, args) })
}

func (c *call) warn(format string, args ...any) {
	c.r.Warnings = append(c.r.Warnings, fmt.Sprintf(format, args...))
}

// note says how an operation was done.
func (c *call) note(format string, args ...any) {
	c.r.Notes = append(c.r.Notes, fmt.Sprintf(format, args...))
}

// made says where what the operation made is.
func (c *call) made(slide int, shape int) {
	c.r.Made = fmt.Sprintf("slide index %d", slide)
	if shape > 0 {
		c.r.Made += fmt.Sprintf(", shape %d", shape)
	}
}

// slideArgs is the member of operations on one slide.
type slideArgs struct {
	Index *lenient.Int `json:"index" usage:"index" old:"slide_index" jsonschema:"the slide, counted from 0"`
}

func (a slideArgs) slideIndex() *lenient.Int { return a.Index }

// positionArgs is the member of operations that give a slide a place.
type positionArgs struct {
	Position *lenient.Int `json:"position" old:"at" jsonschema:"{ops}: index the slide gets"`
}

// shapeArgs are the members of operations on one shape.
type shapeArgs struct {
	ShapeID   *lenient.Int `json:"shape_id" usage:"shape_id" jsonschema:"a shape, by the number that maps and reads give"`
	ShapeName string       `json:"shape_name" usage:"or shape_name" jsonschema:"a shape by name or alt text"`
}

// tableArgs are those of operations on a table or chart, which may leave them out where
// the slide has one.
type tableArgs struct {
	ShapeID   *lenient.Int `json:"shape_id" usage:"shape_id?" jsonschema:"a shape, by the number that maps and reads give"`
	ShapeName string       `json:"shape_name" usage:"or shape_name?" jsonschema:"a shape by name or alt text"`
}

// newShapeArgs are the members of operations that add a shape.
type newShapeArgs struct {
	Place
	ShapeName string `json:"shape_name" usage:"shape_name? (its name)" jsonschema:"{ops}: the name it gets"`
}

// newObjectArgs are those of operations that add a picture, chart or table.
type newObjectArgs struct {
	newShapeArgs
	Alt string `json:"alt" jsonschema:"{ops}: alternative text"`
}

// textArgs are the members of operations that set one text.
type textArgs struct {
	Text  *Lines      `json:"text" usage:"text" jsonschema:"{ops}: the text"`
	Texts []Paragraph `json:"paragraphs" usage:"or paragraphs" jsonschema:"instead of text, body or bullets: paragraphs with formatting"`
}

// slideTextArgs are the members of operations that set title and body.
type slideTextArgs struct {
	Title     *Lines      `json:"title" usage:"title?" jsonschema:"{ops}: the title"`
	TitleRuns []Run       `json:"title_runs" usage:"or title_runs?" jsonschema:"title with formatting"`
	Body      *Lines      `json:"body" usage:"body?" jsonschema:"{ops}: the body; a paragraph on each line, a leading tab for each outline level"`
	BodyRuns  []Run       `json:"body_runs" usage:"or body_runs?" jsonschema:"body with formatting; a line break begins a paragraph"`
	Texts     []Paragraph `json:"paragraphs" usage:"or paragraphs?" jsonschema:"instead of text, body or bullets: paragraphs with formatting"`
}

// lookArgs are the members of operations that format the text they write.
type lookArgs struct {
	ParagraphFormat
	Font
}

// Place is where a shape is and how large; what is absent is found or as before.
type Place struct {
	X      *lenient.Float `json:"x,omitempty" group:"PLACE" jsonschema:"inches from the left"`
	Y      *lenient.Float `json:"y,omitempty" jsonschema:"inches from the top"`
	Width  *lenient.Float `json:"width,omitempty" jsonschema:"inches"`
	Height *lenient.Float `json:"height,omitempty" jsonschema:"inches"`
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
