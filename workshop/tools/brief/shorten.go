package brief

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/textclip"
	"atelier/llm"
)

// schema is a JSON Schema as the catalogues have them.
type schema struct {
	Type        any                `json:"type,omitempty"`
	Description string             `json:"description,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Enum        []any              `json:"enum,omitempty"`
	Additional  any                `json:"additionalProperties,omitempty"`
	any         bool               // the schema is "true"
}

func (s *schema) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		s.any = true
		return nil
	}
	type plain schema
	return json.Unmarshal(b, (*plain)(s))
}

func (s *schema) MarshalJSON() ([]byte, error) {
	if s.any {
		return []byte("{}"), nil
	}
	type plain schema
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode((*plain)(s))
	return bytes.TrimSpace(b.Bytes()), err
}

// common are the operations of everyday edits, with the members a short
// description has of them. The others are named.
var common = map[string]string{
	"xlsx_operations": "set_cells(sheet, cells); set_range(sheet, start, values); replace_text(search, replace); ensure_sheet(sheet)",
	"docx_operations": "replace_text(search, replace); set_paragraph(at, text); insert_paragraph(at, where, text); append_paragraph(text); delete_paragraph(at); set_table_cell(at, text)",
	"pptx_operations": "replace_text(search, replace); set_slide_text(index, title, body); add_slide(layout, title, body, position); append_bullets(index, bullets)",
}

// explained are what cannot go without a description, in short.
var explained = map[string]string{"at": "address such as p12 or t0.r1.c2", "values": "rows of values", "where": "before or after", "index": "slide, 0-based",
	"include": "also: addresses (for at), styles, headers, notes, comments, formulas, hidden, images, charts, pivots, rules, page"}

// rare are arguments that a short description leaves out, plain those whose name
// says enough.
var (
	rare = []string{"dry_run", "track_changes", "detail", "create_if_missing", "tables", "buttons", "style", "type",
		"clear_target_range", "create_sheet_if_missing", "create_workbook_if_missing", "literal", "include_header", "start_cell", "source_range", "expected", "match_case", "whole_word", "max", "guard_formulas", "kinds", "zoom", "scenarios", "goal"}
	plain = []string{"path", "sheet", "limit", "offset", "content", "create_new", "from", "to", "overwrite", "search", "replace", "target_path", "entry_id", "query", "language", "range", "source_sheet", "operations", "columns", "translations"}
)

// summaries are descriptions of tools in fewer words than their first clause,
// arguments those of arguments.
var (
	summaries = map[string]string{
		"list_files":               "List the files with kind and size",
		"get_file_info":            "Structure of a file, without content",
		"read_file":                "Read a file",
		"write_text_file":          "Write or replace a text file",
		"replace_text":             "Replace text in a text file",
		"delete":                   "Delete a file, or a folder with all in it",
		"audit":                    "Look for likely mistakes in a workbook, document or deck",
		"calculate":                "What cells would be if others were changed; scenarios, goal seek",
		"table_describe":           "Columns of a table (csv, tsv; sheet, table or range of xlsx)",
		"table_stats":              "Figures of its columns",
		"table_read_rows":          "Its rows, with typed values",
		"table_query":              "SQL over it: filter, group, sum, join",
		"table_export":             "Write it, or a query of it, to a new csv or xlsx",
		"table_update_from_export": "Write it, or a query of it, into a sheet",
		"get_segments":             "List translatable texts with their ids",
		"put_translations":         "Write translations of segments, formatting kept",
		"search_files":             "Find text and names in all files, with addresses that tools take",
	}
	arguments = map[string]string{
		"line_start":    "1-based (text)",
		"line_count":    "default 200",
		"row_count":     "default 100",
		"window_rows":   "default 100",
		"window_offset": "rows to skip",
		"pages":         "1-based, like 3 or 2-4",
		"slide_index":   "0-based",
		"section":       "heading or 0-based index",
		"side":          "draft or published",
		"questions":     "1 to 4",
		"set":           "Sheet!A1 to value or =formula",
		"ranked":        "best passages for a question",
		"edits":         "lines numbered as before the edits",
	}
)

// descriptionMax is how long the description of a tool may be in short, and
// that of an argument, in bytes.
const (
	descriptionMax = 90
	argumentMax    = 40
)

// shorten gives t in a few words; those of a tool with operations name all operations
// if named is true.
func shorten(t llm.Tool, named bool) llm.Tool {
	f := t.Function
	var s schema
	if json.Unmarshal(f.Parameters, &s) != nil {
		return t
	}
	ops := operations(&s)
	if ops != nil {
		f.Description = shortOps(f.Name, ops, s.Properties["operations"].Items, named)
	} else {
		f.Description = cmp.Or(summaries[f.Name], clause(f.Description, descriptionMax), words(f.Description, descriptionMax))
	}
	s.trim(argumentMax)
	b, err := json.Marshal(&s)
	if err != nil {
		return t
	}
	f.Parameters = b
	t.Function = f
	return t
}

// trim leaves out what is rare and shortens descriptions to their first clause;
// those of members go.
func (s *schema) trim(max int) {
	s.Additional = nil
	for name, p := range s.Properties {
		switch {
		case slices.Contains(rare, name) && !slices.Contains(s.Required, name):
			delete(s.Properties, name)
			s.Additional = true // some grammars take nothing that is not allowed
		case slices.Contains(plain, name):
			p.Description = ""
		case explained[name] != "" && (max == 0 || name == "include"):
			p.Description = explained[name]
		case arguments[name] != "" && max > 0:
			p.Description = arguments[name]
		default:
			p.Description = clause(p.Description, max)
		}
		p.trim(0)
	}
	if s.Items != nil {
		if s.Items.Description = ""; s.Items.Properties["op"] != nil {
			s.Items.trim(0)
			s.Items.Additional = true
			return
		}
		s.Items.trim(0)
	}
}

// shortOps describes the operations and cuts their schema to the members of the
// common ones.
func shortOps(tool string, ops []op, items *schema, named bool) string {
	keep := map[string]bool{"op": true}
	known := map[string]bool{}
	for _, o := range split(common[tool]) {
		known[o.name] = true
		for _, m := range o.members(items) {
			keep[m] = true
		}
	}
	var names []string
	for _, o := range ops {
		if !known[o.name] {
			names = append(names, o.name)
		}
	}
	for name := range items.Properties {
		if !keep[name] {
			delete(items.Properties, name)
		}
	}
	items.Properties["op"] = &schema{Type: "string"}
	short := edits(tool) + " " + common[tool] + ". "
	if !named {
		return short + fmt.Sprintf("%s gives %d more", DescribeTool, len(names))
	}
	return short + "More, see " + DescribeTool + ": " + strings.Join(names, ", ")
}

// edits says what a tool with operations does.
func edits(tool string) string {
	return "Edit a " + strings.TrimSuffix(tool, "_operations") + ": all operations or none."
}

// words returns the first words of s, in about max bytes.
func words(s string, max int) string {
	s = textclip.Bytes(strings.Join(strings.Fields(s), " "), max)
	if i := strings.LastIndexByte(s, ' '); i > 0 {
		s = s[:i]
	}
	return s + " …"
}

// clause returns the first sentence or clause of s that fits in max bytes; "" when
// none does.
func clause(s string, max int) string {
	s, _, _ = strings.Cut(s, "\n")
	for _, end := range []string{". ", "; ", ": "} {
		if len(s) <= max {
			break
		}
		s, _, _ = strings.Cut(s, end)
	}
	if len(s) > max {
		return ""
	}
	return strings.TrimSuffix(s, ".")
}
