package reader

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// maxPivotFields bounds the fields of a pivot table that are kept, and the items of
// each.
const maxPivotFields, maxPivotItems = 500, 2000

// pivotTable is a pivot table (18.10.1.73) with the fields of its cache.
type pivotTable struct {
	PivotMap
	at      cellref.Range
	rows    []int // indexes of fields; -2: the values
	columns []int
	filters []pivotFilter
	values  []pivotValue
	items   map[int][]int // of a field: the shared items of its items, -1 for subtotals
	hidden  map[int]int   // of a field: how many of its items are hidden
	only    []itemFilter

	date1904 bool
	cache    pivotCache
}

// pivotFilter is a page field (18.10.1.62); item is the chosen one, -1: all.
type pivotFilter struct{ field, item int }

// pivotValue is a data field (18.10.1.22).
type pivotValue struct {
	name, function string
	field          int
	showAs         string
	base, baseItem int
}

// pivotCache is what the cache definition says (18.10.1.67).
type pivotCache struct {
	names     []string
	formulas  map[int]string   // of calculated fields
	shared    map[int][]string // the shared items of each field
	refreshes bool             // when the file is opened
	source    string           // kind of source, where that is no range
	cells     string           // or its cells, a table or a name
}

// readPivot reads a pivot table, and its cache where takes allows its size.
func (wb reading) readPivot(ctx context.Context, part string, takes func(size int64) bool) (*pivotTable, error) {
	pt := &pivotTable{date1904: wb.Date1904, items: map[int][]int{}, hidden: map[int]int{}}
	doc, err := wb.Package.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	if err := pt.definition(ctx, doc); err != nil {
		return nil, book.CorruptPart(err, part)
	}
	rels, err := wb.Package.Rels(ctx, part)
	if err != nil {
		return nil, err
	}
	for _, r := range rels {
		if r.Type != relPivotCache || r.External || !wb.Package.Has(r.Target) || !takes(wb.Package.Size(r.Target)) {
			continue
		}
		if doc, err = wb.Package.ReadXML(ctx, r.Target); err != nil {
			return nil, err
		}
		if err := pt.cache.definition(ctx, doc); err != nil {
			return nil, book.CorruptPart(err, r.Target)
		}
		pt.Source = pt.cache.cells
	}
	return pt, nil
}

// definition reads pivotTableDefinition.
func (pt *pivotTable) definition(ctx context.Context, doc []byte) error {
	field, axis, values := -1, "", false
	sc := xmlscan.New(doc)
	for n := 0; sc.Next(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch t.Local {
		case "pivotTableDefinition":
			pt.Name = book.Clip(book.OneLine(t.AttrLocal("name")), headChars)
		case "location":
			pt.Range = book.Clip(t.AttrLocal("ref"), headChars)
			pt.at = cellref.ParseAttr(pt.Range)
		case "pivotField":
			field++
		case "item":
			pt.item(field, t)
		case "rowFields", "colFields":
			axis = t.Local
		case "field":
			pt.axisField(axis, attrInt(t, "x"))
		case "pivotTableStyleInfo":
			values = false
		case "filter", "top10", "customFilter":
			pt.addItemFilter(t)
		case "pageField":
			f := pivotFilter{field: attrInt(t, "fld"), item: -1}
			if v, given := t.Attr("item"); given {
				f.item = sheetml.Atoi([]byte(v))
			}
			if len(pt.filters) < maxPivotFields {
				pt.filters = append(pt.filters, f)
			}
		case "dataField":
			pt.addValue(t)
			values = true
		case "extLst":
			if !values { // those of values say how they are shown
				sc.Skip()
			}
		case "formats", "conditionalFormats", "chartFormats", "pivotHierarchies":
			sc.Skip()
		}
	}
	return sc.Err()
}

// attrInt reads an attribute that is a whole number, perhaps below 0.
func attrInt(t xmlscan.Token, name string) int {
	n, err := strconv.Atoi(t.AttrLocal(name))
	if err != nil {
		return -1
	}
	return n
}

// item takes in an item of a field (18.10.1.45).
func (pt *pivotTable) item(field int, t xmlscan.Token) {
	if field > maxPivotFields {
		return
	}
	if sheetml.IsTrue(t.AttrLocal("h")) {
		pt.hidden[field]++
	}
	if len(pt.items[field]) < maxPivotItems {
		pt.items[field] = append(pt.items[field], attrInt(t, "x"))
	}
}

func (pt *pivotTable) axisField(axis string, x int) {
	list := &pt.rows
	if axis == "colFields" {
		list = &pt.columns
	}
	if len(*list) < maxPivotFields {
		*list = append(*list, x)
	}
}

// definition reads pivotCacheDefinition.
func (c *pivotCache) definition(ctx context.Context, doc []byte) error {
	c.formulas, c.shared = map[int]string{}, map[int][]string{}
	inShared := false
	sc := xmlscan.New(doc)
	for n := 0; sc.Next(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := sc.Token()
		if t.Local == "sharedItems" {
			inShared = t.Kind == xmlscan.Start && !t.Empty
			continue
		}
		if t.Kind != xmlscan.Start {
			continue
		}
		i := len(c.names) - 1
		switch {
		case inShared && t.Depth == 5:
			if i >= 0 && i < maxPivotFields && len(c.shared[i]) < maxPivotItems {
				c.shared[i] = append(c.shared[i], sharedItem(t))
			}
		case t.Local == "pivotCacheDefinition":
			c.refreshes = sheetml.IsTrue(t.AttrLocal("refreshOnLoad"))
		case t.Local == "cacheSource":
			if c.source = t.AttrLocal("type"); c.source == "worksheet" {
				c.source = ""
			}
		case t.Local == "worksheetSource":
			c.cells = book.Clip(book.OneLine(pivotSource(t)), 2*headChars)
		case t.Local == "cacheField":
			if len(c.names) < maxPivotFields {
				c.names = append(c.names, book.Clip(book.OneLine(t.AttrLocal("name")), headChars))
				if f := t.AttrLocal("formula"); f != "" {
					c.formulas[len(c.names)-1] = book.Clip(book.OneLine(f), 2*headChars)
				}
			}
		}
	}
	return sc.Err()
}

// sharedItem is what an item of a cache shows: a text, number, date or error.
func sharedItem(t xmlscan.Token) string {
	if t.Local == "m" {
		return "(blank)"
	}
	return book.Clip(book.OneLine(t.AttrLocal("v")), headChars)
}

// field names a field of the cache.
func (pt *pivotTable) field(i int) string {
	name := ""
	switch {
	case i == -2:
		return "(values)"
	case i >= 0 && i < len(pt.cache.names):
		name = pt.cache.names[i]
	default:
		name = fmt.Sprintf("field %d", i+1)
	}
	if n := pt.hidden[i]; n > 0 {
		name += fmt.Sprintf(" (%d items hidden)", n)
	}
	var only []string
	for _, f := range pt.only {
		if f.field == i {
			only = append(only, pt.kept(f))
		}
	}
	if len(only) > 0 {
		name += " (" + strings.Join(only, ", ") + ")"
	}
	return name
}

// filter says a page field with what it keeps.
func (pt *pivotTable) filter(f pivotFilter) string {
	name := pt.field(f.field)
	if f.item < 0 || f.item >= len(pt.items[f.field]) {
		return name
	}
	x := pt.items[f.field][f.item]
	if list := pt.cache.shared[f.field]; x >= 0 && x < len(list) {
		return name + " = " + list[x]
	}
	return name + " = one item"
}

// pivotFunctions are the functions of data fields (18.18.17) where the word is
// another.
var pivotFunctions = map[string]string{"": "sum", "countNums": "count of numbers", "stdDev": "standard deviation", "stdDevp": "standard deviation of the population", "var": "variance", "varp": "variance of the population"}

// addValue takes in a data field, or the extension of one that says how it is shown
// (MS-XLSX, CT_DataField).
func (pt *pivotTable) addValue(t xmlscan.Token) {
	if as, ext := t.Attr("pivotShowAs"); ext {
		if n := len(pt.values); n > 0 {
			pt.values[n-1].showAs = as
		}
		return
	}
	if t.Depth > 3 || len(pt.values) >= maxPivotFields {
		return
	}
	pt.values = append(pt.values, pivotValue{name: book.Clip(book.OneLine(t.AttrLocal("name")), headChars), function: t.AttrLocal("subtotal"), field: attrInt(t, "fld"), showAs: t.AttrLocal("showDataAs"), base: attrInt(t, "baseField"), baseItem: attrInt(t, "baseItem")})
}

// showAsWords say how a value is shown (18.18.70).
var showAsWords = map[string]string{"difference": "difference from", "percent": "% of", "percentDiff": "% difference from", "runTotal": "running total in", "percentOfRow": "% of row total", "percentOfCol": "% of column total", "percentOfTotal": "% of grand total", "percentOfParentRow": "% of parent row total", "percentOfParentCol": "% of parent column total", "percentOfParent": "% of parent total of", "percentOfRunningTotal": "% running total in", "rankAscending": "rank, smallest first, in", "rankDescending": "rank, largest first, in"}

// shownAs says how a value is shown: "difference from Month (previous)", "" as it is.
func (pt *pivotTable) shownAs(v pivotValue) string {
	switch v.showAs {
	case "", "normal":
		return ""
	case "index", "percentOfRow", "percentOfCol", "percentOfTotal", "percentOfParentRow", "percentOfParentCol":
		if w := showAsWords[v.showAs]; w != "" {
			return w
		}
		return v.showAs
	}
	w := showAsWords[v.showAs]
	if w == "" {
		w = book.Clip(book.OneLine(v.showAs), headChars) + " of"
	}
	w += " " + pt.field(v.base)
	switch {
	case v.showAs != "difference" && v.showAs != "percent" && v.showAs != "percentDiff":
	case v.baseItem == 1048828:
		w += " (previous)"
	case v.baseItem == 1048829:
		w += " (next)"
	default:
		if items := pt.items[v.base]; v.baseItem >= 0 && v.baseItem < len(items) {
			if x, list := items[v.baseItem], pt.cache.shared[v.base]; x >= 0 && x < len(list) {
				return w + " " + list[x]
			}
		}
		w += " (one item)"
	}
	return w
}

func (pt *pivotTable) value(v pivotValue) string {
	f := v.function
	if w := pivotFunctions[f]; w != "" {
		f = w
	}
	out := f + " of " + pt.field(v.field)
	if v.name != "" && !strings.EqualFold(v.name, out) {
		out = v.name + " (" + out + ")"
	}
	if formula := pt.cache.formulas[v.field]; formula != "" {
		out += " = " + formula
	}
	if as := pt.shownAs(v); as != "" {
		out += ", shown as " + as
	}
	return out
}
