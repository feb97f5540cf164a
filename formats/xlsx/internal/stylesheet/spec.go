package stylesheet

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

// Spec is what an operation says about the format of cells. A nil member leaves
// what a cell has.
type Spec struct {
	Fixed     *CellFormat `json:",omitempty"` // the whole look, over which the rest goes
	FontName  *string     `json:",omitempty"`
	FontSize  *float64    `json:",omitempty"` // points
	Bold      *bool       `json:",omitempty"`
	Italic    *bool       `json:",omitempty"`
	Strike    *bool       `json:",omitempty"`
	Underline *string     `json:",omitempty"` // ST_UnderlineValues
	Color     *string     `json:",omitempty"` // of the font, AARRGGBB
	Fill      *string     `json:",omitempty"` // AARRGGBB, "" no fill
	Pattern   *string     `json:",omitempty"` // ST_PatternType
	Format    *string     `json:",omitempty"` // number format code
	Date      *string     `json:",omitempty"` // number format code where the cell has none for dates
	DateOver  *bool       `json:",omitempty"` // Date also replaces a format for text
	HAlign    *string     `json:",omitempty"`
	VAlign    *string     `json:",omitempty"`
	Wrap      *bool       `json:",omitempty"`
	Rotation  *int        `json:",omitempty"` // as stored: 0 to 180, 255 stacked
	Indent    *int        `json:",omitempty"`
	Locked    *bool       `json:",omitempty"`
	Hidden    *bool       `json:",omitempty"`
	Sides     [4]Side     `json:",omitempty"` // in the order of sideNames
	Button    *bool       `json:",omitempty"` // the cell shows the button of a pivot table's field
}

// Side is one side of a border.
type Side struct {
	Style *string `json:",omitempty"` // ST_BorderStyle
	Color *string `json:",omitempty"` // AARRGGBB
}

var sideNames = []string{"left", "right", "top", "bottom"} // in the order of CT_Border

var (
	fillPatterns = []string{"none", "solid", "mediumGray", "darkGray", "lightGray", "darkHorizontal", "darkVertical", "darkDown", "darkUp", "darkGrid", "darkTrellis", "lightHorizontal", "lightVertical", "lightDown", "lightUp", "lightGrid", "lightTrellis", "gray125", "gray0625"}
	borderStyles = []string{"none", "thin", "medium", "dashed", "dotted", "thick", "double", "hair", "mediumDashed", "dashDot", "mediumDashDot", "dashDotDot", "mediumDashDotDot", "slantDashDot"}
	hAligns      = []string{"general", "left", "center", "right", "fill", "justify", "centerContinuous", "distributed"}
	vAligns      = []string{"top", "center", "bottom", "justify", "distributed"}
	underlines   = []string{"none", "single", "double", "singleAccounting", "doubleAccounting"}
)

// Keys are the members of a style and how each is read.
var Keys = map[string]func(s *Spec, v any) error{
	"font_name": func(s *Spec, v any) (err error) {
		if s.FontName, err = AsText(v); err == nil && (*s.FontName == "" || len(*s.FontName) > 31) {
			err = fmt.Errorf("expected a font name of 1 to 31 characters")
		}
		return err
	},
	"font_size": func(s *Spec, v any) (err error) {
		if s.FontSize, err = AsNumber(v); err == nil && !(*s.FontSize >= 1 && *s.FontSize <= 409) {
			err = fmt.Errorf("expected 1 to 409 points")
		}
		return err
	},
	"font_bold":      func(s *Spec, v any) (err error) { s.Bold, err = asBool(v); return },
	"font_italic":    func(s *Spec, v any) (err error) { s.Italic, err = asBool(v); return },
	"font_strike":    func(s *Spec, v any) (err error) { s.Strike, err = asBool(v); return },
	"font_underline": readUnderline,
	"font_color":     func(s *Spec, v any) (err error) { s.Color, err = AsColor(v); return },
	"fill_color":     func(s *Spec, v any) (err error) { s.Fill, err = asFill(v); return },
	"fill_pattern":   func(s *Spec, v any) (err error) { s.Pattern, err = OneOf(v, fillPatterns); return },
	"number_format":  readNumberFormat,
	"h_align":        func(s *Spec, v any) (err error) { s.HAlign, err = OneOf(v, hAligns); return },
	"v_align":        func(s *Spec, v any) (err error) { s.VAlign, err = OneOf(v, vAligns); return },
	"wrap_text":      func(s *Spec, v any) (err error) { s.Wrap, err = asBool(v); return },
	"text_rotation":  readRotation,
	"indent": func(s *Spec, v any) (err error) {
		if s.Indent, err = AsInt(v); err == nil && (*s.Indent < 0 || *s.Indent > 250) {
			err = fmt.Errorf("expected 0 to 250")
		}
		return err
	},
	"locked":        func(s *Spec, v any) (err error) { s.Locked, err = asBool(v); return },
	"hidden":        func(s *Spec, v any) (err error) { s.Hidden, err = asBool(v); return },
	"border_left":   func(s *Spec, v any) error { return readSide(&s.Sides[0], v) },
	"border_right":  func(s *Spec, v any) error { return readSide(&s.Sides[1], v) },
	"border_top":    func(s *Spec, v any) error { return readSide(&s.Sides[2], v) },
	"border_bottom": func(s *Spec, v any) error { return readSide(&s.Sides[3], v) },
	"border": func(s *Spec, v any) error {
		var all Side
		err := readSide(&all, v)
		for i := range s.Sides {
			s.Sides[i] = s.Sides[i].over(all)
		}
		return err
	},
}

// ParseSpec reads the style member of an operation.
func ParseSpec(m map[string]any) (*Spec, error) {
	s := &Spec{}
	// In order, so that "border" comes before its sides and errors are the same
	// each time.
	for _, k := range slices.Sorted(maps.Keys(m)) {
		read := Keys[k]
		if read == nil {
			return nil, formats.Errorf(formats.CodeInvalid, "unknown style key %q; the keys are %s", k, strings.Join(slices.Sorted(maps.Keys(Keys)), ", "))
		}
		if m[k] == nil {
			continue
		}
		if err := read(s, m[k]); err != nil {
			return nil, formats.Errorf(formats.CodeInvalid, "style %s: %s, got %s", k, err.Error(), cellref.QuoteArg(fmt.Sprint(m[k])))
		}
	}
	return s, nil
}

// over is the spec with the members of o where s says nothing.
func (s Side) over(o Side) Side {
	if s.Style == nil {
		s.Style = o.Style
	}
	if s.Color == nil {
		s.Color = o.Color
	}
	return s
}

func pick[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

// Over is the spec with the members of o where s says nothing.
func (s *Spec) Over(o *Spec) *Spec {
	if s.Fixed != nil {
		return s
	}
	out := &Spec{
		FontName: pick(s.FontName, o.FontName), FontSize: pick(s.FontSize, o.FontSize), Bold: pick(s.Bold, o.Bold), Italic: pick(s.Italic, o.Italic),
		Strike: pick(s.Strike, o.Strike), Underline: pick(s.Underline, o.Underline), Color: pick(s.Color, o.Color), Fill: pick(s.Fill, o.Fill),
		Pattern: pick(s.Pattern, o.Pattern), Format: pick(s.Format, o.Format), Date: pick(s.Date, o.Date), DateOver: pick(s.DateOver, o.DateOver), HAlign: pick(s.HAlign, o.HAlign), VAlign: pick(s.VAlign, o.VAlign),
		Wrap: pick(s.Wrap, o.Wrap), Rotation: pick(s.Rotation, o.Rotation), Indent: pick(s.Indent, o.Indent), Locked: pick(s.Locked, o.Locked), Hidden: pick(s.Hidden, o.Hidden), Button: pick(s.Button, o.Button),
	}
	out.Fixed = o.Fixed
	for i := range out.Sides {
		out.Sides[i] = s.Sides[i].over(o.Sides[i])
	}
	return out
}

// Key returns a text that is equal for equal specs.
func (s *Spec) Key() string {
	b, _ := json.Marshal(s)
	return string(b)
}

// AsText reads a string.
func AsText(v any) (*string, error) {
	switch v := v.(type) {
	case string:
		v = strings.TrimSpace(v)
		return &v, nil
	case json.Number:
		s := v.String()
		return &s, nil
	}
	return nil, fmt.Errorf("expected text")
}

// AsNumber reads a number.
func AsNumber(v any) (*float64, error) {
	if s, err := AsText(v); err == nil {
		if f, err := strconv.ParseFloat(*s, 64); err == nil {
			return &f, nil
		}
	}
	return nil, fmt.Errorf("expected a number")
}

// AsInt reads a whole number.
func AsInt(v any) (*int, error) {
	f, err := AsNumber(v)
	if err != nil || *f != float64(int(*f)) {
		return nil, fmt.Errorf("expected a whole number")
	}
	n := int(*f)
	return &n, nil
}

func asBool(v any) (*bool, error) {
	var b lenient.Bool
	js, err := json.Marshal(v)
	if err == nil {
		err = b.UnmarshalJSON(js)
	}
	if err != nil {
		return nil, fmt.Errorf("expected true or false")
	}
	return (*bool)(&b), nil
}

// OneOf accepts a word of a list in any case.
func OneOf(v any, list []string) (*string, error) {
	s, err := AsText(v)
	if err != nil {
		return nil, fmt.Errorf("expected one of %s", strings.Join(list, ", "))
	}
	for _, w := range list {
		if strings.EqualFold(w, strings.ReplaceAll(*s, "_", "")) {
			return &w, nil
		}
	}
	return nil, fmt.Errorf("expected one of %s", strings.Join(list, ", "))
}

// AsColor reads RRGGBB, #RRGGBB or AARRGGBB.
func AsColor(v any) (*string, error) {
	const want = "expected a colour such as FF0000 or #FF0000"
	s, err := AsText(v)
	if err != nil {
		return nil, errors.New(want)
	}
	c := strings.ToUpper(strings.TrimPrefix(*s, "#"))
	if len(c) == 6 {
		c = "FF" + c
	}
	if _, err := strconv.ParseUint(c, 16, 32); err != nil || len(c) != 8 {
		return nil, errors.New(want)
	}
	return &c, nil
}

func asFill(v any) (*string, error) {
	if s, ok := v.(string); ok && (s == "" || strings.EqualFold(s, "none")) {
		s = ""
		return &s, nil
	}
	return AsColor(v)
}

func readUnderline(s *Spec, v any) error {
	if b, err := asBool(v); err == nil {
		w := "none"
		if *b {
			w = "single"
		}
		s.Underline = &w
		return nil
	}
	var err error
	s.Underline, err = OneOf(v, underlines)
	return err
}

// readRotation turns degrees into what is stored (18.8.1): 91 to 180 are
// clockwise, 255 is stacked letters.
func readRotation(s *Spec, v any) error {
	n, err := AsInt(v)
	switch {
	case err == nil && *n >= -90 && *n < 0:
		*n = 90 - *n
	case err != nil || (*n < 0 || *n > 90) && *n != 255:
		return fmt.Errorf("expected -90 to 90 degrees, or 255 for stacked letters")
	}
	s.Rotation = n
	return nil
}

func readSide(b *Side, v any) (err error) {
	m, ok := v.(map[string]any)
	if !ok {
		m = map[string]any{"style": v}
	}
	var in Side
	for k, v := range m {
		switch k {
		case "style":
			if in.Style, err = OneOf(v, borderStyles); err != nil {
				return err
			}
		case "color":
			if in.Color, err = AsColor(v); err != nil {
				return err
			}
		default:
			return fmt.Errorf(`expected {"style","color"}`)
		}
	}
	if in.Style == nil && in.Color != nil && b.Style == nil {
		thin := "thin"
		in.Style = &thin
	}
	*b = in.over(*b)
	return nil
}

// readNumberFormat checks a format code for what makes Excel refuse a file
// (18.8.30): too long, too many sections, or a quote or bracket left open.
func readNumberFormat(s *Spec, v any) error {
	code, err := AsText(v)
	if err != nil {
		return fmt.Errorf("expected a format code such as 0.00 or yyyy-mm-dd")
	}
	c := *code
	switch strings.ToLower(c) {
	case "", "general":
		c = "General"
	case "text":
		c = "@"
	}
	if sheetml.UTF16Len(c) > 255 {
		return fmt.Errorf("expected a format code of at most 255 characters")
	}
	sections, quoted, bracket := 1, false, false
	for i := 0; i < len(c); i++ {
		switch {
		case quoted:
			quoted = c[i] != '"'
		case bracket:
			bracket = c[i] != ']'
		case c[i] == '\\' || c[i] == '_' || c[i] == '*':
			if i++; i == len(c) {
				return fmt.Errorf("expected a character behind the last %q of the format code", c[i-1])
			}
		case c[i] == '"':
			quoted = true
		case c[i] == '[':
			bracket = true
		case c[i] == ';':
			sections++
		}
	}
	if quoted || bracket || sections > 4 {
		return fmt.Errorf("expected a format code of at most four sections, with quotes and brackets closed")
	}
	s.Format = &c
	return nil
}
