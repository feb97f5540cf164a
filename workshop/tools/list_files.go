package tools

import (
	"context"

	"atelier/formats"
	"atelier/workshop"
)

type listArgs struct{}

type listedFile struct {
	Path     string `json:"path"`
	Kind     string `json:"kind"`
	Size     int64  `json:"size_bytes"`
	MIME     string `json:"mime_type"`
	IsOpaque bool   `json:"is_opaque,omitempty"`
	Refused  string `json:"cannot_open,omitempty"`
}

func listFiles() *Tool {
	return New("list", "List all files in the workbench with their metadata: path, kind, size in bytes and media type. Changes made in the draft are included.", Read,
		func(ctx context.Context, env *Env, _ listArgs) (any, error) {
			entries, err := env.View.List(ctx, "", workshop.ListOptions{Recursive: true, NoHash: true})
			if err != nil {
				return nil, err
			}
			out := []listedFile{}
			for _, e := range entries {
				if !e.IsDir {
					out = append(out, listedFile{string(e.Path), string(e.Kind), e.Size, e.MIME, e.Kind == formats.KindBinary, e.Refused})
				}
			}
			return out, nil
		})
}
