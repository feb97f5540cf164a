package pivot

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
)

// unsupported is the error of a pivot table that is not calculated here. It says
// why, in words that follow "the pivot table X".
func unsupported(format string, args ...any) error {
	return formats.Errorf(formats.CodeUnsupported, format, args...)
}

// Cache is the definition of a cache (18.10.1.67).
type Cache struct {
	SourceRef, SourceSheet, SourceName string
	Fields                             []*Field
	RecordCount                        int
}

// ReadCache reads the definition of a cache over cells. Other sources, and what is
// not calculated here, are CodeUnsupported.
func ReadCache(ctx context.Context, doc []byte, date1904 bool) (*Cache, error) {
	c := &Cache{}
	r := &cacheReader{Cache: c, date1904: date1904}
	sc := xmlscan.New(doc)
	for n := 0; sc.Next(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t := sc.Token()
		if t.Kind == xmlscan.Start {
			if err := r.start(t); err != nil {
				return nil, err
			}
		}
		if t.Kind == xmlscan.End || t.Empty {
			if t.Local == "sharedItems" || t.Local == "groupItems" {
				r.items = ""
			}
		}
	}
	for _, f := range c.Fields {
		if g := f.Group; g != nil && (g.Base < 0 || g.Base >= len(c.Fields) || c.Fields[g.Base].Column < 0) {
			return nil, unsupported("groups a field that is not there")
		}
	}
	return c, sc.Err()
}

type cacheReader struct {
	*Cache
	date1904 bool
	items    string // the list that items are of
	columns  int
}

func (r *cacheReader) field() *Field {
	if len(r.Fields) == 0 {
		r.Fields = append(r.Fields, NewField("", 0))
	}
	return r.Fields[len(r.Fields)-1]
}

func attrInt(t xmlscan.Token, name string, otherwise int) int {
	if n, err := strconv.Atoi(t.AttrLocal(name)); err == nil {
		return n
	}
	return otherwise
}

func attrOff(t xmlscan.Token, name string) bool {
	v, given := t.Attr(name)
	return given && !sheetml.IsTrue(v)
}

func (r *cacheReader) start(t xmlscan.Token) error {
	if r.items != "" && t.Depth >= 5 {
		return r.item(t)
	}
	switch t.Local {
	case "cacheSource":
		if k := t.AttrLocal("type"); k != "worksheet" {
			return unsupported("reads a source outside the cells of the workbook (%s)", k)
		}
	case "worksheetSource":
		if t.AttrLocal("id") != "" {
			return unsupported("reads another workbook")
		}
		r.SourceRef, r.SourceSheet, r.SourceName = t.AttrLocal("ref"), t.AttrLocal("sheet"), t.AttrLocal("name")
	case "cacheHierarchies", "calculatedMembers", "dimensions", "kpis", "tupleCache":
		return unsupported("reads a data model (OLAP)")
	case "calculatedItems":
		return unsupported("has calculated items")
	case "cacheField":
		return r.cacheField(t)
	case "sharedItems", "groupItems":
		if !t.Empty {
			r.items = t.Local
		}
	case "fieldGroup":
		r.field().Group = &Group{Base: attrInt(t, "base", len(r.Fields)-1), Parent: attrInt(t, "par", -1)}
		if len(r.Fields) > 0 && t.AttrLocal("base") == "" {
			r.field().Group = nil // only says which field groups it
		}
	case "discretePr":
		return unsupported("has items that a person grouped by hand (field %q)", r.field().Name)
	case "rangePr":
		return r.rangePr(t)
	}
	return nil
}

func (r *cacheReader) cacheField(t xmlscan.Token) error {
	name := t.AttrLocal("name")
	f := NewField(name, r.columns)
	f.Formula = t.AttrLocal("formula")
	f.NumFmt = attrInt(t, "numFmtId", 0)
	if f.Formula != "" || attrOff(t, "databaseField") {
		f.Column = -1
	} else {
		r.columns++
	}
	r.Fields = append(r.Fields, f)
	if len(r.Fields) > 16384 {
		return unsupported("has more than 16384 fields")
	}
	return nil
}

func (r *cacheReader) rangePr(t xmlscan.Token) error {
	g := r.field().Group
	if g == nil {
		return nil
	}
	g.By = t.AttrLocal("groupBy")
	if g.By == "" {
		g.By = "range"
	}
	g.AutoStart, g.AutoEnd = !attrOff(t, "autoStart"), !attrOff(t, "autoEnd")
	g.Interval = 1
	for name, to := range map[string]*float64{"startNum": &g.Start, "endNum": &g.End, "groupInterval": &g.Interval} {
		if v, err := strconv.ParseFloat(t.AttrLocal(name), 64); err == nil {
			*to = v
		}
	}
	for name, to := range map[string]*float64{"startDate": &g.Start, "endDate": &g.End} {
		if v, ok := numfmt.ISOSerial(t.AttrLocal(name), r.date1904); ok {
			*to = v
		}
	}
	if g.By != "range" && (!slices.Contains(GroupUnits, g.By) || g.By == "days" && g.Interval != 1) {
		return unsupported("groups the field %q by %s, which is not done here", r.field().Name, g.By)
	}
	return nil
}

func (r *cacheReader) item(t xmlscan.Token) error {
	v := Value{Kind: Blank}
	s := t.AttrLocal("v")
	switch t.Local {
	case "s":
		v = Value{Kind: Text, Text: sheetml.Unescape(s)}
	case "n":
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return formats.Errorf(formats.CodeCorrupt, "an item of the cache is no number: %.20q", s)
		}
		v = Value{Kind: Number, Num: n}
	case "d":
		if n, ok := numfmt.ISOSerial(s, r.date1904); ok {
			v = Value{Kind: Date, Num: n}
		}
	case "b":
		v = Value{Kind: Bool, Num: float64(boolInt(sheetml.IsTrue(s)))}
	case "e":
		v = Value{Kind: Error, Text: s}
	case "m":
	default:
		return nil
	}
	f := r.field()
	if r.items == "groupItems" {
		if f.Group != nil && len(f.Group.Labels) < maxGroups+2 {
			f.Group.Labels = append(f.Group.Labels, v)
		}
		return nil
	}
	if len(f.Shared) >= MaxItems*4 {
		return formats.Errorf(formats.CodeTooLarge, "the cache of the pivot table lists more than %d values of a field", MaxItems*4)
	}
	f.Shared = append(f.Shared, v)
	return nil
}

// ReadTable reads the definition of a pivot table (18.10.1.73) over the fields of its
// cache. What is not calculated here is CodeUnsupported.
func ReadTable(ctx context.Context, doc []byte, c *Cache) (*Table, error) {
	t := &Table{Words: English, RowGrand: true, ColGrand: true}
	for _, f := range c.Fields {
		own := *f
		own.Items = nil
		t.Fields = append(t.Fields, &own)
	}
	r := &tableReader{Table: t, field: -1}
	sc := xmlscan.New(doc)
	for n := 0; sc.Next(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		tok := sc.Token()
		if tok.Kind != xmlscan.Start {
			if tok.Local == "autoSortScope" {
				r.sorting = false
			}
			continue
		}
		switch tok.Local {
		case "rowItems", "colItems", "formats", "conditionalFormats", "chartFormats", "pivotHierarchies":
			sc.Skip()
			continue
		}
		if err := r.start(tok); err != nil {
			return nil, err
		}
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	return t, r.check()
}

type tableReader struct {
	*Table
	field   int
	sorting bool
	axis    *[]int
}

func (r *tableReader) start(t xmlscan.Token) error {
	switch t.Local {
	case "pivotTableDefinition":
		if t.Depth == 1 {
			return r.root(t)
		}
		r.ValuesLine = r.ValuesLine && !sheetml.IsTrue(t.AttrLocal("hideValuesRow"))
	case "pivotField":
		if strings.Contains(t.Space, "2009/9") || r.field >= 0 && t.AttrLocal("fillDownLabels") != "" {
			r.at().RepeatLabels = sheetml.IsTrue(t.AttrLocal("fillDownLabels"))
			return nil
		}
		r.field++
		return r.pivotField(t)
	case "item":
		return r.item(t)
	case "autoSortScope":
		r.sorting = true
		r.at().SortBy = 0
	case "x":
		if r.sorting {
			r.at().SortBy = attrInt(t, "v", 0)
		}
	case "rowFields":
		r.axis = &r.Rows
	case "colFields":
		r.axis = &r.Columns
	case "field":
		if r.axis != nil {
			*r.axis = append(*r.axis, attrInt(t, "x", -1))
		}
	case "pageField":
		i := attrInt(t, "fld", -1)
		if i < 0 || i >= len(r.Fields) {
			return formats.Errorf(formats.CodeCorrupt, "a page field of the pivot table is not there")
		}
		r.Pages = append(r.Pages, i)
		r.Fields[i].Selected = attrInt(t, "item", -1)
	case "dataField":
		return r.dataField(t)
	case "filter", "customFilter", "top10":
		return r.filter(t)
	case "calculatedItems":
		return unsupported("has calculated items")
	case "pivotTableStyleInfo":
		r.Style = t.AttrLocal("name")
	}
	return nil
}

// at is the present field.
func (r *tableReader) at() *Field {
	if r.field < 0 || r.field >= len(r.Fields) {
		return NewField("", -1)
	}
	return r.Fields[r.field]
}

func (r *tableReader) root(t xmlscan.Token) error {
	r.Name = t.AttrLocal("name")
	r.ColGrand, r.RowGrand = !attrOff(t, "rowGrandTotals"), !attrOff(t, "colGrandTotals")
	r.ClassicLayout = sheetml.IsTrue(t.AttrLocal("gridDropZones"))
	r.HideHeaders = attrOff(t, "showHeaders")
	r.ValuesLine = true
	for name, to := range map[string]*string{"dataCaption": &r.Words.Values, "grandTotalCaption": &r.Words.Grand, "rowHeaderCaption": &r.Words.Rows, "colHeaderCaption": &r.Words.Columns} {
		if v := t.AttrLocal(name); v != "" {
			*to = v
		}
	}
	if sheetml.IsTrue(t.AttrLocal("showError")) {
		r.ErrorText = t.AttrLocal("errorCaption")
	}
	if !attrOff(t, "showMissing") {
		r.MissingText = t.AttrLocal("missingCaption")
	}
	if attrInt(t, "pageWrap", 0) > 0 {
		return unsupported("has its filters side by side")
	}
	return nil
}

func (r *tableReader) pivotField(t xmlscan.Token) error {
	f := r.at()
	switch t.AttrLocal("axis") {
	case "axisRow":
		f.Axis = RowAxis
	case "axisCol":
		f.Axis = ColAxis
	case "axisPage":
		f.Axis = PageAxis
	}
	f.Caption = t.AttrLocal("name")
	f.DataField = sheetml.IsTrue(t.AttrLocal("dataField"))
	f.Compact, f.Outline = !attrOff(t, "compact"), !attrOff(t, "outline")
	f.Subtotal, f.SubtotalTop = !attrOff(t, "defaultSubtotal"), !attrOff(t, "subtotalTop")
	f.Multiple = sheetml.IsTrue(t.AttrLocal("multipleItemSelectionAllowed"))
	switch t.AttrLocal("sortType") {
	case "ascending":
		f.Sort = Ascending
	case "descending":
		f.Sort = Descending
	}
	f.ShowEmpty = !attrOff(t, "showAll") && f.Axis != PageAxis
	if f.Axis == NoAxis {
		return nil
	}
	for _, fn := range []string{"sumSubtotal", "countASubtotal", "avgSubtotal", "maxSubtotal", "minSubtotal", "productSubtotal", "countSubtotal", "stdDevSubtotal", "stdDevPSubtotal", "varSubtotal", "varPSubtotal"} {
		if sheetml.IsTrue(t.AttrLocal(fn)) {
			return unsupported("has subtotals with functions of their own (field %q)", f.Name)
		}
	}
	switch {
	case sheetml.IsTrue(t.AttrLocal("insertBlankRow")):
		return unsupported("has blank lines after items (field %q)", f.Name)
	case sheetml.IsTrue(t.AttrLocal("autoShow")):
		return unsupported("shows only the first items by a value (field %q)", f.Name)
	}
	return nil
}

func (r *tableReader) item(t xmlscan.Token) error {
	if k := t.AttrLocal("t"); k != "" && k != "data" {
		return nil
	}
	f := r.at()
	if sheetml.IsTrue(t.AttrLocal("f")) {
		return unsupported("has calculated items")
	}
	x := attrInt(t, "x", -1)
	if x < 0 || x >= max(len(f.entries()), 1) {
		return nil
	}
	if len(f.Items) < MaxItems*4 {
		f.Items = append(f.Items, Item{Index: x, Hidden: sheetml.IsTrue(t.AttrLocal("h")), Collapsed: attrOff(t, "sd"), Caption: t.AttrLocal("n")})
	}
	return nil
}
