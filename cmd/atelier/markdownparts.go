package main

import "strings"

// markdownPart is a part of a text that is formatted separately.
type markdownPart struct {
	text  string
	plain bool // it is too long to be formatted
	more  bool // continues the previous part, which was cut at maxPart
}

// maxPart is the maximum size of a formatted part in bytes.
const maxPart = 32 << 10

// markdownParts splits streamed Markdown into parts: before a line without
// indentation after an empty line, outside fenced code.
type markdownParts struct {
	part  strings.Builder // lines of the incomplete part
	line  string          // the beginning of an incomplete line
	fence string          // the end of the current fenced code
	empty bool            // the last line was empty
	plain bool            // the part is too long: its beginning was already returned
}

// add adds text and returns the completed parts.
func (m *markdownParts) add(text string) (done []markdownPart) {
	for part := range strings.SplitAfterSeq(text, "\n") {
		m.line += part
		if strings.HasSuffix(part, "\n") || len(m.line) > maxPart {
			done = append(done, m.addLine(m.line)...)
			m.line = ""
		}
	}
	return done
}

func (m *markdownParts) addLine(line string) (done []markdownPart) {
	words := strings.TrimSpace(line)
	switch margin := line[0] != ' ' && line[0] != '\t'; {
	case m.fence != "":
		if strings.HasPrefix(words, m.fence) && strings.Trim(words, m.fence[:1]) == "" {
			m.fence = ""
		}
	case words != "" && margin && m.empty:
		done = m.end()
		m.fence = fenceOf(words)
	default:
		m.fence = fenceOf(words)
	}
	m.empty = words == "" && m.fence == ""
	if m.part.Len()+len(line) > maxPart && m.part.Len() > 0 {
		done = append(done, markdownPart{m.part.String(), true, m.plain})
		m.part.Reset()
		m.plain = true
	}
	m.part.WriteString(line)
	return done
}

// fenceOf returns the end of the fenced code that a line begins, or "". The
// fence may be in a list item.
func fenceOf(words string) string {
	words = strings.TrimLeft(words, "-*+> 0123456789.)")
	for _, c := range []string{"`", "~"} {
		n := len(words) - len(strings.TrimLeft(words, c))
		if n >= 3 && !(c == "`" && strings.Contains(words[n:], "`")) {
			return words[:n]
		}
	}
	return ""
}

// end returns the completed part, if there is one.
func (m *markdownParts) end() (done []markdownPart) {
	if strings.TrimSpace(m.part.String()) != "" {
		done = []markdownPart{{strings.TrimRight(m.part.String(), "\n"), m.plain || m.part.Len() > maxPart, m.plain}}
	}
	m.part.Reset()
	m.plain, m.empty = false, false
	return done
}

// rest returns the remaining text at the end.
func (m *markdownParts) rest() []markdownPart {
	var done []markdownPart
	if m.line != "" {
		done = m.addLine(m.line)
	}
	done = append(done, m.end()...)
	*m = markdownParts{}
	return done
}
