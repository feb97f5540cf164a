package xlsx

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/xlsx/internal/calc"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

type valueKind uint8

const (
	valClear valueKind = iota
	valNumber
	valBool
	valText
	valFormula
	valArray   // as valFormula, an array formula in one cell or in block
	valDynamic // as valFormula, a dynamic array formula: its result fills the cells that it needs
	valString  // s is a text as XML, part of the result of an array formula
	valError   // s is an error such as #N/A
	valRich    // s is the content of an <is> element, as XML without prefixes
)

// value is what a cell is to hold. s is the number as written, "1"/"0", the
// text, the formula as stored without '=', or XML.
type value struct {
	kind  valueKind
	cm    uint32 // the cell metadata of a valDynamic
	s     string
	block *cellref.Range // that a valArray fills from its cell on; nil for the cell alone
}

// formula reports whether the value is a formula of any kind.
func (v value) formula() bool { return v.kind == valFormula || v.array() }

// array reports whether the value is an array formula.
func (v value) array() bool { return v.kind == valArray || v.kind == valDynamic }

const (
	maxCellText    = 32767
	maxFormulaText = 8192
)

// cellValue reads a JSON value (decoded with UseNumber).
func cellValue(v any, asText bool) (value, error) {
	switch v := v.(type) {
	case nil:
		return value{}, nil
	case bool:
		if asText {
			return value{kind: valText, s: strings.ToUpper(strconv.FormatBool(v))}, nil
		}
		if v {
			return value{kind: valBool, s: "1"}, nil
		}
		return value{kind: valBool, s: "0"}, nil
	case json.Number:
		if asText {
			return value{kind: valText, s: v.String()}, nil
		}
		if f, err := v.Float64(); err != nil || math.IsInf(f, 0) {
			return value{}, formats.Errorf(formats.CodeInvalid, "the number %s is beyond what a cell can hold", cellref.QuoteArg(v.String()))
		}
		return value{kind: valNumber, s: v.String()}, nil
	case string:
		return textValue(v, asText)
	}
	return value{}, formats.Errorf(formats.CodeInvalid, "a value must be a string, number, boolean or null, got %s", jsonKind(v))
}

func jsonKind(v any) string {
	switch v.(type) {
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("%T", v)
}

func textValue(s string, asText bool) (value, error) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if f, ok := strings.CutPrefix(s, "="); ok && !asText && f != "" {
		f = strings.TrimSpace(f)
		if err := checkFormula(f); err != nil {
			return value{}, err
		}
		return value{kind: valFormula, s: formula.Stored(f)}, nil
	}
	if f, ok := strings.CutPrefix(strings.TrimSpace(s), "{="); ok && !asText && strings.HasSuffix(f, "}") {
		f = strings.TrimSpace(f[:len(f)-1])
		if err := checkFormula(f); err != nil {
			return value{}, err
		}
		return value{kind: valArray, s: formula.StoredArray(f)}, nil
	}
	if n := sheetml.UTF16Len(s); n > maxCellText {
		return value{}, formats.Errorf(formats.CodeInvalid, "the text has %d characters; a cell holds at most %d", n, maxCellText)
	}
	return value{kind: valText, s: s}, nil
}

// checkFormula refuses what would make Excel offer a repair: it does not prove
// that a formula is right.
func checkFormula(f string) error {
	bad := func(why string) error {
		return formats.Errorf(formats.CodeInvalid, `the formula =%s is malformed: %s (for text that begins with "=" give "type":"text")`, cellref.QuoteArg(f), why)
	}
	if sheetml.UTF16Len(f) > maxFormulaText {
		return formats.Errorf(formats.CodeInvalid, "a formula has %d characters; the limit is %d", sheetml.UTF16Len(f), maxFormulaText)
	}
	depth := 0
	for t := range formula.Tokens(f) {
		switch c := f[t.Start]; {
		case strings.HasPrefix(f[t.Start:], "[@"):
			return bad("[@Column] needs the name of its table: Table1[@Column]")
		case c == '"' || c == '\'':
			if n := strings.Count(f[t.Start:t.End], string(c)); n%2 != 0 {
				return bad("a quote is not closed")
			}
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return bad("a bracket closes that is not open")
			}
		}
	}
	if depth != 0 {
		return bad("a bracket is not closed")
	}
	if strings.TrimSpace(f) == "" {
		return bad("it is empty")
	}
	if op := withoutOperand(f); op != "" {
		return bad("an operand of " + op + " is missing")
	}
	return nil
}

// withoutOperand returns the first operator of a formula that lacks an operand, ""
// when none does: a binary operator before a closing bracket, a comma or the end,
// a range operator also after one, and a comma at the end.
func withoutOperand(f string) string {
	before, operator := "", "" // the token before; the operator that waits for an operand
	for t := range formula.Tokens(f) {
		text := f[t.Start:t.End]
		switch {
		case strings.TrimSpace(text) == "":
			continue
		case t.Kind != formula.Other:
			operator = ""
		case operator != "" && (strings.Contains("),;}:", text) || operator == ":" && !strings.Contains("(@", text)):
			return operator
		case text == ":" && (before == "" || strings.Contains("(,;{", before)):
			return text
		case strings.Contains("+-*/^&=<>:", text):
			operator = text
		default:
			operator = ""
		}
		before = text
	}
	if before == "," {
		return before
	}
	return operator
}

// typedValue reads a value with the type that an operation gives for it, and
// the date that it becomes, nil for none.
func (p *plan) typedValue(at cellref.Cell, raw any, typ string) (value, *dateCell, error) {
	typ = strings.ToLower(typ)
	asText := typ == "text" || typ == "string"
	s, isText := raw.(string)
	switch typ {
	case "text", "string":
	case "", "auto":
	case "date":
		d, err := p.dated(at, raw, true)
		if err != nil || raw == nil {
			return value{}, nil, err
		}
		return value{kind: valText, s: s}, d, nil
	case "number", "boolean", "formula":
		if isText && !strings.HasPrefix(s, "=") {
			var err error
			if raw, err = readAs(typ, s); err != nil {
				return value{}, nil, err
			}
		}
	default:
		return value{}, nil, formats.Errorf(formats.CodeInvalid, `unknown type %q; leave it out, or give "text" or "date"`, cellref.QuoteArg(typ))
	}
	v, err := cellValue(raw, asText)
	if err != nil {
		return v, nil, err
	}
	if typed, ok := raw.(string); ok && v.kind == valFormula {
		if typed = strings.TrimSpace(typed[1:]); p.needsArray(typed) {
			v = value{kind: valDynamic, s: formula.StoredArray(typed)}
			p.dynamic = true
		}
	}
	if asText || v.kind != valText {
		return v, nil, nil
	}
	if typedErrors[v.s] && typ != "formula" {
		p.errors = append(p.errors, fmt.Sprintf("%s in %s", v.s, cellref.Name(at.Row, at.Col)))
		return value{kind: valError, s: v.s}, nil, nil
	}
	d, err := p.dated(at, raw, false)
	return v, d, err
}

// typedErrors are the error values that become one when they are typed (ECMA-376 Part 1,
// 18.17.2.7).
var typedErrors = map[string]bool{"#NULL!": true, "#DIV/0!": true, "#VALUE!": true, "#REF!": true, "#NAME?": true, "#NUM!": true, "#N/A": true}

// needsArray reports whether a formula that is typed gives or takes several values, so
// that it has to be stored as a dynamic array formula to mean what it says.
func (p *plan) needsArray(typed string) bool {
	if p.forms == nil {
		p.forms = calc.NewBook()
		for _, s := range p.wb.Sheets {
			p.forms.AddSheet(s.Name)
		}
		for _, n := range p.wb.Names {
			p.forms.DefineName(n.Name, n.Local, n.Text)
		}
	}
	return p.forms.NeedsArray(typed)
}

// readAs reads a text that is to be stored with a type.
func readAs(typ, s string) (any, error) {
	switch typ {
	case "number":
		n := json.Number(strings.TrimSpace(s))
		if !numeral.MatchString(n.String()) {
			return nil, formats.Errorf(formats.CodeInvalid, `%s is not a number such as 1234.5; leave type out to store it as text`, cellref.QuoteArg(s))
		}
		return n, nil
	case "boolean":
		if !strings.EqualFold(s, "true") && !strings.EqualFold(s, "false") {
			return nil, formats.Errorf(formats.CodeInvalid, `%s is neither true nor false; leave type out to store it as text`, cellref.QuoteArg(s))
		}
		return strings.EqualFold(s, "true"), nil
	}
	if s == "" || strings.HasPrefix(s, "{=") {
		return s, nil
	}
	return "=" + s, nil
}

// inCell names the cell of an error, which keeps its code.
func inCell(err error, at cellref.Cell) error {
	return formats.Errorf(cmp.Or(formats.CodeOf(err), formats.CodeInvalid), "cell %s: %w", cellref.Name(at.Row, at.Col), err)
}
