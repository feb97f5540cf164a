package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/loose"
)

type readArgs struct {
	Path       string     `json:"path" jsonschema:"File path"`
	Sheet      string     `json:"sheet,omitempty" jsonschema:"Sheet name (xlsx only)"`
	Range      string     `json:"range,omitempty" jsonschema:"Cell range like A1:E50, A:C, 3:9, Sheet!A1:B2, a table or defined name; several with commas (xlsx only)"`
	Section    string     `json:"section,omitempty" jsonschema:"Section heading or 0-based index; or addresses: p10-p40, t2, h0 (docx only)"`
	SlideIndex *loose.Int `json:"slide_index,omitempty" jsonschema:"Slide index, 0-based (pptx only)"`
	Pages      string     `json:"pages,omitempty" jsonschema:"Pages like 3 or 1-5 or 1,4-6 (pdf only)"`
	LineStart  *loose.Int `json:"line_start,omitempty" jsonschema:"First line, 1-based (text only)"`
	LineCount  *loose.Int `json:"line_count,omitempty" jsonschema:"Number of lines, default 200 (text only)"`
	Include    []string   `json:"include,omitempty" jsonschema:"What else to show: addresses (for editing docx and pptx), headers, notes, comments, changes (tracked, docx), formulas, estimates (of formulas without a value), hidden (xlsx), all"`
}

// legacyPages are the superseded page members, read but not advertised (C-36).
type legacyPages struct {
	PageStart *loose.Int `json:"page_start,omitempty"`
	PageEnd   *loose.Int `json:"page_end,omitempty"`
}

func readFile() *Tool {
	t := New("read", "Read content from a file. Use get_file_info first for the structure, then read specific regions: sheet and range of a workbook, section of a document, slide, pages, lines. A partial answer says what part it is and how to get the next.", Read,
		func(ctx context.Context, env *Env, a struct {
			readArgs
			legacyPages
		}) (any, error) {
			return readPart(ctx, env, a.readArgs, a.legacyPages)
		})
	schema, err := schemaFor[readArgs]()
	if err != nil {
		panic("tools: read: " + err.Error())
	}
	t.Schema = schema
	return t
}

func readPart(ctx context.Context, env *Env, a readArgs, old legacyPages) (any, error) {
	src, f, err := open(ctx, env, a.Path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	switch {
	case f.Kind == formats.KindImage:
		return fmt.Sprintf("Image file: %s (use get_file_info for metadata)", a.Path), nil
	case f.Reader == nil:
		return fmt.Sprintf("Binary/opaque file: %s (content not readable)", a.Path), nil
	}
	sel := formats.Selector{Sheet: a.Sheet, Range: a.Range, Section: a.Section, SlideIndex: a.SlideIndex.Ptr(),
		Pages: a.Pages, LineStart: a.LineStart.Ptr(), LineCount: a.LineCount.Ptr(), Include: a.Include}
	if sel.Pages == "" && old.PageStart != nil {
		sel.Pages = strconv.Itoa(int(*old.PageStart))
		if old.PageEnd != nil {
			sel.Pages += "-" + strconv.Itoa(int(*old.PageEnd))
		}
	}
	text, err := f.Reader.Read(ctx, src, sel)
	if err != nil {
		return nil, err
	}
	if text.Chunk == nil {
		return text.Text, nil
	}
	return chunked(env, text), nil
}

// envelope is a partial read (W-42). The text stands last, so that shortening
// never cuts what says which part it is.
type envelope struct {
	Chunk *formats.ChunkInfo `json:"chunk_info"`
	Text  string             `json:"text"`
}

// chunked writes the envelope, its text cut so that the whole stays valid JSON
// within the limit.
func chunked(env *Env, text formats.Text) any {
	e := envelope{text.Chunk, text.Text}
	b, err := compact(e)
	if err != nil || len(b) <= env.resultMax() {
		return e
	}
	// Not the envelope but its plain form is shortened by the catalogue.
	var sb strings.Builder
	c := text.Chunk
	fmt.Fprintf(&sb, "[part %d of %d: %s", c.ChunkIndex+1, c.TotalChunks, c.Range)
	if c.HasMore && c.Next != "" {
		fmt.Fprintf(&sb, "; next: %s", c.Next)
	}
	sb.WriteString("]\n")
	sb.WriteString(text.Text)
	return sb.String()
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
