package pptx

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/loose"
)

// The operations of X-40.
const (
	opAddSlide      = "add_slide"
	opSetSlideText  = "set_slide_text"
	opAppendBullets = "append_bullets"
)

var opNames = []string{opAddSlide, opSetSlideText, opAppendBullets}

// Operation is one pptx operation; which members it needs depends on Op.
type Operation struct {
	Op         string     `json:"op" jsonschema:"add_slide {layout?, title?, body?, at?}, set_slide_text {index, title?, body?} or append_bullets {index, bullets}"`
	Index      *loose.Int `json:"index,omitempty" jsonschema:"set_slide_text and append_bullets: the slide, counted from 0"`
	SlideIndex *loose.Int `json:"slide_index,omitempty" jsonschema:"older name of index, used when index is absent"`
	Layout     string     `json:"layout,omitempty" jsonschema:"add_slide: title_and_content (default), title_only, section_header, or the name of one of the deck's layouts"`
	Title      *Lines     `json:"title,omitempty" jsonschema:"text for the title; what is absent stays as it is"`
	Body       *Lines     `json:"body,omitempty" jsonschema:"text for the body: a paragraph on each line, a leading tab for each outline level"`
	Bullets    Bullets    `json:"bullets,omitempty" jsonschema:"append_bullets: paragraphs to add behind the body's last, in its formatting"`
	At         *loose.Int `json:"at,omitempty" jsonschema:"add_slide: index the new slide gets; it becomes the last one when absent"`
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

// decodeOp reads one operation. The error for an unknown name is the exact
// message of W-47, so it is not marked with the operation's position.
func decodeOp(raw json.RawMessage, i int) (Operation, error) {
	var head struct {
		Op string `json:"op"`
	}
	var op Operation
	if err := json.Unmarshal(raw, &head); err != nil {
		return op, formats.InOp(formats.Errorf(formats.CodeInvalid, "not an operation: %s", jsonProblem(err)), i, "?")
	}
	switch head.Op {
	case opAddSlide, opSetSlideText, opAppendBullets:
	case "":
		return op, formats.InOp(formats.Errorf(formats.CodeInvalid, "op is required: one of %s", strings.Join(opNames, ", ")), i, "?")
	default:
		return op, formats.Errorf(formats.CodeInvalid, "unsupported op: %s", head.Op)
	}
	if err := json.Unmarshal(raw, &op); err != nil {
		return op, formats.InOp(formats.Errorf(formats.CodeInvalid, "%s", jsonProblem(err)), i, head.Op)
	}
	if op.Index == nil {
		op.Index = op.SlideIndex
	}
	return op, nil
}

// jsonProblem says what is wrong with a JSON value without Go's own words.
func jsonProblem(err error) string {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		if te.Field == "" {
			return "expected an object, got " + te.Value
		}
		return te.Field + ": expected another type, got " + te.Value
	}
	return err.Error()
}
