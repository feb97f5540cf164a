package paragraph

import (
	"bytes"
	"strings"
)

// literal is a part of a text that is searched for: printable ASCII that XML never
// escapes, so that a part of a package has it byte for byte where it has the text.
type literal struct {
	text  string // small letters where fold is set
	fold  bool
	first [256]bool // bytes that may begin it
	last  [256]bool // bytes that may end the beginning of it
}

// newLiteral returns the longest literal of s, nil where it has none.
func newLiteral(s Search) *literal {
	if s.Regex {
		return nil
	}
	l := &literal{fold: !s.MatchCase}
	for _, run := range strings.FieldsFunc(s.Text, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune("&<>\"'", r) }) {
		if len(run) > len(l.text) {
			l.text = run
		}
	}
	if l.text == "" {
		return nil
	}
	if l.fold {
		l.text = strings.ToLower(l.text)
	}
	for c := range 256 {
		folded := l.byte(byte(c))
		l.first[c] = folded == l.text[0]
		l.last[c] = strings.IndexByte(l.text[:len(l.text)-1], folded) >= 0
	}
	return l
}

func (l *literal) byte(c byte) byte {
	if l.fold {
		return lower(c)
	}
	return c
}

// Absent reports whether the paragraphs and values of a part certainly have no match, by
// its bytes alone; false says nothing. A match is in one piece somewhere in the bytes, or
// its beginning is the end of a piece of text, in front of a tag.
func (f *Finder) Absent(doc []byte) bool {
	l := f.literal
	if l == nil || bytes.Contains(doc, []byte("&#")) || bytes.Contains(doc, []byte("![CDATA[")) { // < is in every tag
		return false
	}
	// The sign of Kelvin and the long s are k and s in any case.
	if l.fold && (bytes.Contains(doc, []byte("\u212a")) || bytes.Contains(doc, []byte("\u017f"))) {
		return false
	}
	for i, c := range doc {
		switch {
		case c == '<':
			if i > 0 && l.last[doc[i-1]] && l.beginsAtEnd(doc[:i]) {
				return false
			}
		case l.first[c] && l.at(doc[i:]):
			return false
		}
	}
	return true
}

// at reports whether b begins with the literal.
func (l *literal) at(b []byte) bool { return len(b) >= len(l.text) && l.equal(b[:len(l.text)]) }

// equal reports whether b is the beginning of the literal that has its length.
func (l *literal) equal(b []byte) bool {
	for i, c := range b {
		if l.byte(c) != l.text[i] {
			return false
		}
	}
	return true
}

// beginsAtEnd reports whether b ends with a beginning of the literal.
func (l *literal) beginsAtEnd(b []byte) bool {
	for k := 1; k < len(l.text) && k <= len(b); k++ {
		if l.equal(b[len(b)-k:]) {
			return true
		}
	}
	return false
}
