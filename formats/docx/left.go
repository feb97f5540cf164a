package docx

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// unread returns what a read of lines of the body does not show, "" when it
// shows all; whole reads also leave out headers and footers.
func (d *document) unread(ctx context.Context, p *part, lines []line, sel formats.Selector, whole bool) (string, error) {
	if len(lines) == 0 {
		return "", nil
	}
	first, last := lines[0].node.start, 0
	for _, l := range lines {
		first, last = min(first, l.node.start), max(last, l.node.end)
	}
	n, err := p.countLeft(ctx, first, last)
	if err != nil {
		return "", err
	}
	if whole && !sel.Includes(formats.IncludeHeaders) {
		edges, err := d.edgesWithText(ctx)
		if err != nil {
			return "", err
		}
		n["headers and footers"] = edges
	}
	var out []string
	for _, l := range []struct{ what, include string }{
		{"tracked changes", formats.IncludeChanges}, {"headers and footers", formats.IncludeHeaders}, {"footnotes and endnotes", formats.IncludeNotes},
		{"comments", formats.IncludeComments}, {"pictures", ""}, {"charts", ""}, {"diagrams", ""}, {"equations", ""}} {
		switch {
		case n[l.what] == 0 || !leaves(sel, l.what) || l.include != "" && sel.Includes(l.include):
		case l.include == formats.IncludeChanges:
			out = append(out, fmt.Sprintf("%d tracked changes, read as if accepted (include %q)", n[l.what], l.include))
		case l.include != "":
			out = append(out, fmt.Sprintf("%d %s (include %q)", n[l.what], l.what, l.include))
		default:
			out = append(out, fmt.Sprintf("%d %s", n[l.what], l.what))
		}
	}
	if len(out) == 0 {
		return "", nil
	}
	return "not shown: " + strings.Join(out, ", "), nil
}

// leftIndex has what the text of a part does not show, as far as reads have asked for it,
// so that reads of one section after another scan the part once.
type leftIndex struct {
	sc        *xmlscan.Scanner
	waiting   bool // the scanner is at a token that was not looked at
	found     []leftMark
	fallbacks []uint32 // where the open Fallback elements begin
}

// leftMark is an element that text does not show. Parts are smaller than 4 GiB
// (opc.MaxPartBytes).
type leftMark struct {
	start, fallback uint32 // fallback: the innermost Fallback around it; at start for none
	kind            leftKind
}

type leftKind uint8

const (
	leftChange leftKind = iota
	leftNote
	leftComment
	leftPicture
	leftChart
	leftDiagram
	leftEquation
)

var leftWords = [...]string{"tracked changes", "footnotes and endnotes", "comments", "pictures", "charts", "diagrams", "equations"}

// leftKinds has the kinds by the names of elements.
var leftKinds = map[string]leftKind{"ins": leftChange, "del": leftChange, "moveFrom": leftChange, "moveTo": leftChange, "footnoteReference": leftNote, "endnoteReference": leftNote,
	"commentReference": leftComment, "pic": leftPicture, "imagedata": leftPicture, "chart": leftChart, "relIds": leftDiagram, "oMath": leftEquation}

// countLeft counts in a stretch of the body what its text does not show.
func (p *part) countLeft(ctx context.Context, first, last int) (map[string]int, error) {
	if p.left == nil {
		p.left = &leftIndex{sc: xmlscan.New(p.doc)}
	}
	if err := p.left.reach(ctx, last); err != nil {
		return nil, err
	}
	n := map[string]int{}
	from, _ := slices.BinarySearchFunc(p.left.found, uint32(first), func(m leftMark, at uint32) int { return cmp.Compare(m.start, at) })
	for _, m := range p.left.found[from:] {
		if int(m.start) >= last {
			break
		}
		if m.fallback == m.start || int(m.fallback) < first { // a Fallback repeats what is before it
			n[leftWords[m.kind]]++
		}
	}
	return n, nil
}

// reach scans the part to an offset.
func (x *leftIndex) reach(ctx context.Context, last int) error {
	for i := 0; x.waiting || x.sc.Next(); i++ {
		t := x.sc.Token()
		if x.waiting = t.Start >= last; x.waiting {
			return nil
		}
		if i%4096 == 0 && ctx.Err() != nil {
			x.waiting = true
			return ctx.Err()
		}
		x.add(t)
	}
	return nil
}

func (x *leftIndex) add(t xmlscan.Token) {
	if t.Kind == xmlscan.End && t.Local == "Fallback" {
		x.fallbacks = x.fallbacks[:max(0, len(x.fallbacks)-1)]
	}
	if t.Kind != xmlscan.Start {
		return
	}
	if t.Local == "Fallback" && !t.Empty {
		x.fallbacks = append(x.fallbacks, uint32(t.Start))
	}
	kind, ok := leftKinds[t.Local]
	if !ok || kind == leftChange && t.Space != nsW {
		return
	}
	m := leftMark{uint32(t.Start), uint32(t.Start), kind}
	if n := len(x.fallbacks); n > 0 {
		m.fallback = x.fallbacks[n-1]
	}
	x.found = append(x.found, m)
}

// memory returns the size of the index in bytes.
func (x *leftIndex) memory() int {
	if x == nil {
		return 0
	}
	return cap(x.found)*12 + 8<<10
}

// edgesWithText counts the headers and footers that say something.
func (d *document) edgesWithText(ctx context.Context) (int, error) {
	parts, err := d.textParts(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, tp := range parts {
		if tp.word != "header" && tp.word != "footer" || tp.dialect != paragraph.Word {
			continue
		}
		p, err := d.load(ctx, tp)
		if err != nil {
			return 0, err
		}
		if len(p.stories) > 0 && strings.TrimSpace(p.text(p.stories[0])) != "" {
			n++
		}
	}
	return n, nil
}
