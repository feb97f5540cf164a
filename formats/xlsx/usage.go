package xlsx

import (
	"maps"
	"slices"

	opset "atelier/formats/ops"
	"atelier/formats/xlsx/internal/stylesheet"
)

// members is which members each operation takes: see package ops.
var members = opset.New(Operation{}, map[string]string{
	"ensure_sheet":       "sheet",
	"set_cells":          "sheet, cells, style? (of those that give none)",
	"set_range":          "sheet, start, values, literal?, type?, style?",
	"delete_sheet":       "sheet",
	"set_column_widths":  "sheet, columns",
	"set_row_heights":    "sheet, rows",
	"freeze_panes":       "sheet, row?, column? (0-based, first that scrolls)",
	"set_style":          "sheet, range, style",
	"merge_cells":        "sheet, range",
	"unmerge_cells":      "sheet, range",
	"autofilter":         "sheet, range or remove",
	"set_hyperlink":      "sheet, cell or range, url or location, text?, tooltip?, style?",
	"add_table":          "sheet, range, name?, table_style?, has_header?",
	"add_image":          "sheet, cell, path, width?, height?, alt?",
	"add_chart":          "sheet, cell, type, range or series, title?, x_title?, y_title?, width?, height?, alt?",
	"insert_rows":        "sheet, row (1-based), count?",
	"delete_rows":        "sheet, row (1-based), count?",
	"insert_columns":     "sheet, column, count?",
	"delete_columns":     "sheet, column, count?",
	"rename_sheet":       "sheet, new_name",
	"copy_sheet":         "sheet, new_name?, position?",
	"move_sheet":         "sheet, position (1-based)",
	"hide_sheet":         "sheet",
	"unhide_sheet":       "sheet",
	"hide_rows":          "sheet, row (1-based), count?, hidden?",
	"hide_columns":       "sheet, column, count?, hidden?",
	"clear_range":        "sheet, range, what?",
	"copy_range":         "sheet, range, target, target_sheet?, values_only?",
	"fill":               "sheet, range, direction",
	"sort_range":         "sheet, range, by, has_header?",
	"replace_text":       "search, replace, sheet?, match_case?, whole_cell?, regex?, in_formulas?",
	"conditional_format": "sheet, range, rule or remove",
	"data_validation":    "sheet, range, type, operator?, value?, value2?, list?, error?, prompt?; or remove",
	"add_comment":        "sheet, cell, text, author?",
	"delete_comment":     "sheet, cell",
	"copy_styles":        "sheet, range, source, path?",
	"copy_sheet_from":    "path, sheet, new_name?",
	"recalculate":        "(takes nothing; LibreOffice calculates the formulas that have no value, all others keep theirs)",
	"define_name":        "name, refers_to, scope?",
	"delete_name":        "name, scope?",
}, opset.Options{
	Old:  map[string]string{"find": "search"},
	Keys: map[string][]string{"style": slices.Sorted(maps.Keys(stylesheet.Keys)), "format": slices.Sorted(maps.Keys(stylesheet.Keys))},
})

// Usage implements formats.Editor.
func (editor) Usage(op string) string { return members.Usage(op) }
