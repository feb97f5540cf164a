package html

import "strings"

// opaqueEnd reads to the end of an inline element whose content is kept: code,
// protected text, a drawing or formula without text. end is the offset after
// it. An element that is not closed where it should be ends there.
func (p page) opaqueEnd(z *tokenizer, t token) (end int, ok bool) {
	if t.closed && p.xml || voidElements[t.name] {
		return 0, false
	}
	if codeElements[t.name] {
		return p.skip(z, t), true
	}
	if t.name == "svg" || t.name == "math" {
		return p.iconEnd(z, t)
	}
	if off, _ := p.protection(t); off && !blockElements[t.name] {
		return p.skip(z, t), true
	}
	return 0, false
}

func (p page) skip(z *tokenizer, t token) int {
	depth := 1
	for end := t.end; ; {
		at := *z
		n, ok := z.next()
		if !ok {
			return end
		}
		switch {
		case (n.kind == startToken || n.kind == endToken) && blockElements[n.name]:
			*z = at // its own tag is still to be read
			return end
		case n.kind == startToken && n.name == t.name && !(n.closed && p.xml):
			depth++
		case n.kind == endToken && n.name == t.name:
			if depth--; depth == 0 {
				return n.end
			}
		}
		end = n.end
	}
}

// iconEnd returns a drawing or formula without language in it; ok is false when
// there is some, or no end.
func (p page) iconEnd(z *tokenizer, t token) (end int, ok bool) {
	closing := p.nextTag("</"+t.name, t.end)
	if closing >= len(z.s) || p.hasLanguage(t.end, closing) {
		return 0, false
	}
	for z.pos <= closing {
		at := *z
		n, ok := z.next()
		if !ok {
			break
		}
		if n.kind == startToken && blockElements[n.name] { // it was not closed (13.2.6.5)
			*z = at
			return n.start, true
		}
	}
	return z.pos, true
}

// hasLanguage reports whether an element of language begins in [start,end) of a
// drawing or formula.
func (p page) hasLanguage(start, end int) bool {
	for name := range languageElements {
		if p.nextTag("<"+name, start) < end {
			return true
		}
	}
	return false
}

// nextTag returns where tag, in any case, is next found from pos on; after the
// page when it is not. Answers are remembered, so that asking often costs
// little.
func (p page) nextTag(tag string, pos int) int {
	if known, ok := p.tagOffsets[tag]; ok && known[0] <= pos && pos <= known[1] {
		return known[1]
	}
	at := len(p.s)
	if n := indexFold(p.s[pos:], tag); n >= 0 {
		at = pos + n
	}
	p.tagOffsets[tag] = [2]int{pos, at}
	return at
}

// protection reads whether an element's text is translated: off is true for
// translate="no" and the class notranslate; given is true when an attribute
// decides it.
func (p page) protection(t token) (off, given bool) {
	if strings.IndexByte(p.s[t.start:t.end], '=') < 0 {
		return false, false
	}
	for _, a := range attrs(p.s, t) {
		switch v := p.s[a.start:a.end]; a.key {
		case "translate":
			return strings.EqualFold(v, "no"), true
		case "class":
			for _, c := range strings.Fields(v) {
				if c == "notranslate" {
					off, given = true, true
				}
			}
		}
	}
	return off, given
}

// isCode reports whether preformatted text is code: a code element is the first
// in it, or its class says so.
func (p page) isCode(z tokenizer, t token) bool {
	for _, a := range attrs(p.s, t) {
		if v := lowerASCII(p.s[a.start:a.end]); a.key == "class" && (strings.Contains(v, "code") || strings.Contains(v, "highlight") || strings.Contains(v, "lang")) {
			return true
		}
	}
	for range 4 {
		n, ok := z.next()
		if !ok || n.kind == textToken && strings.TrimSpace(p.s[n.start:n.end]) != "" {
			return false
		}
		if n.kind == startToken && codeInPre[n.name] {
			return true
		}
	}
	return false
}

// indexFold is strings.Index for ASCII letters of any case; sub is in lower case.
func indexFold(s, sub string) int {
	for i := 0; ; {
		n := strings.IndexByte(s[i:], sub[0])
		if n < 0 {
			return -1
		}
		i += n
		if hasPrefixFold(s[i:], sub) {
			return i
		}
		i++
	}
}
