package pptx

// usage is which members each operation takes; a question mark marks those that
// may be left out.
var usage = map[string]string{
	"add_slide":           "layout?, title?, body?, position?",
	"duplicate_slide":     "index, position?",
	"delete_slide":        "index",
	"move_slide":          "index, position",
	"hide_slide":          "index, hidden?",
	"set_slide_text":      "index, title?, body? (or title_runs, body_runs, paragraphs)",
	"append_bullets":      "index, bullets or paragraphs",
	"set_shape_text":      "index, shape_id or shape_name, text or paragraphs",
	"replace_text":        "search, replace, match_case?, whole_word?, regex?, slides?, notes?",
	"set_table_cell":      "index, shape_id?, row, column, text",
	"add_table_row":       "index, shape_id?, row?, cells",
	"delete_table_row":    "index, shape_id?, row",
	"add_table_column":    "index, shape_id?, column?, cells",
	"delete_table_column": "index, shape_id?, column",
	"set_notes":           "index, text",
	"set_layout":          "index, layout",
	"add_table":           "index, rows, x?, y?, width?, height?",
	"add_chart":           "index, type, categories, series, title?, x_title?, y_title?, x?, y?, width?, height?, alt?",
	"add_image":           "index, path, x?, y?, width?, height?, alt?",
	"add_text_box":        "index, text, x?, y?, width?, height?",
	"move_shape":          "index, shape_id or shape_name, x?, y?, width?, height?",
	"delete_shape":        "index, shape_id or shape_name",
	"set_hyperlink":       "index, shape_id or shape_name, url, of?",
	"set_alt_text":        "index, shape_id or shape_name, text",
}

// Usage implements formats.Editor.
func (editor) Usage(op string) string { return usage[op] }
