package catalogue

import (
	"context"
	"encoding/json"

	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
	"atelier/workshop/tools/uris"
	"atelier/workshop/web"
)

// newSila returns the catalogue of READ-URI: files and pages by URI, results as text
// (S-01…S-24).
func newSila(reg *tools.Registry) (*tools.Catalogue, error) {
	b := &binder{reg: reg}
	b.bind("read", silaRead)
	b.bind("list", silaLs)
	b.bind("mkdir", silaMkdir)
	b.bind("move", silaMove)
	b.bind("remove", silaRm)
	b.bind("write", silaWrite)
	b.direct("recall_tool_result")
	return tools.NewCatalogue(tools.Style{Name: "sila", Missing: silaMissing}, b.list...)
}

func silaMissing(field string) string {
	if field == "uri" {
		return notAString
	}
	return field + " is required"
}

const notAString = "Invalid URI, needs to be a string"

type silaReadArgs struct {
	URI json.RawMessage `json:"uri" jsonschema:"file:///folder/name for a file of the workspace, file:name for a file of this chat, https://… for a web page"`
}

// silaContent is the result of read: the text for a model, both for a client
// (S-22).
type silaContent struct {
	URI     string `json:"uri"`
	Content string `json:"content"`
}

// ToolText implements tools.Texter.
func (c silaContent) ToolText() string { return c.Content }

func silaRead(t *tools.Tool) tools.Binding {
	b := tools.BindFunc("read", "Read the text behind a URI: file:///assets/brand.md is a file of the workspace, file:notes.md a file of this chat, https://… a web page as Markdown. Only text files; at most 1 MiB.", t,
		func(ctx context.Context, env *tools.Env, a silaReadArgs, call func(files.ReadArgs) (files.Content, error)) (any, error) {
			var uri string
			if json.Unmarshal(a.URI, &uri) != nil {
				return nil, workshop.Faultf(workshop.Invalid, notAString).OnField("uri")
			}
			base := env.Fetch
			if base == nil {
				base = web.Deny{}
			}
			text := func(p workshop.Path) (string, error) {
				c, err := call(files.ReadArgs{Path: p, Raw: &files.Raw{}})
				return c.Text, err
			}
			s, err := uris.Read(ctx, uris.Files{View: env.View, Chat: env.Session != nil, Text: text, Base: base}, uri)
			if err != nil {
				return nil, err
			}
			return silaContent{uri, s}, nil
		})
	asString(b.Schema, "uri")
	return b
}
