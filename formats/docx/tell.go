package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
)

// maxNotes bounds what an operation tells of paragraphs one by one.
const maxNotes = 6

// tellMade reports where new paragraphs stand and what they look like; from is
// the offset in the part as it is now.
func (e *editing) tellMade(ctx context.Context, p *part, from int, made newParagraphs, rep *formats.OpReport) error {
	now, nodes, err := e.writtenAt(ctx, p, from, len(made.origins))
	if err != nil || len(nodes) == 0 {
		return err
	}
	first := e.addressOf(ctx, place{now, nodes[0]})
	rep.Made = first
	if n := len(nodes); n > 1 {
		rep.Made += "-" + e.lastStep(ctx, place{now, nodes[n-1]})
	}
	return e.tellAll(ctx, now, nodes, made, rep)
}

// tellLooks reports what the paragraphs look like that are in a list or like
// another; the others have the style that the operation names.
func (e *editing) tellLooks(ctx context.Context, p *part, from int, made newParagraphs, rep *formats.OpReport) error {
	now, nodes, err := e.writtenAt(ctx, p, from, len(made.origins))
	if err != nil {
		return err
	}
	nb, err := e.numbering(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(nodes, func(n *node) bool { _, ok := nb.listOf(e.styles, n.style, n.list); return ok }) &&
		!slices.ContainsFunc(made.origins, func(o origin) bool { return o.like != nil }) {
		return nil
	}
	return e.tellAll(ctx, now, nodes, made, rep)
}

// writtenAt finds the count paragraphs that were written at an offset.
func (e *editing) writtenAt(ctx context.Context, p *part, from, count int) (*part, []*node, error) {
	now, err := e.load(ctx, p.textPart)
	if err != nil {
		return nil, nil, err
	}
	i, _ := slices.BinarySearchFunc(now.nodes, from, func(n *node, at int) int { return n.start - at })
	return now, now.nodes[i:min(i+count, len(now.nodes))], nil
}

func (e *editing) lastStep(ctx context.Context, pl place) string {
	a := e.addressOf(ctx, pl)
	return a[strings.LastIndexByte(a, '.')+1:]
}

// tellAll says of each paragraph its style, its list and where they are from;
// once where it is the same for all.
func (e *editing) tellAll(ctx context.Context, p *part, nodes []*node, made newParagraphs, rep *formats.OpReport) error {
	nb, err := e.numbering(ctx)
	if err != nil {
		return err
	}
	labels := e.labels(p, nb)
	var said, shown []string
	for i, n := range nodes {
		if l := labels[n]; l != "" {
			shown = append(shown, clip(l, 40))
		}
		said = append(said, e.tell(ctx, nb, p, n, made, made.origins[i]))
	}
	if len(slices.Compact(slices.Clone(said))) == 1 {
		note := said[0]
		switch {
		case len(shown) == 1:
			note += "; label " + shown[0]
		case len(shown) > 1:
			note += fmt.Sprintf("; labels %s to %s", shown[0], shown[len(shown)-1])
		}
		rep.Notes = append(rep.Notes, note)
		return nil
	}
	for i, n := range nodes {
		if i == maxNotes {
			rep.Notes = append(rep.Notes, fmt.Sprintf("%d more paragraphs; read them with addresses", len(nodes)-i))
			break
		}
		note := e.lastStep(ctx, place{p, n}) + ": " + said[i]
		if l := labels[n]; l != "" {
			note += "; label " + clip(l, 40)
		}
		rep.Notes = append(rep.Notes, note)
	}
	return nil
}

// tell returns what a new paragraph took.
func (e *editing) tell(ctx context.Context, nb *numbering, p *part, n *node, made newParagraphs, from origin) string {
	var sb strings.Builder
	at := func(s *source) string { return e.nowAt(ctx, p, made, s) }
	name := e.styles.label(n.style)
	if n.style == "" {
		name = e.styles.label(e.styles.standard())
	}
	if name == "" {
		sb.WriteString("no style")
	} else {
		sb.WriteString("style " + name)
	}
	if from.layout != nil {
		sb.WriteString(" and layout of " + at(from.layout))
	}
	m, ok := nb.listOf(e.styles, n.style, n.list)
	switch {
	case !ok:
		sb.WriteString("; no list")
	case from.list != nil:
		fmt.Fprintf(&sb, "; list of %s, level %d", at(from.list), m.level)
	default:
		fmt.Fprintf(&sb, "; list of the style, level %d", m.level)
	}
	if from.like != nil {
		sb.WriteString("; formatting of " + at(from.like))
	}
	if from.beside != nil {
		a := at(from.beside)
		fmt.Fprintf(&sb, " (not as %s beside it, %s: like: %q takes that)", a, from.untaken, a)
	}
	return sb.String()
}

// nowAt returns the address of a source after the operation.
func (e *editing) nowAt(ctx context.Context, p *part, made newParagraphs, s *source) string {
	if s.part != p.name || made.moved == 0 || s.start < made.at {
		return s.address
	}
	i, ok := slices.BinarySearchFunc(p.nodes, s.start+made.moved, func(n *node, at int) int { return n.start - at })
	if !ok {
		return s.address
	}
	return e.addressOf(ctx, place{p, p.nodes[i]})
}
