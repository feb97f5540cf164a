package files

import (
	"context"
	"io"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// WriteArgs are the arguments of write.
type WriteArgs struct {
	Path    workshop.Path
	Content string
	JSON    bool   // Content is a JSON value, not text (B-09)
	Type    string // file type; "" keeps what the file has
	// CreateOnly refuses with Conflict when the file exists.
	CreateOnly bool
	// AnyName allows names that no text format has; documents that have tools
	// of their own are refused all the same.
	AnyName bool
}

// Write creates or replaces a text file. Its result is the workshop.Entry.
func Write() *tools.Tool {
	return tools.New("write", "Write or replace a text file.", tools.Write,
		func(ctx context.Context, env *tools.Env, a WriteArgs) (any, error) {
			kind := formats.KindOfName(string(a.Path))
			if kind != formats.KindText && !(a.AnyName && kind == formats.KindBinary) {
				return nil, NotText(string(a.Path), kind)
			}
			opt := workshop.PutOptions{CreateOnly: a.CreateOnly, Type: a.Type, JSON: a.JSON}
			return env.View.Put(ctx, a.Path, opt, func(w io.Writer) error {
				_, err := io.WriteString(w, a.Content)
				return err
			})
		})
}

// NotText refuses to write a kind as text and names what to use instead (W-21).
func NotText(path string, kind formats.Kind) error {
	switch kind {
	case formats.KindXlsx, formats.KindDocx, formats.KindPptx:
		return workshop.Faultf(workshop.Invalid, "%s is a %s file and cannot be written as text; use %s_operations", path, kind, kind).OnField("path")
	case formats.KindPDF, formats.KindImage, formats.KindODT:
		return workshop.Faultf(workshop.Invalid, "%s is a %s file; %s files are read-only", path, kind, kind).OnField("path")
	}
	return workshop.Faultf(workshop.Invalid, "%s is not a text file; give it an extension such as .txt, .md, .csv or .json", path).OnField("path")
}
