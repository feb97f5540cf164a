package html

import (
	"fmt"
	"html"
	"strings"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/formats/text"
)

// Attributes with visible text: on any element, and on some elements.
var (
	visibleAttrs = set("title alt placeholder aria-label aria-description aria-placeholder aria-roledescription aria-valuetext")
	attrsOf      = map[string]map[string]bool{
		"option": set("label"), "optgroup": set("label"), "track": set("label"),
		"th": set("abbr"), "table": set("summary"), "object": set("standby"),
	}
	// metaNames are names and properties of meta elements whose content is text.
	metaNames = set(`description keywords abstract subject title dc.title dc.description dc.subject dcterms.title
		dcterms.description application-name apple-mobile-web-app-title twitter:title twitter:description
		twitter:image:alt og:title og:description og:image:alt og:site_name headline name`)
	buttonTypes = set("submit button reset") // inputs that show their value
)

// attributes adds units for the attributes of a tag that people see or hear.
func (sc *scanner) attributes(t token) {
	if t.name != "html" && strings.IndexByte(sc.s[t.start:t.end], '=') < 0 {
		return
	}
	all := attrs(sc.s, t)
	sc.noteLanguage(t, all)
	for _, a := range all {
		if !sc.visible(t.name, a, all) || strings.TrimSpace(sc.s[a.start:a.end]) == "" {
			continue
		}
		sc.attrs++
		part := "attribute"
		if t.name == "meta" {
			part = "meta"
		}
		sc.addPlain(fmt.Sprintf("a%d", sc.attrs), part, sc.attrUnit(a))
	}
}

func (sc *scanner) visible(name string, a attr, all []attr) bool {
	value := func(key string) string {
		for _, b := range all {
			if b.key == key {
				return lowerASCII(strings.TrimSpace(sc.s[b.start:b.end]))
			}
		}
		return ""
	}
	switch {
	case visibleAttrs[a.key] || attrsOf[name][a.key]:
		return true
	case name == "meta" && a.key == "content":
		return metaNames[value("name")] || metaNames[value("property")] || metaNames[value("itemprop")]
	case name == "input" && a.key == "value":
		return buttonTypes[value("type")]
	}
	return false
}

// attrUnit returns the segment of an attribute's value, without blanks around
// it.
func (p page) attrUnit(a attr) text.Unit {
	for a.start < a.end && isSpace(p.s[a.start]) {
		a.start++
	}
	for a.start < a.end && isSpace(p.s[a.end-1]) {
		a.end--
	}
	raw := p.s[a.start:a.end]
	u := text.Unit{Segment: formats.Segment{Text: tags.Escape(decodeText(raw, false))}, Start: a.start, End: a.end}
	u.Write = func(target string, _ func(start, end int) string) (string, error) {
		value := strings.TrimSpace(tags.Plain(target))
		if value == "" {
			return "", errEmpty
		}
		return p.quoted(p.encodeText(oneLine(value), strings.Contains(raw, "&nbsp;")), a.quote), nil
	}
	return u
}

// quoted returns an encoded value for an attribute with these quotes, in quotes
// when it has none.
func (page) quoted(value string, quote byte) string {
	switch quote {
	case '\'':
		return strings.ReplaceAll(value, "'", "&#39;")
	case '"':
		return strings.ReplaceAll(value, `"`, "&quot;")
	}
	return `"` + strings.ReplaceAll(value, `"`, "&quot;") + `"`
}

// rawUnit returns the segment of an element that has text only; its line ends
// count when lines is true.
func (p page) rawUnit(start, end int, lines bool) text.Unit {
	for start < end && isSpace(p.s[start]) {
		start++
	}
	for start < end && isSpace(p.s[end-1]) {
		end--
	}
	shown := html.UnescapeString(collapse(p.s[start:end], lines))
	u := text.Unit{Segment: formats.Segment{Text: tags.Escape(strings.ReplaceAll(shown, "\r\n", "\n"))}, Start: start, End: end}
	u.Write = func(target string, _ func(start, end int) string) (string, error) {
		value := strings.TrimSpace(tags.Plain(target))
		if value == "" {
			return "", errEmpty
		}
		if !lines {
			value = oneLine(value)
		}
		return p.encodeText(value, false), nil
	}
	return u
}
