package rules

import (
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
)

var validationTypes = map[string]string{"whole": "whole number", "decimal": "number", "textLength": "text length"}

// Validation says what a dataValidation, whose start tag is t, accepts, and what
// it shows. Dates are written as such.
func (w Words) Validation(t xmlscan.Token, raw []byte) string {
	f := sheetml.TextsOf(raw, "formula1", "formula2")
	var s string
	switch typ := t.AttrLocal("type"); typ {
	case "", "none":
		s = "any value"
	case "list":
		s = "list " + strings.Join(f, "")
	case "custom":
		s = "formula " + strings.Join(f, "")
	default:
		op := Operators[t.AttrLocal("operator")]
		if op == "" {
			op = "between"
		}
		if s = validationTypes[typ]; s == "" {
			s = typ
		}
		for i := range f {
			f[i] = w.dateText(typ, f[i])
		}
		s += " " + op + " " + strings.Join(f, " and ")
	}
	s += message(", prompt", t.AttrLocal("promptTitle"), t.AttrLocal("prompt")) + message(", error", t.AttrLocal("errorTitle"), t.AttrLocal("error"))
	if style := t.AttrLocal("errorStyle"); style == "warning" || style == "information" {
		s += ", " + style + " only"
	}
	return s
}

// dateText writes the number of a date or time validation as date or time.
func (w Words) dateText(typ, f string) string {
	format := map[string]string{"date": "yyyy-mm-dd", "time": "hh:mm:ss"}[typ]
	v, err := strconv.ParseFloat(f, 64)
	if err != nil || format == "" {
		return f
	}
	if typ == "date" && v != float64(int64(v)) {
		format += " hh:mm:ss"
	}
	return numfmt.Parse(format).Number(v, w.Date1904)
}

func message(word, title, text string) string {
	switch {
	case title != "" && text != "":
		text = title + ": " + text
	case text == "":
		text = title
	}
	if text == "" {
		return ""
	}
	return word + " “" + book.Clip(book.OneLine(text), 100) + "”"
}
