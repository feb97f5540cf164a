package files

import (
	"bytes"
	"context"
	"io"
	"strings"
	"unicode/utf8"

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
	var u utf8Checker
	last := byte('\n')
	err = chunks(ctx, src, func(b []byte) error {
		n += bytes.Count(b, []byte("\n"))
		last = b[len(b)-1]
		if !u.add(b) {
			return io.EOF // known enough
		}
		return nil
	})
	ok = !u.invalid && u.kept == 0
	if err == io.EOF {
		err = nil
	}
	if last != '\n' {
		n++
	}
	return n, ok, err
}

// utf8Checker checks a text that comes in chunks.
type utf8Checker struct {
	rest    [utf8.UTFMax]byte // of a character that two chunks share
	kept    int
	invalid bool
}

// add reports whether the text is valid so far.
func (u *utf8Checker) add(b []byte) bool {
	for u.kept > 0 && len(b) > 0 && !utf8.FullRune(u.rest[:u.kept]) {
		u.rest[u.kept] = b[0]
		u.kept++
		b = b[1:]
	}
	if u.kept > 0 && utf8.FullRune(u.rest[:u.kept]) {
		u.invalid = u.invalid || !utf8.Valid(u.rest[:u.kept])
		u.kept = 0
	}
	end := len(b) - unfinishedRune(b)
	u.invalid = u.invalid || !utf8.Valid(b[:end])
	if end < len(b) {
		u.kept = copy(u.rest[:], b[end:])
	}
	return !u.invalid
}

// unfinishedRune returns the length of the beginning of a character that b ends
// with.
func unfinishedRune(b []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
		if !utf8.RuneStart(b[len(b)-back]) {
			continue
		}
		if utf8.FullRune(b[len(b)-back:]) {
			return 0
		}
		return back
	}
	return 0
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
