package reader

import (
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// headerWords are the elements of headerFooter (18.3.1.46).
var headerWords = map[string]string{"oddHeader": "header", "oddFooter": "footer", "evenHeader": "header of even pages", "evenFooter": "footer of even pages", "firstHeader": "header of the first page", "firstFooter": "footer of the first page"}

// headerFooter takes in the texts at the top and foot of printed pages; those of
// pages that are not different do not count.
func (s *pageSetup) headerFooter(t xmlscan.Token, raw []byte) {
	even, first := sheetml.IsTrue(t.AttrLocal("differentOddEven")), sheetml.IsTrue(t.AttrLocal("differentFirst"))
	_ = sheetml.EachChild(raw, func(t xmlscan.Token, one []byte) error {
		word := headerWords[t.Local]
		if word == "" || strings.HasPrefix(t.Local, "even") && !even || strings.HasPrefix(t.Local, "first") && !first {
			return nil
		}
		if text := HeaderText(strings.Join(sheetml.TextsOf(one, t.Local), " ")); text != "" && len(s.headers) < len(headerWords) {
			s.headers = append(s.headers, word+": "+book.Clip(book.OneLine(text), 300))
		}
		return nil
	})
}

// headerFields are the codes of a header that stand for a value (18.3.1.46).
var headerFields = map[byte]string{'P': "[page]", 'N': "[pages]", 'D': "[date]", 'T': "[time]", 'F': "[file]", 'A': "[sheet]", 'Z': "[path]", 'G': "[picture]"}

// HeaderText writes a header as its three sections, "left "…", center "…"",
// without the codes of formats.
func HeaderText(s string) string {
	var out []string
	section := "center" // where the text has no code for it
	var sb strings.Builder
	end := func(next string) {
		if text := strings.TrimSpace(sb.String()); text != "" {
			out = append(out, section+` "`+text+`"`)
		}
		sb.Reset()
		section = next
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '&' || i+1 == len(s) {
			sb.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c == 'L':
			end("left")
		case c == 'C':
			end("center")
		case c == 'R':
			end("right")
		case c == '&':
			sb.WriteByte('&')
		case headerFields[c] != "":
			sb.WriteString(headerFields[c])
		default:
			i = afterFormat(s, i)
		}
	}
	end("")
	return strings.Join(out, ", ")
}

// afterFormat returns the offset of the last byte of the code of a format at i: a
// font in quotes, a size, a colour, or one letter.
func afterFormat(s string, i int) int {
	switch c := s[i]; {
	case c == '"':
		if n := strings.IndexByte(s[i+1:], '"'); n >= 0 {
			return i + 1 + n
		}
		return len(s) - 1
	case c >= '0' && c <= '9':
		for i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
			i++
		}
		return i
	case c == 'K': // RRGGBB, or a theme colour such as 01+000
		return min(i+6, len(s)-1)
	}
	return i
}
