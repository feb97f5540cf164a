package files

import (
	"iter"
	"slices"
	"strings"
)

// LineRange is a window of lines, the one internal line address.
type LineRange struct {
	Start0  int // first line, 0-based; of the last FromEnd lines when FromEnd > 0
	Count   int // lines; 0 is all that follow
	FromEnd int // when > 0, the window begins that many lines before the end
}

// FromOffset makes a range of an offset (0-based, negative from the end) and a
// limit (0: all).
func FromOffset(offset, limit int) LineRange {
	if offset < 0 {
		return LineRange{FromEnd: -offset, Count: limit}
	}
	return LineRange{Start0: offset, Count: limit}
}

// In gives the window's first line and the line after its last, of total.
func (r LineRange) In(total int) (from, to int) {
	from = min(r.Start0, total)
	if r.FromEnd > 0 {
		from = max(0, total-r.FromEnd)
	}
	to = total
	if r.Count > 0 && total-from > r.Count {
		to = from + r.Count
	}
	return from, to
}

// EachLine yields the lines of text without their ends: at "\n", where a "\r"
// before it belongs to the end; a final newline adds no line.
func EachLine(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if text == "" {
			return
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			if !yield(strings.TrimSuffix(line, "\r")) {
				return
			}
		}
	}
}

// Lines returns what EachLine yields.
func Lines(text string) []string {
	if text == "" {
		return nil
	}
	return slices.AppendSeq(make([]string, 0, CountLines(text)), EachLine(text))
}

// CountLines returns len(Lines(text)).
func CountLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
