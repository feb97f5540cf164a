package docx

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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
	t, err := d.readSelected(ctx, sel)
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
	lines, err := v.lines(ctx, p, p.stories[0], "")
	if err != nil {
		return formats.Text{}, err
	}
	want := strings.TrimSpace(sel.Section)
	if want == "" {
		v.shown = lines
		extra, err := d.extras(ctx, v, sel, nil)
		if sel.Chunked && len(chunkStarts(lines)) > 1 {
			t := v.chunk(lines, 0)
			t.Text += extra
			return t, err
		}
		return formats.Text{Text: v.joinLines(lines) + extra}, err
	}
	secs := sections(lines)
	i, err := pickSection(secs, want)
	if n := v.labelledSection(secs, want); err != nil && n >= 0 {
		i, err = n, nil
	}
	if err != nil {
		if text, ok, bad := d.readRange(ctx, v, lines, want); ok || bad != nil {
			return text, bad
		}
		return formats.Text{}, err
	}
	c := &formats.ChunkInfo{ChunkIndex: i, TotalChunks: len(secs), HasMore: i+1 < len(secs), Range: fmt.Sprintf("section %d of %d", i, len(secs))}
	if c.HasMore {
		c.Next = fmt.Sprintf(`section="%d"`, i+1)
	}
	v.shown = secs[i].lines
	extra, err := d.extras(ctx, v, sel, secs[i].lines)
	return formats.Text{Text: v.joinLines(secs[i].lines) + extra, Chunk: c}, err
}

// pickSection finds a section by heading in any case, else by 0-based index.
func pickSection(secs []section, want string) (int, error) {
	for i, s := range secs {
		if s.heading != "" && strings.EqualFold(s.heading, want) {
			return i, nil
		}
	}
	if n, err := strconv.Atoi(want); err == nil && n >= 0 && n < len(secs) {
		return n, nil
	}
	return 0, formats.Errorf(formats.CodeNotFound, "section not found: %s", want)
}

// labelledSection finds a section by its heading with the list label that a read
// shows before it, -1 for none.
func (v *view) labelledSection(secs []section, want string) int {
	if v.labels == nil {
		return -1
	}
	return slices.IndexFunc(secs, func(s section) bool {
		if s.heading == "" || len(want) <= len(s.heading) {
			return false
		}
		label := v.labels(s.lines[0].part, s.lines[0].node)
		return label != "" && strings.EqualFold(shownLabel(label)+" "+s.heading, want)
	})
}

var restForm = lazyregexp.New(`^p(\d+)\s*(?:-|:|–)$`)

var rangeForm = lazyregexp.New(`^p(\d+)\s*(?:-|:|–)\s*p?(\d+)$`)

// readRange reads the paragraphs from one address to another with the tables
// between them, or the block or story at an address.
func (d *document) readRange(ctx context.Context, v *view, lines []line, want string) (formats.Text, bool, error) {
	if m := rangeForm.FindStringSubmatch(want); m != nil {
		v.shown = between(lines, "p"+m[1], "p"+m[2])
		return formats.Text{Text: v.joinLines(v.shown)}, true, nil
	}
	if m := restForm.FindStringSubmatch(want); m != nil {
		i := slices.IndexFunc(lines, func(l line) bool { return l.address == "p"+m[1] })
		if i < 0 {
			return formats.Text{}, false, nil
		}
		return v.chunk(lines, withBoxes(lines, i)), true, nil
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
	lines, err = v.blocks(ctx, pl.part, &node{kids: []*node{pl.node}}, "", nil)
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
		out, err = v.blocks(ctx, pl.part, pl.node, want+".", nil)
	} else if pl.kind == rowNode || pl.kind == cellNode {
		var boxed []line
		var text string
		if pl.kind == rowNode {
			text, err = v.row(ctx, pl.part, pl.node, &boxed)
		} else {
			var texts []string
			texts, err = v.cell(ctx, pl.part, pl.node, &boxed)
			text = strings.Join(texts, "\n")
		}
		out = []line{{text: text, address: want, level: -1}}
	}
	return formats.Text{Text: v.joinLines(out)}, true, err
}

func between(lines []line, from, to string) []line {
	var out []line
	in := false
	for _, l := range lines {
		in = in || l.address == from
		if in {
			out = append(out, l)
		}
		if l.address == to {
			break
		}
	}
	return out
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
			if lines != nil && !refersTo(lines, step) {
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

func refersTo(lines []line, step string) bool {
	for _, l := range lines {
		if strings.Contains(l.text, "["+step+"]") {
			return true
		}
	}
	return false
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
