package catalogue

import (
	"context"
	"fmt"

	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
	"atelier/workshop/tools/uris"
)

// The companions of read (S-24). All take URIs; a path without a scheme is one
// of the chat's files.

type silaURI struct {
	URI string `json:"uri" jsonschema:"file:///folder for the workspace, file:folder for this chat's files; file:/// and file: are the roots"`
}

// silaEntry is what ls says of a file or folder.
type silaEntry struct {
	Name string `json:"name"`
	URI  string `json:"uri"`
	Type string `json:"type"` // "file" or "folder"
	Size int64  `json:"size,omitempty"`
	MIME string `json:"mime_type,omitempty"`
}

func silaPlace(ctx context.Context, env *tools.Env, uri string) (workshop.Path, error) {
	return uris.Place(ctx, env.View, env.Session != nil, uri)
}

func silaLs(t *tools.Tool) tools.Binding {
	return tools.BindFunc("ls", "List the files and folders of a folder, each with its URI.", t,
		func(ctx context.Context, env *tools.Env, a silaURI, call func(files.ListArgs) ([]workshop.Entry, error)) (any, error) {
			p, err := silaPlace(ctx, env, a.URI)
			if err != nil {
				return nil, err
			}
			entries, err := call(files.ListArgs{Dir: p, FoldersFirst: true, NoLinks: true})
			if err != nil {
				return nil, err
			}
			out := []silaEntry{}
			for _, e := range entries {
				one := silaEntry{e.Name(), uris.URI(e.Path), "file", e.Size, e.MIME}
				if e.IsDir {
					one.Type, one.Size, one.MIME = "folder", 0, ""
				}
				out = append(out, one)
			}
			return out, nil
		})
}

func silaMkdir(t *tools.Tool) tools.Binding {
	return tools.BindFunc("mkdir", "Make a folder with all its parents.", t,
		func(ctx context.Context, env *tools.Env, a silaURI, call func(files.PathArgs) (workshop.Entry, error)) (any, error) {
			p, err := silaPlace(ctx, env, a.URI)
			if err != nil {
				return nil, err
			}
			_, err = call(files.PathArgs{Path: p})
			return "Created folder " + uris.URI(p), err
		})
}

func silaRm(t *tools.Tool) tools.Binding {
	return tools.BindFunc("rm", "Remove a file or an empty folder.", t,
		func(ctx context.Context, env *tools.Env, a silaURI, call func(files.RemoveArgs) (files.Removed, error)) (any, error) {
			p, err := silaPlace(ctx, env, a.URI)
			if err != nil {
				return nil, err
			}
			_, err = call(files.RemoveArgs{Path: p})
			return "Removed " + uris.URI(p), err
		})
}

type silaMoveArgs struct {
	Source      string `json:"source" jsonschema:"URI of the file or folder"`
	Destination string `json:"destination" jsonschema:"New URI; or that of a folder to move into"`
}

func silaMove(t *tools.Tool) tools.Binding {
	return tools.BindFunc("move", "Move or rename a file or folder; nothing is overwritten.", t,
		func(ctx context.Context, env *tools.Env, a silaMoveArgs, call func(files.MoveArgs) (files.Moved, error)) (any, error) {
			from, err := silaPlace(ctx, env, a.Source)
			if err != nil {
				return nil, workshop.AsFault(err).OnField("source")
			}
			to, err := silaPlace(ctx, env, a.Destination)
			if err != nil {
				return nil, workshop.AsFault(err).OnField("destination")
			}
			m, err := call(files.MoveArgs{From: from, To: to})
			return fmt.Sprintf("Moved %s to %s", uris.URI(m.From), uris.URI(m.To)), err
		})
}

type silaWriteArgs struct {
	Path    string       `json:"path" jsonschema:"file:///folder/name or file:name; folders are made as needed"`
	Content string       `json:"content" jsonschema:"The whole content of the file"`
	Literal lenient.Bool `json:"literal,omitempty" jsonschema:"Write lines too that look like notes of Atelier's own"`
}

func silaWrite(t *tools.Tool) tools.Binding {
	return tools.BindFunc("write_to_file", "Write or replace a text file.", t,
		func(ctx context.Context, env *tools.Env, a silaWriteArgs, call func(files.WriteArgs) (workshop.Entry, error)) (any, error) {
			uri := a.Path
			if uri != "" && !uris.HasScheme(uri) {
				uri = "file:" + uri
			}
			p, err := silaPlace(ctx, env, uri)
			if err != nil {
				return nil, workshop.AsFault(err).OnField("path")
			}
			if p == "" || p == uris.ChatFiles && !uris.HasScheme(a.Path) {
				return nil, workshop.Faultf(workshop.Invalid, "path must name a file").OnField("path")
			}
			_, err = call(files.WriteArgs{Path: p, Content: a.Content, AnyName: true, Literal: bool(a.Literal)})
			return fmt.Sprintf("Wrote %d bytes to %s", len(a.Content), uris.URI(p)), err
		})
}
