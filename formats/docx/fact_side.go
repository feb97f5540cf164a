package docx

import (
	"context"
	"fmt"
	"path"
	"strings"

	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/paragraph"
)

// comparedSide is one of the two documents of a comparison.
type comparedSide struct {
	*document
	ctx         context.Context
	pkg         *opc.Package
	in          *inventory.Inventory
	stories     []*storyText
	at          map[*node]string // addresses of blocks
	counterpart map[*node]*node  // the block of the other side that belongs to one
	same        map[*node]bool   // paragraphs that are on the other side byte for byte, and lead nowhere
	other       *comparedSide
	before      bool

	sheet    styleSheet
	lists    listSheet
	rels     map[string][]opc.Relationship
	targets  map[string]target
	partName map[string]string // "header 1" of a part
	usage    map[string]int    // paragraphs by style
	styleAt  map[string]string // places of styles, as the new side says them

	styleLooks map[string]textLook
	err        error
}

// target is what a relationship leads to inside the package.
type target struct {
	sum   inventory.Sum
	parts []string
}

func openSide(ctx context.Context, d *document, before bool) (*comparedSide, error) {
	s := &comparedSide{document: d, ctx: ctx, pkg: d.ed.Package(), before: before, at: map[*node]string{}, counterpart: map[*node]*node{}, same: map[*node]bool{},
		rels: map[string][]opc.Relationship{}, targets: map[string]target{}, partName: map[string]string{}, usage: map[string]int{}, styleAt: map[string]string{}, styleLooks: map[string]textLook{}}
	s.in = inventory.New(s.pkg)
	var err error
	if s.sheet, err = d.readSheet(ctx); err != nil {
		return nil, err
	}
	if s.lists, err = d.readNumbering(ctx); err != nil {
		return nil, err
	}
	s.lists.style = s.sheet.name
	return s, s.readStories()
}

// readStories lists the body, then headers, footers, notes and comments, with
// the addresses of their blocks.
func (s *comparedSide) readStories() error {
	parts, err := s.textParts(s.ctx)
	if err != nil {
		return err
	}
	v := &view{styles: s.styles}
	count := map[string]int{}
	boxes := 0
	for _, tp := range parts {
		n := count[tp.word]
		count[tp.word]++
		s.partName[tp.name] = tp.what
		if tp.dialect != paragraph.Word {
			continue
		}
		p, err := s.load(s.ctx, tp)
		if err != nil {
			return err
		}
		if s.rels[tp.name], err = s.pkg.Rels(s.ctx, tp.name); err != nil {
			return err
		}
		for _, st := range p.stories {
			if err := s.readStory(v, p, st, n); err != nil {
				return err
			}
		}
		for i, box := range p.boxes {
			for k, a := range p.addresses(box, fmt.Sprintf("x%d", boxes+i)) {
				s.at[k] = a
			}
		}
		boxes += len(p.boxes)
		for _, n := range p.nodes {
			s.usage[n.style]++
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// readStory lists a story of a part, which is number n of its kind.
func (s *comparedSide) readStory(v *view, p *part, story *node, n int) error {
	base, name := "", "body"
	if p.word != "" {
		base = storyPrefix(p.textPart, n, story.id)
		name = strings.TrimSuffix(p.word, "s") + " " + strings.TrimLeft(base, "hfnecm")
		if p.word == "header" || p.word == "footer" {
			name = p.what
		}
	}
	for k, a := range p.addresses(story, base) {
		s.at[k] = a
	}
	if story.noteType() != "" && story.noteType() != "normal" {
		return nil
	}
	lines, err := v.lines(s.ctx, p, story, base)
	if err != nil {
		return err
	}
	s.stories = append(s.stories, &storyText{name: name, base: base, part: p, node: story, lines: lines})
	return nil
}

// describer says the properties of a part.
func (s *comparedSide) describer(p *part) *describer {
	return &describer{style: s.sheet.name, list: s.lists.describeLevel, part: func(rel string) string {
		r, ok := s.relation(p.name, rel)
		if !ok {
			return "one that is missing"
		}
		return s.nameOf(r.Target)
	}}
}

// nameOf returns the name of a header or footer for people, that of the new
// side where it is on both.
func (s *comparedSide) nameOf(name string) string {
	if n := s.partName[name]; n != "" {
		return n
	}
	return path.Base(name)
}

func (s *comparedSide) relation(part, id string) (opc.Relationship, bool) {
	for _, r := range s.rels[part] {
		if r.ID == id {
			return r, true
		}
	}
	return opc.Relationship{}, false
}

// relTargets makes of a relationship's id what it leads to: an address outside, or
// the content of a part.
func (s *comparedSide) relTargets(p *part) func(id string) string {
	return func(id string) string {
		r, ok := s.relation(p.name, id)
		switch {
		case !ok:
			return id
		case r.External:
			return path.Base(r.Type) + " " + r.Target
		case s.partName[r.Target] != "": // a story, a chart: reported by itself
			return path.Base(r.Type) + " " + s.partName[r.Target]
		}
		t := s.partTarget(r.Target)
		return path.Base(r.Type) + " " + string(t.sum[:])
	}
}

// partTarget sums a part with all that it leads to.
func (s *comparedSide) partTarget(name string) target {
	if t, ok := s.targets[name]; ok {
		return t
	}
	var t target
	var err error
	if t.sum, t.parts, err = inventory.TreeSum(s.ctx, s.pkg, name, func(n string) bool { return n == s.main }); err != nil && s.err == nil {
		s.err = err
	}
	s.targets[name] = t
	return t
}

// blockPlace returns where a block stands: its address on the new side, the key
// that pairs what is there, and its address on this side.
func (s *comparedSide) blockPlace(n *node) (at, key, was string) {
	was = s.place(n)
	if !s.before {
		return was, was, was
	}
	if t := s.counterpart[n]; t != nil {
		at = s.other.place(t)
		return at, at, was
	}
	return was, "gone " + was, was
}

// place returns an address for people: with the name of the story where the
// address alone does not say it.
func (s *comparedSide) place(n *node) string {
	if n == nil {
		return "body"
	}
	return placeName(s.at[n])
}

func placeName(address string) string {
	for _, prefix := range []struct{ letter, word string }{{"fn", "footnote"}, {"en", "endnote"}, {"cm", "comment"}, {"h", "header"}, {"f", "footer"}, {"x", "text box"}} {
		step, _, _ := strings.Cut(address, ".")
		if num, ok := strings.CutPrefix(step, prefix.letter); ok && num != "" && strings.Trim(num, "-0123456789") == "" {
			word := prefix.word + " " + num
			if prefix.letter == "h" || prefix.letter == "f" || prefix.letter == "x" {
				word = fmt.Sprintf("%s %d", prefix.word, atoi(num)+1)
			}
			if step == address {
				return word
			}
			return word + " (" + address + ")"
		}
	}
	return address
}
