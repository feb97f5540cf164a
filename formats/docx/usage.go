package docx

// usage is which members each operation takes; a question mark marks those that
// may be left out.
var usage = map[string]string{
	"replace_text":        "search, replace, match_case?, whole_word?, regex?, scope? or at?",
	"set_paragraph":       "at, text or runs, layout?",
	"insert_paragraph":    "at, where?, text or runs or paragraphs, list? or like?, layout?",
	"delete_paragraph":    "at, count?",
	"append_paragraph":    "text or runs or paragraphs, list? or like?, layout?",
	"set_paragraphs":      "paragraphs (replaces the whole body), list? or like?",
	"format_paragraph":    "at, count?, layout?, list?, font?",
	"format_text":         "search or at, font",
	"insert_page_break":   "at?, where?",
	"add_table":           "at?, where?, rows, header_row?, style?",
	"set_table_cell":      "at (t0.r1.c2), text or runs or paragraphs",
	"add_table_row":       "at (t0 or t0.r1), where?, cells or rows",
	"delete_table_row":    "at (t0.r1), count?",
	"add_table_column":    "at (t0.r0.c1), where?, cells",
	"delete_table_column": "at (t0.r0.c1)",
	"delete_table":        "at (t0)",
	"set_header":          "text or paragraphs, type?, at? ({page} and {pages} become fields)",
	"set_footer":          "text or paragraphs, type?, at? ({page} and {pages} become fields)",
	"add_image":           "path, at?, where?, width?, height?, alt?, alignment?",
	"add_hyperlink":       "url, search, at?; or url, at, text",
	"add_comment":         "text, at or search, author?",
	"delete_comment":      "id",
	"copy_styles":         "path, styles",
	"accept_changes":      "author?",
	"reject_changes":      "author?",
}

// Usage implements formats.Editor. layout stands for style, alignment, space_ and
// indent_ members, line_spacing, keep_with_next and page_break_before; font for
// font_name, font_size, bold, italic, underline, strike, font_color and
// highlight_color.
func (editor) Usage(op string) string { return usage[op] }
