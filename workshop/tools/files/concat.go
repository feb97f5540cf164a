package files

import (
	"context"
	"fmt"
	"strings"

	"atelier/workshop/tools"
)

// ConcatArgs are the arguments of concat.
type ConcatArgs struct {
	ReadManyArgs
	Ends    bool // "$" at the end of each line
	Tabs    bool // tabs as "^I"
	Squeeze bool // runs of empty lines become one
	Number  bool // each line with its number in the file, 1-based
}

// Concat reads files for showing them one after the other. Its result is
// []OneRead, each text formatted.
func Concat() *tools.Tool {
	return tools.New("concat", "Read several files formatted to be shown one after the other.", tools.Read,
		func(ctx context.Context, env *tools.Env, a ConcatArgs) (any, error) {
			reads, err := readMany(ctx, env, a.ReadManyArgs)
			for i := range reads {
				a.format(&reads[i].Content)
			}
			return reads, err
		})
}

// format shows a content as text: a JSON value as it is stored, lines as asked
// for. Without formatting, a whole file stays as it is (C-44).
func (a ConcatArgs) format(c *Content) {
	if c.Value != nil {
		c.Text, c.Value = string(c.Value), nil
		c.Window(a.Lines)
	}
	if !a.Ends && !a.Tabs && !a.Squeeze && !a.Number {
		return
	}
	var out []string
	blank := false
	for i, line := range Lines(c.Text) {
		if line == "" && blank && a.Squeeze {
			continue
		}
		blank = line == ""
		if a.Tabs {
			line = strings.ReplaceAll(line, "\t", "^I")
		}
		if a.Ends {
			line += "$"
		}
		if a.Number {
			line = fmt.Sprintf("%6d\t%s", c.Start0+i+1, line)
		}
		out = append(out, line)
	}
	c.Text = strings.Join(out, "\n")
}
