package docx

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/internal/lazyregexp"
)

// An address names a block: a story and steps into it, all counted from 0.
//
//	p12              paragraph 12 of the body, not counting those in tables
//	t2  t2.r0        table 2, its first row
//	t2.r0.c1         a cell; t2.r0.c1.p0 a paragraph in it
//	h0.p0  f1.p0     paragraph of the first header, of the second footer part
//	fn2.p0  en1.p0   paragraph of the footnote or endnote with that id
//	cm3.p0           paragraph of the comment with id 3
//	x0.p1            paragraph of the first text box
//	#1A2B3C4D        the paragraph with that w14:paraId, wherever it is
//
// A read shows them with list label and style, [p12 d) List Paragraph].
var (
	storyStep = lazyregexp.New(`^(h|f|fn|en|cm|x)(-?\d+)$`)
	blockStep = lazyregexp.New(`^(p|t|r|c)(\d+)$`)
	paraID    = lazyregexp.New(`^#?([0-9A-Fa-f]{8})$`)
)

var storyWords = map[string]string{"h": "header", "f": "footer", "fn": "footnotes", "en": "endnotes", "cm": "comments"}

// place is a block and the part it is in.
type place struct {
	*part
	*node
}

// bareAddress returns an address without what a read shows around and beside
// it: "[p2 #1A2B3C4D a) List Paragraph]" is p2.
func bareAddress(address string) string {
	address, shown := strings.CutPrefix(strings.TrimSpace(address), "[")
	if address = strings.TrimSuffix(address, "]"); shown {
		address, _, _ = strings.Cut(address, " ")
	}
	return address
}

// resolve finds the block at an address.
func (d *document) resolve(ctx context.Context, address string) (place, error) {
	address = bareAddress(address)
	if address == "" {
		return place{}, formats.Errorf(formats.CodeInvalid, `at is required: an address such as "p12" or "t0.r1.c2"; read_file with include ["addresses"] shows them`)
	}
	parts, err := d.textParts(ctx)
	if err != nil {
		return place{}, err
	}
	if m := paraID.FindStringSubmatch(address); m != nil {
		return d.byParaID(ctx, parts, m[1])
	}
	steps := strings.Split(address, ".")
	p, n, err := d.story(ctx, parts, steps[0])
	if err != nil {
		return place{}, err
	}
	if n == nil {
		p, err = d.load(ctx, parts[0])
		if err != nil {
			return place{}, err
		}
		if len(p.stories) == 0 {
			return place{}, formats.Errorf(formats.CodeCorrupt, "%s has no body", p.name)
		}
		n = p.stories[0]
	} else {
		steps = steps[1:]
	}
	at := n
	for _, s := range steps {
		m := blockStep.FindStringSubmatch(s)
		if m == nil {
			return place{}, formats.Errorf(formats.CodeInvalid, `%q is not an address; it looks like "p12", "t0.r1.c2", "h0.p0" or "#1A2B3C4D"`, address)
		}
		kind := map[string]nodeKind{"p": paraNode, "t": tableNode, "r": rowNode, "c": cellNode}[m[1]]
		have := at.kidsOf(kind)
		i := atoi(m[2])
		if i < 0 || i >= len(have) {
			return place{}, formats.Errorf(formats.CodeNotFound, "there is no %s: %s has %d %s", address, d.describe(at, steps, s), len(have), kindWords[kind])
		}
		at = have[i]
	}
	return place{p, at}, nil
}

var kindWords = map[nodeKind]string{paraNode: "paragraphs", tableNode: "tables", rowNode: "rows", cellNode: "cells"}

func (d *document) describe(n *node, steps []string, step string) string {
	switch n.kind {
	case storyNode:
		return "the text outside tables there"
	case boxNode:
		return "the text box"
	}
	return strings.Join(steps[:slices.Index(steps, step)], ".")
}

// story finds the story that a first step names; nil when it is a step of the
// body.
func (d *document) story(ctx context.Context, parts []textPart, step string) (*part, *node, error) {
	m := storyStep.FindStringSubmatch(step)
	if m == nil {
		return nil, nil, nil
	}
	word := storyWords[m[1]]
	switch m[1] {
	case "x":
		return d.textBox(ctx, parts, m[2])
	case "h", "f":
		n := 0
		for _, tp := range parts {
			if tp.word != word {
				continue
			}
			if strconv.Itoa(n) == m[2] {
				return d.firstStory(ctx, tp)
			}
			n++
		}
	default:
		p, n, err := d.storyByID(ctx, parts, word, m[2])
		if err != nil || n != nil {
			return p, n, err
		}
	}
	return nil, nil, formats.Errorf(formats.CodeNotFound, "there is no %s %s", strings.TrimSuffix(word, "s"), m[2])
}

// textBox finds a text box by its number among those of all parts.
func (d *document) textBox(ctx context.Context, parts []textPart, number string) (*part, *node, error) {
	i := atoi(number)
	for _, tp := range parts {
		if tp.dialect != paragraph.Word {
			continue
		}
		p, err := d.load(ctx, tp)
		if err != nil {
			return nil, nil, err
		}
		if i < len(p.boxes) {
			return p, p.boxes[i], nil
		}
		i -= len(p.boxes)
	}
	return nil, nil, formats.Errorf(formats.CodeNotFound, "there is no text box %s", number)
}

// firstStory returns the story of a header or footer; nil when it has none.
func (d *document) firstStory(ctx context.Context, tp textPart) (*part, *node, error) {
	p, err := d.load(ctx, tp)
	if err != nil || len(p.stories) == 0 {
		return nil, nil, err
	}
	return p, p.stories[0], nil
}

// storyByID finds a note or comment; nil when there is none.
func (d *document) storyByID(ctx context.Context, parts []textPart, word, id string) (*part, *node, error) {
	for _, tp := range parts {
		if tp.word != word {
			continue
		}
		p, err := d.load(ctx, tp)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range p.stories {
			if s.id == id {
				return p, s, nil
			}
		}
	}
	return nil, nil, nil
}

func (d *document) byParaID(ctx context.Context, parts []textPart, id string) (place, error) {
	for _, tp := range parts {
		if tp.dialect != paragraph.Word {
			continue
		}
		p, err := d.load(ctx, tp)
		if err != nil {
			return place{}, err
		}
		for _, n := range p.nodes {
			if strings.EqualFold(n.id, id) {
				return place{p, n}, nil
			}
		}
	}
	return place{}, formats.Errorf(formats.CodeNotFound, "no paragraph has the id %s", id)
}

// want resolves an address to a block of one kind. A paragraph address inside
// or a cell where its only paragraph is meant is taken as such.
func (d *document) want(ctx context.Context, address string, kind nodeKind) (place, error) {
	pl, err := d.resolve(ctx, address)
	if err != nil {
		return pl, err
	}
	if kind == paraNode && pl.node.kind == cellNode {
		if ps := pl.kidsOf(paraNode); len(ps) == 1 {
			pl.node = ps[0]
		}
	}
	for n := pl.node; n != nil && kind != paraNode; n = n.parent {
		if n.kind == kind {
			pl.node = n
			break
		}
	}
	if pl.node.kind != kind {
		return pl, formats.Errorf(formats.CodeInvalid, "%s is a %s; this operation needs a %s", address, strings.TrimSuffix(kindName(pl.node.kind), "s"), strings.TrimSuffix(kindName(kind), "s"))
	}
	return pl, nil
}

func kindName(k nodeKind) string {
	if w, ok := kindWords[k]; ok {
		return w
	}
	return "story"
}

// addresses returns every paragraph and row of a part its address. base is the
// story's own step, "" for the body.
func (p *part) addresses(story *node, base string) map[*node]string {
	out := map[*node]string{}
	var walk func(n *node, prefix string)
	walk = func(n *node, prefix string) {
		count := map[nodeKind]int{}
		for _, k := range n.kids {
			a := fmt.Sprintf("%s%s%d", prefix, kindLetters[k.kind], count[k.kind])
			count[k.kind]++
			out[k] = a
			walk(k, a+".")
		}
	}
	if base != "" {
		base += "."
	}
	walk(story, base)
	return out
}

var kindLetters = map[nodeKind]string{paraNode: "p", tableNode: "t", rowNode: "r", cellNode: "c"}

// addressOf returns the address of one block.
func (d *document) addressOf(ctx context.Context, pl place) string {
	story := pl.node
	for story.parent != nil && story.kind != boxNode {
		story = story.parent
	}
	return pl.addresses(story, d.storyStep(ctx, pl.part, story))[pl.node]
}

// storyStep returns the first step of addresses in a story.
func (d *document) storyStep(ctx context.Context, p *part, story *node) string {
	parts, err := d.textParts(ctx)
	if err != nil {
		return ""
	}
	n, boxes := 0, 0
	for _, tp := range parts {
		if tp.name != p.name {
			if tp.word == p.word {
				n++
			}
			if tp.dialect == paragraph.Word && story.kind == boxNode {
				if q, err := d.load(ctx, tp); err == nil {
					boxes += len(q.boxes)
				}
			}
			continue
		}
		if i := slices.Index(p.boxes, story); i >= 0 {
			return fmt.Sprintf("x%d", boxes+i)
		}
		return storyPrefix(p.textPart, n, story.id)
	}
	return ""
}

// storyPrefix returns the first step of addresses in the n-th part of its kind.
func storyPrefix(tp textPart, n int, id string) string {
	for step, w := range storyWords {
		if w != tp.word {
			continue
		}
		if step == "h" || step == "f" {
			return fmt.Sprintf("%s%d", step, n)
		}
		return step + id
	}
	return ""
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}
