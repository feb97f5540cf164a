package main

import "strings"

// markdownPart is a part of a text that is laid out by itself.
type markdownPart struct {
	text  string
	plain bool // it is too long to be laid out
	more  bool // the part before was cut at the longest; this one goes on
}

// maxPart is the longest part that is laid out, in bytes.
const maxPart = 32 << 10

// markdownParts cuts Markdown into parts as it comes: before a line that begins
// at the margin after an empty one, outside of fenced code.
type markdownParts struct {
	part  strings.Builder // lines of the part that is not ended
	line  string          // the beginning of a line that is not ended
	fence string          // what ends the fenced code that is open
	empty bool            // the last line was
	plain bool            // the part is too long: its beginning was given out
}

// add takes more text and gives the parts that are ended.
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

// fenceOf is what ends the fenced code that a line begins, "" when it begins
// none. It may stand in an item of a list.
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

// end gives the part that is ended, if there is one.
func (m *markdownParts) end() (done []markdownPart) {
	if strings.TrimSpace(m.part.String()) != "" {
		done = []markdownPart{{strings.TrimRight(m.part.String(), "\n"), m.plain || m.part.Len() > maxPart, m.plain}}
	}
	m.part.Reset()
	m.plain, m.empty = false, false
	return done
}

// rest gives what there is, at the end of a text.
func (m *markdownParts) rest() []markdownPart {
	var done []markdownPart
	if m.line != "" {
		done = m.addLine(m.line)
	}
	done = append(done, m.end()...)
	*m = markdownParts{}
	return done
}
