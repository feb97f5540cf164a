package catalogue

import (
	"encoding/json"

	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

type readArgs struct {
	Path   string       `json:"path" jsonschema:"Full path of the file"`
	Offset *lenient.Int `json:"offset,omitempty" jsonschema:"First line, 0-based, default 0; negative counts from the end (-100: the last 100 lines)"`
	Limit  *lenient.Int `json:"limit,omitempty" jsonschema:"Most lines to return, default 500; 0 is all"`
	Cursor *lenient.Int `json:"cursor,omitempty" jsonschema:"Scroll mode: the line reached so far; offset is then relative to it"`
}

type readResult struct {
	Path       string  `json:"path"`
	Content    content `json:"content"`
	Hash       string  `json:"hash"`
	Synced     bool    `json:"synced"`
	TotalLines *int    `json:"total_lines"`
	Truncated  *bool   `json:"truncated"`
	Offset     *int    `json:"offset"`
	Limit      *int    `json:"limit"`
	Cursor     *int    `json:"cursor,omitempty"`
	Extracted  bool    `json:"extracted,omitempty"` // the text was taken out of a document; its lines are counted
}

// content is a text, or a stored JSON value as it is (B-09).
type content struct {
	text  string
	value json.RawMessage
}

// MarshalJSON writes whichever it is.
func (c content) MarshalJSON() ([]byte, error) {
	if c.value != nil {
		return c.value, nil
	}
	return tools.Compact(c.text)
}

// defaultLines is the most lines a read returns unless asked.
const defaultLines = 500

// farthest bounds line numbers, so that adding two of them cannot overflow.
const farthest = 1 << 40

func bounded(v *lenient.Int) int {
	if v == nil {
		return 0
	}
	return max(-farthest, min(farthest, int(*v)))
}

// lineRange makes a window of offset, limit and cursor (B2-03, B2-04, B2-11).
func lineRange(offset, cursor *lenient.Int, limit int) files.LineRange {
	if cursor != nil {
		return files.LineRange{Start0: max(0, bounded(cursor)+bounded(offset)), Count: limit}
	}
	return files.FromOffset(bounded(offset), limit)
}

func scaleRead(t *tools.Tool) tools.Binding {
	return tools.Bind("read", "Read a file, whole or some of its lines. The hash is of the full content: pass it to edit as last_read_hash. Office and PDF files are given as their extracted text (extracted: true). truncated says that more lines follow.", t,
		func(_ *tools.Env, a readArgs) (files.ReadArgs, error) {
			limit, err := limitOr("limit", a.Limit, defaultLines)
			if err != nil {
				return files.ReadArgs{}, err
			}
			p, err := clamp("path", a.Path)
			r := lineRange(a.Offset, a.Cursor, limit)
			return files.ReadArgs{Path: p, Lines: &r}, err
		},
		func(_ *tools.Env, a readArgs, c files.Content) (any, error) {
			r := readResult{Path: absolute(c.Entry.Path), Content: content{c.Text, c.Value}, Hash: c.Entry.Hash, Synced: c.Entry.Synced, Extracted: c.Extracted}
			if c.Value != nil {
				return r, nil
			}
			limit, err := limitOr("limit", a.Limit, defaultLines)
			r.TotalLines, r.Truncated, r.Offset, r.Limit = &c.Total, &c.Truncated, &c.Start0, &limit
			if a.Cursor != nil {
				next := c.End0
				r.Cursor = &next
			}
			return r, err
		}).Worded(worded(map[files.Why]word{files.IsFolder: {workshop.Invalid, "path", "Cannot read content of a folder"}}))
}
