package pptx

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
)

// sum returns the checksum of elements by what they mean, as inventory.Canonicalizer
// sums documents: prefixes, the order of attributes, comments and the blanks
// between elements do not count, and ids of relationships stand for what they
// lead to. leave names elements that are reported elsewhere.
func (p *page) sum(leave func(*node) bool, list ...*node) inventory.Sum {
	h := sha256.New()
	w := sumWriter{page: p, h: h, leave: leave}
	for _, n := range list {
		w.element(n)
	}
	return inventory.Sum(h.Sum(nil)[:16])
}

// sumBut returns the sum of an element without some of its attributes.
func (p *page) sumBut(n *node, leave func(*node) bool, attrs ...string) inventory.Sum {
	h := sha256.New()
	w := sumWriter{page: p, h: h, leave: leave, of: n, but: attrs}
	w.element(n)
	return inventory.Sum(h.Sum(nil)[:16])
}

type sumWriter struct {
	*page
	h     io.Writer
	leave func(*node) bool
	of    *node    // the element that is summed without
	but   []string // these attributes
	buf   []byte
}

func (w *sumWriter) field(s string) {
	w.buf = append(binary.AppendUvarint(w.buf[:0], uint64(len(s))), s...)
	_, _ = w.h.Write(w.buf)
}

func (w *sumWriter) element(n *node) {
	if n == nil || w.leave != nil && w.leave(n) {
		return
	}
	w.field(n.Space)
	w.field(n.Local)
	w.attrs(n)
	if n.First == nil {
		w.field(w.t.Text(n))
	} else {
		at := n.End
		for k := range n.Kids() {
			w.between(w.t.Doc[at:k.Start])
			w.element(k)
			at = k.After
		}
		w.between(w.t.Doc[at:n.Close])
	}
	_, _ = w.h.Write([]byte{0xFF, 0xFF, 0xFF})
}

// between sums text between elements, which only damaged files have.
func (w *sumWriter) between(b []byte) {
	if b = bytes.TrimSpace(b); len(b) > 0 && !bytes.HasPrefix(b, []byte("<!--")) {
		w.field(string(b))
	}
}

func (w *sumWriter) attrs(n *node) {
	var attrs []string
	for a := range n.Attributes() {
		prefix, local, ok := strings.Cut(a.Name, ":")
		if !ok {
			prefix, local = "", a.Name
		}
		if prefix == "xmlns" || local == "xmlns" || local == "Ignorable" || w.of == n && prefix == "" && slices.Contains(w.but, local) {
			continue
		}
		space, value := "", a.Value()
		if prefix != "" {
			space = n.Namespace(prefix)
		}
		if space == nsR {
			value = w.relMeaning(value)
		}
		attrs = append(attrs, space+" "+local+"="+value)
	}
	slices.Sort(attrs)
	for _, a := range attrs {
		w.field(a)
	}
}

// relByID returns the relationship with that id, nil when there is none.
func (p *page) relByID(id string) *opc.Relationship {
	if i, ok := p.byID[id]; ok {
		p.used[id] = true
		return &p.rels[i]
	}
	return nil
}

// relMeaning returns what the id of a relationship stands for.
func (p *page) relMeaning(id string) string {
	r := p.relByID(id)
	if r == nil {
		return id
	}
	return p.relSum(*r)
}

func (p *page) relSum(r opc.Relationship) string {
	kind := r.Type + " "
	if r.External {
		return kind + r.Target
	}
	return kind + p.partSum(r.Target)
}

// partSum stands for the part: pages by what they are on both sides, others by
// all that they hold.
func (s *comparedSide) partSum(part string) string {
	if name := s.identity(part); name != "" {
		return name
	}
	if !s.pkg.Has(part) {
		return "missing " + part
	}
	sum := s.sumTree(part)
	return string(sum[:])
}

// identity returns what a page is called on both sides, "" for other parts.
func (s *comparedSide) identity(part string) string {
	if key := s.keys[part]; key != "" {
		return key
	}
	if part == s.d.main {
		return "the presentation"
	}
	return ""
}

// sumTree sums a part with all it leads to but pages; the parts count as
// reported.
func (s *comparedSide) sumTree(part string) inventory.Sum {
	if sum, ok := s.sums[part]; ok {
		return sum
	}
	sum, parts, err := inventory.TreeSum(s.ctx, s.pkg, part, func(name string) bool { return s.identity(name) != "" })
	if err != nil && s.err == nil {
		s.err = err
	}
	s.sums[part] = sum
	s.in.Cover(parts...)
	return sum
}

// describeElement says an element in few words: its name, its attributes and what it
// holds.
func (p *page) describeElement(n *node, most int) string {
	var sb strings.Builder
	p.writeDescription(&sb, n, 3)
	return clip(sb.String(), most)
}

func (p *page) writeDescription(sb *strings.Builder, n *node, depth int) {
	sb.WriteString(elementName(n.Local))
	for a := range n.Attributes() {
		prefix, local, ok := strings.Cut(a.Name, ":")
		if !ok {
			prefix, local = "", a.Name
		}
		if prefix == "xmlns" || local == "xmlns" || local == "uri" || sb.Len() > 300 {
			continue
		}
		value := a.Value()
		if prefix != "" && n.Namespace(prefix) == nsR {
			r := p.relByID(value)
			if r == nil || !r.External {
				continue
			}
			value = r.Target
		}
		sb.WriteString(" " + local + " " + clip(oneLine(value), 60))
	}
	if text := oneLine(p.t.Text(n)); text != "" && n.First == nil {
		sb.WriteString(" “" + clip(text, 80) + "”")
	}
	if depth == 0 || n.First == nil {
		return
	}
	sep := " ("
	for k := range n.Kids() {
		if sb.Len() > 300 {
			break
		}
		sb.WriteString(sep)
		p.writeDescription(sb, k, depth-1)
		sep = ", "
	}
	sb.WriteString(")")
}
