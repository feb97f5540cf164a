package pptx

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// runLinks are the links of one run: on a click and on hovering, with their
// sounds (21.1.2.3.5, 21.1.2.3.6).
type runLinks struct{ click, hover *node }

func textLinks(run *node) (l runLinks) {
	if rPr := run.Child(nsA, "rPr"); rPr != nil {
		l = runLinks{rPr.Child(nsA, "hlinkClick"), rPr.Child(nsA, "hlinkMouseOver")}
	}
	return l
}

func (l runLinks) none() bool { return l.click == nil && l.hover == nil }

// sameLinks reports whether two runs have the same links.
func (t *tree) sameLinks(a, b runLinks) bool {
	alike := func(x, y *node) bool {
		return (x == nil) == (y == nil) && (x == nil || bytes.Equal(t.Raw(x), t.Raw(y)))
	}
	return alike(a.click, b.click) && alike(a.hover, b.hover)
}

// wholeLinks returns the links that all text of a paragraph has; ok is false
// when it has none, or only a part of it.
func (t *tree) wholeLinks(p *node) (links runLinks, ok bool) {
	for k := range content(p, shown) {
		if !k.Is(nsA, "r") && !k.Is(nsA, "fld") {
			continue
		}
		l := textLinks(k)
		if l.none() || ok && !t.sameLinks(l, links) {
			return runLinks{}, false
		}
		links, ok = l, true
	}
	return links, ok
}

// carryLinks gives new lines the links that the paragraphs they replace had as
// a whole, and notes what becomes of the links of all old paragraphs that go.
func (t *tree) carryLinks(old []*node, kept map[int]keptParagraph, lines []line) {
	stays := map[*node]bool{}
	for _, k := range kept {
		stays[k.p] = true
	}
	all, one := t.bodyLinks(old)
	for i := range lines {
		if _, ok := kept[i]; ok {
			continue
		}
		switch links, ok := all, one; {
		case ok:
			lines[i].links = links
		case i < len(old) && !stays[old[i]]:
			lines[i].links, _ = t.wholeLinks(old[i])
		}
	}
	if t.note == nil {
		return
	}
	for _, p := range old {
		if !stays[p] {
			t.noteLinks(p, lines)
		}
	}
}

// bodyLinks returns the links that all paragraphs with text have.
func (t *tree) bodyLinks(old []*node) (links runLinks, ok bool) {
	for _, p := range old {
		if !hasRun(p) {
			continue
		}
		l, whole := t.wholeLinks(p)
		if !whole || ok && !t.sameLinks(l, links) {
			return runLinks{}, false
		}
		links, ok = l, true
	}
	return links, ok
}

// noteLinks says which links of a paragraph the new lines keep, and which are
// gone.
func (t *tree) noteLinks(p *node, lines []line) {
	for k := range content(p, shown) {
		if !k.Is(nsA, "r") && !k.Is(nsA, "fld") {
			continue
		}
		l := textLinks(k)
		if l.none() {
			continue
		}
		carried := false
		for _, new := range lines {
			carried = carried || new.carries(t, l)
		}
		said := t.linkWords(l)
		if carried {
			t.note(false, "the text keeps "+said)
			continue
		}
		words := ""
		if x := k.Child(nsA, "t"); x != nil {
			words = " on " + quote(oneLine(t.Text(x)))
		}
		t.note(true, "dropped "+said+words+"; it was a part of the text that was replaced")
	}
}

// carries reports whether a line is written with these links.
func (l line) carries(t *tree, links runLinks) bool {
	if l.links.none() || !t.sameLinks(l.links, links) {
		return false
	}
	if len(l.runs) == 0 {
		return l.text != ""
	}
	for _, r := range l.runs {
		if r.URL == "" && r.Text != "" {
			return true
		}
	}
	return false
}

// linkWords says where links lead and which sounds they play.
func (t *tree) linkWords(l runLinks) string {
	var said []string
	for _, h := range []struct {
		n    *node
		when string
	}{{l.click, ""}, {l.hover, " on hovering"}} {
		if h.n == nil {
			continue
		}
		what := ""
		if to := t.target(h.n); to != "" {
			what = "the link" + h.when + " to " + clip(to, 160)
		}
		if snd := h.n.Child(nsA, "snd"); snd != nil {
			sound := "the sound" + h.when
			if name := snd.Value("name"); name != "" {
				sound += " " + quote(name)
			}
			what = strings.TrimPrefix(what+" and "+sound, " and ")
		}
		if what == "" {
			what = "a link" + h.when
		}
		said = append(said, what)
	}
	return strings.Join(said, " and ")
}

// target returns where a link leads: an address, a part of the presentation, or
// an action such as "next slide"; "" when it only plays a sound.
func (t *tree) target(h *node) string {
	if t.leads != nil {
		if to := t.leads(h.RelValue("id")); to != "" {
			return to
		}
	}
	action := h.Value("action")
	if action == "ppaction://noaction" {
		return ""
	}
	return action
}

// withLinks puts links into run properties.
func (t *tree) withLinks(rPr []byte, name string, l runLinks) []byte {
	e := runProps(rPr, name)
	if l.click != nil {
		putChild(e, "hlinkClick", string(t.Raw(l.click)))
	}
	if l.hover != nil {
		putChild(e, "hlinkMouseOver", string(t.Raw(l.hover)))
	}
	return []byte(e.Optional())
}

// noteOf lets a tree say what becomes of links while text is written.
func (d *deckEdit) noteOf(ctx context.Context, t *tree) {
	t.leads = func(id string) string {
		rels, err := d.edit.Rels(ctx, t.part)
		if err != nil || id == "" {
			return ""
		}
		for _, r := range rels {
			if r.ID == id && r.External {
				return r.Target
			}
			if i := d.slideOf(r.Target); r.ID == id && i >= 0 {
				return fmt.Sprintf("slide index %d", i)
			}
			if r.ID == id {
				return r.Target
			}
		}
		return ""
	}
	t.note = func(dropped bool, what string) {
		for _, n := range d.notes {
			if n == what {
				return // the same text in another branch of alternate content
			}
		}
		d.notes = append(d.notes, what)
		if dropped {
			d.unlinked = append(d.unlinked, t)
		}
	}
}

// slideOf returns the index of the slide with that part, -1 when it is none.
func (d *deckEdit) slideOf(part string) int {
	for i, s := range d.slides {
		if strings.EqualFold(s.part, part) {
			return i
		}
	}
	return -1
}

// dropLinks takes out the relationships of links that went with their text.
func (d *deckEdit) dropLinks(ctx context.Context) error {
	defer func() { d.unlinked = nil }()
	for _, t := range d.unlinked {
		doc, err := d.edit.ReadXML(ctx, t.part)
		if err != nil {
			return err
		}
		if err := d.dropUnusedRels(ctx, t, doc); err != nil {
			return err
		}
	}
	return nil
}
