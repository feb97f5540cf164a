package files

import (
	"context"
	"io"
	"strings"

	"atelier/workshop"
	"atelier/workshop/linepatch"
	"atelier/workshop/tools"
)

// EditLinesArgs are the arguments of edit_lines.
type EditLinesArgs struct {
	Path    workshop.Path
	Changes []linepatch.Change
	// Literal writes lines that only Atelier writes, too.
	Literal bool
}

// EditedLines is the result of edit_lines.
type EditedLines struct {
	Entry         workshop.Entry
	Before, After int      // lines of the file
	Firsts        []string // of each change: the first line that it replaced or deleted
}

// EditLines changes whole lines of a text file of any size. Its encoding, byte order
// mark and all other bytes stay. A fault's cause is a *linepatch.Error or not.
func EditLines() *tools.Tool {
	return tools.New("edit_lines", "Replace, insert and delete lines of a text file.", tools.Write,
		func(ctx context.Context, env *tools.Env, a EditLinesArgs) (any, error) {
			var out EditedLines
			var err error
			out.Entry, err = rewrite(ctx, env, a.Path, func(f longFile) (func(io.Writer) error, error) {
				p, err := linepatch.Plan(f.text, a.Changes)
				if err != nil {
					return nil, PatchFault(err, a.Path)
				}
				out.Before, out.After, out.Firsts = p.Lines, p.After(), nil
				for i, c := range a.Changes {
					out.Firsts = append(out.Firsts, p.First(i))
					if a.Literal {
						continue
					}
					if err := refuseNewMarks(f, strings.Join(c.New, "\n"), "lines"); err != nil {
						return nil, err
					}
				}
				return func(w io.Writer) error { return p.Write(w, f.text()) }, nil
			})
			return out, err
		}).GuardsItself()
}
