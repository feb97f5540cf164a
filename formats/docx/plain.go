package docx

import (
	"context"
	"strings"

	"atelier/formats/ooxml/element"
)

// plain reports whether a paragraph is body text that others can look like: in
// no list, no heading, without frame, border or shade, and in the default
// style, one for body text, or the one that most text there has.
func (e *editing) plain(nb *numbering, pl place) bool {
	if pl.kind != paraNode || e.styles.level(pl.style) >= 0 {
		return false
	}
	if _, ok := nb.listOf(e.styles, pl.style, pl.list); ok {
		return false
	}
	p := paraProps(pl.raw(pl.props), pl.prefix)
	for _, own := range []string{"framePr", "pBdr", "shd", "outlineLvl"} {
		if p.Get(own) != "" {
			return false
		}
	}
	if pl.style == "" || pl.style == e.styles.standard() {
		return true
	}
	name := strings.ToLower(e.styles.label(pl.style))
	switch {
	case strings.HasPrefix(name, "body text"), name == "text body", name == "normal (web)", name == "no spacing", name == "plain text", name == "normal indent":
		return true
	case pl.word == "" && pl.node.surroundingKind() == storyNode && special(name):
		return false
	}
	return e.mostUsed(nb, pl)
}

// special reports whether a style is meant for something besides body text.
func special(name string) bool {
	for _, p := range []string{"title", "subtitle", "quote", "intense quote", "caption", "toc", "table of", "list", "index", "header", "footer", "footnote", "endnote", "signature", "closing", "salutation", "date", "block text", "html", "annotation", "comment", "bibliography", "envelope", "macro"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// surroundingKind returns what kind of block holds another: a cell, a text box
// or a story.
func (n *node) surroundingKind() nodeKind {
	for a := n.parent; a != nil; a = a.parent {
		if a.kind == cellNode || a.kind == boxNode || a.kind == storyNode {
			return a.kind
		}
	}
	return storyNode
}

// mostUsed reports whether no style is used by more paragraphs with text of the
// same kind of place: cells, text boxes, or the story.
func (e *editing) mostUsed(nb *numbering, pl place) bool {
	uses, most := map[string]int{}, 0
	kind := pl.node.surroundingKind()
	for _, n := range pl.nodes {
		if n.hidden || n.surroundingKind() != kind || e.styles.level(n.style) >= 0 || strings.TrimSpace(pl.paras[n.para].Text()) == "" {
			continue
		}
		if _, ok := nb.listOf(e.styles, n.style, n.list); ok {
			continue
		}
		uses[n.style]++
		most = max(most, uses[n.style])
	}
	return uses[pl.style] == most
}

// notTaken says what is beside a new paragraph that does not look like it.
func (e *editing) notTaken(ctx context.Context, nb *numbering, pl place) (*source, string) {
	if pl.kind != paraNode {
		return nil, ""
	}
	what := e.styles.describe(pl.node, e.labels(pl.part, nb)[pl.node], "")
	if what == "" {
		return e.source(ctx, pl), "which is not plain text"
	}
	return e.source(ctx, pl), "which is [" + what + "]"
}

// ofOnePlace drops from paragraph properties what belongs to one paragraph
// alone: sections, changes, frames, the mark.
func ofOnePlace(p *element.Element) {
	p.Drop("sectPr", "pPrChange", "framePr", "pageBreakBefore", "rPr", "outlineLvl")
}

// layoutOf returns the paragraph properties that others may take.
func layoutOf(pl place) string {
	p := paraProps(pl.raw(pl.props), pl.prefix)
	ofOnePlace(p)
	p.Sort() // not all programs keep to the schema
	return p.Optional()
}

// visibleProps drops from run properties what a reader does not see.
func visibleProps(rPr, prefix string) string {
	p := runProps(rPr, prefix)
	p.Drop("lang", "noProof", "rtl", "cs")
	return p.Optional()
}
