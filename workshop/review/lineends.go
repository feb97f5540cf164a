package review

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"atelier/workshop/review/textdiff"
)

// lineEnds describes how the lines of a text end, which hunks do not show.
type lineEnds struct {
	lines, crlf int  // lines with a terminator, and those of them that end in CR LF
	open        bool // the last line has no terminator
}

// countLineEnds reads a text once and counts its line endings.
func countLineEnds(ctx context.Context, t textdiff.Text) (lineEnds, error) {
	var n lineEnds
	buf := make([]byte, 256<<10)
	last := byte('\n')
	for at := int64(0); at < t.Size(); {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		k, err := t.ReadAt(buf[:min(int64(len(buf)), t.Size()-at)], at)
		if err != nil && err != io.EOF || k == 0 {
			return n, err
		}
		b := buf[:k]
		n.lines += bytes.Count(b, []byte{'\n'})
		n.crlf += bytes.Count(b, []byte("\r\n"))
		if last == '\r' && b[0] == '\n' {
			n.crlf++
		}
		last, at = b[k-1], at+int64(k)
	}
	n.open = last != '\n'
	return n, nil
}

// lineEndNotes describes the difference in line endings between two texts
// that both have lines.
func lineEndNotes(a, b lineEnds) []string {
	var out []string
	if a.lines > 0 && b.lines > 0 && a.word() != b.word() {
		out = append(out, "line ends "+a.word()+" → "+b.word())
	}
	switch {
	case a.open && !b.open && b.lines > 0:
		out = append(out, "the last line has a line end now")
	case !a.open && b.open && a.lines > 0:
		out = append(out, "the last line has no line end any more")
	}
	return out
}

func (n lineEnds) word() string {
	switch n.crlf {
	case 0:
		return "LF"
	case n.lines:
		return "CR LF"
	}
	return fmt.Sprintf("CR LF on %d of %d lines", n.crlf, n.lines)
}
