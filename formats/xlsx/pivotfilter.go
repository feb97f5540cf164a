package xlsx

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/pivot"
)

// PivotItemFilter keeps items of a field of a pivot table by a condition.
type PivotItemFilter struct {
	Condition string `json:"condition" jsonschema:"of labels, dates, or with by of a value: equals, not_equals, greater_than, greater_or_equal, less_than, less_or_equal, between, not_between; of labels: begins_with, ends_with, contains, and each with not_; of dates: before, after, today, this_month, last_quarter, next_year, year_to_date and the like, q1, m12; by a value: top, bottom, top_percent, bottom_percent, top_sum, bottom_sum"`
	Value     any    `json:"value,omitempty"`
	Value2    any    `json:"value2,omitempty" jsonschema:"the second bound of between"`
	By        string `json:"by,omitempty" jsonschema:"the name of the value that decides"`
}

// itemFilters reads one filter or a list of them.
func itemFilters(v any) (out []PivotItemFilter, err error) {
	if v == nil {
		return nil, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(b, []byte("[")) {
		b = slices.Concat([]byte("["), b, []byte("]"))
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "filter: an object such as {\"condition\":\"begins_with\",\"value\":\"A\"} is needed, or a list of them: %v", err)
	}
	return out, nil
}

// conditions are the endings of the types of filters (18.18.58).
var conditions = map[string]string{
	"equals": "Equal", "equal": "Equal", "=": "Equal", "not_equals": "NotEqual", "not_equal": "NotEqual", "<>": "NotEqual",
	"begins_with": "BeginsWith", "not_begins_with": "NotBeginsWith", "ends_with": "EndsWith", "not_ends_with": "NotEndsWith", "contains": "Contains", "not_contains": "NotContains",
	"greater_than": "GreaterThan", ">": "GreaterThan", "after": "GreaterThan", "greater_or_equal": "GreaterThanOrEqual", ">=": "GreaterThanOrEqual",
	"less_than": "LessThan", "<": "LessThan", "before": "LessThan", "less_or_equal": "LessThanOrEqual", "<=": "LessThanOrEqual",
	"between": "Between", "not_between": "NotBetween",
}

// topConditions are those of the largest and smallest.
var topConditions = map[string]string{"top": "count", "bottom": "count", "top_percent": "percent", "bottom_percent": "percent", "top_sum": "sum", "bottom_sum": "sum"}

// addItemFilters adds the filters of a field.
func (p *pivotDesign) addItemFilters(i int, given any, member string) error {
	list, err := itemFilters(given)
	if err != nil {
		return err
	}
	kinds := map[bool]int{}
	for _, in := range list {
		f, err := p.itemFilter(i, in)
		if err != nil {
			return formats.Errorf(formats.CodeOf(err), "%s: the filter of %s: %w", member, cellref.QuoteArg(p.t.Fields[i].Name), err)
		}
		if kinds[f.ByValue()]++; kinds[f.ByValue()] > 1 {
			return formats.Errorf(formats.CodeInvalid, "%s: the field %s can have one filter of labels or dates and one by a value, as in Excel", member, cellref.QuoteArg(p.t.Fields[i].Name))
		}
		p.t.Filters = append(p.t.Filters, f)
	}
	return nil
}

func (p *pivotDesign) itemFilter(i int, in PivotItemFilter) (pivot.Filter, error) {
	f := pivot.Filter{Field: i, Measure: -1}
	invalid := func(format string, args ...any) (pivot.Filter, error) {
		return f, formats.Errorf(formats.CodeInvalid, format, args...)
	}
	word := strings.ToLower(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimSpace(in.Condition)))
	if word == "" {
		return invalid("condition is required, such as begins_with, between or top")
	}
	squeezed := strings.ReplaceAll(word, "_", "")
	if k := slices.IndexFunc(pivot.Periods, func(s string) bool { return strings.EqualFold(s, squeezed) }); k >= 0 {
		if in.Value != nil || in.Value2 != nil || in.By != "" {
			return invalid("%s takes no value", word)
		}
		f.Type = pivot.Periods[k]
		if !p.hasDates(i) {
			return invalid("%s is for dates, and the field has others, or is grouped", word)
		}
		return f, nil
	}
	if f.Type = topConditions[word]; f.Type != "" {
		f.Bottom = strings.HasPrefix(word, "bottom")
		return p.byValue(f, in, true)
	}
	ending := conditions[word]
	switch {
	case ending == "":
		return invalid("unknown condition %s; use equals, begins_with, ends_with, contains, greater_than, greater_or_equal, less_than, less_or_equal, between, before, after, top, bottom, top_percent, top_sum, or a period such as this_month", cellref.QuoteArg(in.Condition))
	case in.Value == nil:
		return invalid("%s needs a value", word)
	case strings.HasSuffix(ending, "Between") != (in.Value2 != nil):
		return invalid("value2 goes with between and not_between, which need it")
	case in.By != "":
		f.Type = "value" + ending
		return p.byValue(f, in, false)
	}
	text := strings.HasSuffix(ending, "With") || strings.HasSuffix(ending, "Contains")
	if !text && p.hasDates(i) {
		f.Type = "date" + strings.NewReplacer("GreaterThan", "NewerThan", "LessThan", "OlderThan").Replace(ending)
		for k, v := range []any{in.Value, in.Value2} {
			if v == nil {
				continue
			}
			n, ok := numfmt.ISOSerial(itemLabel(v), p.data.Date1904)
			if !ok {
				return invalid("%s is no date such as 2026-12-31", cellref.QuoteArg(itemLabel(v)))
			}
			f.Num[k] = n
		}
		return f, nil
	}
	f.Type = "caption" + ending
	for k, v := range []any{in.Value, in.Value2} {
		if v != nil {
			f.Text[k] = itemLabel(v)
		}
	}
	if len(f.Text[0])+len(f.Text[1]) > 2*255 {
		return invalid("a text to compare labels with has at most 255 characters")
	}
	return f, nil
}

// byValue sets the value that decides, and what it is compared with.
func (p *pivotDesign) byValue(f pivot.Filter, in PivotItemFilter, top bool) (pivot.Filter, error) {
	invalid := func(format string, args ...any) (pivot.Filter, error) {
		return f, formats.Errorf(formats.CodeInvalid, format, args...)
	}
	if strings.HasSuffix(f.Type, "With") || strings.HasSuffix(f.Type, "Contains") {
		return invalid("%s compares labels, not values; leave by out", in.Condition)
	}
	var names []string
	for n, m := range p.t.Values {
		if strings.EqualFold(m.Name, in.By) || in.By != "" && strings.EqualFold(p.t.Fields[m.Field].Name, in.By) || in.By == "" && len(p.t.Values) == 1 {
			f.Measure = n
		}
		names = append(names, m.Name)
	}
	if f.Measure < 0 {
		return invalid("by: the name of a value is needed; the values are %s", upTo20(names, len(names)))
	}
	for k, v := range []any{in.Value, in.Value2} {
		if v == nil {
			continue
		}
		n, err := strconv.ParseFloat(itemLabel(v), 64)
		if err != nil {
			return invalid("%s is no number to compare the value %s with", cellref.QuoteArg(itemLabel(v)), cellref.QuoteArg(p.t.Values[f.Measure].Name))
		}
		f.Num[k] = n
	}
	switch {
	case !top:
	case in.Value == nil || in.Value2 != nil:
		return invalid("%s needs a value: how many, how much percent, or the sum to reach", in.Condition)
	case f.Type == "count" && (f.Num[0] < 1 || f.Num[0] > 1e6 || f.Num[0] != float64(int(f.Num[0]))), f.Type == "percent" && (f.Num[0] <= 0 || f.Num[0] > 100), f.Num[0] <= 0:
		return invalid("%s: %s is no number of items above 0, or percentage from 0 to 100", in.Condition, cellref.QuoteArg(itemLabel(in.Value)))
	}
	return f, nil
}

// hasDates reports whether the items of a field are dates.
func (p *pivotDesign) hasDates(i int) bool {
	f := p.t.Fields[i]
	if f.Group != nil || f.Column < 0 {
		return false
	}
	entries, err := p.t.Entries(i, p.data)
	dates := 0
	for _, v := range entries {
		if v.Kind == pivot.Date {
			dates++
		} else if v.Kind != pivot.Blank {
			return false
		}
	}
	return err == nil && dates > 0
}

// filterNames remembers the names of the values that filters are by.
func (p *pivotDesign) filterNames() map[int]string {
	out := map[int]string{}
	for _, f := range p.t.Filters {
		if f.ByValue() && f.Measure >= 0 && f.Measure < len(p.t.Values) {
			out[f.Measure] = p.t.Values[f.Measure].Name
		}
	}
	return out
}

// keepFilters points filters that stay to the same values among new ones.
func (p *pivotDesign) keepFilters(names map[int]string) error {
	for k := range p.t.Filters {
		f := &p.t.Filters[k]
		if !f.ByValue() {
			continue
		}
		name := names[f.Measure]
		if f.Measure = slices.IndexFunc(p.t.Values, func(m pivot.Measure) bool { return m.Name == name }); f.Measure < 0 {
			return formats.Errorf(formats.CodeInvalid, "the field %s is filtered by the value %s, which would not be there any more; give row_fields and column_fields anew too", cellref.QuoteArg(p.t.Fields[f.Field].Name), cellref.QuoteArg(name))
		}
	}
	return nil
}
