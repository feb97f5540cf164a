package sheetml

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"atelier/formats/ooxml/xmlscan"
)

// CharData returns the text of XML content without child elements, with line
// ends normalized (XML 1.0 section 2.11).
func CharData(b []byte) string {
	if bytes.IndexByte(b, '\r') >= 0 {
		b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	}
	if bytes.IndexByte(b, '<') < 0 {
		return xmlscan.Unescape(b)
	}
	var sb strings.Builder
	for len(b) > 0 {
		i := bytes.IndexByte(b, '<')
		if i < 0 {
			sb.WriteString(xmlscan.Unescape(b))
			break
		}
		sb.WriteString(xmlscan.Unescape(b[:i]))
		b = b[i:]
		var n int
		if bytes.HasPrefix(b, []byte("<![CDATA[")) {
			if n = bytes.Index(b, []byte("]]>")); n < 0 {
				break
			}
			sb.Write(b[9:n])
			n += 3
		} else if n = bytes.IndexByte(b, '>'); n < 0 {
			break
		} else {
			n++
		}
		b = b[n:]
	}
	return sb.String()
}

// PlainText returns the text of a CT_Rst (18.4.8): its t elements without those
// of phonetic runs (rPh).
func PlainText(b []byte) string {
	first := ""
	var sb *strings.Builder
	phonetic := false
	for {
		i := bytes.IndexByte(b, '<')
		if i < 0 || i+1 >= len(b) {
			break
		}
		b = b[i:]
		if b[1] == '!' || b[1] == '?' {
			n := bytes.IndexByte(b, '>')
			if n < 0 {
				break
			}
			b = b[n+1:]
			continue
		}
		e := bytes.IndexByte(b, '>')
		if e < 0 {
			break
		}
		closing := b[1] == '/'
		name := LocalName(bytes.TrimPrefix(b[1:], []byte("/")))
		empty := b[e-1] == '/'
		b = b[e+1:]
		switch string(name) {
		case "rPh":
			phonetic = !closing && !empty
		case "t":
			if closing || empty || phonetic {
				continue
			}
			n := TextEnd(b)
			t := CharData(b[:n])
			b = b[n:]
			if first == "" && sb == nil {
				first = t
				continue
			}
			if sb == nil {
				sb = &strings.Builder{}
				sb.WriteString(first)
			}
			sb.WriteString(t)
		}
	}
	if sb != nil {
		first = sb.String()
	}
	return Unescape(first)
}

// TextEnd returns the offset of the end tag after character data.
func TextEnd(b []byte) int {
	i := 0
	for {
		n := bytes.IndexByte(b[i:], '<')
		if n < 0 {
			return len(b)
		}
		i += n
		if i+1 < len(b) && b[i+1] == '!' {
			if n = bytes.Index(b[i:], []byte("]]>")); n < 0 {
				return len(b)
			}
			i += n + 3
			continue
		}
		return i
	}
}

var escapedX = regexp.MustCompile(`_x([0-9A-Fa-f]{4})_`)

// Unescape resolves the _xHHHH_ escapes of an ST_Xstring (22.9.2.19). A
// carriage return before a line feed is dropped.
func Unescape(s string) string {
	if !strings.Contains(s, "_x") {
		return strings.ReplaceAll(s, "\r\n", "\n")
	}
	s = escapedX.ReplaceAllStringFunc(s, func(m string) string {
		n, err := strconv.ParseUint(m[2:6], 16, 16)
		if err != nil || n >= 0xD800 && n < 0xE000 {
			return m
		}
		return string(rune(n))
	})
	return strings.ReplaceAll(s, "\r\n", "\n")
}

// Escape writes s as an ST_Xstring in XML: text that looks like an escape is
// escaped, line ends become \n, characters that XML cannot hold are dropped
//
func Escape(s string) string {
	if strings.Contains(s, "_x") {
		s = escapedX.ReplaceAllString(s, "_x005F_x${1}_")
	}
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return xmlscan.Escape(s)
}

// TextElement returns a t element with s that keeps blanks at its ends.
func TextElement(prefix, s string) string {
	if s == "" {
		return "<" + prefix + "t/>"
	}
	keep := ""
	if strings.TrimSpace(s) != s || strings.ContainsAny(s, "\n\t") || strings.Contains(s, "  ") {
		keep = ` xml:space="preserve"`
	}
	return "<" + prefix + "t" + keep + ">" + Escape(s) + "</" + prefix + "t>"
}

// UTF16Len returns the length of s as Excel counts it.
func UTF16Len(s string) int {
	if len(s) <= 100 {
		n := 0
		for _, r := range s {
			n += utf16.RuneLen(r)
		}
		return n
	}
	return len(utf16.Encode([]rune(s)))
}

// EscapeAttr is Escape for an attribute, in which a line break would become a
// blank: Excel writes _x000a_.
func EscapeAttr(s string) string {
	s = Escape(s)
	if strings.ContainsAny(s, "\n\t") {
		s = strings.NewReplacer("\n", "_x000a_", "\t", "_x0009_").Replace(s)
	}
	return strings.ReplaceAll(s, "'", "&apos;")
}
