package xlsx

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
	"atelier/internal/lenient"
)

type dataValidationArgs struct {
	rangeArgs
	Type     string       `json:"type" usage:"type" jsonschema:"{ops}: list, whole, decimal, date, time, text_length or custom"`
	Operator string       `json:"operator" jsonschema:"{ops}: > >= < <= = <> between or not_between"`
	Value    any          `json:"value" jsonschema:"{ops}: number, date or =formula; list: a range such as =Lists!A1:A9"`
	Value2   any          `json:"value2" jsonschema:"{ops}: the upper end"`
	List     []any        `json:"list" jsonschema:"{ops}: the choices"`
	Error    string       `json:"error" jsonschema:"{ops}: said when a value is refused"`
	Prompt   string       `json:"prompt" jsonschema:"{ops}: said when a cell is selected"`
	Remove   lenient.Bool `json:"remove" usage:"; or remove" jsonschema:"{ops}: take it away"`
}

// validation is a data validation ready to write.
type validation struct {
	typ      string
	attrs    string
	formulas []string
}

var validationTypes = map[string]string{"list": "list", "whole": "whole", "decimal": "decimal", "date": "date", "time": "time", "textlength": "textLength", "custom": "custom"}

func (p *plan) dataValidation(_ context.Context, op dataValidationArgs) (int, error) {
	rects, err := ranges(op.Range)
	if err != nil {
		return 0, err
	}
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	if op.Remove {
		p.deferEdit(s, func(_ context.Context, w *sheetWork) error {
			if w.rep.Hits = w.dropValidations(rects); w.rep.Hits == 0 {
				w.warn("there is no data validation in %s", cellref.FormatList(rects))
			}
			return nil
		})
		return 0, nil
	}
	v, err := p.readValidation(op)
	if err != nil {
		return 0, err
	}
	p.unused("", op.unused(v)...)
	p.deferEdit(s, func(_ context.Context, w *sheetWork) error {
		w.dropValidations(rects)
		w.addValidation(rects, v)
		return nil
	})
	return 0, nil
}

func (p *plan) readValidation(op dataValidationArgs) (*validation, error) {
	typ, ok := validationTypes[plainWord(op.Type)]
	if !ok {
		return nil, formats.Errorf(formats.CodeInvalid, "unknown validation type %s; use list, whole, decimal, date, time, text_length or custom", cellref.QuoteArg(op.Type))
	}
	v := &validation{typ: typ, attrs: ` type="` + typ + `"`}
	var err error
	switch typ {
	case "list":
		v.formulas, err = p.listSource(op)
	case "custom":
		text, ok := op.Value.(string)
		if !ok || !strings.HasPrefix(strings.TrimSpace(text), "=") {
			return nil, formats.Errorf(formats.CodeInvalid, "value is required: a formula such as =LEN(A2)<9")
		}
		v.formulas = make([]string, 1)
		v.formulas[0], err = operand(op.Value, "value")
	default:
		err = v.compare(op, typ, p.wb.Date1904)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range v.formulas {
		if sheetml.UTF16Len(f) > 255 && !strings.HasPrefix(f, `"`) {
			return nil, formats.Errorf(formats.CodeInvalid, "the formula has %d characters; a validation allows 255", sheetml.UTF16Len(f))
		}
	}
	v.attrs += ` allowBlank="1" showInputMessage="1" showErrorMessage="1"`
	for _, m := range []struct{ name, text string }{{"error", op.Error}, {"prompt", op.Prompt}} {
		if n := sheetml.UTF16Len(m.text); n > 255 {
			return nil, formats.Errorf(formats.CodeInvalid, "%s has %d characters; at most 255 are allowed", m.name, n)
		}
		if m.text != "" {
			v.attrs += " " + m.name + `="` + sheetml.EscapeAttr(m.text) + `"`
		}
	}
	return v, nil
}

// listSource is where the choices come from: the words given, or a range.
func (p *plan) listSource(op dataValidationArgs) ([]string, error) {
	if len(op.List) == 0 {
		text, _ := op.Value.(string)
		if text == "" {
			return nil, formats.Errorf(formats.CodeInvalid, `list is required, such as ["Yes","No"]; or value, a range such as =Lists!A1:A9`)
		}
		f := strings.TrimPrefix(strings.TrimSpace(text), "=")
		if sheet, rng, ok := cellref.CutSheet(f); ok {
			i := p.find(sheet)
			if i < 0 {
				return nil, book.UnknownSheet(sheet)
			}
			if r, err := cellref.ParseRange(strings.ReplaceAll(rng, "$", "")); err == nil {
				return []string{formula.QuoteSheet(p.sheets[i].name) + "!" + absolute(r)}, nil
			}
		} else if r, err := cellref.ParseRange(strings.ReplaceAll(f, "$", "")); err == nil {
			return []string{absolute(r)}, nil
		}
		if err := checkFormula(f); err != nil {
			return nil, err
		}
		return []string{formula.Stored(f)}, nil
	}
	words := make([]string, len(op.List))
	for i, raw := range op.List {
		w, err := stylesheet.AsText(raw)
		switch {
		case err != nil:
			return nil, formats.Errorf(formats.CodeInvalid, "item %d of list must be a text or a number", i+1)
		case strings.Contains(*w, ","):
			return nil, formats.Errorf(formats.CodeInvalid, "the item %s has a comma, which separates items; put the items into cells and give value, such as =Lists!A1:A9", cellref.QuoteArg(*w))
		}
		words[i] = *w
	}
	all := strings.Join(words, ",")
	if n := sheetml.UTF16Len(all); n > 255 {
		return nil, formats.Errorf(formats.CodeInvalid, "the items have %d characters, at most 255 are allowed; put them into cells and give value, such as =Lists!A1:A9", n)
	}
	return []string{quoteText(all)}, nil
}

// unused are the members beside those that a validation of its type reads.
func (op dataValidationArgs) unused(v *validation) []givenMember {
	compares := v.typ != "list" && v.typ != "custom"
	return []givenMember{
		{"operator", op.Operator != "" && !compares},
		{"value", op.Value != nil && v.typ == "list" && len(op.List) > 0},
		{"value2", op.Value2 != nil && !(compares && len(v.formulas) == 2)},
		{"list", len(op.List) > 0 && v.typ != "list"},
	}
}

// compare reads operator, value and value2.
func (v *validation) compare(op dataValidationArgs, typ string, date1904 bool) error {
	word := op.Operator
	if word == "" && op.Value2 != nil {
		word = "between"
	}
	name, ok := operatorOf(word)
	if !ok {
		return formats.Errorf(formats.CodeInvalid, "unknown operator %s; use > >= < <= = <> between or not_between", cellref.QuoteArg(op.Operator))
	}
	if name != "between" { // the default
		v.attrs += ` operator="` + name + `"`
	}
	values := []any{op.Value}
	if name == "between" || name == "notBetween" {
		values = append(values, op.Value2)
	}
	for i, raw := range values {
		f, err := bound(raw, typ, []string{"value", "value2"}[i], date1904)
		if err != nil {
			return err
		}
		v.formulas = append(v.formulas, f)
	}
	return nil
}

// bound is the formula for one end of what is allowed.
func bound(v any, typ, what string, date1904 bool) (string, error) {
	s, isText := v.(string)
	s = strings.TrimSpace(s)
	if isText && !strings.HasPrefix(s, "=") {
		switch typ {
		case "date":
			if n, ok := numfmt.ISOSerial(s, date1904); ok {
				return strconv.FormatFloat(n, 'f', -1, 64), nil
			}
		case "time":
			var h, m, sec int
			if n, _ := fmt.Sscanf(s, "%d:%d:%d", &h, &m, &sec); n >= 2 && h >= 0 && h < 24 && m >= 0 && m < 60 && sec >= 0 && sec < 60 {
				return strconv.FormatFloat(float64(h*3600+m*60+sec)/86400, 'f', -1, 64), nil
			}
		}
		if !isNumber(s) {
			want := map[string]string{"date": "a date such as 2024-12-31", "time": "a time such as 13:30"}[typ]
			if want == "" {
				want = "a number"
			}
			return "", formats.Errorf(formats.CodeInvalid, "%s must be %s or a formula, got %s", what, want, cellref.QuoteArg(s))
		}
	}
	f, err := operand(v, what)
	if err == nil && isNumber(f) && (typ == "whole" || typ == "textLength") {
		if _, err := stylesheet.AsInt(json.Number(f)); err != nil {
			return "", formats.Errorf(formats.CodeInvalid, "%s must be a whole number, got %s", what, cellref.QuoteArg(f))
		}
	}
	return f, err
}

// dropValidations takes blocks out of the validations the sheet has.
func (w *sheetWork) dropValidations(rects []cellref.Range) int {
	edits, touched := sheetml.CutSqrefs(w.skel.Doc, "dataValidation", rects)
	if touched == 0 {
		return 0
	}
	w.edit(edits...)
	t, end, ok := w.child("dataValidations")
	if !ok {
		return touched
	}
	left := 0
	sc := xmlscan.New(w.skel.Doc)
	for sc.Next() {
		if i := sc.Token(); i.Kind == xmlscan.Start && i.Local == "dataValidation" && i.Start > t.Start && i.Start < end {
			left++
		}
	}
	if left == 0 {
		w.edit(xmlscan.Splice{Start: t.Start, End: end})
	} else {
		w.edit(recount(t, left)...)
	}
	return touched
}

// addValidation adds one validation (18.3.1.32).
func (w *sheetWork) addValidation(rects []cellref.Range, v *validation) {
	xml := "<dataValidation" + v.attrs + ` sqref="` + cellref.FormatList(rects) + `">`
	for i, f := range v.formulas {
		xml += fmt.Sprintf("<formula%d>%s</formula%[1]d>", i+1, xmlscan.Escape(f))
	}
	w.appendTo("dataValidations", sheetml.WithPrefix(xml+"</dataValidation>", w.prefix), true)
	w.rep.Hits, w.rep.Made = 1, w.sheet.name+"!"+cellref.FormatList(rects)
}
