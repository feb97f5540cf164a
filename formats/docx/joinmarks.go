package docx

import (
	"strings"

	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// join merges each paragraph whose mark went into the next one, whose mark and
// properties stay; one without content just goes (17.13.5.15). Tables without
// rows go too.
func (s *settling) join(doc []byte) ([]byte, error) {
	for range 100_000 { // each round joins what can be joined at once
		p, err := parsePart(textPart{dialect: paragraph.Word}, doc)
		if err != nil {
			return nil, err
		}
		var out []xmlscan.Splice
		for _, n := range tablesOf(p) {
			if len(n.kids) == 0 {
				out = append(out, xmlscan.Splice{Start: n.start, End: n.end})
			}
		}
		if len(out) > 0 {
			doc = xmlscan.Apply(doc, out)
			continue
		}
		behind := p.followers()
		taken, gone := map[*node]bool{}, map[*node]bool{}
		moved := 0        // end of what this round moves: text boxes in it wait
		var chain []*node // paragraphs that go, one after the other, into the next
		for _, n := range p.nodes {
			raw := p.raw(n.props)
			if !strings.Contains(raw, joinMark) || taken[n] || n.end <= moved {
				continue
			}
			pr := paraProps(raw, s.prefix)
			r := runProps(pr.Get("rPr"), s.prefix)
			r.Drop(joinMark)
			if rest := r.Optional(); rest != "" {
				pr.Set("rPr", rest)
			} else {
				pr.Drop("rPr")
			}
			if k := len(chain); k > 0 && behind[chain[k-1]] != n {
				chain = nil
			}
			next := behind[n]
			content := string(p.doc[n.props.end:n.innerEnd])
			switch {
			case pr.Get("sectPr") != "" || next == nil && strings.TrimSpace(content) != "" || next == nil && onlyBlock(n, gone):
				out = append(out, xmlscan.Splice{Start: n.props.start, End: n.props.end, New: []byte(pr.Optional())})
			case strings.TrimSpace(content) == "" && (len(chain) == 0 || next == nil):
				moved, gone[n] = n.end, true
				out = append(out, xmlscan.Splice{Start: n.start, End: n.end})
			case taken[next] || strings.Contains(p.raw(next.props), joinMark):
				chain, moved = append(chain, n), n.end // it moves with that one
			default:
				var all strings.Builder
				for _, k := range append(chain, n) {
					gone[k] = true
					all.Write(p.doc[k.props.end:k.innerEnd])
					out = append(out, xmlscan.Splice{Start: k.start, End: k.end})
				}
				taken[next], moved, chain = true, n.end, nil
				at := next.inner
				if next.props.end > 0 {
					at = next.props.end
				}
				into := xmlscan.Splice{Start: at, End: at, New: []byte(all.String())}
				if next.empty {
					tag := strings.TrimRight(strings.TrimSuffix(string(p.doc[next.start:next.end]), "/>"), " ")
					into = xmlscan.Splice{Start: next.start, End: next.end, New: []byte(tag + ">" + all.String() + "</" + s.prefix + "p>")}
				}
				out = append(out, into)
			}
		}
		if len(out) == 0 {
			return doc, nil
		}
		doc = xmlscan.Apply(doc, out)
	}
	return doc, nil
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
