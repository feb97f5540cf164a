package pivot

import (
	"time"

	"atelier/formats"
)

// ValuesField stands for the names of the values among the fields of an axis
// (18.10.1.29, x="-2").
const ValuesField = -2

// Axis is where a field of a pivot table is.
type Axis uint8

// The axes.
const (
	NoAxis Axis = iota
	RowAxis
	ColAxis
	PageAxis
)

// Sort is the order of the items of a field.
type Sort uint8

// The orders: as the items are listed, or by label or value.
const (
	AsListed Sort = iota
	Ascending
	Descending
)

// Item is an entry of the items of a field of a pivot table (18.10.1.45).
type Item struct {
	Index     int // of the shared item or the group
	Hidden    bool
	Collapsed bool
	Missing   bool // no record has it
	Caption   string
}

// Field is a field of a cache with what a pivot table does with it (18.10.1.3 and
// 18.10.1.69).
type Field struct {
	Name    string
	Caption string  // another name in the table, "" for none
	Column  int     // of the data; -1 for one that only groups another field or is calculated
	Formula string  // of a calculated field, such as Amount/Units
	Shared  []Value // the different values, in the order in which the cache lists them
	Group   *Group  // how values are put together, nil for each on its own
	NumFmt  int     // number format id of the field

	Axis         Axis
	DataField    bool
	Items        []Item
	Sort         Sort
	SortBy       int // index of the value to sort by, -1 for the label
	Subtotal     bool
	SubtotalTop  bool
	Compact      bool
	Outline      bool
	RepeatLabels bool
	ShowEmpty    bool // also items without records (attribute showAll)
	Multiple     bool // several items of a page field may be chosen
	Selected     int  // index in Items of the item that a page field keeps, -1 for all

	shared map[string]int
	place  map[int]int        // of an entry in Items
	dates  string             // number format code of dates
	label  func(Value) string // shows items that are no text
}

// Function is how values are put together (18.18.17).
type Function string

// The functions.
var Functions = []Function{"sum", "count", "average", "max", "min", "product", "countNums", "stdDev", "stdDevp", "var", "varp"}

// Measure is a value of a pivot table (18.10.1.22).
type Measure struct {
	Name                string
	Field               int
	Function            Function // "" is sum
	ShowAs              ShowAs
	BaseField, BaseItem int    // what it is shown in relation to; BaseItem is an index in Items, or PreviousItem or NextItem
	NumFmt              int    // number format id, 0 for General
	Format              string // its code
}

// Words are what a pivot table calls its parts.
type Words struct {
	Rows, Columns, Grand, Values, Blank, All, Several, Total string
}

// English are the words of new pivot tables.
var English = Words{Rows: "Row Labels", Columns: "Column Labels", Grand: "Grand Total", Values: "Values", Blank: "(blank)", All: "(All)", Several: "(Multiple Items)", Total: "Total"}

// Table is a pivot table.
type Table struct {
	Name          string
	Fields        []*Field
	Rows, Columns []int // indexes of fields, or ValuesField
	Pages         []int
	Values        []Measure
	Filters       []Filter
	Now           time.Time // what filters such as thisYear are about
	RowGrand      bool      // a column with the totals of rows
	ColGrand      bool      // a row with the totals of columns
	Words         Words
	ErrorText     string // shown for errors, "" for the error
	MissingText   string // shown for combinations without records
	ClassicLayout bool   // gridDropZones: a line for the names of fields above
	ValuesLine    bool   // the caption of the values has a line in layouts that are not compact
	HideHeaders   bool
	Style         string
	Date1904      bool

	slots []int   // fields whose sums calculated fields need
	exprs []*expr // of the values that are calculated fields
}

// The limits of a pivot table.
const (
	MaxItems  = 100_000   // of a field on an axis
	MaxOutput = 1_000_000 // cells
	maxCube   = 2_000_000 // combinations
)

// caption is the name that the table shows for a field.
func (t *Table) caption(i int) string {
	if i == ValuesField {
		return t.Words.Values
	}
	if f := t.Fields[i]; f.Caption != "" {
		return f.Caption
	}
	return t.Fields[i].Name
}

// Intern gives the fields of the data that are on an axis their shared items: those
// they have stay in place, new ones follow.
func (t *Table) Intern(d *Data) error {
	for _, f := range t.Fields {
		if f.Column < 0 || f.Group == nil && f.Axis == NoAxis && len(f.Shared) == 0 && !d.Columns[f.Column].texted() {
			continue
		}
		if err := f.intern(d.Columns[f.Column]); err != nil {
			return err
		}
	}
	return nil
}

// texted reports whether a column has texts, which caches list once.
func (c *Column) texted() bool { return len(c.texts) > 0 }

// intern lists the different values of a column.
func (f *Field) intern(c *Column) error {
	f.shared = make(map[string]int, len(f.Shared))
	for i, v := range f.Shared {
		if _, again := f.shared[v.key()]; !again {
			f.shared[v.key()] = i
		}
	}
	limit, cached := MaxItems, len(f.Shared)
	if f.Axis == NoAxis || f.Group != nil {
		limit = 1 << 20
	}
	for i := range c.kinds {
		v := c.At(i)
		k := v.key()
		if at, known := f.shared[k]; known {
			if v.Kind == Date && at < cached { // the cache has it to the second only
				f.Shared[at] = v
			}
			continue
		}
		if len(f.Shared) >= limit {
			return formats.Errorf(formats.CodeTooLarge, "the field %q has more than %d different values, too many for rows, columns or filters of a pivot table; group it, or use another field", f.Name, limit)
		}
		f.shared[k] = len(f.Shared)
		f.Shared = append(f.Shared, v)
	}
	return nil
}

// entries are the values that the items of a field stand for: groups or shared items.
func (f *Field) entries() []Value {
	if f.Group != nil {
		return f.Group.Labels
	}
	return f.Shared
}

// UpdateItems lists the items of a field that is on an axis: those that it has
// stay in their places, and new ones follow in order. A new field lists all in order.
func (f *Field) UpdateItems(present map[int]bool) {
	if f.Axis == NoAxis {
		return
	}
	entries := f.entries()
	listed := map[int]bool{}
	for i := range f.Items {
		f.Items[i].Missing = !present[f.Items[i].Index]
		listed[f.Items[i].Index] = true
	}
	var more []int
	for i := range entries {
		if !listed[i] && (present[i] || f.Group != nil) {
			more = append(more, i)
		}
	}
	if f.Group == nil {
		sortEntries(more, entries)
	}
	for _, i := range more {
		f.Items = append(f.Items, Item{Index: i, Missing: !present[i]})
	}
	f.place = make(map[int]int, len(f.Items))
	for n, it := range f.Items {
		if _, again := f.place[it.Index]; !again {
			f.place[it.Index] = n
		}
	}
}
