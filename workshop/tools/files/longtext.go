package files

import (
	"bytes"
	"context"
	"io"
	"strings"

	"atelier/internal/utf8check"
	"atelier/workshop"
)

// longText reads a window of a UTF-8 text that is too long to hold, in two
// passes: one counts the lines, the other takes those of the window. ok is
// false when it is not such a text.
func longText(ctx context.Context, e workshop.Entry, src workshop.Source, r LineRange) (c Content, ok bool, err error) {
	total, ok, err := lineCount(ctx, src)
	if !ok || err != nil {
		return c, false, err
	}
	c = Content{Entry: e, Kind: "text", Total: total}
	from, to := r.In(total)
	c.Start0, c.End0, c.Truncated = from, to, to < total
	var sb strings.Builder
	line := 0
	err = chunks(ctx, src, func(b []byte) error {
		for len(b) > 0 && line < to {
			n := bytes.IndexByte(b, '\n') + 1
			if n == 0 {
				n = len(b)
			}
			if line >= from {
				if sb.Len()+n > MaxText {
					return workshop.Faultf(workshop.Invalid, "lines %d to %d of %s are more than %d bytes; read fewer", from+1, to, e.Path, MaxText).OnField("limit")
				}
				sb.Write(b[:n])
			}
			if b[n-1] == '\n' {
				line++
			}
			b = b[n:]
		}
		return nil
	})
	c.Text = sb.String()
	if from > 0 || c.Truncated {
		c.Text = strings.Join(Lines(c.Text), "\n")
	}
	return c, true, err
}

// lineCount counts the lines of a UTF-8 text without holding it; ok is
// false when it is something else.
func lineCount(ctx context.Context, src workshop.Source) (n int, ok bool, err error) {
	if binary(head(src)) {
		return 0, false, nil
	}
	var u utf8check.Checker
	last := byte('\n')
	err = chunks(ctx, src, func(b []byte) error {
		n += bytes.Count(b, []byte("\n"))
		last = b[len(b)-1]
		if !u.Add(b) {
			return io.EOF // known enough
		}
		return nil
	})
	ok = u.Valid()
	if err == io.EOF {
		err = nil
	}
	if last != '\n' {
		n++
	}
	return n, ok, err
}

// chunks gives a file piece by piece.
func chunks(ctx context.Context, src workshop.Source, f func([]byte) error) error {
	buf := make([]byte, 64<<10)
	r := io.NewSectionReader(src, 0, src.Size())
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		if n > 0 {
			if err := f(buf[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
