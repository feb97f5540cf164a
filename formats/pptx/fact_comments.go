package pptx

import (
	"fmt"

	"atelier/formats"
	"atelier/formats/inventory"
)

// comments reports a part of comments, classic or threaded (19.4.3, [MS-PPTX]
// 2.2.9).
func (p *page) comments(part string) {
	p.in.Cover(part)
	if !p.pkg.Has(part) {
		return
	}
	t, err := p.d.tree(p.ctx, part)
	if err != nil {
		sum, _ := inventory.PartSum(p.ctx, p.pkg, part)
		p.addProperty(nil, formats.FactComment, "unreadable", "comments that cannot be read", sum)
		return
	}
	authors, err := p.authors()
	if err != nil && p.err == nil {
		p.err = err
	}
	c := &page{comparedSide: p.comparedSide, t: t, part: part, key: p.key, at: p.at, byID: map[string]int{}, used: map[string]bool{}}
	c.rels, _ = p.d.Rels(p.ctx, part)
	for i, r := range c.rels {
		c.byID[r.ID] = i
	}
	seen := map[string]int{}
	for n := range t.Root.All() {
		kind, text := "", ""
		switch {
		case n.Is(nsP, "cm"):
			kind, text = "comment", oneLine(t.Text(n.Child(nsP, "text")))
		case n.Is(nsModern, "cm"):
			kind, text = "comment", t.oneLine(n.Child(nsModern, "txBody"))
		case n.Is(nsModern, "reply"):
			kind, text = "reply", t.oneLine(n.Child(nsModern, "txBody"))
		default:
			continue
		}
		id := n.Value("id")
		if id == "" {
			id = n.Value("authorId") + " " + n.Value("idx")
		}
		key := fmt.Sprintf("%s %s %d", kind, id, seen[kind+id])
		seen[kind+id]++
		words := kind
		if a := authors[n.Value("authorId")]; a != "" {
			words += " by " + oneLine(a)
		}
		words += ": " + quotedAll(text)
		if st := n.Value("status"); st != "" && st != "active" {
			words += " (" + st + ")"
		}
		sum := c.sum(func(k *node) bool { return k != n && (k.Is(nsModern, "reply") || k.Is(nsModern, "cm")) }, n)
		p.addItem(inventory.Item{Kind: formats.FactComment, Key: key, Text: words, Sum: sum, WarnRemoved: "lost: a " + words})
	}
	p.addProperty(nil, formats.FactPart, "comments "+t.Root.Local, "list of comments", c.sum(func(k *node) bool { return k.Is(nsP, "cm") || k.Is(nsModern, "cm") }, t.Root))
}

// authors returns the names of those who comment, read once.
func (s *comparedSide) authors() (map[string]string, error) {
	if s.names == nil {
		names, err := s.d.authors(s.ctx)
		if err != nil {
			return nil, err
		}
		s.names = names
	}
	return s.names, nil
}
