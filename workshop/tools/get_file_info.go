package tools

import (
	"context"
	"encoding/json"

	"atelier/formats"
	"atelier/formats/loose"
	"atelier/workshop"
)

type infoArgs struct {
	Path       string     `json:"path" jsonschema:"File path"`
	Detail     loose.Bool `json:"detail,omitempty" jsonschema:"Say all that fits"`
	Sheet      string     `json:"sheet,omitempty" jsonschema:"Only this sheet, in more detail (xlsx only)"`
	Section    string     `json:"section,omitempty" jsonschema:"Only this section, by heading or 0-based index (docx only)"`
	SlideIndex *loose.Int `json:"slide_index,omitempty" jsonschema:"Only this slide, 0-based (pptx only)"`
}

func getFileInfo() *Tool {
	return New("info", "Get the structure of a file without its content: sheets of a workbook, sections of a document, slides, pages, lines, image size. Use it before read_file to know what to ask for.", Read,
		func(ctx context.Context, env *Env, a infoArgs) (any, error) {
			src, f, err := open(ctx, env, a.Path)
			if err != nil {
				return nil, err
			}
			defer src.Close()
			info := map[string]json.RawMessage{}
			if f.Mapper != nil {
				m, err := f.Mapper.Map(ctx, src, formats.MapOptions{Detail: bool(a.Detail), Sheet: a.Sheet, Section: a.Section, SlideIndex: a.SlideIndex.Ptr()})
				if err != nil {
					return nil, err
				}
				b, err := compact(m)
				if err != nil {
					return nil, err
				}
				if err := json.Unmarshal(b, &info); err != nil {
					return nil, err
				}
			}
			for name, v := range map[string]any{"path": a.Path, "kind": f.Kind, "size": src.Size(), "mime_type": formats.MIMEOfName(a.Path), "hash": src.Hash()} {
				b, err := compact(v)
				if err != nil {
					return nil, err
				}
				info[name] = b
			}
			return ordered(info), nil
		})
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
	for _, name := range sortedKeys(info) {
		add(name)
	}
	return append(out, '}')
}

// open resolves a path, opens the file and detects its format.
func open(ctx context.Context, env *Env, path string) (workshop.Source, *formats.Format, error) {
	p, err := parsePath(path)
	if err != nil {
		return nil, nil, err
	}
	src, err := env.View.Open(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	f, err := env.Formats.Detect(ctx, src)
	if err != nil {
		src.Close()
		return nil, nil, err
	}
	return src, f, nil
}

// parsePath is the path policy of the workshop catalogue.
func parsePath(path string) (workshop.Path, error) {
	p, err := workshop.ParseStrict(path)
	if err != nil {
		return "", err
	}
	if p == "" {
		return "", workshop.Faultf(workshop.Invalid, "path is required").OnField("path")
	}
	return p, nil
}
