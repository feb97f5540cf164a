package xmlscan

import (
	"bytes"
	"fmt"
)

// MaxDepth is how deeply elements may nest.
const MaxDepth = 256

// Kind of a token.
type Kind uint8

// The kinds of token. An empty element <a/> is one Start token with Empty set
// and no End token.
const (
	Start Kind = iota + 1
	End
	Text  // character data, still escaped
	CData // the whole <![CDATA[…]]> section
	Other // comment, processing instruction, XML declaration
)

// Token is one piece of the document: Doc[Start:End] are its bytes.
type Token struct {
	Kind   Kind
	Empty  bool   // Start only: <a/>
	Depth  int    // of the element: the root has 1; text has the depth of its parent
	Start  int    // offset of the first byte
	End    int    // offset behind the last byte
	Prefix string // Start and End: namespace prefix, "" when none
	Local  string // Start and End: name without prefix
	Space  string // Start and End: namespace URI, transitional form
	doc    []byte
}

// Is reports whether t is an element token of that namespace and local name.
func (t Token) Is(space, local string) bool { return t.Local == local && t.Space == space }

// Bytes are the raw bytes of the token.
func (t Token) Bytes() []byte { return t.doc[t.Start:t.End] }

// Scanner reads tokens one after another. Make it with New.
type Scanner struct {
	doc    []byte
	pos    int
	tok    Token
	err    error
	open   []openElem
	ns     []binding
	names  map[string]string // interns names, so that a token costs no allocation
	popped bool              // an Empty element's scope ends at the next token
}

type openElem struct {
	name string // as written, with prefix
	nsN  int    // len(ns) before it
}

type binding struct{ prefix, uri string }

// New makes a scanner over doc, which must be UTF-8 (see UTF8) and must not
// change while it is in use.
func New(doc []byte) *Scanner {
	s := &Scanner{doc: doc, names: make(map[string]string, 64)}
	if bytes.HasPrefix(doc, []byte("\xef\xbb\xbf")) {
		s.pos = 3
	}
	return s
}

// Token is the one Next found.
func (s *Scanner) Token() Token { return s.tok }

// Err is the first error; nil at a clean end of the document.
func (s *Scanner) Err() error { return s.err }

// Depth is the number of elements now open.
func (s *Scanner) Depth() int { return len(s.open) }

func (s *Scanner) fail(format string, args ...any) bool {
	s.err = fmt.Errorf("XML at byte %d: %s", s.pos, fmt.Sprintf(format, args...))
	return false
}

// Next moves to the next token; false at the end or at an error.
func (s *Scanner) Next() bool {
	if s.err != nil {
		return false
	}
	if s.popped {
		s.pop()
		s.popped = false
	}
	if s.pos >= len(s.doc) {
		if len(s.open) > 0 {
			return s.fail("the document ends inside <%s>", s.open[len(s.open)-1].name)
		}
		return false
	}
	d := s.doc[s.pos:]
	if d[0] != '<' {
		n := bytes.IndexByte(d, '<')
		if n < 0 {
			n = len(d)
		}
		return s.emit(Text, n)
	}
	switch {
	case len(d) > 1 && d[1] == '/':
		return s.endTag(d)
	case len(d) > 1 && d[1] == '?':
		return s.delimited(Other, "?>")
	case bytes.HasPrefix(d, []byte("<!--")):
		return s.delimited(Other, "-->")
	case bytes.HasPrefix(d, []byte("<![CDATA[")):
		return s.delimited(CData, "]]>")
	case len(d) > 1 && d[1] == '!':
		return s.fail("a document type declaration is not allowed here")
	}
	return s.startTag(d)
}

func (s *Scanner) emit(k Kind, n int) bool {
	s.tok = Token{Kind: k, Depth: len(s.open), Start: s.pos, End: s.pos + n, doc: s.doc}
	s.pos += n
	return true
}

func (s *Scanner) delimited(k Kind, end string) bool {
	n := bytes.Index(s.doc[s.pos:], []byte(end))
	if n < 0 {
		return s.fail("%q is missing", end)
	}
	return s.emit(k, n+len(end))
}

func (s *Scanner) pop() {
	top := s.open[len(s.open)-1]
	s.ns = s.ns[:top.nsN]
	s.open = s.open[:len(s.open)-1]
}

func (s *Scanner) endTag(d []byte) bool {
	n := bytes.IndexByte(d, '>')
	if n < 0 {
		return s.fail("an end tag is cut")
	}
	name := bytes.TrimRight(d[2:n], " \t\r\n")
	if len(s.open) == 0 || s.open[len(s.open)-1].name != string(name) {
		return s.fail("</%s> closes nothing that is open", clip(name))
	}
	depth := len(s.open)
	p, l, u := s.resolve(s.open[depth-1].name)
	s.pop()
	s.tok = Token{Kind: End, Depth: depth, Start: s.pos, End: s.pos + n + 1, Prefix: p, Local: l, Space: u, doc: s.doc}
	s.pos += n + 1
	return true
}

func (s *Scanner) startTag(d []byte) bool {
	n := tagEnd(d)
	if n < 0 {
		return s.fail("a tag is cut")
	}
	if len(s.open) >= MaxDepth {
		return s.fail("elements nest deeper than %d", MaxDepth)
	}
	body := d[1 : n-1]
	empty := len(body) > 0 && body[len(body)-1] == '/'
	if empty {
		body = body[:len(body)-1]
	}
	nameLen := bytes.IndexAny(body, " \t\r\n")
	if nameLen < 0 {
		nameLen = len(body)
	}
	if nameLen == 0 {
		return s.fail("a tag has no name")
	}
	name := s.intern(body[:nameLen])
	s.open = append(s.open, openElem{name: name, nsN: len(s.ns)})
	if attrs := body[nameLen:]; bytes.Contains(attrs, []byte("xmlns")) {
		for a := range attrsOf(attrs) {
			switch {
			case a.Name == "xmlns":
				s.ns = append(s.ns, binding{"", transitional(a.Value())})
			case len(a.Name) > 6 && a.Name[:6] == "xmlns:":
				s.ns = append(s.ns, binding{a.Name[6:], transitional(a.Value())})
			}
		}
	}
	p, l, u := s.resolve(name)
	s.tok = Token{Kind: Start, Empty: empty, Depth: len(s.open), Start: s.pos, End: s.pos + n, Prefix: p, Local: l, Space: u, doc: s.doc}
	s.pos += n
	s.popped = empty
	return true
}

// tagEnd is the length of the start tag at the beginning of d, minding '>'
// inside quoted values; -1 when it is cut.
func tagEnd(d []byte) int {
	i := 1
	for {
		n := bytes.IndexAny(d[i:], "\"'>")
		if n < 0 {
			return -1
		}
		i += n
		if d[i] == '>' {
			return i + 1
		}
		q := bytes.IndexByte(d[i+1:], d[i])
		if q < 0 {
			return -1
		}
		i += q + 2
	}
}

func (s *Scanner) intern(b []byte) string {
	if n, ok := s.names[string(b)]; ok {
		return n
	}
	n := string(b)
	s.names[n] = n
	return n
}

func (s *Scanner) resolve(name string) (prefix, local, uri string) {
	local = name
	for i := 0; i < len(name); i++ {
		if name[i] == ':' {
			prefix, local = name[:i], name[i+1:]
			break
		}
	}
	return prefix, local, s.Namespace(prefix)
}

// Namespace is the URI (transitional form) bound to prefix at the current
// token, "" when none.
func (s *Scanner) Namespace(prefix string) string {
	for i := len(s.ns) - 1; i >= 0; i-- {
		if s.ns[i].prefix == prefix {
			return s.ns[i].uri
		}
	}
	if prefix == "xml" {
		return "http://www.w3.org/XML/1998/namespace"
	}
	return ""
}

// Skip moves to the End token of the Start token just read, so that Next goes
// on behind the element; it does nothing at an Empty one. It returns the
// offset behind the element.
func (s *Scanner) Skip() int {
	t := s.tok
	if t.Kind != Start || t.Empty {
		return t.End
	}
	for s.Next() {
		if s.tok.Kind == End && s.tok.Depth == t.Depth {
			return s.tok.End
		}
	}
	return len(s.doc)
}

func clip(b []byte) string {
	if len(b) > 40 {
		b = b[:40]
	}
	return string(b)
}
