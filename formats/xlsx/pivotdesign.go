package xlsx

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/pivot"
)

// pivotDesign puts the members of an operation into a pivot table.
type pivotDesign struct {
	t    *pivot.Table
	data *pivot.Data
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
	if args.Values != nil {
		if err := p.setValues(args.Values); err != nil {
			return err
		}
	}
	if args.Rows != nil {
		p.clear(&p.t.Rows)
	}
	if args.Columns != nil {
		p.clear(&p.t.Columns)
	}
	if args.Filters != nil {
		p.clear(&p.t.Pages)
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
	return p.options(args)
}

// clear takes the fields of an axis off it.
func (p *pivotDesign) clear(list *[]int) {
	for _, i := range *list {
		if i != pivot.ValuesField {
			f := p.t.Fields[i]
			f.Axis, f.Items, f.Selected, f.Sort, f.SortBy, f.Multiple = pivot.NoAxis, nil, -1, pivot.AsListed, -1, false
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
		if p.t.Fields[i].Column < 0 {
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
		case m.Format == "" && m.ShowAs != pivot.Normal:
			m.Format = "0.00%"
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

func showAsOf(s string) (pivot.ShowAs, error) {
	switch strings.ToLower(strings.NewReplacer("_", "", " ", "").Replace(s)) {
	case "", "normal", "value":
		return pivot.Normal, nil
	case "percentoftotal", "percentofgrandtotal":
		return pivot.PercentOfTotal, nil
	case "percentofrow", "percentofrowtotal":
		return pivot.PercentOfRow, nil
	case "percentofcolumn", "percentofcol", "percentofcolumntotal":
		return pivot.PercentOfCol, nil
	}
	return "", fmt.Errorf("unknown show_as %s; use percent_of_total, percent_of_row or percent_of_column", cellref.QuoteArg(s))
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
	if p.t.Fields[i].Axis != pivot.NoAxis {
		return formats.Errorf(formats.CodeInvalid, "%s: the field %s is there already; a field can be in rows, columns or filters only once", member, cellref.QuoteArg(in.Field))
	}
	more, err := p.group(in, i)
	if err != nil {
		return err
	}
	for _, k := range append(more, i) {
		f := p.t.Fields[k]
		f.Axis, f.Sort, f.SortBy = axis, pivot.Ascending, -1
		*list = append(*list, k)
		if err := p.sort(f, in); err != nil {
			return err
		}
	}
	return p.hide(i, in.Show, in.Hide, member)
}

// sort sets the order of a field.
func (p *pivotDesign) sort(f *pivot.Field, in PivotField) error {
	switch strings.ToLower(strings.TrimSpace(in.Sort)) {
	case "", "ascending", "asc":
	case "descending", "desc":
		f.Sort = pivot.Descending
	default:
		return formats.Errorf(formats.CodeInvalid, "unknown sort %s; use ascending or descending", cellref.QuoteArg(in.Sort))
	}
	if in.SortBy == "" {
		return nil
	}
	var names []string
	for n, m := range p.t.Values {
		if strings.EqualFold(m.Name, in.SortBy) || strings.EqualFold(p.t.Fields[m.Field].Name, in.SortBy) {
			f.SortBy = n
			return nil
		}
		names = append(names, m.Name)
	}
	return formats.Errorf(formats.CodeNotFound, "sort_by: there is no value %s; the values are %s", cellref.QuoteArg(in.SortBy), upTo20(names, len(names)))
}

// itemLabel is an item as a caller gives it.
func itemLabel(v any) string {
	switch v := v.(type) {
	case nil:
		return "(blank)"
	case string:
		return strings.TrimSpace(v)
	case bool:
		return strings.ToUpper(fmt.Sprint(v))
	case float64:
		return pivot.Value{Kind: pivot.Number, Num: v}.Label(false)
	}
	return fmt.Sprint(v)
}

// items finds the items of a field by their labels.
func (p *pivotDesign) items(i int, labels []any, member string) (map[int]bool, error) {
	f := p.t.Fields[i]
	entries, err := p.t.Entries(i, p.data)
	if err != nil {
		return nil, err
	}
	byLabel := map[string]int{}
	var some []string
	for n, v := range entries {
		l := v.Label(p.data.Date1904)
		if _, again := byLabel[strings.ToLower(l)]; !again {
			byLabel[strings.ToLower(l)] = n
		}
		if v.Kind == pivot.Date && f.ShowDate(v) != "" {
			byLabel[strings.ToLower(f.ShowDate(v))] = n
		}
		if len(some) < 20 {
			some = append(some, l)
		}
	}
	out := map[int]bool{}
	for _, l := range labels {
		n, ok := byLabel[strings.ToLower(itemLabel(l))]
		if !ok {
			return nil, formats.Errorf(formats.CodeNotFound, "%s: the field %s has no item %s; it has %s", member, cellref.QuoteArg(f.Name), cellref.QuoteArg(itemLabel(l)), upTo20(some, len(entries)))
		}
		out[n] = true
	}
	return out, nil
}

// hide hides items of a field: those in hide, or all but those in show.
func (p *pivotDesign) hide(i int, show, hide []any, member string) error {
	if len(show)+len(hide) == 0 {
		return nil
	}
	shown, err := p.items(i, show, member)
	if err != nil {
		return err
	}
	hidden, err := p.items(i, hide, member)
	if err != nil {
		return err
	}
	f := p.t.Fields[i]
	left := 0
	f.ListItems()
	for n := range f.Items {
		it := &f.Items[n]
		it.Hidden = hidden[it.Index] || len(shown) > 0 && !shown[it.Index]
		if !it.Hidden {
			left++
		}
	}
	if left == 0 {
		return formats.Errorf(formats.CodeInvalid, "%s: all items of %s would be hidden", member, cellref.QuoteArg(f.Name))
	}
	return nil
}

// addFilter puts a field above the table.
func (p *pivotDesign) addFilter(in PivotFilter) error {
	i, err := p.field(in.Field, "filter_fields")
	if err != nil {
		return err
	}
	f := p.t.Fields[i]
	if f.Axis != pivot.NoAxis {
		return formats.Errorf(formats.CodeInvalid, "filter_fields: the field %s is in rows or columns already; hide items there with show or hide", cellref.QuoteArg(in.Field))
	}
	f.Axis = pivot.PageAxis
	p.t.Pages = append(p.t.Pages, i)
	list := in.Items
	if in.Item != nil && len(list) == 0 {
		if many, ok := in.Item.([]any); ok {
			list = many
		} else {
			list = []any{in.Item}
		}
	}
	switch {
	case len(list) == 0:
		return nil
	case len(list) > 1:
		f.Multiple = true
		return p.hide(i, list, nil, "filter_fields")
	}
	one, err := p.items(i, list, "filter_fields")
	if err != nil {
		return err
	}
	f.ListItems()
	for n, it := range f.Items {
		if one[it.Index] {
			f.Selected = n
		}
	}
	return nil
}

// group groups a field and returns the fields over it that come with it, outermost
// first.
func (p *pivotDesign) group(in PivotField, i int) ([]int, error) {
	f := p.t.Fields[i]
	units, err := groupUnits(in.Group)
	if err != nil || len(units) == 0 && in.Step == nil {
		return nil, err
	}
	if f.Column < 0 || f.Group != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "the field %s is grouped already", cellref.QuoteArg(f.Name))
	}
	if len(units) == 0 {
		g := &pivot.Group{By: "range", Base: i, Parent: -1, Interval: float64(*in.Step), AutoStart: in.Start == nil, AutoEnd: in.End == nil}
		if in.Start != nil {
			g.Start = float64(*in.Start)
		}
		if in.End != nil {
			g.End = float64(*in.End)
		}
		f.Group = g
		return nil, p.fit(g, f)
	}
	parent := -1
	var over []int
	for _, unit := range units[1:] {
		parent = len(p.t.Fields)
		name := strings.ToUpper(unit[:1]) + unit[1:]
		for n := 2; ; n++ {
			if _, err := p.field(name, ""); err != nil {
				break
			}
			name = fmt.Sprintf("%s%d", strings.ToUpper(unit[:1])+unit[1:], n)
		}
		g := &pivot.Group{By: unit, Base: i, Parent: -1, AutoStart: true, AutoEnd: true}
		more := pivot.NewField(name, -1)
		more.Group = g
		more.Compact, more.Outline, more.Subtotal = f.Compact, f.Outline, f.Subtotal
		p.t.Fields = append(p.t.Fields, more)
		if err := p.fit(g, f); err != nil {
			return nil, err
		}
		over = append([]int{parent}, over...)
	}
	f.Group = &pivot.Group{By: units[0], Base: i, Parent: parent, AutoStart: true, AutoEnd: true}
	return over, p.fit(f.Group, f)
}

func (p *pivotDesign) fit(g *pivot.Group, f *pivot.Field) error {
	return g.Fit(f, p.data.Columns[f.Column], p.data.Date1904)
}

// groupUnits reads the units of dates, finest first.
func groupUnits(v any) ([]string, error) {
	var words []string
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		words = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
	case []any:
		for _, w := range v {
			words = append(words, fmt.Sprint(w))
		}
	}
	var out []string
	for _, unit := range pivot.GroupUnits {
		if slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(strings.TrimSuffix(w, "s")+"s", unit) }) {
			out = append(out, unit)
		}
	}
	if len(words) == 0 || len(out) != len(words) {
		return nil, formats.Errorf(formats.CodeInvalid, "group: use one or several of years, quarters, months, days; numbers are grouped by step, with start and end")
	}
	return out, nil
}

// showDates lets a field show its dates by the number format of its cells.
func showDates(f *pivot.Field, code string, date1904 bool) {
	nf := numfmt.Parse(code)
	if code == "" || !nf.IsDate() {
		return
	}
	f.SetDates(code, func(v pivot.Value) string {
		if v.Kind != pivot.Date {
			return v.Label(date1904)
		}
		return nf.Number(v.Num, date1904)
	})
}

// upTo20 lists names for an error.
func upTo20(names []string, n int) string {
	s := strings.Join(names[:min(len(names), 20)], ", ")
	if n > 20 {
		s += fmt.Sprintf(" and %d more", n-20)
	}
	return s
}
