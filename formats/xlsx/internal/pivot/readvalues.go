package pivot

import (
	"slices"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// dataField reads a value (18.10.1.22), or the extension of one.
func (r *tableReader) dataField(t xmlscan.Token) error {
	if as, ext := t.Attr("pivotShowAs"); ext && len(r.Values) > 0 {
		m := &r.Values[len(r.Values)-1]
		if m.ShowAs = ShowAs(as); !slices.Contains(ShowAsList, m.ShowAs) {
			return unsupported("shows the value %q as %s, which is not calculated here", m.Name, as)
		}
		return nil
	}
	if t.Depth > 3 {
		return nil // an extension that says nothing here
	}
	m := Measure{BaseField: attrInt(t, "baseField", -1), BaseItem: attrInt(t, "baseItem", 0), Name: t.AttrLocal("name"), Field: attrInt(t, "fld", -1), Function: Function(t.AttrLocal("subtotal")), ShowAs: ShowAs(t.AttrLocal("showDataAs")), NumFmt: attrInt(t, "numFmtId", 0)}
	if m.Function == "" {
		m.Function = "sum"
	}
	if m.ShowAs == "normal" {
		m.ShowAs = Normal
	}
	if m.Field < 0 || m.Field >= len(r.Fields) {
		return formats.Errorf(formats.CodeCorrupt, "a value of the pivot table is of a field that is not there")
	}
	f := r.Fields[m.Field]
	switch {
	case f.Column < 0 && f.Group == nil && f.Formula == "":
		return unsupported("has the value %q of a field without records", m.Name)
	case !slices.Contains(Functions, m.Function):
		return unsupported("has the function %q", m.Function)
	case m.ShowAs != Normal && !slices.Contains(ShowAsList, m.ShowAs):
		return unsupported("shows the value %q as %s, which is not calculated here", m.Name, m.ShowAs)
	}
	r.Values = append(r.Values, m)
	return nil
}

// check finds what the parts say that does not go together.
func (r *tableReader) check() error {
	for _, list := range [][]int{r.Rows, r.Columns} {
		for _, i := range list {
			if i != ValuesField && (i < 0 || i >= len(r.Fields)) {
				return formats.Errorf(formats.CodeCorrupt, "a field of the pivot table is not there")
			}
		}
	}
	for _, i := range r.Rows {
		if i != ValuesField {
			r.Fields[i].Axis = RowAxis
		}
	}
	for _, i := range r.Columns {
		if i != ValuesField {
			r.Fields[i].Axis = ColAxis
		}
	}
	for _, f := range r.Fields {
		if f.Axis != NoAxis && f.Column < 0 && f.Group == nil {
			return unsupported("has the field %q in rows, columns or filters, which has no items", f.Name)
		}
		if f.Axis == RowAxis && !slices.ContainsFunc(r.Rows, func(i int) bool { return i >= 0 && r.Fields[i] == f }) {
			f.Axis = NoAxis
		}
	}
	return nil
}
