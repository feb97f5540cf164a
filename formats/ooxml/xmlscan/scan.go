package xmlscan

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
)

// The limits of X-18: how deeply elements may nest, and how many namespaces
// may be bound at one place (each name not seen there is looked for in all).
const (
	MaxDepth      = 256
	MaxNamespaces = 1000
)

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
	End    int    // offset after the last byte
	Prefix string // Start and End: namespace prefix, "" when none
	Local  string // Start and End: name without prefix
	Space  string // Start and End: namespace URI, transitional form
	doc    []byte
}

// Is reports whether t is an element token of that namespace and local name.
func (t Token) Is(space, local string) bool { return t.Local == local && t.Space == space }

// Bytes returns the raw bytes of the token.
func (t Token) Bytes() []byte { return t.doc[t.Start:t.End] }

// Scanner reads tokens one after another. Make it with New.
type Scanner struct {
	doc    []byte
	pos    int
	tok    Token
	err    error
	open   []openElem
	ns     []binding
	scope  int                  // changes whenever ns does
	recent [256]*elemName       // names seen, by hashName, so that a token costs no allocation
	names  map[string]*elemName // those that share a place in recent
	uris   map[string]string    // namespaces seen, by their bytes
	popped bool                 // an Empty element's scope ends at the next token
}

type openElem struct {
	name *elemName
	nsN  int // len(ns) before it
}

// elemName is an element name with what it means in the scope it was last
// looked up in.
type elemName struct {
	name, prefix, local string
	uri                 string
	scope               int
}

type binding struct{ prefix, uri string }

// New makes a scanner over doc, which must be UTF-8 (see UTF8) and must not
// change while it is in use.
func New(doc []byte) *Scanner {
	s := &Scanner{doc: doc, tok: Token{doc: doc}}
	if bytes.HasPrefix(doc, []byte("\xef\xbb\xbf")) {
		s.pos = 3
	}
	return s
}

// pool has scanners for [Pooled], which know the names of the parts that they read before.
var pool sync.Pool

// maxNames bounds the names and namespaces that a scanner is kept with.
const maxNames = 500

// Pooled is New with a scanner that is used again after Release: a small part costs
// less to read than a new scanner and the names in it.
func Pooled(doc []byte) *Scanner {
	s, ok := pool.Get().(*Scanner)
	if !ok {
		return New(doc)
	}
	s.tok.doc = doc
	if s.doc = doc; bytes.HasPrefix(doc, []byte("\xef\xbb\xbf")) {
		s.pos = 3
	}
	return s
}

// Release ends the use of a scanner; its tokens may be used further.
func (s *Scanner) Release() {
	if len(s.names) > maxNames || len(s.uris) > maxNames {
		return
	}
	clear(s.ns[:cap(s.ns)])
	s.doc, s.tok, s.pos, s.err, s.popped = nil, Token{}, 0, nil, false
	s.open, s.ns = s.open[:0], s.ns[:0]
	s.scope++ // what names meant holds no longer
	pool.Put(s)
}

// Token returns the one Next found.
func (s *Scanner) Token() Token { return s.tok }

// Err is the first error; nil at a clean end of the document.
func (s *Scanner) Err() error { return s.err }

// Depth returns the number of elements now open.
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
			return s.fail("the document ends inside <%s>", s.open[len(s.open)-1].name.name)
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
	// Field by field: copying a whole token is slow while memory is collected.
	t := &s.tok
	t.Kind, t.Empty, t.Depth, t.Start, t.End, t.Prefix, t.Local, t.Space = k, false, len(s.open), s.pos, s.pos+n, "", "", ""
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
	if len(s.ns) != top.nsN {
		s.ns = s.ns[:top.nsN]
		s.scope++
	}
	s.open = s.open[:len(s.open)-1]
}

func (s *Scanner) endTag(d []byte) bool {
	n := bytes.IndexByte(d, '>')
	if n < 0 {
		return s.fail("an end tag is cut")
	}
	// The name is nearly always that of the open element.
	if k := len(s.open); k > 0 {
		if e := s.open[k-1].name; len(e.name) == n-2 && string(d[2:n]) == e.name {
			s.endToken(e, k, n+1)
			return true
		}
	}
	name := d[2:n]
	for len(name) > 0 && isSpace(name[len(name)-1]) {
		name = name[:len(name)-1]
	}
	if len(s.open) == 0 || s.open[len(s.open)-1].name.name != string(name) {
		return s.fail("</%s> closes nothing that is open", clipName(name))
	}
	depth := len(s.open)
	s.endToken(s.open[depth-1].name, depth, n+1)
	return true
}

// endToken makes the token of an end tag of n bytes.
func (s *Scanner) endToken(e *elemName, depth, n int) {
	uri := s.resolve(e)
	s.pop()
	t := &s.tok
	t.Kind, t.Empty, t.Depth, t.Start, t.End, t.Prefix, t.Local, t.Space = End, false, depth, s.pos, s.pos+n, e.prefix, e.local, uri
	s.pos += n
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
	nameLen := 0
	for nameLen < len(body) && !isSpace(body[nameLen]) {
		nameLen++
	}
	if nameLen == 0 {
		return s.fail("a tag has no name")
	}
	name := s.intern(body[:nameLen])
	s.open = append(s.open, openElem{name: name, nsN: len(s.ns)})
	if attrs := body[nameLen:]; len(attrs) > len(xmlns) && bytes.Contains(attrs, xmlns) {
		s.scope++
		if !s.bind(attrs) {
			return false
		}
	}
	t := &s.tok
	t.Kind, t.Empty, t.Depth, t.Start, t.End, t.Prefix, t.Local, t.Space = Start, empty, len(s.open), s.pos, s.pos+n, name.prefix, name.local, s.resolve(name)
	s.pos += n
	s.popped = empty
	return true
}

var xmlns = []byte("xmlns")

// bind takes the namespaces that the attributes of a tag declare.
func (s *Scanner) bind(attrs []byte) bool {
	for i := 0; ; {
		n, v, next := nextAttr(attrs, i)
		if next < 0 {
			return true
		}
		switch name := attrs[n.start:n.end]; {
		case string(name) == "xmlns":
			s.ns = append(s.ns, binding{"", s.uri(attrs[v.start:v.end])})
		case len(name) > 6 && string(name[:6]) == "xmlns:":
			s.ns = append(s.ns, binding{s.intern(name[6:]).name, s.uri(attrs[v.start:v.end])})
		}
		if len(s.ns) > MaxNamespaces {
			return s.fail("more than %d namespaces are declared", MaxNamespaces)
		}
		i = next
	}
}

// uri returns the transitional form of a namespace that is written so.
func (s *Scanner) uri(raw []byte) string {
	if u, ok := s.uris[string(raw)]; ok {
		return u
	}
	u := transitional(Unescape(raw))
	if s.uris == nil {
		s.uris = make(map[string]string, 8)
	}
	s.uris[string(raw)] = u
	return u
}

// tagEnd returns the length of the start tag at the beginning of d, minding '>'
// inside quoted values; -1 when it is cut.
func tagEnd(d []byte) int {
	n := bytes.IndexByte(d, '>')
	if n < 0 {
		return -1
	}
	if n < plainTag { // most have no attributes: calls would take longer than this
		quotes := 0
		for _, c := range d[1:n] {
			if c == '"' || c == '\'' {
				quotes++
			}
		}
		if quotes == 0 {
			return n + 1
		}
	}
	// Nearly all tags: only double quotes, and closed before the first '>'.
	if quotes := d[:n]; bytes.IndexByte(quotes, '\'') < 0 && bytes.Count(quotes, []byte{'"'})%2 == 0 {
		return n + 1
	}
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

// plainTag bounds the tags that are looked through byte by byte.
const plainTag = 16

func hashName(b []byte) uint8 {
	n := len(b)
	return b[0] + b[n/2]*31 + b[n-1]*7 + uint8(n)*13
}

func (s *Scanner) intern(b []byte) *elemName {
	h := hashName(b)
	if e := s.recent[h]; e != nil && e.name == string(b) {
		return e
	}
	e, ok := s.names[string(b)]
	if !ok {
		name := string(b)
		e = &elemName{name: name, local: name, scope: -1}
		if i := strings.IndexByte(name, ':'); i >= 0 {
			e.prefix, e.local = name[:i], name[i+1:]
		}
	}
	// Most scans are of a few elements: they need no map.
	if old := s.recent[h]; old != nil {
		if s.names == nil {
			s.names = make(map[string]*elemName, 16)
		}
		s.names[old.name] = old
		s.names[e.name] = e
	}
	s.recent[h] = e
	return e
}

// resolve returns the namespace of e at the current token.
func (s *Scanner) resolve(e *elemName) string {
	if e.scope != s.scope {
		e.uri, e.scope = s.Namespace(e.prefix), s.scope
	}
	return e.uri
}

// Namespace returns the URI (transitional form) bound to prefix at the current
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

// Skip moves to the End token of the Start token just read, so that Next
// continues after the element; it does nothing at an Empty one. It returns the
// offset after the element.
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

func clipName(b []byte) string {
	if len(b) > 40 {
		b = b[:40]
	}
	return string(b)
}
