package xlsx

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/internal/lenient"
)

// FilterCriterion is what filter_rows keeps of one column.
type FilterCriterion struct {
	Column    any          `json:"column" jsonschema:"letter such as C, the text of its header, or the 1-based number of the column in the sheet"`
	Values    []any        `json:"values,omitempty" jsonschema:"the values to keep: as shown, numbers, or dates such as 2026-11-22, 2026-11 or 2026"`
	Blanks    lenient.Bool `json:"blanks,omitempty" jsonschema:"keep empty cells too"`
	Operator  string       `json:"operator,omitempty" jsonschema:"> >= < <= = <> between contains not_contains begins_with ends_with blank not_blank top bottom top_percent bottom_percent above_average below_average; all takes the criteria of the column away"`
	Value     any          `json:"value,omitempty" jsonschema:"number, text (* and ? stand for other characters) or date; top: how many"`
	Value2    any          `json:"value2,omitempty" jsonschema:"of operator2; between: the upper end"`
	Operator2 string       `json:"operator2,omitempty" jsonschema:"a second comparison"`
	Or        lenient.Bool `json:"or,omitempty" jsonschema:"one of the two comparisons is enough"`
}

var fileOperators = map[string]string{">": "greaterThan", ">=": "greaterThanOrEqual", "<": "lessThan", "<=": "lessThanOrEqual", "=": "equal", "==": "equal", "<>": "notEqual", "!=": "notEqual"}

// textOperators write a text as a comparison with wildcards.
var textOperators = map[string][2]string{"contains": {"equal", "*%s*"}, "not_contains": {"notEqual", "*%s*"}, "begins_with": {"equal", "%s*"}, "ends_with": {"equal", "*%s"}}

// rule makes the rule of a criterion; nil takes the criteria of the column away.
func (c *FilterCriterion) rule(col int, date1904 bool) (*filterRule, error) {
	r := &filterRule{col: col, wanted: c.Values, matched: make([]bool, len(c.Values)), blanks: bool(c.Blanks)}
	op := strings.ToLower(strings.TrimSpace(c.Operator))
	listed := len(c.Values) > 0 || bool(c.Blanks)
	for _, v := range c.Values {
		switch v.(type) {
		case string, json.Number, bool, float64:
		default:
			return nil, formats.Errorf(formats.CodeInvalid, "values: expected texts, numbers or dates, got %s; empty cells are kept with blanks:true", argText(v))
		}
	}
	switch {
	case listed && op != "":
		return nil, formats.Errorf(formats.CodeInvalid, "a criterion has values and blanks, or an operator, not both; a filter combines different columns")
	case listed && len(c.Values) > maxFilterValues:
		return nil, formats.Errorf(formats.CodeTooLarge, "%d values are too many; a filter lists at most %d: use an operator and a value", len(c.Values), maxFilterValues)
	case listed:
		return r, nil
	case op == "":
		return nil, formats.Errorf(formats.CodeInvalid, `a criterion needs values, such as ["North"], or an operator and a value, such as ">" and 1000`)
	case op == "all":
		return nil, nil
	}
	if done, err := r.byKind(op, c.Value); done || err != nil {
		return r, err
	}
	return r, c.compare(r, op, date1904)
}

// byKind takes in an operator that is no comparison; done is false for others.
func (r *filterRule) byKind(op string, value any) (done bool, err error) {
	switch op {
	case "blank":
		r.blanks = true
	case "not_blank":
		r.tests = []filterTest{newFilterTest("notEqual", " ")}
	case "above_average":
		r.average = 1
	case "below_average":
		r.average = -1
	case "top", "bottom", "top_percent", "bottom_percent":
		n, err := strconv.ParseFloat(plainText(value), 64)
		most := 500.0
		if strings.HasSuffix(op, "percent") {
			most = 100
		}
		if err != nil || n < 1 || n > most || n != float64(int(n)) {
			return false, formats.Errorf(formats.CodeInvalid, "%s needs a whole number from 1 to %g as value, got %s", op, most, argText(value))
		}
		r.top = &topRule{bottom: strings.HasPrefix(op, "bottom"), percent: most == 100, n: n}
	default:
		return false, nil
	}
	return true, nil
}

// compare takes in one or two comparisons.
func (c *FilterCriterion) compare(r *filterRule, op string, date1904 bool) error {
	op2 := strings.ToLower(strings.TrimSpace(c.Operator2))
	if op == "between" {
		op, op2 = ">=", "<="
		if c.Value2 == nil || bool(c.Or) {
			return formats.Errorf(formats.CodeInvalid, "between needs value and value2, and no or")
		}
	}
	first, err := comparison(op, c.Value, date1904)
	if err != nil {
		return err
	}
	r.tests = []filterTest{first}
	if op2 == "" {
		if c.Value2 != nil {
			return formats.Errorf(formats.CodeInvalid, "value2 needs operator2, or the operator between")
		}
		return nil
	}
	second, err := comparison(op2, c.Value2, date1904)
	r.tests, r.and = append(r.tests, second), !bool(c.Or)
	return err
}

// comparison makes a comparison of an operator and a value.
func comparison(op string, v any, date1904 bool) (filterTest, error) {
	text := plainText(v)
	if s := strings.TrimSpace(text); v == nil || s == "" || len(text) > 255 {
		return filterTest{}, formats.Errorf(formats.CodeInvalid, "%s needs a value of at most 255 characters; empty cells are chosen with blank and not_blank", cellref.QuoteArg(op))
	}
	if n, ok := numfmt.Serial(text, date1904); ok && numfmt.IsDateText(text) {
		text = strconv.FormatFloat(n, 'f', -1, 64)
	}
	if to, ok := textOperators[op]; ok {
		return newFilterTest(to[0], fmt.Sprintf(to[1], strings.NewReplacer("~", "~~", "*", "~*", "?", "~?").Replace(text))), nil
	}
	to, ok := fileOperators[op]
	if !ok {
		return filterTest{}, formats.Errorf(formats.CodeInvalid, "unknown operator %s; expected > >= < <= = <> between contains not_contains begins_with ends_with blank not_blank top bottom top_percent bottom_percent above_average below_average or all", cellref.QuoteArg(op))
	}
	return newFilterTest(to, text), nil
}

// plainText is a value of an argument as text.
func plainText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strings.ToUpper(strconv.FormatBool(v))
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}
