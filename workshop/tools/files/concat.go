package files

import (
	"context"
	"fmt"
	"strings"

	"atelier/workshop"
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

// MaxFormatted is the most bytes of formatted text of one call: numbers and marks
// can make several times as much of a text of short lines.
const MaxFormatted = 8 << 20

// Concat reads files for showing them one after the other. Its result is
// []OneRead, each text formatted.
func Concat() *tools.Tool {
	return tools.New("concat", "Read several files formatted to be shown one after the other.", tools.Read,
		func(ctx context.Context, env *tools.Env, a ConcatArgs) (any, error) {
			reads, err := readMany(ctx, env, a.ReadManyArgs)
			room := MaxFormatted
			for i := range reads {
				if err := a.format(ctx, &reads[i].Content, &room); err != nil {
					if ctx.Err() != nil {
						return nil, err
					}
					reads[i] = OneRead{Path: reads[i].Path, Fault: workshop.AsFault(err)}
				}
			}
			return reads, err
		})
}

// format shows a content as text: a JSON value as it is stored, lines as asked
// for. Without formatting, a whole file stays as it is (C-44).
// It takes its length from room.
func (a ConcatArgs) format(ctx context.Context, c *Content, room *int) error {
	if c.Value != nil {
		c.Text, c.Value = string(c.Value), nil
		c.Window(a.Lines)
	}
	if !a.Ends && !a.Tabs && !a.Squeeze && !a.Number {
		return nil
	}
	var out strings.Builder // not a list of lines, which takes many times the memory
	blank, n := false, c.Start0
	for line := range EachLine(c.Text) {
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if line == "" && blank && a.Squeeze {
			continue
		}
		blank = line == ""
		if n > c.Start0+1 {
			out.WriteByte('\n')
		}
		a.line(&out, n, line)
		if out.Len() > *room {
			return workshop.Faultf(workshop.Invalid, "the formatted lines are more than %d bytes; read fewer with offset and limit", MaxFormatted)
		}
	}
	*room -= out.Len()
	c.Text = out.String()
	return nil
}

// line writes the nth line.
func (a ConcatArgs) line(out *strings.Builder, n int, line string) {
	if a.Number {
		fmt.Fprintf(out, "%6d\t", n)
	}
	if a.Tabs {
		line = strings.ReplaceAll(line, "\t", "^I")
	}
	out.WriteString(line)
	if a.Ends {
		out.WriteByte('$')
	}
}
