package xmlscan

import (
	"bytes"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Splice replaces Doc[Start:End] with New.
type Splice struct {
	Start, End int
	New        []byte
}

// Apply makes the edited copy of doc. The splices may come in any order but
// must not overlap; two insertions at one offset keep their order.
func Apply(doc []byte, edits []Splice) []byte {
	if len(edits) == 0 {
		return doc
	}
	size := len(doc)
	for _, e := range edits {
		size += len(e.New)
	}
	return AppendApplied(make([]byte, 0, size), doc, edits)
}

// AppendApplied appends to out what Apply returns.
func AppendApplied(out, doc []byte, edits []Splice) []byte {
	if len(edits) == 0 {
		return append(out, doc...)
	}
	// An insertion goes before what is replaced at the same place.
	before := func(a, b Splice) bool {
		return a.Start < b.Start || a.Start == b.Start && a.End == a.Start && b.End > b.Start
	}
	sorted := edits
	for i := range edits[1:] {
		if before(edits[i+1], edits[i]) {
			sorted = append([]Splice(nil), edits...)
			sort.SliceStable(sorted, func(i, j int) bool { return before(sorted[i], sorted[j]) })
			break
		}
	}
	pos := 0
	for _, e := range sorted {
		if e.Start < pos {
			panic("xmlscan: splices overlap")
		}
		out = append(out, doc[pos:e.Start]...)
		out = append(out, e.New...)
		pos = e.End
	}
	return append(out, doc[pos:]...)
}

// Unescape resolves the predefined entities and character references of XML
// character data or an attribute value. An unknown reference stays as written.
func Unescape(b []byte) string {
	if bytes.IndexByte(b, '&') < 0 {
		return string(b)
	}
	var sb strings.Builder
	sb.Grow(len(b))
	for len(b) > 0 {
		i := bytes.IndexByte(b, '&')
		if i < 0 {
			sb.Write(b)
			break
		}
		sb.Write(b[:i])
		b = b[i:]
		n := bytes.IndexByte(b, ';')
		if n < 0 || n > 12 {
			sb.WriteByte('&')
			b = b[1:]
			continue
		}
		if r, ok := decodeReference(string(b[1:n])); ok {
			sb.WriteRune(r)
		} else {
			sb.Write(b[:n+1])
		}
		b = b[n+1:]
	}
	return sb.String()
}

func decodeReference(name string) (rune, bool) {
	switch name {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	if len(name) > 1 && name[0] == '#' {
		base, digits := 10, name[1:]
		if digits[0] == 'x' || digits[0] == 'X' {
			base, digits = 16, digits[1:]
		}
		if n, err := strconv.ParseUint(digits, base, 32); err == nil && n <= utf8.MaxRune {
			return rune(n), true
		}
	}
	return 0, false
}

// Escape makes s safe as XML character data and inside a quoted attribute
// value. Characters that XML 1.0 cannot hold (section 2.2) are dropped,
// and invalid UTF-8 becomes U+FFFD.
func Escape(s string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '&' || c == '<' || c == '>' || c == '"' || c == '\r' || c < 0x20 || c >= 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var sb strings.Builder
	sb.Grow(len(s) + 16)
	for _, r := range s {
		switch {
		case r == '&':
			sb.WriteString("&amp;")
		case r == '<':
			sb.WriteString("&lt;")
		case r == '>':
			sb.WriteString("&gt;")
		case r == '"':
			sb.WriteString("&quot;")
		case r == '\r':
			sb.WriteString("&#13;")
		case !Legal(r):
		default:
			sb.WriteRune(r)
		}
	}
	return sb.String()
}

// EscapeAttr makes s safe as the value of an attribute in either kind of quotes.
// Line breaks and tabs become references, since literal ones are read as blanks
// (XML 1.0, 3.3.3).
func EscapeAttr(s string) string {
	s = Escape(s)
	if strings.ContainsAny(s, "'\n\t") {
		s = attrReferences.Replace(s)
	}
	return s
}

var attrReferences = strings.NewReplacer("'", "&apos;", "\n", "&#10;", "\t", "&#9;")

// Legal reports whether XML 1.0 can hold r (section 2.2, Char).
func Legal(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
}

// UTF8 returns doc in UTF-8: as it is, or converted when it begins as UTF-16
// with or without a byte order mark (the two encodings OPC allows, ECMA-376-2
// 9.1.1). A converted document's XML declaration says UTF-8.
func UTF8(doc []byte) []byte {
	var order func(a, b byte) uint16
	switch {
	case bytes.HasPrefix(doc, []byte{0xFE, 0xFF}), bytes.HasPrefix(doc, []byte{0, '<', 0}):
		order = func(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }
	case bytes.HasPrefix(doc, []byte{0xFF, 0xFE}), bytes.HasPrefix(doc, []byte{'<', 0}):
		order = func(a, b byte) uint16 { return uint16(b)<<8 | uint16(a) }
	default:
		return doc
	}
	u := make([]uint16, 0, len(doc)/2)
	for i := 0; i+1 < len(doc); i += 2 {
		u = append(u, order(doc[i], doc[i+1]))
	}
	if len(u) > 0 && u[0] == 0xFEFF {
		u = u[1:]
	}
	s := string(utf16.Decode(u))
	if end := strings.Index(s, "?>"); strings.HasPrefix(s, "<?xml") && end > 0 {
		s = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + s[end+2:]
	}
	return []byte(s)
}

// transitional maps a strict OOXML namespace to its transitional one.
func transitional(uri string) string {
	if t, ok := strictURIs[uri]; ok {
		return t
	}
	const strict = "http://purl.oclc.org/ooxml/"
	if strings.HasPrefix(uri, strict) {
		return "http://schemas.openxmlformats.org/" + transitionalTail(uri[len(strict):])
	}
	return uri
}

// Transitional maps a strict OOXML namespace or relationship type URI
// (ISO/IEC 29500-1, annex A) to the transitional one; others stay.
func Transitional(uri string) string { return transitional(uri) }

// Strict maps a transitional office namespace or relationship type URI to its
// strict one; others stay.
func Strict(uri string) string {
	for strict, t := range strictURIs {
		if t == uri {
			return strict
		}
	}
	const office = "http://schemas.openxmlformats.org/"
	tail, ok := strings.CutPrefix(uri, office)
	if !ok {
		return uri
	}
	first, rest, ok := strings.Cut(tail, "/2006/")
	if !ok || first == "package" || first == "markup-compatibility" || strings.Contains(first, "/") {
		return uri
	}
	return "http://purl.oclc.org/ooxml/" + first + "/" + rest
}

var strictURIs = map[string]string{
	"http://purl.oclc.org/ooxml/officeDocument/relationships/metadata/core-properties": "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties",
	"http://purl.oclc.org/ooxml/officeDocument/relationships/extendedProperties":       "http://schemas.openxmlformats.org/officeDocument/2006/relationships/extended-properties",
	"http://purl.oclc.org/ooxml/officeDocument/relationships/customProperties":         "http://schemas.openxmlformats.org/officeDocument/2006/relationships/custom-properties",
}

// transitionalTail turns "officeDocument/relationships/x" into
// "officeDocument/2006/relationships/x": the year is after the first segment in
// every transitional URI.
func transitionalTail(tail string) string {
	i := strings.IndexByte(tail, '/')
	if i < 0 {
		return tail
	}
	return tail[:i] + "/2006" + tail[i:]
}
