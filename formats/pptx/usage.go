package pptx

import opset "atelier/formats/ops"

// members is which members each operation takes: see package ops.
var members = opset.New(Operation{}, map[string]string{
	"add_slide":           "layout?, title? or title_runs?, body? or body_runs? or paragraphs?, position?, {paragraph}?, {font}?",
	"duplicate_slide":     "index, position?",
	"delete_slide":        "index",
	"move_slide":          "index, position",
	"hide_slide":          "index, hidden?",
	"set_slide_text":      "index, title? or title_runs?, body? or body_runs? or paragraphs?, {paragraph}?, {font}?",
	"append_bullets":      "index, bullets or paragraphs, {paragraph}?, {font}?",
	"set_shape_text":      "index, shape_id or shape_name, text or paragraphs, {paragraph}?, {font}?",
	"replace_text":        "search, replace, match_case?, whole_word?, regex?, slides? or index?, notes?",
	"set_table_cell":      "index, shape_id? or shape_name?, row, column, text or paragraphs, {paragraph}?, {font}?",
	"add_table_row":       "index, shape_id? or shape_name?, row?, cells",
	"delete_table_row":    "index, shape_id? or shape_name?, row",
	"add_table_column":    "index, shape_id? or shape_name?, column?, cells",
	"delete_table_column": "index, shape_id? or shape_name?, column",
	"set_notes":           "index, text or paragraphs, {paragraph}?, {font}?",
	"set_layout":          "index, layout",
	"add_table":           "index, rows, {place}?, shape_name? (its name), alt?",
	"add_chart":           "index, type, categories, series, title?, x_title?, y_title?, {place}?, shape_name? (its name), alt?",
	"add_image":           "index, path, {place}?, shape_name? (its name), alt?",
	"add_text_box":        "index, text or paragraphs, {place}?, shape_name? (its name), {paragraph}?, {font}?",
	"move_shape":          "index, shape_id or shape_name, {place}?",
	"delete_shape":        "index, shape_id or shape_name",
	"set_hyperlink":       "index, shape_id or shape_name, url, of?",
	"set_alt_text":        "index, shape_id or shape_name, text",
}, opset.Options{
	Groups: map[string]any{"paragraph": ParagraphFormat{}, "font": Font{}, "place": Place{}},
	Old:    map[string]string{"find": "search", "slide_index": "index", "at": "position"},
})

// Usage implements formats.Editor.
func (editor) Usage(op string) string { return members.Usage(op) }
