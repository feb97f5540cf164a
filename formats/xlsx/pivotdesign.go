package xlsx

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/pivot"
	"atelier/formats/xlsx/internal/sheetml"
)

// pivotDesign puts the members of an operation into a pivot table.
type pivotDesign struct {
	t    *pivot.Table
	data *pivot.Data
	new  bool // the table and its cache
}

// field finds a field by its name.
func (p *pivotDesign) field(name, member string) (int, error) {
	var names []string
	for i, f := range p.t.Fields {
		if strings.EqualFold(f.Name, strings.TrimSpace(name)) || f.Caption != "" && strings.EqualFold(f.Caption, strings.TrimSpace(name)) {
			return i, nil
		}
		if f.Column >= 0 {
			names = append(names, f.Name)
		}
	}
	return 0, formats.Errorf(formats.CodeNotFound, "%s: there is no field %s; the fields are %s", member, cellref.QuoteArg(name), upTo20(names, len(names)))
}

// apply sets what the members say; those that are not given stay.
func (p *pivotDesign) apply(args pivotLayoutArgs) error {
	bases, filterNames := p.baseEntries(), p.filterNames()
	if args.Rows != nil {
		p.clear(&p.t.Rows)
	}
	if args.Columns != nil {
		p.clear(&p.t.Columns)
	}
	if args.Filters != nil {
		p.clear(&p.t.Pages)
	}
	if err := p.setCalculated(args.Calculated); err != nil {
		return err
	}
	if args.Values != nil {
		if err := p.setValues(args.Values); err != nil {
			return err
		}
		if err := p.keepFilters(filterNames); err != nil {
			return err
		}
	}
	for _, axis := range []struct {
		member string
		given  []PivotField
		axis   pivot.Axis
		list   *[]int
	}{{"row_fields", args.Rows, pivot.RowAxis, &p.t.Rows}, {"column_fields", args.Columns, pivot.ColAxis, &p.t.Columns}} {
		for _, f := range axis.given {
			if err := p.add(f, axis.member, axis.axis, axis.list); err != nil {
				return err
			}
		}
	}
	for _, f := range args.Filters {
		if err := p.addFilter(f); err != nil {
			return err
		}
	}
	p.placeValues()
	if err := p.setBases(args.Values, bases); err != nil {
		return err
	}
	return p.options(args)
}

// clear takes the fields of an axis off it.
func (p *pivotDesign) clear(list *[]int) {
	for _, i := range *list {
		if i != pivot.ValuesField {
			f := p.t.Fields[i]
			p.t.Filters = slices.DeleteFunc(p.t.Filters, func(x pivot.Filter) bool { return x.Field == i })
			f.Axis, f.Items, f.Selected, f.Sort, f.SortBy, f.Multiple = pivot.NoAxis, nil, -1, pivot.AsListed, -1, false
			f.ShowEmpty = false
		}
	}
	*list = nil
}

// placeValues puts the names of several values on the columns unless they are on
// the rows already.
func (p *pivotDesign) placeValues() {
	t := p.t
	drop := func(list []int) []int {
		return slices.DeleteFunc(list, func(i int) bool { return i == pivot.ValuesField })
	}
	if len(t.Values) < 2 {
		t.Rows, t.Columns = drop(t.Rows), drop(t.Columns)
	} else if !slices.Contains(t.Rows, pivot.ValuesField) && !slices.Contains(t.Columns, pivot.ValuesField) {
		t.Columns = append(t.Columns, pivot.ValuesField)
	}
}

// options sets layout, totals and style.
func (p *pivotDesign) options(args pivotLayoutArgs) error {
	t := p.t
	switch layout := strings.ToLower(strings.TrimSpace(args.Layout)); layout {
	case "":
	case "compact", "outline", "tabular":
		for _, f := range t.Fields {
			f.Compact, f.Outline = layout == "compact", layout != "tabular"
		}
	default:
		return formats.Errorf(formats.CodeInvalid, "unknown layout %s; use compact, outline or tabular", cellref.QuoteArg(args.Layout))
	}
	if args.Subtotals != nil {
		for _, f := range t.Fields {
			f.Subtotal = bool(*args.Subtotals)
		}
	}
	if err := p.looks(args); err != nil {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(args.Grand)) {
	case "":
	case "both", "true":
		t.RowGrand, t.ColGrand = true, true
	case "rows", "row":
		t.RowGrand, t.ColGrand = true, false
	case "columns", "column":
		t.RowGrand, t.ColGrand = false, true
	case "none", "false":
		t.RowGrand, t.ColGrand = false, false
	default:
		return formats.Errorf(formats.CodeInvalid, "unknown grand_totals %s; use both, rows, columns or none", cellref.QuoteArg(args.Grand))
	}
	if args.PivotStyle != "" {
		t.Style = args.PivotStyle
		if strings.EqualFold(t.Style, "none") {
			t.Style = ""
		}
	}
	return nil
}

// looks sets where subtotals are, which labels are repeated, and what stands for empty
// values and errors.
func (p *pivotDesign) looks(args pivotLayoutArgs) error {
	t := p.t
	at := strings.ToLower(strings.TrimSpace(args.SubtotalAt))
	if at != "" && at != "top" && at != "bottom" {
		return formats.Errorf(formats.CodeInvalid, "unknown subtotals_at %s; use top or bottom", cellref.QuoteArg(args.SubtotalAt))
	}
	for _, f := range t.Fields {
		if at != "" {
			f.SubtotalTop = at == "top"
		}
		if args.Repeat != nil {
			f.RepeatLabels = bool(*args.Repeat)
		}
	}
	if args.Repeat != nil && bool(*args.Repeat) && len(t.Rows) > 0 && t.Rows[0] != pivot.ValuesField && t.Fields[t.Rows[0]].Compact && t.Fields[t.Rows[0]].Outline {
		return formats.Errorf(formats.CodeInvalid, "repeat_labels is for the layouts outline and tabular; in compact layout labels are in one column")
	}
	for text, to := range map[*string]*string{args.EmptyText: &t.MissingText, args.ErrorText: &t.ErrorText} {
		if text == nil {
			continue
		}
		if sheetml.UTF16Len(*text) > 255 {
			return formats.Errorf(formats.CodeInvalid, "empty_text and error_text have at most 255 characters")
		}
		*to = *text
	}
	return nil
}

// setValues sets what is calculated.
func (p *pivotDesign) setValues(list []PivotValue) error {
	for _, f := range p.t.Fields {
		f.DataField = false
	}
	p.t.Values = nil
	for n, v := range list {
		member := fmt.Sprintf("value_fields[%d]", n)
		i, err := p.field(v.Field, member)
		if err != nil {
			return err
		}
		if p.t.Fields[i].Column < 0 && !p.t.Fields[i].Calculated() {
			return formats.Errorf(formats.CodeInvalid, "%s: the field %s only groups another field; give that one", member, cellref.QuoteArg(v.Field))
		}
		m := pivot.Measure{Field: i, Name: strings.TrimSpace(v.Name), Format: v.NumberFormat}
		if m.Function, err = p.function(v, i); err != nil {
			return formats.Errorf(formats.CodeInvalid, "%s: %w", member, err)
		}
		if m.ShowAs, err = showAsOf(v.ShowAs); err != nil {
			return formats.Errorf(formats.CodeInvalid, "%s: %w", member, err)
		}
		switch {
		case m.Format == "" && m.ShowAs.Percentage():
			m.Format = "0.00%"
		case m.Format == "" && slices.Contains([]pivot.ShowAs{pivot.Index, pivot.RankAscending, pivot.RankDescending}, m.ShowAs):
		case p.t.Fields[i].Calculated():
		case m.Format == "" && !slices.Contains([]pivot.Function{"count", "countNums", "var", "varp", "product"}, m.Function):
			m.Format = p.data.Columns[p.t.Fields[i].Column].Format
		}
		if m.Format == "General" {
			m.Format = ""
		}
		if m.Name == "" {
			m.Name = functionWords[m.Function] + " of " + p.t.Fields[i].Name
		}
		if err := p.nameFree(m.Name, n); err != nil {
			return err
		}
		p.t.Fields[i].DataField = true
		p.t.Values = append(p.t.Values, m)
	}
	return nil
}

// functionWords begin the names of values.
var functionWords = map[pivot.Function]string{"sum": "Sum", "count": "Count", "average": "Average", "max": "Max", "min": "Min", "product": "Product", "countNums": "Count of numbers", "stdDev": "StdDev", "stdDevp": "StdDevp", "var": "Var", "varp": "Varp"}

// nameFree refuses a name that a field or another value has, as Excel does.
func (p *pivotDesign) nameFree(name string, n int) error {
	for _, f := range p.t.Fields {
		if strings.EqualFold(f.Name, name) {
			return formats.Errorf(formats.CodeInvalid, "value_fields[%d]: a field is named %s already; give the value another name, such as %s", n, cellref.QuoteArg(name), cellref.QuoteArg("Total "+name))
		}
	}
	for _, m := range p.t.Values {
		if strings.EqualFold(m.Name, name) {
			return formats.Errorf(formats.CodeInvalid, "value_fields[%d]: another value is named %s; give it another name", n, cellref.QuoteArg(name))
		}
	}
	return nil
}

// function reads a function; without one numbers are added up and all else counted.
func (p *pivotDesign) function(v PivotValue, i int) (pivot.Function, error) {
	word := strings.ToLower(strings.NewReplacer("_", "", " ", "", "-", "").Replace(v.Function))
	if p.t.Fields[i].Calculated() {
		if word != "" && word != "sum" {
			return "", fmt.Errorf("%s is calculated from sums, and its function is always sum; leave it out", cellref.QuoteArg(v.Field))
		}
		return "sum", nil
	}
	if word == "" {
		if p.data.Columns[p.t.Fields[i].Column].Numeric() {
			return "sum", nil
		}
		return "count", nil
	}
	for alias, f := range map[string]pivot.Function{"avg": "average", "mean": "average", "counta": "count", "countnumbers": "countNums", "std": "stdDev", "stdev": "stdDev", "stdevp": "stdDevp", "variance": "var"} {
		if word == alias {
			return f, nil
		}
	}
	var words []string
	for _, f := range pivot.Functions {
		if strings.EqualFold(string(f), word) {
			return f, nil
		}
		words = append(words, string(f))
	}
	return "", fmt.Errorf("unknown function %s; use %s", cellref.QuoteArg(v.Function), strings.Join(words, ", "))
}

// add puts a field on an axis.
func (p *pivotDesign) add(in PivotField, member string, axis pivot.Axis, list *[]int) error {
	if w := strings.ToLower(strings.TrimSpace(in.Field)); w == "(values)" || w == "values" && len(p.t.Values) > 1 {
		if _, err := p.field(in.Field, member); err != nil {
			*list = append(*list, pivot.ValuesField)
			return nil
		}
	}
	i, err := p.field(in.Field, member)
	if err != nil {
		return err
	}
	if p.t.Fields[i].Calculated() {
		return formats.Errorf(formats.CodeInvalid, "%s: the field %s is calculated and can only be in value_fields", member, cellref.QuoteArg(in.Field))
	}
	if p.t.Fields[i].Axis != pivot.NoAxis {
		return formats.Errorf(formats.CodeInvalid, "%s: the field %s is there already; a field can be in rows, columns or filters only once", member, cellref.QuoteArg(in.Field))
	}
	field := p.t.Fields[i]
	more, err := p.group(in, i)
	if err != nil {
		return err
	}
	i = slices.Index(p.t.Fields, field)
	for _, k := range append(more, i) {
		f := p.t.Fields[k]
		f.Axis, f.Sort, f.SortBy, f.ShowEmpty = axis, pivot.Ascending, -1, bool(in.Empty)
		*list = append(*list, k)
		if err := p.sort(f, in); err != nil {
			return err
		}
	}
	if err := p.addItemFilters(i, in.Filter, member); err != nil {
		return err
	}
	return p.hide(i, in.Show, in.Hide, member)
}
