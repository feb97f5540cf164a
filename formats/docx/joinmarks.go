package docx

import (
	"context"
	"strings"

	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// join merges each paragraph whose mark went into the next one, whose mark and
// properties stay; one without content just goes (17.13.5.15). Tables without
// rows go too.
func (s *settling) join(ctx context.Context, doc []byte) ([]byte, error) {
	for range 100_000 { // each round joins what can be joined at once
		p, err := parsePart(ctx, textPart{dialect: paragraph.Word}, doc)
		if err != nil {
			return nil, err
		}
		out := tablesWithoutRows(p)
		if len(out) == 0 {
			r := joinRound{part: p, prefix: s.prefix, behind: p.followers(), taken: map[*node]bool{}, gone: map[*node]bool{}}
			for _, n := range p.nodes {
				if r.marked(n) && !r.taken[n] && n.end > r.moved {
					r.join(n)
				}
			}
			out = r.out
		}
		if len(out) == 0 {
			return doc, nil
		}
		doc = xmlscan.Apply(doc, out)
	}
	return doc, nil
}

func tablesWithoutRows(p *part) (out []xmlscan.Splice) {
	for _, n := range tablesOf(p) {
		if len(n.kids) == 0 {
			out = append(out, xmlscan.Splice{Start: n.start, End: n.end})
		}
	}
	return out
}

// joinRound joins paragraphs that do not depend on each other.
type joinRound struct {
	*part
	prefix string
	behind map[*node]*node // the paragraph directly after each
	taken  map[*node]bool  // those that others are joined to
	gone   map[*node]bool
	moved  int     // end of what the round moves: text boxes in it wait
	chain  []*node // paragraphs that go, one after the other, into the next
	out    []xmlscan.Splice
}

// marked reports whether the mark of a paragraph goes.
func (r *joinRound) marked(n *node) bool { return strings.Contains(r.raw(n.props), joinMark) }

// unmarked returns the properties of a marked paragraph without the mark of it.
func (r *joinRound) unmarked(n *node) *element.Element {
	pr := paraProps(r.raw(n.props), r.prefix)
	mark := runProps(pr.Get("rPr"), r.prefix)
	mark.Drop(joinMark)
	if rest := mark.Optional(); rest != "" {
		pr.Set("rPr", rest)
	} else {
		pr.Drop("rPr")
	}
	return pr
}

// join settles one marked paragraph.
func (r *joinRound) join(n *node) {
	if k := len(r.chain); k > 0 && r.behind[r.chain[k-1]] != n {
		r.chain = nil
	}
	pr, next := r.unmarked(n), r.behind[n]
	blank := strings.TrimSpace(string(r.doc[n.props.end:n.innerEnd])) == ""
	switch {
	case pr.Get("sectPr") != "" || next == nil && !blank || next == nil && onlyBlock(n, r.gone):
		r.out = append(r.out, xmlscan.Splice{Start: n.props.start, End: n.props.end, New: []byte(pr.Optional())})
	case blank && (len(r.chain) == 0 || next == nil):
		r.moved, r.gone[n] = n.end, true
		r.out = append(r.out, xmlscan.Splice{Start: n.start, End: n.end})
	case r.taken[next] || r.marked(next):
		r.chain, r.moved = append(r.chain, n), n.end // it moves with that one
	default:
		r.moveInto(next, append(r.chain, n))
		r.taken[next], r.moved, r.chain = true, n.end, nil
	}
}

// moveInto puts the content of paragraphs at the beginning of next and removes
// them.
func (r *joinRound) moveInto(next *node, paras []*node) {
	var all strings.Builder
	for _, k := range paras {
		r.gone[k] = true
		all.Write(r.doc[k.props.end:k.innerEnd])
		r.out = append(r.out, xmlscan.Splice{Start: k.start, End: k.end})
	}
	at := next.inner
	if next.props.end > 0 {
		at = next.props.end
	}
	into := xmlscan.Splice{Start: at, End: at, New: []byte(all.String())}
	if next.empty {
		tag := strings.TrimRight(strings.TrimSuffix(string(r.doc[next.start:next.end]), "/>"), " ")
		into = xmlscan.Splice{Start: next.start, End: next.end, New: []byte(tag + ">" + all.String() + "</" + r.prefix + "p>")}
	}
	r.out = append(r.out, into)
}

// followers returns each paragraph the one directly after it, if that is what
// is there.
func (p *part) followers() map[*node]*node {
	out, seen := map[*node]*node{}, map[*node]bool{}
	for _, n := range p.nodes {
		if n.parent == nil || seen[n.parent] {
			continue
		}
		seen[n.parent] = true
		kids := n.parent.kids
		for i := 1; i < len(kids); i++ {
			if kids[i-1].kind == paraNode && kids[i].kind == paraNode {
				out[kids[i-1]] = kids[i]
			}
		}
	}
	return out
}

// onlyBlock reports whether a container would be left without a last paragraph,
// once what is gone has gone.
func onlyBlock(n *node, gone map[*node]bool) bool {
	if n.parent == nil {
		return true
	}
	before, behind := (*node)(nil), false
	passed := false
	for _, k := range n.parent.kids {
		switch {
		case k == n:
			passed = true
		case gone[k]:
		case passed:
			behind = true
		default:
			before = k
		}
	}
	return !behind && (before == nil || before.kind == tableNode)
}

func tablesOf(p *part) []*node {
	var out []*node
	var walk func(n *node)
	walk = func(n *node) {
		if n.kind == tableNode {
			out = append(out, n)
		}
		for _, k := range n.kids {
			walk(k)
		}
	}
	for _, s := range p.stories {
		walk(s)
	}
	for _, b := range p.boxes {
		walk(b)
	}
	return out
}
