package xlsx

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
	"atelier/internal/lazyregexp"
	"atelier/internal/lenient"
	"atelier/internal/quote"
)

type conditionalFormatArgs struct {
	rangeArgs
	Rule *FormatRule `json:"rule" usage:"rule" jsonschema:"{ops}"`
	removeArgs
}

// FormatRule is the rule of conditional_format.
type FormatRule struct {
	Type     string       `json:"type" jsonschema:"cell, text, top, average, duplicate, data_bar, color_scale, icon_set or formula"`
	Operator string       `json:"operator,omitempty" jsonschema:"cell: > >= < <= = <> between not_between; text: contains not_contains begins_with ends_with; top: top bottom top_percent bottom_percent; average: above below; duplicate: duplicate unique"`
	Value    any          `json:"value,omitempty" jsonschema:"number, text or =formula; top: how many; formula: a formula for the top left cell, such as =$B2>10"`
	Value2   any          `json:"value2,omitempty" jsonschema:"between: the upper end"`
	Format   styleMap     `json:"format,omitempty" jsonschema:"as style in set_style; default light red"`
	Colors   []string     `json:"colors,omitempty" jsonschema:"data_bar: one; color_scale: two or three, low to high"`
	Icons    string       `json:"icons,omitempty" jsonschema:"icon_set, such as 3TrafficLights1 or 5Arrows"`
	Stop     lenient.Bool `json:"stop_if_true,omitempty"`
}

// cfRule is a rule ready to write, but for its priority and format.
type cfRule struct {
	typ    string
	attrs  string
	body   string // after the formulas
	forms  []string
	format *stylesheet.Spec // nil: the rule has none
	stop   bool
}

// operators are the comparisons of cellIs and of validations, by what models
// call them (18.18.15).
var operators = map[string]string{
	">": "greaterThan", ">=": "greaterThanOrEqual", "<": "lessThan", "<=": "lessThanOrEqual", "=": "equal", "==": "equal", "<>": "notEqual", "!=": "notEqual",
	"greaterthan": "greaterThan", "greaterthanorequal": "greaterThanOrEqual", "lessthan": "lessThan", "lessthanorequal": "lessThanOrEqual",
	"equal": "equal", "notequal": "notEqual", "between": "between", "notbetween": "notBetween",
}

func operatorOf(s string) (string, bool) {
	op, ok := operators[plainWord(s)]
	return op, ok
}

func plainWord(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", " ", "", "-", "").Replace(strings.TrimSpace(s)))
}

// iconSets are those of 18.18.42, with how many icons each has.
var iconSets = []string{"3Arrows", "3ArrowsGray", "3Flags", "3TrafficLights1", "3TrafficLights2", "3Signs", "3Symbols", "3Symbols2", "4Arrows", "4ArrowsGray", "4RedToBlack", "4Rating", "4TrafficLights", "5Arrows", "5ArrowsGray", "5Rating", "5Quarters"}

func (p *plan) conditionalFormat(_ context.Context, op conditionalFormatArgs) (int, error) {
	rects, err := ranges(op.Range)
	if err != nil {
		return 0, err
	}
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	if op.Remove {
		p.deferEdit(s, func(_ context.Context, w *sheetWork) error { return w.dropFormats(rects) })
		return 0, nil
	}
	if op.Rule == nil {
		return 0, formats.Errorf(formats.CodeInvalid, `rule is required, for example {"type":"cell","operator":">","value":100}`)
	}
	r, err := readRule(op.Rule, cellref.Name(rects[0].R1, rects[0].C1))
	if err != nil {
		return 0, err
	}
	p.unused("rule", op.Rule.unused(len(r.forms))...)
	p.deferEdit(s, func(ctx context.Context, w *sheetWork) error { return w.addRule(ctx, rects, r) })
	return 0, nil
}

// operand is the formula for a value: a formula, a number, or a text in quotes.
func operand(v any, what string) (string, error) {
	switch v := v.(type) {
	case json.Number:
		return v.String(), nil
	case bool:
		return strings.ToUpper(strconv.FormatBool(v)), nil
	case string:
		if f, ok := strings.CutPrefix(strings.TrimSpace(v), "="); ok {
			if err := checkFormula(f); err != nil {
				return "", err
			}
			return formula.Stored(strings.TrimSpace(f)), nil
		}
		if s := strings.TrimSpace(v); isNumber(s) {
			return s, nil
		}
		return quoteText(v), nil
	case nil:
		return "", formats.Errorf(formats.CodeInvalid, "%s is required", what)
	}
	return "", formats.Errorf(formats.CodeInvalid, "%s must be a number, a text or a formula, got %s", what, jsonKind(v))
}

var decimalNumber = lazyregexp.New(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

// isNumber reports whether a text is a number as formulas write one.
func isNumber(s string) bool { return decimalNumber.MatchString(s) }

// quoteText writes a text as a formula does.
func quoteText(s string) string { return quote.Double(s) }

// readRule checks a rule; at is the top left cell it is written for.
func readRule(in *FormatRule, at string) (*cfRule, error) {
	r := &cfRule{stop: bool(in.Stop)}
	kind := plainWord(in.Type)
	read := map[string]func(*FormatRule, string) error{
		"cell": r.cell, "text": r.text, "top": r.top, "average": r.average, "duplicate": r.duplicate, "formula": r.formula,
		"databar": r.dataBar, "colorscale": r.colorScale, "iconset": r.iconSet,
	}[kind]
	if read == nil {
		return nil, formats.Errorf(formats.CodeInvalid, "unknown rule type %s; use cell, text, top, average, duplicate, data_bar, color_scale, icon_set or formula", cellref.QuoteArg(in.Type))
	}
	if err := read(in, at); err != nil {
		return nil, err
	}
	if slices.Contains([]string{"databar", "colorscale", "iconset"}, kind) {
		if len(in.Format) > 0 {
			return nil, formats.Errorf(formats.CodeInvalid, "a %s has colors or icons, no format", in.Type)
		}
		return r, nil
	}
	style := in.Format
	if len(style) == 0 {
		style = styleMap{"fill_color": "FFC7CE", "font_color": "9C0006"}
	}
	var err error
	r.format, err = stylesheet.ParseSpec(style)
	return r, err
}

// unused are the members beside those that a rule of its type reads; forms is
// how many formulas it has.
func (in *FormatRule) unused(forms int) []givenMember {
	kind := plainWord(in.Type)
	is := func(kinds ...string) bool { return slices.Contains(kinds, kind) }
	return []givenMember{
		{"operator", in.Operator != "" && is("formula", "databar", "colorscale", "iconset")},
		{"value", in.Value != nil && is("average", "duplicate", "colorscale", "iconset")},
		{"value2", in.Value2 != nil && !is("databar") && !(is("cell") && forms == 2)},
		{"colors", len(in.Colors) > 0 && !is("databar", "colorscale")},
		{"icons", in.Icons != "" && !is("iconset")},
	}
}

func (r *cfRule) cell(in *FormatRule, _ string) error {
	op, ok := operatorOf(in.Operator)
	if !ok {
		return formats.Errorf(formats.CodeInvalid, "unknown operator %s; use > >= < <= = <> between or not_between", cellref.QuoteArg(in.Operator))
	}
	r.typ, r.attrs = "cellIs", ` operator="`+op+`"`
	f, err := operand(in.Value, "value")
	if err != nil {
		return err
	}
	r.forms = []string{f}
	if op == "between" || op == "notBetween" {
		if f, err = operand(in.Value2, "value2"); err != nil {
			return err
		}
		r.forms = append(r.forms, f)
	}
	return nil
}

func (r *cfRule) text(in *FormatRule, at string) error {
	s, ok := in.Value.(string)
	if n, isNum := in.Value.(json.Number); isNum {
		s, ok = n.String(), true
	}
	if !ok || s == "" {
		return formats.Errorf(formats.CodeInvalid, "value is required: the text to look for")
	}
	q := quoteText(s)
	word := plainWord(in.Operator)
	if word == "" {
		word = "contains"
	}
	forms := map[string][3]string{
		"contains":    {"containsText", "containsText", "NOT(ISERROR(SEARCH(" + q + "," + at + ")))"},
		"notcontains": {"notContainsText", "notContains", "ISERROR(SEARCH(" + q + "," + at + "))"},
		"beginswith":  {"beginsWith", "beginsWith", "LEFT(" + at + ",LEN(" + q + "))=" + q},
		"endswith":    {"endsWith", "endsWith", "RIGHT(" + at + ",LEN(" + q + "))=" + q},
	}
	f, known := forms[word]
	if !known {
		return formats.Errorf(formats.CodeInvalid, "unknown operator %s; use contains, not_contains, begins_with or ends_with", cellref.QuoteArg(in.Operator))
	}
	r.typ, r.attrs, r.forms = f[0], ` operator="`+f[1]+`" text="`+sheetml.EscapeAttr(s)+`"`, []string{f[2]}
	return nil
}

func (r *cfRule) top(in *FormatRule, _ string) error {
	rank := 10
	if in.Value != nil {
		n, err := stylesheet.AsInt(in.Value)
		if err != nil || *n < 1 || *n > 1000 {
			return formats.Errorf(formats.CodeInvalid, "value must be a whole number from 1 to 1000: how many to mark")
		}
		rank = *n
	}
	extra, ok := map[string]string{"": "", "top": "", "bottom": ` bottom="1"`, "toppercent": ` percent="1"`, "bottompercent": ` percent="1" bottom="1"`}[plainWord(in.Operator)]
	if !ok {
		return formats.Errorf(formats.CodeInvalid, "unknown operator %s; use top, bottom, top_percent or bottom_percent", cellref.QuoteArg(in.Operator))
	}
	r.typ, r.attrs = "top10", extra+` rank="`+strconv.Itoa(rank)+`"`
	return nil
}

func (r *cfRule) average(in *FormatRule, _ string) error {
	extra, ok := map[string]string{"": "", "above": "", "below": ` aboveAverage="0"`}[plainWord(in.Operator)]
	if !ok {
		return formats.Errorf(formats.CodeInvalid, "unknown operator %s; use above or below", cellref.QuoteArg(in.Operator))
	}
	r.typ, r.attrs = "aboveAverage", extra
	return nil
}

func (r *cfRule) duplicate(in *FormatRule, _ string) error {
	typ, ok := map[string]string{"": "duplicateValues", "duplicate": "duplicateValues", "unique": "uniqueValues"}[plainWord(in.Operator)]
	if !ok {
		return formats.Errorf(formats.CodeInvalid, "unknown operator %s; use duplicate or unique", cellref.QuoteArg(in.Operator))
	}
	r.typ = typ
	return nil
}

func (r *cfRule) formula(in *FormatRule, _ string) error {
	s, _ := in.Value.(string)
	f := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), "="))
	if f == "" {
		return formats.Errorf(formats.CodeInvalid, "value is required: a formula such as =$B2>10")
	}
	if err := checkFormula(f); err != nil {
		return err
	}
	r.typ, r.forms = "expression", []string{formula.Stored(f)}
	return nil
}

func (r *cfRule) dataBar(in *FormatRule, _ string) error {
	color := "638EC6"
	if len(in.Colors) > 0 {
		color = in.Colors[0]
	}
	c, err := stylesheet.AsColor(color)
	if err != nil {
		return formats.Errorf(formats.CodeInvalid, "colors: %w, got %s", err, cellref.QuoteArg(color))
	}
	ends := [2]string{`<cfvo type="min"/>`, `<cfvo type="max"/>`}
	for i, v := range []any{in.Value, in.Value2} {
		if v == nil {
			continue
		}
		n, err := stylesheet.AsNumber(v)
		if err != nil {
			return formats.Errorf(formats.CodeInvalid, "value and value2 of a data_bar are its least and greatest number")
		}
		ends[i] = `<cfvo type="num" val="` + strconv.FormatFloat(*n, 'f', -1, 64) + `"/>`
	}
	r.typ, r.body = "dataBar", "<dataBar>"+ends[0]+ends[1]+`<color rgb="`+*c+`"/></dataBar>`
	return nil
}

func (r *cfRule) colorScale(in *FormatRule, _ string) error {
	colors := in.Colors
	if len(colors) == 0 {
		colors = []string{"F8696B", "FFEB84", "63BE7B"}
	}
	points := `<cfvo type="min"/><cfvo type="max"/>`
	switch len(colors) {
	case 2:
	case 3:
		points = `<cfvo type="min"/><cfvo type="percentile" val="50"/><cfvo type="max"/>`
	default:
		return formats.Errorf(formats.CodeInvalid, "a color_scale has two or three colors, got %d", len(colors))
	}
	r.typ, r.body = "colorScale", "<colorScale>"+points
	for _, in := range colors {
		c, err := stylesheet.AsColor(in)
		if err != nil {
			return formats.Errorf(formats.CodeInvalid, "colors: %w, got %s", err, cellref.QuoteArg(in))
		}
		r.body += `<color rgb="` + *c + `"/>`
	}
	r.body += "</colorScale>"
	return nil
}

func (r *cfRule) iconSet(in *FormatRule, _ string) error {
	name := in.Icons
	if name == "" {
		name = "3TrafficLights1"
	}
	known, err := stylesheet.OneOf(name, iconSets)
	if err != nil {
		return formats.Errorf(formats.CodeInvalid, "icons: %w, got %s", err, cellref.QuoteArg(name))
	}
	n := int((*known)[0] - '0')
	r.typ, r.body = "iconSet", `<iconSet iconSet="`+*known+`">`
	for i := range n {
		r.body += fmt.Sprintf(`<cfvo type="percent" val="%d"/>`, (i*100+n/2)/n)
	}
	r.body += "</iconSet>"
	return nil
}

// addRule writes a rule behind those the sheet has (18.3.1.10): it comes last
// among them.
func (w *sheetWork) addRule(ctx context.Context, rects []cellref.Range, r *cfRule) error {
	attrs := ` type="` + r.typ + `"`
	if r.format != nil {
		b, err := w.f.styleBook(ctx)
		if err != nil {
			return err
		}
		attrs += ` dxfId="` + strconv.Itoa(b.DXF(r.format)) + `"`
	}
	priority := 0
	for _, t := range w.skel.Elements("cfRule") {
		priority = max(priority, sheetml.Atoi([]byte(t.AttrLocal("priority"))))
	}
	attrs += ` priority="` + strconv.Itoa(priority+1) + `"`
	if r.stop {
		attrs += ` stopIfTrue="1"`
	}
	body := ""
	for _, f := range r.forms {
		body += "<formula>" + xmlscan.Escape(f) + "</formula>"
	}
	xml := `<conditionalFormatting sqref="` + cellref.FormatList(rects) + `"><cfRule` + attrs + r.attrs + ">" + body + r.body + "</cfRule></conditionalFormatting>"
	w.insert("conditionalFormatting", sheetml.WithPrefix(xml, w.prefix))
	w.rep.Hits, w.rep.Made = 1, w.sheet.name+"!"+cellref.FormatList(rects)
	return nil
}

// dropFormats removes the conditional formats that lie within blocks, and cuts
// the blocks out of the others.
func (w *sheetWork) dropFormats(rects []cellref.Range) error {
	edits, gone := sheetml.CutSqrefs(w.skel.Doc, "conditionalFormatting", rects)
	w.edit(edits...)
	if w.rep.Hits = gone; gone == 0 {
		w.warn("there is no conditional format in %s", cellref.FormatList(rects))
	}
	return nil
}
