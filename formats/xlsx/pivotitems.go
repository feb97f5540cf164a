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
	if f.Calculated() {
		return formats.Errorf(formats.CodeInvalid, "filter_fields: the field %s is calculated and can only be in value_fields", cellref.QuoteArg(in.Field))
	}
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
// first. A group that the field has already is replaced.
func (p *pivotDesign) group(in PivotField, i int) ([]int, error) {
	f := p.t.Fields[i]
	if w, ok := in.Group.(string); ok && strings.EqualFold(strings.TrimSpace(w), "none") {
		return nil, p.ungroup(f)
	}
	units, err := groupUnits(in.Group)
	if err != nil || len(units) == 0 && in.Step == nil {
		return nil, err
	}
	if f.Column < 0 {
		return nil, formats.Errorf(formats.CodeInvalid, "the field %s only groups another field; group that one", cellref.QuoteArg(f.Name))
	}
	if err := p.ungroup(f); err != nil {
		return nil, err
	}
	i = slices.Index(p.t.Fields, f)
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

// ungroup takes the groups of a field away, with the fields that only group it.
func (p *pivotDesign) ungroup(f *pivot.Field) error {
	if f.Group == nil {
		return nil
	}
	for _, over := range p.t.Over(f) {
		if over.Axis != pivot.NoAxis {
			return formats.Errorf(formats.CodeInvalid, "the field %s groups %s and is in the table; give the rows, columns and filters anew without it to group otherwise", cellref.QuoteArg(over.Name), cellref.QuoteArg(f.Name))
		}
	}
	p.t.Ungroup(f)
	return nil
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
