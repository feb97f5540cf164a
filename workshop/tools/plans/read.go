package plans

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

// ReadArgs are the arguments of plan_read.
type ReadArgs struct {
	Path  workshop.Path
	Lines files.LineRange // of the body
}

// Plan is the result of plan_read: a window of the lines of the body, without
// the front matter.
type Plan struct {
	files.Content
	Metadata *Metadata // nil: the plan has no front matter, or none that is valid
}

// Read reads a plan.
func Read() *tools.Tool {
	return tools.New("plan_read", "Read a plan.", tools.Read,
		func(ctx context.Context, env *tools.Env, a ReadArgs) (any, error) {
			if err := checkExtension(a.Path); err != nil {
				return nil, err
			}
			e, src, err := files.Open(ctx, env, a.Path)
			if err != nil {
				return nil, err
			}
			defer src.Close()
			c, err := files.Text(ctx, env, e, src)
			if err != nil {
				return nil, err
			}
			if c.Value != nil {
				c.Text, c.Value = string(c.Value), nil
			}
			m, head := split(c.Text)
			c.Text = c.Text[head:]
			c.Window(a.Lines)
			return Plan{c, m}, nil
		})
}

// metadata reads the front matter of a file, and no more of it.
func metadata(ctx context.Context, env *tools.Env, p workshop.Path) (*Metadata, error) {
	src, err := env.View.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	b := make([]byte, min(src.Size(), maxFrontMatter+16))
	n, err := src.ReadAt(b, 0)
	if n < len(b) {
		return nil, err
	}
	m, _ := split(string(b))
	return m, nil
}
