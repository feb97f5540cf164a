package pseudo

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/internal/lazyregexp"
	"atelier/llm"
)

// summaryTask recognises the request for a summary of a conversation, which
// offers no tools.
func summaryTask(messages []llm.Message, tools []llm.Tool) (record string, ok bool) {
	if len(tools) > 0 || len(messages) != 2 || !strings.HasPrefix(messages[0].Content, "You write the summary with which an assistant goes on") {
		return "", false
	}
	return messages[1].Content, true
}

var (
	recorded  = lazyregexp.New(`(?m)^(PERSON|ASSISTANT|CALL|EARLIER SUMMARY|RESULT[^:\n]*): `)
	namedFile = lazyregexp.New(`"path":"([^"\\]+)"`)
)

// The bounds of a summary: messages that are quoted, and characters of each.
const (
	mostQuoted = 20
	mostOfOne  = 200
)

// summarise lists what the person asked for and the files that calls named.
func summarise(record string) string {
	var asked, files []string
	at := recorded.FindAllStringSubmatchIndex(record, -1)
	for i, m := range at {
		end := len(record)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		text := strings.Join(strings.Fields(record[m[1]:end]), " ")
		switch record[m[2]:m[3]] {
		case "PERSON", "EARLIER SUMMARY":
			asked = append(asked, "- "+firstRunes(text, mostOfOne))
		case "CALL":
			if f := namedFile.FindStringSubmatch(text); f != nil && !slices.Contains(files, f[1]) {
				files = append(files, f[1])
			}
		}
	}
	s := "The person asked:\n"
	if n := len(asked) - mostQuoted; n > 0 {
		asked = append([]string{fmt.Sprintf("- (%d earlier requests)", n)}, asked[n:]...)
	}
	s += strings.Join(asked, "\n")
	if len(files) > 0 {
		n := min(len(files), mostQuoted)
		s += "\nFiles that were worked with: " + strings.Join(files[:n], ", ")
		if n < len(files) {
			s += fmt.Sprintf(" and %d more", len(files)-n)
		}
	}
	return s
}

func firstRunes(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "…"
}
