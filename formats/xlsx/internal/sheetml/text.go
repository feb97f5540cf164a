package sheetml

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"

	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// CharData returns the text of XML content without child elements, with line
// ends normalized (XML 1.0 section 2.11).
func CharData(b []byte) string {
	if bytes.IndexByte(b, '\r') >= 0 {
		b = bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
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
		n := markupEnd(b)
		if n < 0 {
			break
		}
		if text, ok := bytes.CutPrefix(b[:n], []byte("<![CDATA[")); ok {
			sb.Write(text[:len(text)-3])
		}
		b = b[n:]
	}
	return sb.String()
}

// markupEnd returns the offset after the tag, comment, CDATA section or processing
// instruction that b begins with, -1 when it does not end.
func markupEnd(b []byte) int {
	end := ""
	switch {
	case bytes.HasPrefix(b, []byte("<!--")):
		end = "-->"
	case bytes.HasPrefix(b, []byte("<![CDATA[")):
		end = "]]>"
	case bytes.HasPrefix(b, []byte("<?")):
		end = "?>"
	default:
		return tagEnd(b)
	}
	n := bytes.Index(b, []byte(end))
	if n < 0 {
		return -1
	}
	return n + len(end)
}

// tagEnd is markupEnd for a tag; a '>' inside quotes does not count.
func tagEnd(b []byte) int {
	for from := 0; ; {
		n := bytes.IndexByte(b[from:], '>')
		if n < 0 {
			return -1
		}
		end := from + n + 1
		q := openQuote(b[from : end-1])
		if q == 0 {
			return end
		}
		if n = bytes.IndexByte(b[end:], q); n < 0 {
			return -1
		}
		from = end + n + 1
	}
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
		e := markupEnd(b)
		if e < 0 {
			break
		}
		if b[1] == '!' || b[1] == '?' {
			b = b[e:]
			continue
		}
		closing := b[1] == '/'
		name := LocalName(bytes.TrimPrefix(b[1:], []byte("/")))
		empty := b[e-2] == '/'
		b = b[e:]
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
		if i+1 < len(b) && (b[i+1] == '!' || b[i+1] == '?') {
			if n = markupEnd(b[i:]); n < 0 {
				return len(b)
			}
			i += n
			continue
		}
		return i
	}
}

var escapedX = lazyregexp.New(`_x([0-9A-Fa-f]{4})_`)

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
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return escapeX(xmlscan.Escape(s), "_")
}

// looksEscaped matches what an escape begins with, but for its last character.
var looksEscaped = lazyregexp.New(`^_x[0-9A-Fa-f]{4}`)

// escapeX escapes each underscore that begins what looks like an escape: _xHHHH
// before one of the characters of last. Escapes can overlap, as in _x0041_x0042_.
func escapeX(s, last string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	var sb strings.Builder
	for {
		i := strings.Index(s, "_x")
		if i < 0 {
			break
		}
		sb.WriteString(s[:i])
		s = s[i:]
		if len(s) > 6 && strings.IndexByte(last, s[6]) >= 0 && looksEscaped.MatchString(s[:6]) {
			sb.WriteString("_x005F")
		}
		sb.WriteByte('_')
		s = s[1:]
	}
	sb.WriteString(s)
	return sb.String()
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
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = escapeX(xmlscan.Escape(s), "_\n\t")
	if strings.ContainsAny(s, "\n\t") {
		s = strings.NewReplacer("\n", "_x000a_", "\t", "_x0009_").Replace(s)
	}
	return strings.ReplaceAll(s, "'", "&apos;")
}
