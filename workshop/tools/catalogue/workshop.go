package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/preview"
	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
	"atelier/workshop/tools/look"
)

// newWorkshop returns the catalogue of agent runs (W-30…W-47): relative paths below
// the root, results as text.
func newWorkshop(reg *tools.Registry) (*tools.Catalogue, error) {
	b := &binder{reg: reg}
	b.bind("list", workshopList)
	b.bind("info", workshopInfo)
	b.bind("read", workshopRead)
	b.bind("write", workshopWrite)
	b.bind("replace_text", workshopReplaceText)
	b.bind("edit_lines", workshopEditLines)
	b.bind("move", workshopMove)
	b.bind("copy", workshopCopy)
	b.bind("remove", workshopDelete)
	b.bind("mkdir", workshopMakeFolder)
	b.direct("xlsx_operations", "docx_operations", "pptx_operations", "audit", "calculate",
		"table_describe", "table_stats", "table_read_rows", "table_query", "table_export", "table_update_from_export",
		"get_segments", "put_translations", "convert", "fill_template", "recall_tool_result", "read_skill")
	b.bind("search_files", workshopSearchFiles)
	b.bind("render", workshopRender)
	b.bind("ask_user", askUser)
	return tools.NewCatalogue(tools.Style{Name: "workshop"}, b.list...)
}

type listFilesArgs struct{}

type listedFile struct {
	Path     string `json:"path"`
	Kind     string `json:"kind"`
	Size     int64  `json:"size_bytes"`
	MIME     string `json:"mime_type"`
	IsOpaque bool   `json:"is_opaque,omitempty"`
	Refused  string `json:"cannot_open,omitempty"`
	Withheld string `json:"not_readable,omitempty"` // why the model may not read it
	// ChangedOutside: this is the draft, and the published file is not what it
	// was based on any more.
	ChangedOutside bool `json:"changed_outside,omitempty"`
}

func workshopList(t *tools.Tool) tools.Binding {
	return tools.Bind("list_files", "List all files in the workbench with their metadata: path, kind, size in bytes and media type. Changes made in the draft are included.", t,
		func(*tools.Env, listFilesArgs) (files.ListArgs, error) { return files.ListArgs{Recursive: true}, nil },
		func(_ *tools.Env, _ listFilesArgs, entries []workshop.Entry) (any, error) {
			out := []listedFile{}
			for _, e := range entries {
				if !e.IsDir && !e.IsSpecial() {
					out = append(out, listedFile{string(e.Path), string(e.Kind), e.Size, e.MIME, e.Kind == formats.KindBinary, e.Refused, e.Withheld, e.ChangedOutside})
				}
			}
			return out, nil
		})
}

type getFileInfoArgs struct {
	Path       string       `json:"path" jsonschema:"File path"`
	Detail     lenient.Bool `json:"detail,omitempty" jsonschema:"Say all that fits"`
	Sheet      lenient.Text `json:"sheet,omitempty" jsonschema:"Only this sheet, in more detail (xlsx only)"`
	Section    lenient.Text `json:"section,omitempty" jsonschema:"Only this section, by heading or 0-based index (docx only)"`
	SlideIndex *lenient.Int `json:"slide_index,omitempty" jsonschema:"Only this slide, 0-based (pptx only)"`
}

// fileHead is what get_file_info says of every file; what its structure is made of comes
// beside it.
type fileHead struct {
	Path string       `json:"path"`
	Kind formats.Kind `json:"kind"`
	Size int64        `json:"size"`
	MIME string       `json:"mime_type"`
	Hash string       `json:"hash"`
	Calc string       `json:"calc,omitempty"` // formats.CalcAtelier where values of formulas were calculated
}

func workshopInfo(t *tools.Tool) tools.Binding {
	return tools.Bind("get_file_info", "Get the structure of a file without its content: sheets of a workbook, sections of a document, slides, pages, lines, image size. Use it before read_file to know what to ask for.", t,
		func(_ *tools.Env, a getFileInfoArgs) (files.InfoArgs, error) {
			p, err := tools.ParsePath(a.Path)
			return files.InfoArgs{Path: p, Map: &formats.MapOptions{Detail: bool(a.Detail), Sheet: string(a.Sheet), Section: string(a.Section), SlideIndex: a.SlideIndex.Ptr()}}, err
		},
		func(_ *tools.Env, a getFileInfoArgs, info files.FileInfo) (any, error) {
			if info.Entry.IsDir {
				return nil, workshop.Faultf(workshop.Invalid, "%s is a folder, not a file", a.Path)
			}
			members := map[string]json.RawMessage{}
			if info.Map != nil {
				b, err := tools.Compact(info.Map)
				if err != nil {
					return nil, err
				}
				if err := json.Unmarshal(b, &members); err != nil {
					return nil, err
				}
			}
			for name, v := range map[string]any{"path": a.Path, "kind": info.Kind, "size": info.Entry.Size, "mime_type": formats.MIMEOf(a.Path, info.Kind), "hash": info.Entry.Hash} {
				b, err := tools.Compact(v)
				if err != nil {
					return nil, err
				}
				members[name] = b
			}
			if info.Entry.Calculated {
				members["calc"] = json.RawMessage(`"` + formats.CalcAtelier + `"`)
			}
			return ordered(members), nil
		}).Gives(reflect.TypeFor[fileHead]())
}

// ordered writes an object with the members every file has first, so that a
// shortened result still names them.
func ordered(info map[string]json.RawMessage) json.RawMessage {
	out := []byte{'{'}
	add := func(name string) {
		if v, ok := info[name]; ok {
			if len(out) > 1 {
				out = append(out, ',')
			}
			key, _ := json.Marshal(name)
			out = append(append(append(out, key...), ':'), v...)
			delete(info, name)
		}
	}
	for _, name := range []string{"path", "kind", "size", "mime_type", "hash"} {
		add(name)
	}
	for _, name := range slices.Sorted(maps.Keys(info)) {
		add(name)
	}
	return append(out, '}')
}

type readFileArgs struct {
	Path       string       `json:"path" jsonschema:"File path"`
	Sheet      lenient.Text `json:"sheet,omitempty" jsonschema:"Sheet name (xlsx only)"`
	Range      string       `json:"range,omitempty" jsonschema:"Cell range like A1:E50, A:C, 3:9, Sheet!A1:B2, a table or defined name; several with commas (xlsx only)"`
	Section    lenient.Text `json:"section,omitempty" jsonschema:"Section heading or 0-based index; or addresses: p10-p40, p10- (a chunk from there on), t2, h0 (docx only)"`
	SlideIndex *lenient.Int `json:"slide_index,omitempty" jsonschema:"Slide index, 0-based (pptx only)"`
	Pages      lenient.Text `json:"pages,omitempty" jsonschema:"Pages like 3 or 1-5 or 1,4-6 (pdf only)"`
	LineStart  *lenient.Int `json:"line_start,omitempty" jsonschema:"First line, 1-based (text only)"`
	LineCount  *lenient.Int `json:"line_count,omitempty" jsonschema:"Number of lines, default 200 (text only)"`
	Offset     *lenient.Int `json:"offset,omitempty" jsonschema:"Characters to skip, as next says where a line, row, paragraph, page or slide is too long for one answer"`
	Include    []string     `json:"include,omitempty" jsonschema:"What else to show: addresses (for editing docx and pptx), styles (docx), headers, notes, comments, changes (tracked, docx), formulas, estimates (of formulas without a value), hidden (xlsx), all of these; images (pictures, scanned pages); xlsx also charts, pivots, rules (conditional formats, validations), page (print set-up): without range and other words these come alone, without cells"`
	legacyPages
}

// legacyPages are the superseded page members, read but not advertised (C-36).
type legacyPages struct {
	PageStart *lenient.Int `json:"page_start,omitempty"`
	PageEnd   *lenient.Int `json:"page_end,omitempty"`
}

func (a readFileArgs) selector(env *tools.Env) *formats.Selector {
	sel := &formats.Selector{Sheet: string(a.Sheet), Range: a.Range, Section: string(a.Section), SlideIndex: a.SlideIndex.Ptr(),
		Pages: string(a.Pages), LineStart: a.LineStart.Ptr(), LineCount: a.LineCount.Ptr(), Include: a.Include, Chunked: true, AsShown: true}
	if a.Offset != nil {
		sel.Offset = int(*a.Offset)
	}
	// What next says of the call, with quotes inside quotes, and the note.
	said := append([]string{sel.Sheet, sel.Sheet, sel.Range, sel.Range, sel.Section, sel.Pages, files.ChangedOutside}, sel.Include...)
	if slices.Contains(sel.Include, formats.IncludeImages) {
		said = append(said, look.PictureNote)
	}
	sel.Limit = env.Room(said...)
	if sel.Pages == "" && a.PageStart != nil {
		sel.Pages = strconv.Itoa(int(*a.PageStart))
		if a.PageEnd != nil {
			sel.Pages += "-" + strconv.Itoa(int(*a.PageEnd))
		}
	}
	return sel
}

func workshopRead(t *tools.Tool) tools.Binding {
	b := tools.BindFunc("read_file", "Read content from a file. Use get_file_info first for the structure, then read specific regions: sheet and range of a workbook, section of a document, slide, pages, lines. A partial answer is {chunk_info, text}: range is what text holds, next how to get the rest.", t,
		func(ctx context.Context, env *tools.Env, a readFileArgs, call func(files.ReadArgs) (files.Content, error)) (any, error) {
			p, err := tools.ParsePath(a.Path)
			if err != nil {
				return nil, err
			}
			sel := a.selector(env)
			c, err := call(files.ReadArgs{Path: p, Select: sel})
			if err != nil {
				return nil, err
			}
			switch {
			case c.Kind == formats.KindImage:
				said := fmt.Sprintf("Image file: %s (use get_file_info for metadata)", a.Path)
				return look.WithImage(ctx, env, p, said)
			case c.Kind == formats.KindBinary:
				return fmt.Sprintf("Binary/opaque file: %s (content not readable)", a.Path), nil
			}
			pictures := slices.Contains(sel.Include, formats.IncludeImages)
			if !pictures || !env.Sees {
				if err := look.ReadScans(ctx, env, p, &c); err != nil {
					return nil, err
				}
			}
			part := tools.Part{Chunk: c.Chunk, Note: strings.Join(c.Notes, "; "), Text: c.Text}
			if pictures {
				return look.WithPictures(ctx, env, p, *sel, c, part)
			}
			return part.Said(), nil
		})
	delete(b.Schema.Properties, "page_start")
	delete(b.Schema.Properties, "page_end")
	return b
}

type renderArgs struct {
	Path   string         `json:"path" jsonschema:"File path"`
	Pages  lenient.Text   `json:"pages,omitempty" jsonschema:"Page or slide, 1-based, like 3 or 2-4; default 1"`
	Sheet  lenient.Text   `json:"sheet,omitempty" jsonschema:"xlsx only"`
	Range  string         `json:"range,omitempty" jsonschema:"Cells, like A1:F20 (xlsx only)"`
	Region lenient.Text   `json:"region,omitempty" jsonschema:"Part to enlarge: left,top,right,bottom as fractions, like 0.5,0,1,0.5"`
	Side   lenient.Text   `json:"side,omitempty" jsonschema:"draft (default) or published"`
	Zoom   *lenient.Float `json:"zoom,omitempty" jsonschema:"1 to 2"`
}

func workshopRender(t *tools.Tool) tools.Binding {
	return tools.Bind("render", "Look at pages, slides, cells or images of the draft, when looks matter: text that does not fit, overlaps, wrong lists. Shown as images after the result.", t,
		func(_ *tools.Env, a renderArgs) (look.RenderArgs, error) {
			p, err := tools.ParsePath(a.Path)
			if err != nil {
				return look.RenderArgs{}, err
			}
			from, to, err := pageRange(string(a.Pages))
			out := look.RenderArgs{Path: p, From: from - 1, To: to - 1, Published: a.Side == "published"}
			if a.Side != "" && a.Side != "draft" && a.Side != "published" {
				return out, workshop.Faultf(workshop.Invalid, "invalid side: %s; give draft or published", a.Side).OnField("side")
			}
			if a.Zoom != nil {
				out.Zoom = float64(*a.Zoom)
			}
			if out.Sheet, out.Range = string(a.Sheet), a.Range; err == nil {
				out.Region, err = regionOf(string(a.Region))
			}
			return out, err
		},
		func(_ *tools.Env, _ renderArgs, r look.Rendered) (any, error) { return r, nil })
}

// regionOf reads "left,top,right,bottom"; "" is no region.
func regionOf(s string) (*preview.Area, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil, nil
	}
	var sides []float64
	for f := range strings.SplitSeq(s, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(f), 64)
		if err != nil {
			sides = nil
			break
		}
		sides = append(sides, v)
	}
	if len(sides) != 4 {
		return nil, workshop.Faultf(workshop.Invalid, "invalid region: %s; give left,top,right,bottom as fractions of the page, like 0.5,0,1,0.5", s).OnField("region")
	}
	return &preview.Area{Left: sides[0], Top: sides[1], Right: sides[2], Bottom: sides[3]}, nil
}

// pageRange reads "3", "2-4" or "", which is the first page.
func pageRange(s string) (from, to int, err error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 1, 1, nil
	}
	first, last, isRange := strings.Cut(s, "-")
	from, err = strconv.Atoi(strings.TrimSpace(first))
	if to = from; isRange && err == nil {
		to, err = strconv.Atoi(strings.TrimSpace(last))
	}
	if err != nil || from < 1 || to < from {
		return 0, 0, workshop.Faultf(workshop.Invalid, "invalid pages: %s; give one like 3, or a range like 2-4", s).OnField("pages")
	}
	return from, to, nil
}

type writeTextFileArgs struct {
	Path    string       `json:"path" jsonschema:"File path; folders are made as needed"`
	Content string       `json:"content" jsonschema:"The whole content of the file"`
	Literal lenient.Bool `json:"literal,omitempty" jsonschema:"Write lines too that look like notes of Atelier's own"`
}

func workshopWrite(t *tools.Tool) tools.Binding {
	return tools.Bind("write_text_file", "Write or replace a text file (md, txt, csv, json, html, source code …) in the draft. Office files have their own operations; pdf and images cannot be written.", t,
		func(_ *tools.Env, a writeTextFileArgs) (files.WriteArgs, error) {
			p, err := tools.ParsePath(a.Path)
			return files.WriteArgs{Path: p, Content: a.Content, Literal: bool(a.Literal), KeepSame: true}, err
		},
		func(_ *tools.Env, a writeTextFileArgs, e workshop.Entry) (any, error) {
			if e.Unchanged {
				return fmt.Sprintf("Nothing was changed in %s: it holds exactly this already", a.Path), nil
			}
			return fmt.Sprintf("Successfully wrote %d bytes to %s", len(a.Content), a.Path), nil
		})
}
