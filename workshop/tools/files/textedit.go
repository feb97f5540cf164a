package files

import (
	"strings"

	"atelier/workshop"
)

// TextEdit is a change of one place of a text: Old, which must be there exactly
// once, becomes New; or, with Insert, New is put before the line with the
// 0-based number Line (the number of lines: at the end).
type TextEdit struct {
	Insert   bool
	Old, New string
	Line     int
}

// check refuses what fits no text.
func (t TextEdit) check() error {
	switch {
	case !t.Insert && t.Old == "":
		return invalid("old_string", "Search string cannot be empty")
	case t.Insert && t.New == "":
		return invalid("insert_content", "Insert content cannot be empty")
	}
	return nil
}

func invalid(field, format string, args ...any) *workshop.Fault {
	return workshop.Faultf(workshop.Invalid, format, args...).OnField(field)
}

// apply makes the change. Line ends of the new text follow those of the file.
func (t TextEdit) apply(s string) (string, error) {
	if t.Insert {
		return t.insert(s)
	}
	crlf := usesCRLF(s)
	old := t.Old
	n := strings.Count(s, old)
	if n == 0 && crlf { // a caller that saw lines need not have seen their ends
		old = withCRLF(old)
		n = strings.Count(s, old)
	}
	switch {
	case n == 0:
		return "", invalid("old_string", "Search string not found in file content")
	case n > 1:
		return "", invalid("old_string", "Search string found %d times. Please provide more context to ensure unique match.", n)
	}
	new := t.New
	if crlf {
		new = withCRLF(new)
	}
	return strings.Replace(s, old, new, 1), nil
}

// insert puts New before a line as lines of its own. The text ends with a
// newline afterwards exactly if it did before, unless New is an empty line; an
// empty text gets New as it is.
func (t TextEdit) insert(s string) (string, error) {
	total := CountLines(s)
	if t.Line < 0 || t.Line > total {
		return "", invalid("insert_line", "Insert line %d is out of bounds (file has %d lines)", t.Line, total)
	}
	end, new := "\n", t.New
	if usesCRLF(s) {
		end, new = "\r\n", withCRLF(new)
	}
	if s == "" {
		return new, nil
	}
	at := lineStart(s, t.Line)
	if t.Line < total || strings.HasSuffix(s, "\n") {
		if !strings.HasSuffix(new, "\n") {
			new += end
		}
		return s[:at] + new + s[at:], nil
	}
	if line := strings.TrimSuffix(strings.TrimSuffix(new, "\n"), "\r"); line != "" {
		new = line
	}
	return s + end + new, nil
}

// lineStart returns the offset of the line with that 0-based number, len(s) when it
// is behind the last.
func lineStart(s string, line int) int {
	at := 0
	for ; line > 0; line-- {
		n := strings.IndexByte(s[at:], '\n')
		if n < 0 {
			return len(s)
		}
		at += n + 1
	}
	return at
}

// usesCRLF reports whether most lines end with CRLF.
func usesCRLF(s string) bool {
	n := strings.Count(s, "\r\n")
	return n > 0 && 2*n > strings.Count(s, "\n")
}

// withCRLF makes every line end a CRLF.
func withCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}
