package docx

import (
	opset "atelier/formats/ops"
	"atelier/internal/lenient"
)

// tracking is what operations take whose edits can be recorded as revisions.
type tracking struct {
	TrackChanges *lenient.Bool `json:"track_changes"`
	Author       string        `json:"author"`
}

// members is which members each operation takes: see package ops.
var members = opset.New(Operation{}, map[string]string{
	"replace_text":        "search, replace, match_case?, whole_word?, regex?, scope? or at?, {tracking}?",
	"set_paragraph":       "at, text or runs, {layout}?, {font}?, {tracking}?",
	"insert_paragraph":    "at, where?, text or runs or paragraphs, list? or like?, {layout}?, {font}?, {tracking}?",
	"delete_paragraph":    "at, count?, {tracking}?",
	"append_paragraph":    "text or runs or paragraphs, list? or like?, {layout}?, {font}?, {tracking}?",
	"set_paragraphs":      "paragraphs (replaces the whole body), list? or like?, {tracking}?",
	"format_paragraph":    "at, count?, {layout}?, list?, {font}?, {tracking}?",
	"format_text":         "search or at, match_case?, whole_word?, regex?, scope?, {font}?, {tracking}?",
	"insert_page_break":   "at?, where?, {tracking}?",
	"add_table":           "at?, where?, rows, header_row?, style?, {tracking}?",
	"set_table_cell":      "at (t0.r1.c2), text or runs or paragraphs, {layout}?, {font}?, {tracking}?",
	"add_table_row":       "at (t0 or t0.r1), where?, cells or rows, {tracking}?",
	"delete_table_row":    "at (t0.r1), count?, {tracking}?",
	"add_table_column":    "at (t0.r0.c1), where?, cells, {tracking}?",
	"delete_table_column": "at (t0.r0.c1), {tracking}?",
	"delete_table":        "at (t0), {tracking}?",
	"set_header":          "text or runs or paragraphs, type?, at? ({page} and {pages} become fields), {layout}?, {font}?, {tracking}?",
	"set_footer":          "text or runs or paragraphs, type?, at? ({page} and {pages} become fields), {layout}?, {font}?, {tracking}?",
	"add_image":           "path, at?, where?, width?, height?, alt?, {layout}?, {tracking}?",
	"add_hyperlink":       "url, search, at?, match_case?, whole_word?, regex?, scope?; or url, at, text or runs, {font}?; {tracking}?",
	"add_comment":         "text or runs or paragraphs, at or search, author?, match_case?, whole_word?, regex?, scope?, {layout}?, {font}?",
	"delete_comment":      "id or at (cm3)",
	"copy_styles":         "path, styles, {tracking}?",
	"accept_changes":      "author?",
	"reject_changes":      "author?",
}, opset.Options{
	Groups: map[string]any{"layout": Layout{}, "font": Font{}, "tracking": tracking{}},
	Old:    map[string]string{"find": "search"},
})

// Usage implements formats.Editor.
func (editor) Usage(op string) string { return members.Usage(op) }
