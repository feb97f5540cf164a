package inventory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"path"
	"slices"
	"sort"
	"strings"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
)

// Sum is a checksum of content; equal sums are equal content.
type Sum [16]byte

// SumOf returns the Sum of bytes, or of texts that belong together.
func SumOf(b ...[]byte) Sum {
	h := sha256.New()
	for _, x := range b {
		writeField(h, x)
	}
	return Sum(h.Sum(nil)[:16])
}

func writeField(w io.Writer, b []byte) {
	n := len(b)
	_, _ = w.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
	_, _ = w.Write(b)
}

const nsRelationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

// Canonicalizer computes checksums of XML by its meaning: the order of
// attributes, namespace prefixes, comments, blanks between elements and
// revision ids (rsid) do not count, and relationship ids count as their
// targets.
type Canonicalizer struct {
	Rels []opc.Relationship // of the part; nil: ids stand for themselves
	// Target sums the internal part that a relationship leads to; nil: its name.
	Target func(name string) Sum
	// Ignore leaves an element out with all it holds; nil: none.
	Ignore func(t xmlscan.Token) bool
	// IgnoreAttr leaves an attribute out; nil: none.
	IgnoreAttr func(element xmlscan.Token, attr string) bool
}

// Claim says how much of an element a walk has covered.
type Claim int

// The claims.
const (
	None  Claim = iota // nothing: it is left over
	Attrs              // its attributes and text; its children are asked about in turn
	Whole              // all of it
)

// Element returns the Sum of one element or a document.
func (c Canonicalizer) Element(doc []byte) (Sum, error) {
	h := sha256.New()
	err := c.walk(doc, func(xmlscan.Token, []string) Claim { return None }, func([]string) io.Writer { return h })
	return Sum(h.Sum(nil)[:16]), err
}

// Leftover sums what claimed does not claim of a part, by the names of the
// elements from the root on: two of them, or one for the root itself. claimed is
// given the path of local names from the root, the element last; an element
// below one that is None is not asked about.
func Leftover(doc []byte, c Canonicalizer, claimed func(t xmlscan.Token, path []string) Claim) (map[string]Sum, error) {
	sums := map[string]*bytes.Buffer{}
	err := c.walk(doc, claimed, func(p []string) io.Writer {
		name := p[min(len(p)-1, 1)]
		if sums[name] == nil {
			sums[name] = &bytes.Buffer{}
		}
		// Kept short: a buffer that grows is replaced by its checksum.
		if b := sums[name]; b.Len() > 64<<10 {
			s := SumOf(b.Bytes())
			b.Reset()
			b.Write(s[:])
		}
		return sums[name]
	})
	out := map[string]Sum{}
	for n, b := range sums {
		out[n] = SumOf(b.Bytes())
	}
	return out, err
}

// walk writes the canonical form of all unclaimed elements.
// canonicalWalk writes the canonical form of all unclaimed elements of a
// document.
type canonicalWalk struct {
	Canonicalizer
	sc      *xmlscan.Scanner
	claimed func(xmlscan.Token, []string) Claim
	to      func([]string) io.Writer
	names   []string // from the root on
	states  []Claim  // of the open elements
	blank   []byte   // a text of blanks, which counts only in an element without children
	leaf    bool
}

// walk writes the canonical form of all unclaimed elements.
func (c Canonicalizer) walk(doc []byte, claimed func(xmlscan.Token, []string) Claim, to func([]string) io.Writer) error {
	w := &canonicalWalk{Canonicalizer: c, sc: xmlscan.New(doc), claimed: claimed, to: to}
	for w.sc.Next() {
		t := w.sc.Token()
		switch t.Kind {
		case xmlscan.Start:
			w.start(t)
		case xmlscan.End:
			w.end()
		case xmlscan.Text, xmlscan.CData:
			w.text(t)
		}
	}
	return w.sc.Err()
}

func (w *canonicalWalk) start(t xmlscan.Token) {
	w.blank, w.leaf = nil, true
	state := None
	w.names = append(w.names, t.Local)
	if n := len(w.states); n == 0 || w.states[n-1] != None {
		state = w.claimed(t, w.names)
	}
	if state == Whole || w.Ignore != nil && w.Ignore(t) {
		w.names, w.leaf = w.names[:len(w.names)-1], false
		if !t.Empty {
			w.sc.Skip()
		}
		return
	}
	if state == None {
		w.writeStart(w.to(w.names), w.sc, t)
	}
	w.states = append(w.states, state)
	if t.Empty {
		w.end()
	}
}

func (w *canonicalWalk) end() {
	last := len(w.states) - 1
	if w.states[last] == None {
		if w.leaf && w.blank != nil {
			writeField(w.to(w.names), w.blank)
		}
		_, _ = w.to(w.names).Write([]byte{0xFF})
	}
	w.names, w.states = w.names[:len(w.names)-1], w.states[:last]
	w.blank, w.leaf = nil, false
}

func (w *canonicalWalk) text(t xmlscan.Token) {
	if len(w.states) == 0 || w.states[len(w.states)-1] != None {
		return
	}
	text := textOf(t)
	if strings.TrimSpace(text) == "" {
		if w.leaf {
			w.blank = append(w.blank, text...)
		}
		return
	}
	_, _ = w.to(w.names).Write([]byte{0xFE})
	writeField(w.to(w.names), append(w.blank, text...))
	w.blank, w.leaf = nil, false
}

func textOf(t xmlscan.Token) string {
	if t.Kind == xmlscan.CData {
		b := bytes.TrimSuffix(bytes.TrimPrefix(t.Bytes(), []byte("<![CDATA[")), []byte("]]>"))
		return string(b)
	}
	return xmlscan.Unescape(t.Bytes())
}

// writeStart writes a start tag with its attributes in order.
func (c Canonicalizer) writeStart(w io.Writer, sc *xmlscan.Scanner, t xmlscan.Token) {
	writeField(w, []byte(t.Space))
	writeField(w, []byte(t.Local))
	var attrs []string
	for a := range t.Attrs() {
		prefix, local, ok := strings.Cut(a.Name, ":")
		space := ""
		if ok {
			if prefix == "xmlns" {
				continue
			}
			space = sc.Namespace(prefix)
		} else if local = prefix; local == "xmlns" {
			continue
		}
		if strings.HasPrefix(local, "rsid") || local == "Ignorable" || c.IgnoreAttr != nil && c.IgnoreAttr(t, local) {
			continue
		}
		value := a.Value()
		if space == nsRelationships {
			value = c.relTarget(value)
		}
		attrs = append(attrs, space+" "+local+"="+value)
	}
	sort.Strings(attrs)
	for _, a := range attrs {
		writeField(w, []byte(a))
	}
}

// relTarget returns what a relationship's id stands for.
func (c Canonicalizer) relTarget(id string) string {
	i := slices.IndexFunc(c.Rels, func(r opc.Relationship) bool { return r.ID == id })
	if i < 0 {
		return id
	}
	r := c.Rels[i]
	if r.External || c.Target == nil {
		return path.Base(r.Type) + " " + r.Target
	}
	s := c.Target(r.Target)
	return path.Base(r.Type) + " " + string(s[:])
}

// maxCanonical bounds the size of parts that are compared by meaning; larger
// ones are compared by their bytes.
const maxCanonical = 32 << 20

// PartSum returns the Sum of a part: of XML by its meaning, with the ids of its
// relationships standing for the names of parts, else of its bytes. A part that
// is not there has the zero Sum.
func PartSum(ctx context.Context, pkg *opc.Package, name string) (Sum, error) {
	if pkg == nil || !pkg.Has(name) {
		return Sum{}, nil
	}
	if isXML(name) && pkg.Size(name) <= maxCanonical {
		doc, err := pkg.ReadXML(ctx, name)
		if err == nil {
			rels, err := pkg.Rels(ctx, name)
			if err != nil {
				return Sum{}, err
			}
			if s, err := (Canonicalizer{Rels: rels}).Element(doc); err == nil {
				return s, nil
			}
		}
		if ctx.Err() != nil {
			return Sum{}, ctx.Err()
		}
	}
	r, err := pkg.Stream(ctx, name)
	if err != nil {
		return Sum{}, err
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return Sum{}, err
	}
	return Sum(h.Sum(nil)[:16]), nil
}

func isXML(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".xml", ".rels", ".vml":
		return true
	}
	return false
}

// TreeSum returns the Sum of a part with all parts that it leads to, whatever
// these are called, and their names. Parts in stop, and what only these lead
// to, are left out.
func TreeSum(ctx context.Context, pkg *opc.Package, name string, stop func(name string) bool) (Sum, []string, error) {
	t := treeSummer{ctx: ctx, pkg: pkg, stop: stop, seen: map[string]Sum{}}
	s := t.sumTree(name)
	sort.Strings(t.parts)
	return s, t.parts, t.err
}

type treeSummer struct {
	ctx   context.Context
	pkg   *opc.Package
	stop  func(string) bool
	seen  map[string]Sum
	parts []string
	err   error
}

func (t *treeSummer) sumTree(name string) Sum {
	key := foldName(name)
	if s, ok := t.seen[key]; ok || t.err != nil || t.ctx.Err() != nil {
		return s
	}
	t.seen[key] = SumOf([]byte("a part that leads back to itself"))
	if !t.pkg.Has(name) || t.stop != nil && t.stop(name) {
		return Sum{}
	}
	t.parts = append(t.parts, name)
	own, err := t.sumPart(name)
	if err != nil {
		t.err = err
	}
	t.seen[key] = own
	return own
}

// sumPart sums a part, with its relationships by what they lead to: also those
// that its XML does not name.
func (t *treeSummer) sumPart(name string) (Sum, error) {
	rels, err := t.pkg.Rels(t.ctx, name)
	if err != nil {
		return Sum{}, err
	}
	if len(rels) > 0 {
		t.parts = append(t.parts, opc.RelsName(name))
	}
	var targets [][]byte
	for _, r := range rels {
		s := SumOf([]byte(r.Target))
		if !r.External {
			s = t.sumTree(r.Target)
		}
		targets = append(targets, append([]byte(r.Type+" "), s[:]...))
	}
	slices.SortFunc(targets, bytes.Compare)
	all := bytes.Join(targets, nil)
	if isXML(name) && t.pkg.Size(name) <= maxCanonical {
		if doc, err := t.pkg.ReadXML(t.ctx, name); err == nil {
			c := Canonicalizer{Rels: rels, Target: func(n string) Sum { return t.seen[foldName(n)] }}
			if s, err := c.Element(doc); err == nil {
				return SumOf(s[:], all), nil
			}
		}
	}
	s, err := PartSum(t.ctx, t.pkg, name)
	return SumOf(s[:], all), err
}
