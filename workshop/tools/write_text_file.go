package tools

import (
	"context"
	"fmt"
	"io"

	"atelier/formats"
	"atelier/workshop"
)

type writeArgs struct {
	Path    string `json:"path" jsonschema:"File path; folders are made as needed"`
	Content string `json:"content" jsonschema:"The whole content of the file"`
}

func writeTextFile() *Tool {
	return New("write", "Write or replace a text file (md, txt, csv, json, html, source code …) in the draft. Office files have their own operations; pdf and images cannot be written.", Write,
		func(ctx context.Context, env *Env, a writeArgs) (any, error) {
			p, err := parsePath(a.Path)
			if err != nil {
				return nil, err
			}
			if kind := formats.KindOfName(a.Path); kind != formats.KindText {
				return nil, notText(a.Path, kind)
			}
			_, err = env.View.Put(ctx, p, workshop.PutOptions{}, func(w io.Writer) error {
				_, err := io.WriteString(w, a.Content)
				return err
			})
			if err != nil {
				return nil, err
			}
			return fmt.Sprintf("Successfully wrote %d bytes to %s", len(a.Content), a.Path), nil
		})
}

// notText refuses to write a kind as text and names what to use instead (W-21).
func notText(path string, kind formats.Kind) error {
	switch kind {
	case formats.KindXlsx, formats.KindDocx, formats.KindPptx:
		return workshop.Faultf(workshop.Invalid, "%s is a %s file and cannot be written as text; use %s_operations", path, kind, kind).OnField("path")
	case formats.KindPDF, formats.KindImage, formats.KindODT:
		return workshop.Faultf(workshop.Invalid, "%s is a %s file; %s files are read-only", path, kind, kind).OnField("path")
	}
	return workshop.Faultf(workshop.Invalid, "%s is not a text file; give it an extension such as .txt, .md, .csv or .json", path).OnField("path")
}
