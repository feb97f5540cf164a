package files

import (
	"context"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// InfoArgs are the arguments of info.
type InfoArgs struct {
	Path  workshop.Path
	Map   *formats.MapOptions // also the structure of the document; nil: no
	Lines bool                // also the number of lines of its text
}

// FileInfo is the result of info.
type FileInfo struct {
	Entry workshop.Entry // with its hash
	Kind  formats.Kind   // by content, when Map was asked for
	Map   any            // the structure; nil when not asked for or the kind has none
	// Lines is the number of lines, when asked for; nil for what has no text.
	Lines     *int
	Extracted bool // Lines are those of the text taken out of a document
}

// Info says what a file is, and how it is built, without its content.
func Info() *tools.Tool {
	return tools.New("info", "Say what a file is: kind, size, hash, structure.", tools.Read,
		func(ctx context.Context, env *tools.Env, a InfoArgs) (any, error) {
			e, err := stat(ctx, env, a.Path)
			if err != nil || e.IsDir || a.Map == nil && (!a.Lines || e.Refused == "size_limit") { // too large to open, not to tell of
				return FileInfo{Entry: e, Kind: e.Kind}, err
			}
			e, src, err := Open(ctx, env, a.Path)
			if err != nil {
				return nil, err
			}
			defer src.Close()
			info := FileInfo{Entry: e, Kind: e.Kind}
			if a.Lines {
				if err := info.countLines(ctx, env, src); err != nil {
					return nil, err
				}
			}
			if a.Map == nil {
				return info, nil
			}
			f, err := env.Formats.Detect(ctx, src)
			if err != nil {
				return nil, err
			}
			info.Kind = f.Kind
			if f.Mapper != nil {
				info.Map, err = f.Mapper.Map(ctx, src, *a.Map)
			}
			return info, err
		})
}

// countLines leaves Lines nil for what has no text, a broken document included:
// the rest is worth telling.
func (i *FileInfo) countLines(ctx context.Context, env *tools.Env, src workshop.Source) error {
	if i.Entry.JSON {
		return nil
	}
	if textByName(string(i.Entry.Path)) {
		n, ok, err := lineCount(ctx, src)
		if ok {
			i.Lines = &n
		}
		if ok || err != nil {
			return err
		}
	}
	c, err := Text(ctx, env, i.Entry, src)
	if err == nil {
		n := CountLines(c.Text)
		i.Lines, i.Extracted = &n, c.Extracted
	}
	return ctx.Err()
}
