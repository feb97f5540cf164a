package xlsx

import (
	"context"
	"maps"
	"slices"

	"atelier/formats"
	opset "atelier/formats/ops"
	"atelier/formats/xlsx/internal/stylesheet"
	"atelier/internal/lenient"
)

// operations are in the order in which a reader should learn them.
var operations = opset.NewTable(
	inPlan("ensure_sheet", (*plan).ensureSheet),
	inPlan("set_cells", (*plan).setCells),
	inPlan("set_range", (*plan).setRange),
	inPlan("delete_sheet", (*plan).deleteSheet),
	inPlan("set_column_widths", (*plan).setWidths),
	inPlan("set_row_heights", (*plan).setHeights),
	inPlan("freeze_panes", (*plan).freezePanes),
	opset.Rare(inPlan("set_sheet_view", (*plan).setSheetView)),
	opset.Rare(inPlan("set_page_setup", (*plan).pageSetup)),
	inPlanOrNew("set_style", (*plan).setStyle),
	inPlan("merge_cells", (*plan).mergeCells),
	opset.Rare(inPlan("unmerge_cells", (*plan).unmergeCells)),
	inPlan("autofilter", (*plan).autoFilter),
	opset.Rare(alone("filter_rows", filterRows)),
	opset.Rare(inPlan("set_hyperlink", (*plan).setHyperlink)),
	inPlan("add_table", (*plan).addTable),
	opset.Rare(inPlan("add_image", (*plan).addImage)),
	opset.Rare(inPlan("add_chart", (*plan).addChart)),
	inPlan("conditional_format", (*plan).conditionalFormat),
	opset.Rare(inPlan("data_validation", (*plan).dataValidation)),
	opset.Rare(inPlan("set_sparklines", (*plan).setSparklines)),
	inPlan("add_comment", (*plan).addComment),
	opset.Rare(inPlan("delete_comment", (*plan).deleteComment)),
	opset.Rare(inPlan("resolve_comment", (*plan).resolveComment)),
	opset.Rare(inNewPlan("copy_styles", (*plan).copyStyles)),
	opset.Rare(inNewPlan("copy_sheet_from", (*plan).copySheetFrom)),
	alone("insert_rows", insertRows),
	alone("delete_rows", deleteRows),
	alone("insert_columns", insertColumns),
	alone("delete_columns", deleteColumns),
	opset.Rare(alone("move_rows", moveRows)),
	opset.Rare(alone("move_columns", moveColumns)),
	alone("rename_sheet", renameSheet),
	alone("copy_sheet", copySheet),
	opset.Rare(alone("move_sheet", moveSheet)),
	opset.Rare(alone("hide_sheet", hideSheet)),
	opset.Rare(alone("unhide_sheet", unhideSheet)),
	opset.Rare(alone("protect_sheet", protectSheet)),
	opset.Rare(alone("protect_workbook", protectWorkbook)),
	inPlanOrNew("hide_rows", (*plan).hideRows),
	opset.Rare(inPlan("hide_columns", (*plan).hideColumns)),
	opset.Rare(alone("group_rows", groupRows)),
	opset.Rare(inPlan("group_columns", (*plan).groupColumns)),
	alone("clear_range", clearRange),
	alone("copy_range", copyRange),
	alone("fill", fillRange),
	alone("sort_range", sortRange),
	alone("replace_text", replaceText),
	opset.Rare(alone("define_name", defineName)),
	opset.Rare(alone("delete_name", deleteName)),
	opset.Rare(alone("add_pivot", addPivot)),
	opset.Rare(alone("change_pivot", changePivot)),
	opset.Rare(alone("refresh_pivot", refreshPivot)),
	opset.Rare(alone("delete_pivot", deletePivot)),
	opset.Rare(alone("change_chart", changeChart)),
	opset.Rare(alone("delete_chart", deleteChart)),
	opset.Define("recalculate", func(e *edit, ctx context.Context, args recalculateArgs) error { return recalculate(ctx, e, args) }),
)

// inPlan is the table's row of an operation that goes into the plan: it writes
// cells, and elements beside the rows, into places that stay where they are. do
// returns how many cells it wrote.
func inPlan[A any](name string, do func(p *plan, ctx context.Context, args A) (int, error)) opset.Op[*edit] {
	return opset.Define(name, func(e *edit, ctx context.Context, args A) error { return intoPlan(ctx, e, false, args, do) })
}

// inNewPlan is inPlan for an operation that reads the workbook, and therefore
// needs the changes of the operations before it in the file.
func inNewPlan[A any](name string, do func(p *plan, ctx context.Context, args A) (int, error)) opset.Op[*edit] {
	return opset.Define(name, func(e *edit, ctx context.Context, args A) error { return intoPlan(ctx, e, true, args, do) })
}

// inPlanOrNew is inPlan for an operation that reads the workbook where its arguments
// say so.
func inPlanOrNew[A interface{ anew() bool }](name string, do func(p *plan, ctx context.Context, args A) (int, error)) opset.Op[*edit] {
	return opset.Define(name, func(e *edit, ctx context.Context, args A) error {
		return intoPlan(ctx, e, args.anew(), args, do)
	})
}

// alone is the table's row of an operation that moves places or changes names,
// or that needs the whole workbook: it has a pass to itself.
func alone[A any](name string, do func(ctx context.Context, e *structure, args A) error) opset.Op[*edit] {
	return opset.Define(name, func(e *edit, ctx context.Context, args A) error { return runAlone(ctx, e, args, do) })
}

// sheetArgs is the member of operations on one sheet.
type sheetArgs struct {
	Sheet string `json:"sheet" usage:"sheet" jsonschema:"name of the sheet; set_cells, set_range and ensure_sheet create it when it is missing"`
}

// rangeArgs are the members of operations on a block of cells.
type rangeArgs struct {
	sheetArgs
	Range string `json:"range" usage:"range" jsonschema:"A1:C3, B2, A:C or 3:9; set_style, clear_range, hide_, insert_ and delete_ rows or columns: several with commas"`
}

// cornerArgs are the members of operations on one cell, or on an object with
// its top left corner there.
type cornerArgs struct {
	sheetArgs
	Cell string `json:"cell" usage:"cell" jsonschema:"set_hyperlink: where; add_chart, add_image: top left corner; such as B2"`
}

// styleArgs is the member of operations that may format the cells they write.
type styleArgs struct {
	Style styleMap `json:"style" jsonschema:"set_style, set_range, set_cells, set_hyperlink: what to change of font_name, font_size, font_bold, font_italic, font_underline, font_strike, font_color (RRGGBB), fill_color, fill_pattern, number_format, h_align, v_align, wrap_text, text_rotation, indent, border (all sides), border_top, border_bottom, border_left, border_right ({style,color} or a style), locked, hidden"`
}

// styleMap is a style as callers give it: values by property.
type styleMap map[string]any

// Keys implements ops.Keyed.
func (styleMap) Keys() []string { return slices.Sorted(maps.Keys(stylesheet.Keys)) }

// removeArgs is the member of operations that also undo what they do.
type removeArgs struct {
	Remove lenient.Bool `json:"remove" usage:"or remove" jsonschema:"{ops}: take it away"`
}

// whereArgs is the member of operations on the rows that meet conditions.
type whereArgs struct {
	Where []FilterCriterion `json:"where" jsonschema:"{ops}: only the rows that meet these; range has the header row"`
}

// headerArgs is the member of operations on rows below column names.
type headerArgs struct {
	HasHeader *lenient.Bool `json:"has_header" jsonschema:"the first row holds the column names; default true for add_table, false for sort_range"`
}

// sizeArgs are the members of operations that add an object.
type sizeArgs struct {
	Width  *lenient.Float `json:"width" jsonschema:"inches"`
	Height *lenient.Float `json:"height" jsonschema:"inches"`
}

// altArgs is the alternative text of an object.
type altArgs struct {
	Alt string `json:"alt" jsonschema:"{ops}: description for people who cannot see it"`
}

// Operation implements formats.Editor.
func (editor) Operation() (any, []string) { return operations.Zero(), operations.Names() }

// Usage implements formats.Editor.
func (editor) Usage(op string) string { return operations.Usage(op) }

// Groups implements formats.Editor.
func (editor) Groups() []formats.MemberGroup { return operations.Groups() }

// Rare implements formats.Editor.
func (editor) Rare(op string) bool { return operations.Rare(op) }
