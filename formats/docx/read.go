package docx

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// section is a heading with the lines up to the next one.
type section struct {
	heading string
	level   int
	lines   []line
}

func (s section) text() string { return (&view{}).joinLines(s.lines) }

// sections splits lines at headings. Text before the first is section 0 with
// an empty heading; a document without headings is one section.
func sections(lines []line) []section {
	var out []section
	for _, l := range lines {
		if l.level >= 0 {
			out = append(out, section{heading: strings.TrimSpace(l.text), level: l.level})
		} else if len(out) == 0 {
			out = append(out, section{})
		}
		out[len(out)-1].lines = append(out[len(out)-1].lines, l)
	}
	if len(out) > 1 && out[0].heading == "" && strings.TrimSpace(out[0].text()) == "" {
		out = out[1:] // only empty lines before the first heading
	}
	if len(out) == 0 {
		out = []section{{}}
	}
	return out
}

type reader struct{}

// Read implements formats.Reader: the whole text, or one section (W-38), which
// may also be a stretch of addresses such as "p10-p40", "t2" or "h0", or the
// chunk that begins at one, "p10-".
func (reader) Read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	d, done, err := openToRead(ctx, src)
	if err != nil {
		return formats.Text{}, err
	}
	t, err := d.readCut(ctx, sel)
	done() // also where there is no such section: the next read names another
	return t, err
}

// readSelected reads the whole text or a section.
func (d *document) readSelected(ctx context.Context, sel formats.Selector) (formats.Text, error) {
	p, err := d.body(ctx)
	if err != nil {
		return formats.Text{}, err
	}
	styled := sel.Includes(formats.IncludeStyles)
	v := &view{styles: d.styles, addresses: styled || sel.Includes(formats.IncludeAddresses), changes: sel.Includes(formats.IncludeChanges),
		notes: sel.Includes(formats.IncludeNotes), comments: sel.Includes(formats.IncludeComments), asShown: sel.AsShown}
	if v.addresses || v.asShown {
		if v.labels, err = d.listLabels(ctx); err != nil {
			return formats.Text{}, err
		}
	}
	switch {
	case styled:
		v.look, err = d.fullLooks(ctx, v.labels)
	case v.addresses:
		v.look = d.looks(v.labels)
	}
	if err != nil {
		return formats.Text{}, err
	}
	objects := d.objectsOf(ctx)
	if sel.AsShown {
		v.objects = objects.in
	}
	t, err := d.read(ctx, v, p, sel)
	if err = cmp.Or(err, objects.err); err != nil {
		return formats.Text{}, err
	}
	left, err := d.unread(ctx, p, v.shown, sel, strings.TrimSpace(sel.Section) == "")
	if left != "" {
		t.Notes = append(t.Notes, left)
	}
	return t, err
}

// read reads the selected part.
func (d *document) read(ctx context.Context, v *view, p *part, sel formats.Selector) (formats.Text, error) {
	t, err := d.bodyText(ctx, v, p)
	if err != nil {
		return formats.Text{}, err
	}
	want := strings.TrimSpace(sel.Section)
	if want == "" {
		return d.readWhole(ctx, t, sel)
	}
	secs, err := t.sections(ctx)
	if err != nil {
		return formats.Text{}, err
	}
	i, err := pickSection(secs.count(), secs.heading, want)
	if err != nil {
		if n := secs.labelled(want); n >= 0 {
			i, err = n, nil
		}
	}
	if err != nil {
		if text, ok, bad := d.readRange(ctx, t, want); ok || bad != nil {
			return text, bad
		}
		return formats.Text{}, err
	}
	n := secs.count()
	c := &formats.ChunkInfo{ChunkIndex: i, TotalChunks: n, HasMore: i+1 < n, Range: fmt.Sprintf("section %d of %d", i, n)}
	if c.HasMore {
		c.Next = fmt.Sprintf(`section="%d"`, i+1)
	}
	from, to := secs.span(i)
	lines, err := t.linesOf(ctx, from, to)
	if err != nil {
		return formats.Text{}, err
	}
	v.shown = lines
	extra, err := d.extras(ctx, v, sel, lines)
	return formats.Text{Text: v.joinLines(lines) + extra, Chunk: c}, err
}

// readWhole reads all of the body, or its first chunk.
func (d *document) readWhole(ctx context.Context, t outlineText, sel formats.Selector) (formats.Text, error) {
	if sel.Chunked {
		k, err := t.measure(ctx)
		if err != nil {
			return formats.Text{}, err
		}
		if len(k.starts) > 1 {
			text, err := t.chunk(ctx, 0)
			if err != nil {
				return formats.Text{}, err
			}
			extra, err := d.extras(ctx, t.view, sel, nil)
			text.Text += extra
			return text, err
		}
	}
	lines, err := t.linesOf(ctx, 0, len(t.outline.lines))
	if err != nil {
		return formats.Text{}, err
	}
	t.shown = lines
	extra, err := d.extras(ctx, t.view, sel, nil)
	return formats.Text{Text: t.joinLines(lines) + extra}, err
}

// bodyText returns the lines of the body in a view. Its outline is kept for the next read.
func (d *document) bodyText(ctx context.Context, v *view, p *part) (outlineText, error) {
	if p.outline == nil {
		o, err := v.outline(ctx, p, p.stories[0])
		if err != nil {
			return outlineText{}, err
		}
		p.outline = o
	}
	return outlineText{v, p.outline, p, ""}, nil
}

// pickSection finds one of n sections by heading in any case, else by 0-based index.
func pickSection(n int, heading func(i int) string, want string) (int, error) {
	for i := range n {
		if h := heading(i); h != "" && strings.EqualFold(h, want) {
			return i, nil
		}
	}
	if i, err := strconv.Atoi(want); err == nil && i >= 0 && i < n {
		return i, nil
	}
	return 0, formats.Errorf(formats.CodeNotFound, "section not found: %s", want)
}

var restForm = lazyregexp.New(`^p(\d+)\s*(?:-|:|–)$`)

var rangeForm = lazyregexp.New(`^p(\d+)\s*(?:-|:|–)\s*p?(\d+)$`)

// readRange reads the paragraphs from one address to another with the tables
// between them, or the block or story at an address.
func (d *document) readRange(ctx context.Context, t outlineText, want string) (formats.Text, bool, error) {
	v := t.view
	if m := rangeForm.FindStringSubmatch(want); m != nil {
		from, to, ok := t.between(m[1], m[2])
		if !ok {
			return formats.Text{}, true, nil
		}
		lines, err := t.linesOf(ctx, from, to)
		if err != nil {
			return formats.Text{}, false, err
		}
		v.shown = lines
		return formats.Text{Text: v.joinLines(lines)}, true, nil
	}
	if m := restForm.FindStringSubmatch(want); m != nil {
		i := t.paragraph(m[1])
		if i < 0 {
			return formats.Text{}, false, nil
		}
		text, err := t.chunk(ctx, t.withBoxes(i))
		return text, err == nil, err
	}
	step, _, _ := strings.Cut(want, ".")
	if !storyStep.MatchString(step) && !blockStep.MatchString(step) && !paraID.MatchString(step) {
		return formats.Text{}, false, nil
	}
	if storyStep.MatchString(want) {
		parts, err := d.textParts(ctx)
		if err != nil {
			return formats.Text{}, false, err
		}
		p, n, err := d.story(ctx, parts, want)
		if err != nil || n == nil {
			return formats.Text{}, false, err
		}
		lines, err := v.lines(ctx, p, n, want)
		return formats.Text{Text: v.joinLines(lines)}, true, err
	}
	pl, err := d.resolve(ctx, want)
	if err != nil {
		return formats.Text{}, false, err
	}
	lines, err := v.blocks(ctx, pl.part, &node{kids: []*node{pl.node}}, "")
	if err != nil {
		return formats.Text{}, false, err
	}
	var out []line
	for _, l := range lines {
		_, rest, _ := strings.Cut(l.address, ".")
		if l.address = want; rest != "" {
			l.address += "." + rest
		}
		out = append(out, l)
	}
	if pl.kind == cellNode && v.addresses { // its paragraphs have their own addresses
		out, err = v.blocks(ctx, pl.part, pl.node, want+".")
	} else if pl.kind == rowNode || pl.kind == cellNode {
		var text string
		if pl.kind == rowNode {
			text, err = v.row(ctx, pl.part, pl.node)
		} else {
			var texts []string
			texts, err = v.cell(ctx, pl.part, pl.node)
			text = strings.Join(texts, "\n")
		}
		out = []line{{text: text, address: want, level: -1}}
	}
	return formats.Text{Text: v.joinLines(out)}, true, err
}

// paragraph returns the line of a paragraph of the body by its number as addresses have
// it, -1 for none.
func (o *outline) paragraph(number string) int {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= len(o.body) || strconv.Itoa(n) != number {
		return -1
	}
	return int(o.body[n])
}

// between returns the lines from one paragraph of the body to behind another, to the end
// where there is no other; ok is false for none.
func (o *outline) between(first, last string) (from, to int, ok bool) {
	from, to = o.paragraph(first), o.paragraph(last)+1
	if to == 0 {
		to = len(o.lines)
	}
	return from, to, from >= 0 && from < to
}

// extras shows headers, footers, notes and comments where they were asked for;
// of a section (lines), only the notes and comments it refers to.
func (d *document) extras(ctx context.Context, v *view, sel formats.Selector, lines []line) (string, error) {
	stories, err := d.extraStories(ctx, v, sel, lines)
	var sb strings.Builder
	for _, s := range stories {
		sb.WriteString("\n\n" + s.text(v))
	}
	return sb.String(), err
}

// extraStory is a header, footer, note or comment.
type extraStory struct {
	step    string // address
	title   string // the line before its text
	comment bool
	lines   []line
}

func (s extraStory) text(v *view) string { return s.title + "\n" + v.joinLines(s.lines) }

// extraStories returns what extras shows.
func (d *document) extraStories(ctx context.Context, v *view, sel formats.Selector, lines []line) ([]extraStory, error) {
	if !sel.Includes(formats.IncludeHeaders) && !sel.Includes(formats.IncludeNotes) && !sel.Includes(formats.IncludeComments) {
		return nil, nil
	}
	referred := references(lines)
	parts, err := d.textParts(ctx)
	if err != nil {
		return nil, err
	}
	var out []extraStory
	count := map[string]int{}
	for _, tp := range parts {
		n := count[tp.word]
		count[tp.word]++
		what := map[string]string{"header": formats.IncludeHeaders, "footer": formats.IncludeHeaders, "footnotes": formats.IncludeNotes, "endnotes": formats.IncludeNotes, "comments": formats.IncludeComments}[tp.word]
		if what == "" || !sel.Includes(what) || lines != nil && what == formats.IncludeHeaders {
			continue
		}
		p, err := d.load(ctx, tp)
		if err != nil {
			return nil, err
		}
		for _, s := range p.stories {
			if s.noteType() != "" && s.noteType() != "normal" {
				continue // separators
			}
			step := storyPrefix(tp, n, s.id)
			if lines != nil && !referred[step] {
				continue
			}
			shown, err := v.lines(ctx, p, s, step)
			if err != nil {
				return nil, err
			}
			out = append(out, extraStory{step, "[" + step + "] " + d.storyTitle(p, s), tp.word == "comments", shown})
		}
	}
	return out, nil
}

// maxReference bounds the length of a reference to a note or comment in bytes. Ids are
// numbers.
const maxReference = 64

// references lists what stands in brackets in lines, as references to notes and comments
// do.
func references(lines []line) map[string]bool {
	out := map[string]bool{}
	for _, l := range lines {
		for rest := l.text; ; {
			i := strings.IndexByte(rest, '[')
			if i < 0 {
				break
			}
			rest = rest[i+1:]
			if to := strings.IndexByte(rest[:min(len(rest), maxReference+1)], ']'); to >= 0 {
				out[rest[:to]] = true
			}
		}
	}
	return out
}

// storyTitle names a story for a reader.
func (d *document) storyTitle(p *part, s *node) string {
	if p.word != "comments" {
		return strings.TrimSuffix(p.what, "s") + ":"
	}
	sc := xmlscan.New(p.doc[s.start:s.end])
	if !sc.Next() {
		return "comment:"
	}
	t := sc.Token()
	who := "comment"
	if a := t.AttrLocal("author"); a != "" {
		who += " by " + a
	}
	if date := t.AttrLocal("date"); date != "" {
		who += ", " + date
	}
	return who + ":"
}
