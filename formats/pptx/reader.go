package pptx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
)

type reader struct{}

// Read implements formats.Reader: one slide, or all of them parted by an empty
// line. Speaker notes are read always; comments and the addresses of shapes
// when the selector includes them.
func (reader) Read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	d, _, err := openDeck(ctx, src)
	if err != nil {
		return formats.Text{}, err
	}
	if sel.SlideIndex == nil {
		sel.Limit = formats.TextLimit{}
		return d.readAll(ctx, sel)
	}
	i, n := *sel.SlideIndex, len(d.slides)
	if i < 0 || i >= n {
		return formats.Text{}, formats.Errorf(formats.CodeInvalid, "invalid slide_index")
	}
	text, err := d.readSlide(ctx, i, sel)
	chunk := &formats.ChunkInfo{ChunkIndex: i, TotalChunks: n, HasMore: i+1 < n, Range: fmt.Sprintf("slide %d of %d", i+1, n)}
	if chunk.HasMore {
		chunk.Next = fmt.Sprintf("slide_index=%d", i+1)
	}
	return formats.Text{Text: text, Chunk: chunk}, err
}

// ReadFitting implements formats.FittingReader: one slide, or as many of all as
// there is room for.
func (r reader) ReadFitting(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	if sel.SlideIndex != nil {
		return r.Read(ctx, src, sel)
	}
	d, _, err := openDeck(ctx, src)
	if err != nil {
		return formats.Text{}, err
	}
	return d.readAll(ctx, sel)
}

func (d *deck) readAll(ctx context.Context, sel formats.Selector) (formats.Text, error) {
	i, n := 0, len(d.slides)
	text, given, all, err := sel.Limit.Joined("\n\n", func() (string, bool, error) {
		if i == n {
			return "", false, nil
		}
		text, err := d.readSlide(ctx, i, sel)
		i++
		return text, true, err
	})
	if all || err != nil {
		return formats.Text{Text: text}, err
	}
	return formats.Text{Text: text, Chunk: &formats.ChunkInfo{TotalChunks: n, HasMore: true,
		Range: fmt.Sprintf("slides 1-%d of %d", given, n), Next: fmt.Sprintf("slide_index=%d", given)}}, nil
}

// slideReader collects the text of one slide.
type slideReader struct {
	*deck
	t         *tree
	rels      []opc.Relationship
	addresses bool
	blocks    []string
	at        []string // address of each block, as operations take it; "" for none
}

// addBlock appends lines of text with their address.
func (r *slideReader) addBlock(text, at string) {
	r.blocks, r.at = append(r.blocks, text), append(r.at, at)
}

// readSlide returns the text of the slide at index i: its number, its title,
// each shape in order, its notes and comments.
func (d *deck) readSlide(ctx context.Context, i int, sel formats.Selector) (string, error) {
	r, err := d.slideBlocks(ctx, i, sel)
	if err != nil {
		return "", err
	}
	return strings.Join(r.blocks, "\n"), nil
}

// slideBlocks returns the text of the slide at index i in blocks.
func (d *deck) slideBlocks(ctx context.Context, i int, sel formats.Selector) (*slideReader, error) {
	part := d.slides[i].part
	t, err := d.tree(ctx, part)
	if err != nil {
		return nil, err
	}
	rels, err := d.Rels(ctx, part)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("# Slide %d", i+1)
	if isFalse(t.Root.Value("show")) {
		head += " (hidden)"
	}
	r := &slideReader{deck: d, t: t, rels: rels, addresses: sel.Includes(formats.IncludeAddresses)}
	r.addBlock(head, "")
	list := shapes(t.spTree(), shown)
	title := titleOf(list)
	if title != nil {
		r.add(title, t.outline(title.body))
	}
	for s := range flat(list) {
		if s == title || s.phType() == "sldNum" && !r.addresses {
			continue
		}
		text, err := r.shapeText(ctx, s)
		if err != nil {
			return nil, err
		}
		r.add(s, text)
	}
	notes, err := d.notesText(ctx, part)
	if err != nil {
		return nil, err
	}
	if notes != "" {
		r.addBlock("Notes: "+notes, "notes")
	}
	if !sel.Includes(formats.IncludeComments) {
		return r, nil
	}
	comments, err := d.comments(ctx, part)
	for _, c := range comments {
		r.addBlock(c.line(), "comment")
	}
	return r, err
}

// add appends what a shape says. With addresses every shape is listed, with its
// text on the lines after.
func (r *slideReader) add(s *shape, text string) {
	text = strings.TrimRight(text, " \t\r\n")
	if r.addresses {
		r.addBlock(s.address(), "")
	}
	if strings.TrimSpace(text) != "" {
		r.addBlock(text, "shape_id "+s.cnv.Value("id"))
	}
}

// address names a shape the way operations do, by shape_id or shape_name, and
// says what it is where the text does not.
func (s *shape) address() string {
	kind := ""
	switch k := s.kind(); k {
	case kindTitle, kindBody, kindText:
	default:
		kind = ", " + k
	}
	return fmt.Sprintf("[shape %s %q%s]", s.cnv.Value("id"), oneLine(s.name()), kind)
}

// shapeText returns what one shape says; charts and pictures are named in
// brackets.
func (r *slideReader) shapeText(ctx context.Context, s *shape) (string, error) {
	switch {
	case s.body != nil:
		return r.t.outline(s.body), nil
	case s.tbl != nil:
		return r.t.tableText(s.tbl), nil
	case s.chart != "":
		return r.chartText(ctx, s, relTarget(r.rels, s.chart))
	case s.smart != "":
		return r.diagramText(ctx, relTarget(r.rels, s.smart))
	case s.cnv.Value("descr") != "" && s.kind() == kindPicture:
		return "[Picture: " + oneLine(s.cnv.Value("descr")) + "]", nil
	}
	return "", nil
}

// labelsMax is how many series or categories of a chart a read lists.
const labelsMax = 50

// chartText names a chart by its title and lists the labels of its series and
// categories and the values, as far as they are cached in the chart.
func (d *deck) chartText(ctx context.Context, s *shape, part string) (string, error) {
	c, err := d.chart(ctx, part)
	if err != nil {
		return "", err
	}
	label := s.cnv.Value("descr")
	if label == "" {
		label = s.name()
	}
	if c == nil {
		return "[Chart: " + oneLine(label) + "]", nil
	}
	if c.title != "" {
		label = c.title
	}
	text := "[Chart: " + oneLine(label)
	for _, l := range []struct {
		name  string
		words []string
	}{{"series", c.series}, {"categories", c.categories}, {"axes", c.axes}} {
		if more := len(l.words) - labelsMax; more > 0 {
			l.words = append(l.words[:labelsMax:labelsMax], fmt.Sprintf("… %d more", more))
		}
		if len(l.words) > 0 {
			text += "; " + l.name + " " + strings.Join(l.words, ", ")
		}
	}
	values, err := d.chartValues(ctx, part)
	if values != "" {
		values = "\n" + values
	}
	return text + "]" + values, err
}

// diagramText returns the text of a SmartArt diagram, a line for each point.
func (d *deck) diagramText(ctx context.Context, part string) (string, error) {
	if part == "" || !d.Has(part) {
		return "", nil
	}
	t, err := d.tree(ctx, part)
	if err != nil {
		return "", err
	}
	var lines []string
	for n := range t.Root.All() {
		if n.Is(nsDgm, "t") {
			if text := t.oneLine(n); text != "" {
				lines = append(lines, text)
			}
		}
	}
	return strings.Join(lines, "\n"), nil
}

// oneLine puts a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
