package formatstest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// Node is an element of a part, read with encoding/xml, so that what a test
// finds owes nothing to the code under test. Names are "w:p", whatever prefix
// the part has and whether it is strict or transitional; of an unknown
// vocabulary they are the local name alone.
type Node struct {
	Name  string
	Attrs map[string]string // by local name
	Kids  []*Node
	Text  string // of a leaf
	Up    *Node
}

// vocabularies tells namespaces by a piece of their name.
var vocabularies = []struct{ piece, prefix string }{
	{"wordprocessingml", "w"}, {"drawingml/wordprocessing", "wp"}, {"word/2010/wordprocessingShape", "wps"}, {"word/2010/wordprocessingDrawing", "wp14"},
	{"office/drawing/2014/chartex", "cx"}, {"drawingml/chartDrawing", "cdr"}, {"drawingml/2006/chartDrawing", "cdr"}, {"drawingml/2006/chart", "c"}, {"ooxml/drawingml/chart", "c"},
	{"drawing/2008/diagram", "dsp"}, {"drawingml/2006/diagram", "dgm"}, {"drawingml/diagram", "dgm"},
	{"drawingml/2006/picture", "pic"}, {"drawingml/picture", "pic"}, {"drawingml/2006/spreadsheetDrawing", "xdr"}, {"drawingml/spreadsheetDrawing", "xdr"},
	{"drawingml/2006/main", "a"}, {"ooxml/drawingml/main", "a"},
	{"spreadsheetml/2006/main", "x"}, {"ooxml/spreadsheetml/main", "x"}, {"presentationml", "p"},
	{"threadedcomments", "xltc"}, {"powerpoint/2018/8", "p188"},
	{"schemas-microsoft-com:vml", "v"}, {"officeDocument/2006/math", "m"}, {"officeDocument/math", "m"},
	{"markup-compatibility", "mc"}, {"package/2006/relationships", "rel"}, {"purl.org/dc/elements", "dc"}, {"core-properties", "cp"},
}

// Tree reads one part; nil when it is not XML.
// Tree reads one part; nil when it is not XML.
func Tree(part []byte) (*Node, error) {
	if len(part) > 1 && (part[0] == 0xff && part[1] == 0xfe || part[0] == 0xfe && part[1] == 0xff) {
		part = fromUTF16(part)
	}
	dec := xml.NewDecoder(bytes.NewReader(part))
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	prefixes := prefixes{}
	root := &Node{}
	at := root
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			n := &Node{Name: prefixes.of(tok.Name.Space) + tok.Name.Local, Attrs: attrsOf(tok), Up: at}
			at.Kids = append(at.Kids, n)
			at = n
		case xml.EndElement:
			at = at.Up
		case xml.CharData:
			at.Text += string(tok)
		}
	}
	if len(root.Kids) == 0 {
		return nil, errors.New("no element")
	}
	root.Kids[0].Up = nil
	return root.Kids[0], nil
}

// prefixes are the prefixes of namespaces, "" for those that are not known.
type prefixes map[string]string

func (p prefixes) of(space string) string {
	prefix, known := p[space]
	if known {
		return prefix
	}
	for _, v := range vocabularies {
		if strings.Contains(space, v.piece) {
			prefix = v.prefix + ":"
			break
		}
	}
	p[space] = prefix
	return prefix
}

// attrsOf returns the attributes of an element without namespace declarations.
func attrsOf(e xml.StartElement) map[string]string {
	var out map[string]string
	for _, a := range e.Attr {
		if a.Name.Space == "xmlns" || a.Name.Local == "xmlns" {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		if strings.Contains(a.Name.Space, "officeDocument/") && strings.HasSuffix(a.Name.Space, "elationships") {
			a.Name.Local = "r:" + a.Name.Local
		}
		out[a.Name.Local] = a.Value
	}
	return out
}

func fromUTF16(b []byte) []byte {
	u := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		lo, hi := b[i], b[i+1]
		if b[0] == 0xfe {
			lo, hi = hi, lo
		}
		u = append(u, uint16(lo)|uint16(hi)<<8)
	}
	return []byte(strings.TrimPrefix(string(utf16.Decode(u)), "\ufeff"))
}

// Attr returns an attribute's value by local name, "" when it is absent.
func (n *Node) Attr(local string) string { return n.Attrs[local] }

// In reports whether an element of one of the names is above n.
func (n *Node) In(names ...string) bool {
	for up := n.Up; up != nil; up = up.Up {
		if slices.Contains(names, up.Name) {
			return true
		}
	}
	return false
}

// Walk visits n and what is below it in order, but not what is below a node
// for which visit is false.
func (n *Node) Walk(visit func(*Node) bool) {
	if !visit(n) {
		return
	}
	for _, k := range n.Kids {
		k.Walk(visit)
	}
}

// All lists the elements below n that have one of the names.
func (n *Node) All(names ...string) []*Node {
	var out []*Node
	n.Walk(func(k *Node) bool {
		if k != n && slices.Contains(names, k.Name) {
			out = append(out, k)
		}
		return true
	})
	return out
}

// Rel is a relationship of a package, its target resolved.
type Rel struct{ ID, Type, Target string }

// Package is a package's parts with their trees.
type Package struct {
	Parts map[string][]byte
	trees map[string]*Node
}

// OpenPackage reads an OPC package.
func OpenPackage(t testing.TB, file []byte) *Package {
	t.Helper()
	p := &Package{Parts: map[string][]byte{}, trees: map[string]*Node{}}
	for name, b := range Parts(t, file) {
		p.Parts[strings.ReplaceAll(name, `\`, "/")] = b
	}
	return p
}

// Tree returns the tree of a part, nil when there is none.
func (p *Package) Tree(name string) *Node {
	if n, ok := p.trees[name]; ok {
		return n
	}
	n, err := Tree(p.Parts[name])
	if err != nil {
		n = nil
	}
	p.trees[name] = n
	return n
}

// Rels lists the internal relationships of a part, "" for the package's.
func (p *Package) Rels(source string) []Rel {
	dir, base := path.Split(source)
	tree := p.Tree(dir + "_rels/" + base + ".rels")
	if tree == nil {
		return nil
	}
	var out []Rel
	for _, r := range tree.All("rel:Relationship") {
		if r.Attr("TargetMode") == "External" {
			continue
		}
		target := strings.ReplaceAll(r.Attr("Target"), `\`, "/")
		if !strings.HasPrefix(target, "/") {
			target = "/" + dir + target
		}
		typ := r.Attr("Type")
		out = append(out, Rel{r.Attr("Id"), typ[strings.LastIndexByte(typ, '/')+1:], strings.TrimPrefix(path.Clean(target), "/")})
	}
	return out
}

// Reachable lists the parts that can be come to from the package, sorted: what
// nothing refers to is not shown.
func (p *Package) Reachable() []string {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(source string) {
		for _, r := range p.Rels(source) {
			if _, ok := p.Parts[r.Target]; ok && !seen[r.Target] {
				seen[r.Target] = true
				visit(r.Target)
			}
		}
	}
	visit("")
	out := make([]string, 0, len(seen))
	for name := range seen {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
