package xlsx

import (
	"encoding/json"

	"atelier/internal/lenient"
)

// pivotLayoutArgs are the members that say what a pivot table shows.
type pivotLayoutArgs struct {
	Rows       []PivotField      `json:"row_fields" old:"rows" jsonschema:"{ops}: fields down the side, outermost first: a name, or {field, sort?, sort_by?, show?, hide?, filter?, show_empty?, group?, start?, end?, step?}"`
	Columns    []PivotField      `json:"column_fields" old:"columns" jsonschema:"{ops}: fields across the top, as row_fields"`
	Values     []PivotValue      `json:"value_fields" old:"values" jsonschema:"{ops}: what is calculated: {field, function?, name?, number_format?, show_as?, base_field?, base_item?}"`
	Calculated []PivotCalculated `json:"calculated_fields" jsonschema:"{ops}: fields calculated from the sums of others, for value_fields: {name, formula such as Amount/Units}"`
	Filters    []PivotFilter     `json:"filter_fields" old:"filters" jsonschema:"{ops}: filters above the table: {field, item? or items?}"`
	Layout     string            `json:"layout" jsonschema:"{ops}: compact (default), outline or tabular"`
	Subtotals  *lenient.Bool     `json:"subtotals" jsonschema:"{ops}: totals of the items of outer fields; true unless set"`
	SubtotalAt string            `json:"subtotals_at" jsonschema:"{ops}: top (default) or bottom, in compact and outline layout"`
	Repeat     *lenient.Bool     `json:"repeat_labels" jsonschema:"{ops}: labels of outer fields in each row, in outline and tabular layout"`
	EmptyText  *string           `json:"empty_text" jsonschema:"{ops}: shown where there is no value, such as 0 or -"`
	ErrorText  *string           `json:"error_text" jsonschema:"{ops}: shown instead of errors"`
	Grand      string            `json:"grand_totals" jsonschema:"{ops}: both (default), rows (a column at the right), columns (a row at the bottom) or none"`
	PivotStyle string            `json:"pivot_style" jsonschema:"{ops}: such as PivotStyleLight16 (default), PivotStyleMedium9 or none"`
}

// PivotField is a field of the rows or columns of a pivot table.
type PivotField struct {
	Field  string         `json:"field"`
	Sort   string         `json:"sort,omitempty" jsonschema:"ascending (default) or descending"`
	SortBy string         `json:"sort_by,omitempty" jsonschema:"the name of a value to sort by; default the labels"`
	Show   []any          `json:"show,omitempty" jsonschema:"only these items"`
	Hide   []any          `json:"hide,omitempty" jsonschema:"all but these items"`
	Empty  lenient.Bool   `json:"show_empty,omitempty" jsonschema:"also items without records, such as months without sales"`
	Filter any            `json:"filter,omitempty" jsonschema:"{condition, value?, value2?, by?} or a list of two: begins_with, contains, between, before, this_month …; by the name of a value: top, bottom, greater_than …"`
	Group  any            `json:"group,omitempty" jsonschema:"of dates: years, quarters, months or days, or a list of them; none ungroups"`
	Step   *lenient.Float `json:"step,omitempty" jsonschema:"of numbers: the width of a group"`
	Start  *lenient.Float `json:"start,omitempty" jsonschema:"of numbers: where the first group begins"`
	End    *lenient.Float `json:"end,omitempty" jsonschema:"of numbers: where the last group ends"`
}

// UnmarshalJSON also reads the name of a field.
func (f *PivotField) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &f.Field) == nil {
		return nil
	}
	type plain PivotField
	return json.Unmarshal(b, (*plain)(f))
}

// PivotValue is a value of a pivot table.
type PivotValue struct {
	Field        string `json:"field"`
	Function     string `json:"function,omitempty" jsonschema:"sum (default for numbers), count, average, min, max, product, countNums, stdDev, stdDevp, var or varp"`
	Name         string `json:"name,omitempty" jsonschema:"default such as Sum of Amount"`
	NumberFormat string `json:"number_format,omitempty"`
	ShowAs       string `json:"show_as,omitempty" jsonschema:"percent_of_total, percent_of_row, percent_of_column, percent_of_parent_row, percent_of_parent_column, index; in relation to base_field: percent_of_parent, running_total, percent_of_running_total, rank_ascending, rank_descending; also to base_item: difference, percent, percent_difference"`
	BaseField    string `json:"base_field,omitempty" jsonschema:"for show_as: a field of the rows or columns; default the innermost of the rows"`
	BaseItem     any    `json:"base_item,omitempty" jsonschema:"for show_as: an item of base_field, previous or next"`
}

// UnmarshalJSON also reads the name of a field.
func (v *PivotValue) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &v.Field) == nil {
		return nil
	}
	type plain PivotValue
	return json.Unmarshal(b, (*plain)(v))
}

// PivotCalculated is a field that is calculated from the sums of others.
type PivotCalculated struct {
	Name    string `json:"name"`
	Formula string `json:"formula" jsonschema:"with names of fields, in single quotes where they have spaces, + - * / ^ %, comparisons, IF, IFERROR, ABS, INT, ROUND, SQRT, MIN, MAX, SUM, AND, OR, NOT"`
}

// PivotFilter is a filter above a pivot table.
type PivotFilter struct {
	Field string `json:"field"`
	Item  any    `json:"item,omitempty" jsonschema:"the item that it keeps; all without it"`
	Items []any  `json:"items,omitempty" jsonschema:"several items"`
}

// UnmarshalJSON also reads the name of a field.
func (f *PivotFilter) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &f.Field) == nil {
		return nil
	}
	type plain PivotFilter
	return json.Unmarshal(b, (*plain)(f))
}
