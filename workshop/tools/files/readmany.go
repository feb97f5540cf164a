package files

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// ReadManyArgs are the arguments of read_many and, formatted, of concat.
type ReadManyArgs struct {
	Paths []workshop.Path
	Lines LineRange // of each file
}

// OneRead is what became of one file of several: Fault, or Content.
type OneRead struct {
	Path    workshop.Path
	Content Content
	Fault   *workshop.Fault
}

// ReadMany reads files in the order asked for; one that cannot be read fails
// alone. Its result is []OneRead.
func ReadMany() *tools.Tool {
	return tools.New("read_many", "Read several files at once.", tools.Read,
		func(ctx context.Context, env *tools.Env, a ReadManyArgs) (any, error) {
			return readMany(ctx, env, a)
		})
}

func readMany(ctx context.Context, env *tools.Env, a ReadManyArgs) ([]OneRead, error) {
	out := make([]OneRead, 0, len(a.Paths))
	room := MaxText // for all of them together
	for _, p := range a.Paths {
		c, err := readLines(ctx, env, p, a.Lines)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			if room -= len(c.Text) + len(c.Value); room < 0 {
				err = workshop.Faultf(workshop.Invalid, "the files are more than %d bytes together; read this one on its own", MaxText)
			}
		}
		if err != nil {
			out = append(out, OneRead{Path: p, Fault: tools.FaultOf(ctx, err)})
			continue
		}
		out = append(out, OneRead{Path: p, Content: c})
	}
	return out, nil
}

func readLines(ctx context.Context, env *tools.Env, p workshop.Path, r LineRange) (Content, error) {
	e, src, err := Open(ctx, env, p)
	if err != nil {
		return Content{}, err
	}
	defer src.Close()
	return window(ctx, env, e, src, r)
}
