package pptx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/opc"
)

type reader struct{}

// Read implements formats.Reader: one slide, or all of them parted by an empty
// line.
func (reader) Read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	d, _, err := openDeck(ctx, src)
	if err != nil {
		return formats.Text{}, err
	}
	if sel.SlideIndex == nil {
		return d.readAll(ctx)
	}
	i, n := *sel.SlideIndex, len(d.slides)
	if i < 0 || i >= n {
		return formats.Text{}, formats.Errorf(formats.CodeInvalid, "invalid slide_index")
	}
	text, err := d.readSlide(ctx, i)
	chunk := &formats.ChunkInfo{ChunkIndex: i, TotalChunks: n, HasMore: i+1 < n, Range: fmt.Sprintf("slide %d of %d", i+1, n)}
	if chunk.HasMore {
		chunk.Next = fmt.Sprintf("slide_index=%d", i+1)
	}
	return formats.Text{Text: text, Chunk: chunk}, err
}

func (d *deck) readAll(ctx context.Context) (formats.Text, error) {
	texts := make([]string, 0, len(d.slides))
	for i := range d.slides {
		text, err := d.readSlide(ctx, i)
		if err != nil {
			return formats.Text{}, err
		}
		texts = append(texts, text)
	}
	return formats.Text{Text: strings.Join(texts, "\n\n")}, nil
}

// readSlide is the text of the slide at index i: its number, its title, each
// shape in order, its notes.
func (d *deck) readSlide(ctx context.Context, i int) (string, error) {
	part := d.slides[i].part
	t, err := d.tree(ctx, part)
	if err != nil {
		return "", err
	}
	rels, err := d.Rels(ctx, part)
	if err != nil {
		return "", err
	}
	head := fmt.Sprintf("# Slide %d", i+1)
	if isFalse(t.root.attr("show")) {
		head += " (hidden)"
	}
	blocks := []string{head}
	add := func(text string) {
		if text = strings.TrimRight(text, " \t\r\n"); strings.TrimSpace(text) != "" {
			blocks = append(blocks, text)
		}
	}
	list := shapes(t.spTree(), shown)
	title := titleOf(list)
	if title != nil {
		add(t.outline(title.body))
	}
	for s := range flat(list) {
		if s == title || s.phType() == "sldNum" {
			continue
		}
		text, err := d.shapeText(ctx, t, s, rels)
		if err != nil {
			return "", err
		}
		add(text)
	}
	notes, err := d.notesText(ctx, part)
	if notes != "" {
		add("Notes: " + notes)
	}
	return strings.Join(blocks, "\n"), err
}

// shapeText is what one shape says; charts and pictures are named in brackets.
func (d *deck) shapeText(ctx context.Context, t *tree, s *shape, rels []opc.Relationship) (string, error) {
	switch {
	case s.body != nil:
		return t.outline(s.body), nil
	case s.tbl != nil:
		return t.tableText(s.tbl), nil
	case s.chart != "":
		return d.chartText(ctx, s, target(rels, s.chart))
	case s.smart != "":
		return d.diagramText(ctx, target(rels, s.smart))
	case s.n.Local == "pic" && s.cnv.attr("descr") != "":
		return "[Picture: " + flatten1(s.cnv.attr("descr")) + "]", nil
	}
	return "", nil
}

// chartText names a chart by its title and lists the labels of its series and
// categories, as far as they are cached in the chart.
func (d *deck) chartText(ctx context.Context, s *shape, part string) (string, error) {
	label := s.cnv.attr("descr")
	if label == "" {
		label = s.name()
	}
	if part == "" || !d.Has(part) {
		return "[Chart: " + flatten1(label) + "]", nil
	}
	t, err := d.tree(ctx, part)
	if err != nil {
		return "", err
	}
	if title := t.root.down(nsC, "chart", "title", "tx", "rich"); title != nil {
		label = t.oneLine(title)
	}
	var series []string
	for n := range t.root.all() {
		if n.Is(nsC, "ser") {
			if v := n.down(nsC, "tx", "strRef", "strCache", "pt", "v"); v != nil {
				series = append(series, flatten1(t.text(v)))
			}
		}
	}
	text := "[Chart: " + flatten1(label)
	if len(series) > 0 {
		text += "; series " + strings.Join(series, ", ")
	}
	return text + "]", nil
}

// diagramText is the text of a SmartArt diagram, a line for each point.
func (d *deck) diagramText(ctx context.Context, part string) (string, error) {
	if part == "" || !d.Has(part) {
		return "", nil
	}
	t, err := d.tree(ctx, part)
	if err != nil {
		return "", err
	}
	var lines []string
	for n := range t.root.all() {
		if n.Is(nsDgm, "t") {
			if text := t.oneLine(n); text != "" {
				lines = append(lines, text)
			}
		}
	}
	return strings.Join(lines, "\n"), nil
}

// flatten1 puts a text on one line.
func flatten1(s string) string { return strings.Join(strings.Fields(s), " ") }
