package docx

import (
	"context"
	"strconv"
	"strings"
)

// outlined is a line of a story without its text.
type outlined struct {
	node  *node // a paragraph or a row
	n     int32 // of the paragraph, or of the row's table, among those around it
	row   int32 // in the table; -1 for a paragraph
	box   int32 // number of the text box it is in; -1: none
	level int8  // of a heading; -1 when it is none
}

// sizeOfOutlined is the memory of an outlined, with its number in outline.body.
const sizeOfOutlined = 24 + 4

// outline is what a story reads as, line by line in order, without the texts. They are
// made for the lines that a read shows.
type outline struct {
	lines []outlined
	heads []int32 // lines that are headings
	body  []int32 // line of the paragraph p0, p1 …
	known map[textKind]*allLines
}

// textKind is what the text of a line depends on besides the line (view.text).
type textKind struct{ changes, notes, comments, asShown bool }

// allLines is what reads of one textKind need to know of all lines.
type allLines struct {
	headings []string // of outline.heads
	lead     bool     // there is text before the first heading
	sizes    []int32  // in characters, by line; nil: not yet measured
	starts   []int    // the lines at which chunks begin; with sizes
}

// maxKnown bounds for how many textKinds an outline keeps this.
const maxKnown = 4

// memory returns the size of an outline in bytes.
func (o *outline) memory() int {
	if o == nil {
		return 0
	}
	n := len(o.lines)*sizeOfOutlined + len(o.heads)*4
	for _, t := range o.known {
		n += len(t.sizes)*4 + len(t.starts)*8 + len(t.headings)*16
		for _, h := range t.headings {
			n += len(h)
		}
	}
	return n
}

// outliner makes an outline.
type outliner struct {
	ctx context.Context
	v   *view
	p   *part
	out *outline
}

func (v *view) outline(ctx context.Context, p *part, story *node) (*outline, error) {
	w := outliner{ctx, v, p, &outline{known: map[textKind]*allLines{}}}
	err := w.blocks(story, -1)
	return w.out, err
}

// blocks adds the paragraphs and rows of n, which are in a text box or not.
func (w *outliner) blocks(n *node, box int32) error {
	paras, tables := int32(0), int32(0)
	for i, k := range n.kids {
		if i%256 == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		switch k.kind {
		case paraNode:
			if err := w.anchored(k); err != nil {
				return err
			}
			w.add(outlined{k, paras, -1, box, int8(w.v.level(w.p, k))})
			paras++
		case tableNode:
			for r, row := range k.kidsOf(rowNode) {
				if err := w.inRow(row); err != nil {
					return err
				}
				w.add(outlined{row, tables, int32(r), box, -1})
			}
			tables++
		}
	}
	return nil
}

func (w *outliner) add(o outlined) {
	at := int32(len(w.out.lines))
	if o.level >= 0 {
		w.out.heads = append(w.out.heads, at)
	}
	if o.box < 0 && o.row < 0 {
		w.out.body = append(w.out.body, at)
	}
	w.out.lines = append(w.out.lines, o)
}

// anchored adds the text boxes of a paragraph, which are before it.
func (w *outliner) anchored(k *node) error {
	for _, box := range k.boxes {
		if err := w.blocks(box, int32(box.box)); err != nil {
			return err
		}
	}
	return nil
}

// inRow adds the text boxes anchored in a row, which are before it. The rest of the row
// is part of its text.
func (w *outliner) inRow(row *node) error {
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	for _, c := range row.kidsOf(cellNode) {
		for _, k := range c.kids {
			var err error
			switch k.kind {
			case paraNode:
				err = w.anchored(k)
			case tableNode:
				for _, r := range k.kidsOf(rowNode) {
					if err = w.inRow(r); err != nil {
						break
					}
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// address returns that of a line of a story whose addresses begin with base.
func (o outlined) address(base string) string {
	if o.box >= 0 {
		base = "x" + strconv.Itoa(int(o.box)) + "."
	}
	if o.row >= 0 {
		return base + "t" + strconv.Itoa(int(o.n)) + ".r" + strconv.Itoa(int(o.row))
	}
	return base + "p" + strconv.Itoa(int(o.n))
}

// outlineText are the lines of a story in a view.
type outlineText struct {
	*view
	*outline
	part *part
	base string // of addresses
}

// linesOf makes the lines from one number to before another.
func (t outlineText) linesOf(ctx context.Context, from, to int) ([]line, error) {
	if from == to {
		return nil, nil
	}
	out := make([]line, 0, to-from)
	for i, o := range t.outline.lines[from:to] {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		text, err := t.textOf(ctx, o)
		if err != nil {
			return nil, err
		}
		out = append(out, line{text: text, address: o.address(t.base), level: int(o.level), part: t.part, node: o.node})
	}
	return out, nil
}

func (t outlineText) textOf(ctx context.Context, o outlined) (string, error) {
	if o.row >= 0 {
		return t.row(ctx, t.part, o.node)
	}
	return t.text(t.part, o.node), nil
}

// know returns what is known of all lines.
func (t outlineText) know(ctx context.Context) (*allLines, error) {
	kind := textKind{t.changes, t.notes, t.comments, t.asShown}
	if k := t.known[kind]; k != nil {
		return k, nil
	}
	k := &allLines{}
	for i, at := range t.heads {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		k.headings = append(k.headings, strings.TrimSpace(t.text(t.part, t.outline.lines[at].node)))
	}
	for i := 0; i < t.firstHead() && !k.lead; i++ {
		text, err := t.textOf(ctx, t.outline.lines[i])
		if err != nil {
			return nil, err
		}
		k.lead = strings.TrimSpace(text) != ""
	}
	if len(t.known) >= maxKnown {
		clear(t.known)
	}
	t.known[kind] = k
	return k, nil
}

func (o *outline) firstHead() int {
	if len(o.heads) == 0 {
		return len(o.lines)
	}
	return int(o.heads[0])
}

// sectionList are the sections of a story: a heading with the lines up to the next one
// . Text before the first heading is section 0, unless it is blank; a story without
// headings is one section.
type sectionList struct {
	outlineText
	headings []string
	lead     int // 1 where section 0 is before the first heading
}

func (t outlineText) sections(ctx context.Context) (sectionList, error) {
	k, err := t.know(ctx)
	if err != nil {
		return sectionList{}, err
	}
	s := sectionList{outlineText: t, headings: k.headings}
	if len(t.heads) == 0 || k.lead {
		s.lead = 1
	}
	return s, nil
}

// count returns how many sections there are, at least one.
func (s sectionList) count() int { return s.lead + len(s.heads) }

// heading returns that of a section, "" for text before the first.
func (s sectionList) heading(i int) string {
	if i < s.lead {
		return ""
	}
	return s.headings[i-s.lead]
}

// span returns the lines of a section: from the first to before the second.
func (s sectionList) span(i int) (from, to int) {
	to = len(s.outline.lines)
	if next := i + 1 - s.lead; next < len(s.heads) {
		to = int(s.heads[next])
	}
	if i >= s.lead {
		from = int(s.heads[i-s.lead])
	}
	return from, to
}

// labelled finds a section by its heading with the list label that a read shows before
// it, -1 for none.
func (s sectionList) labelled(want string) int {
	if s.labels == nil {
		return -1
	}
	for i, heading := range s.headings {
		if heading == "" || len(want) <= len(heading) {
			continue
		}
		label := s.labels(s.part, s.outline.lines[s.heads[i]].node)
		if label != "" && strings.EqualFold(shownLabel(label)+" "+heading, want) {
			return s.lead + i
		}
	}
	return -1
}

// measure fills in the sizes of the lines and where chunks begin.
func (t outlineText) measure(ctx context.Context) (*allLines, error) {
	k, err := t.know(ctx)
	if err != nil || k.sizes != nil {
		return k, err
	}
	sizes := make([]int32, 0, len(t.outline.lines))
	for i, o := range t.outline.lines {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		text, err := t.textOf(ctx, o)
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, int32(textSize(text)))
	}
	k.sizes, k.starts = sizes, t.chunkStarts(sizes, 0)
	return k, nil
}
