package files

import (
	"context"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// InfoArgs are the arguments of info.
type InfoArgs struct {
	Path workshop.Path
	Map  *formats.MapOptions // also the structure of the document; nil: no
}

// FileInfo is the result of info.
type FileInfo struct {
	Entry workshop.Entry // with its hash
	Kind  formats.Kind   // by content, when Map was asked for
	Map   any            // the structure; nil when not asked for or the kind has none
}

// Info says what a file is, and how it is built, without its content.
func Info() *tools.Tool {
	return tools.New("info", "Say what a file is: kind, size, hash, structure.", tools.Read,
		func(ctx context.Context, env *tools.Env, a InfoArgs) (any, error) {
			e, err := env.View.Stat(ctx, a.Path)
			if err != nil || a.Map == nil {
				return FileInfo{Entry: e, Kind: e.Kind}, err
			}
			src, err := env.View.Open(ctx, a.Path)
			if err != nil {
				return nil, err
			}
			defer src.Close()
			f, err := env.Formats.Detect(ctx, src)
			if err != nil {
				return nil, err
			}
			e.Size, e.Hash = src.Size(), src.Hash()
			info := FileInfo{Entry: e, Kind: f.Kind}
			if f.Mapper != nil {
				info.Map, err = f.Mapper.Map(ctx, src, *a.Map)
			}
			return info, err
		})
}
