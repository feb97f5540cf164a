package pivot

import "slices"

// NewField returns a field for a column of the data that is on no axis.
func NewField(name string, column int) *Field {
	return &Field{Name: name, Column: column, SortBy: -1, Selected: -1, Subtotal: true, SubtotalTop: true, Compact: true, Outline: true}
}

// SetDates gives a field the number format in which its dates are shown, and a
// function that shows them.
func (f *Field) SetDates(code string, label func(Value) string) { f.dates, f.label = code, label }

// ShowDate is a date as the table shows it, "" where the field has no format of dates.
func (f *Field) ShowDate(v Value) string {
	if f.label == nil {
		return ""
	}
	return f.label(v)
}

func (f *Field) dateFormat() string { return f.dates }

// Entries returns the values that the items of a field stand for.
func (t *Table) Entries(i int, d *Data) ([]Value, error) {
	f := t.Fields[i]
	if f.Group != nil {
		return f.Group.Labels, nil
	}
	if f.Axis == NoAxis {
		f.Axis = PageAxis
		defer func() { f.Axis = NoAxis }()
	}
	err := f.intern(d.Columns[f.Column])
	return f.Shared, err
}

// ListItems lists all entries of a field as items, in order, where it has none yet.
func (f *Field) ListItems() {
	if len(f.Items) > 0 {
		return
	}
	entries := f.entries()
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	if f.Group == nil {
		sortEntries(order, entries)
	}
	for _, i := range order {
		f.Items = append(f.Items, Item{Index: i})
	}
}

// SortShared lists the values of a field of a new cache in order, so that the items of
// a table have the same numbers. Programs differ in which of the two a base item is.
func (f *Field) SortShared() {
	c := newComparer()
	slices.SortStableFunc(f.Shared, c.compare)
	for i, v := range f.Shared {
		f.shared[v.key()] = i
	}
}

// Over lists the fields that only group another.
func (t *Table) Over(base *Field) (out []*Field) {
	for _, f := range t.Fields {
		if f.Column < 0 && f.Group != nil && t.Fields[f.Group.Base] == base {
			out = append(out, f)
		}
	}
	return out
}

// Ungroup takes the groups of a field away, with the fields that only group it, which
// must be on no axis.
func (t *Table) Ungroup(base *Field) {
	over := t.Over(base)
	now := make([]int, len(t.Fields))
	var left []*Field
	for i, f := range t.Fields {
		now[i] = len(left)
		if !slices.Contains(over, f) {
			left = append(left, f)
		}
	}
	base.Group, base.Items = nil, nil
	t.Fields = left
	for _, list := range [][]int{t.Rows, t.Columns, t.Pages} {
		for k, i := range list {
			if i != ValuesField {
				list[k] = now[i]
			}
		}
	}
	for k := range t.Values {
		t.Values[k].Field = now[t.Values[k].Field]
		if b := t.Values[k].BaseField; b >= 0 && b < len(now) {
			t.Values[k].BaseField = now[b]
		}
	}
	for k := range t.Filters {
		t.Filters[k].Field = now[t.Filters[k].Field]
	}
	for _, f := range t.Fields {
		if f.Group == nil {
			continue
		}
		g := *f.Group // other tables of the cache share it
		g.Base = now[g.Base]
		if g.Parent >= 0 {
			g.Parent = now[g.Parent]
		}
		f.Group = &g
	}
}
