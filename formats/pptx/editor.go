package pptx

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	opset "atelier/formats/ops"
	"atelier/internal/lenient"
)

type editor struct{}

// Operation implements formats.Editor.
func (editor) Operation() (zero any, names []string) {
	return operations.Zero(), operations.Names()
}

// Usage implements formats.Editor.
func (editor) Usage(op string) string { return operations.Usage(op) }

// Groups implements formats.Editor.
func (editor) Groups() []formats.MemberGroup { return operations.Groups() }

// Rare implements formats.Editor.
func (editor) Rare(op string) bool { return operations.Rare(op) }

// Apply implements formats.Editor.
func (editor) Apply(ctx context.Context, src formats.Source, dst io.Writer, ops []json.RawMessage, opt formats.ApplyOptions) (formats.Report, error) {
	rep := formats.Report{Ops: []formats.OpReport{}}
	d, err := openEdit(ctx, src)
	if err != nil {
		return rep, err
	}
	d.opt = opt
	for i, raw := range ops {
		if err := ctx.Err(); err != nil {
			return rep, err
		}
		op, err := operations.Decode(raw)
		if err != nil {
			return rep, formats.InOp(err, i, op.Name)
		}
		r := formats.OpReport{Index: i, Op: op.Name, Ignored: op.Ignored}
		before := d.edit.Edits()
		if err := d.apply(ctx, op, &r); err != nil {
			return rep, formats.InOp(err, i, op.Name)
		}
		r.Unchanged = d.edit.Edits() == before
		rep.Ops = append(rep.Ops, r)
	}
	if err := d.sweep(ctx); err != nil {
		return rep, err
	}
	if src != nil && d.edit.Changed() {
		signed, err := d.related(ctx, "", relSignature)
		if err != nil {
			return rep, err
		}
		if len(signed) > 0 {
			rep.Warnings = append(rep.Warnings, "the presentation is signed; the signature does not fit the edited presentation")
		}
	}
	return rep, d.edit.Write(ctx, dst)
}

// deckEdit is a presentation being edited: its parts are read as they are in
// the edit.
type deckEdit struct {
	deck
	edit *opc.Edit
	opt  formats.ApplyOptions

	suspects []string // parts that a relationship less leads to
	media    []media  // pictures added so far
	failed   error    // what went wrong while text was written
	notes    []string // what became of links while text was written
	unlinked []*tree  // those whose text lost a link
}

// openEdit starts an edit of src, or of a new presentation when src is nil.
func openEdit(ctx context.Context, src formats.Source) (*deckEdit, error) {
	if src == nil {
		ed, err := newDeck(ctx)
		if err != nil {
			return nil, err
		}
		d := &deckEdit{deck: deck{parts: ed, name: "the new presentation", main: newMain}, edit: ed}
		return d, d.load(ctx)
	}
	d, pkg, err := openDeck(ctx, src)
	if err != nil {
		return nil, err
	}
	de := &deckEdit{deck: *d, edit: pkg.Edit()}
	de.parts = de.edit
	return de, nil
}

func (d *deckEdit) apply(ctx context.Context, op opset.Call[*call], r *formats.OpReport) error {
	c := &call{d: d, r: r}
	if on, ok := op.Args.(interface{ slideIndex() *lenient.Int }); ok {
		index := on.slideIndex()
		if index == nil {
			return formats.Errorf(formats.CodeInvalid, "index is required: the slide, counted from 0")
		}
		c.slide = int(*index)
		if c.slide < 0 || c.slide >= len(d.slides) {
			return formats.Errorf(formats.CodeInvalid, "invalid slide index")
		}
		c.part = d.slides[c.slide].part
	}
	d.notes = nil
	before, err := d.overflowsBefore(ctx, c)
	if err != nil {
		return err
	}
	if err := op.Run(ctx, c); err != nil {
		return err
	}
	if err := d.warnOverflow(ctx, c, before); err != nil {
		return err
	}
	r.Warnings = append(r.Warnings, d.notes...)
	if err := d.dropLinks(ctx); err != nil {
		return err
	}
	return d.failed
}

// set returns lines the format and the font that an operation asks for all of
// them.
func (a lookArgs) set(lines []line) []line {
	return withFont(withFormat(lines, a.ParagraphFormat), a.Font)
}

// titleLines returns the paragraphs that an operation gives for the title, nil
// for none.
func (a slideTextArgs) titleLines(look lookArgs) []line {
	switch {
	case len(a.TitleRuns) > 0:
		return look.set(splitRuns(a.TitleRuns))
	case a.Title != nil:
		return look.set(splitLines(string(*a.Title)))
	}
	return nil
}

// bodyLines returns those for the body.
func (a slideTextArgs) bodyLines(look lookArgs) []line {
	switch {
	case len(a.Texts) > 0:
		return look.set(linesOf(a.Texts))
	case len(a.BodyRuns) > 0:
		return look.set(splitRuns(a.BodyRuns))
	case a.Body != nil:
		return look.set(splitLines(string(*a.Body)))
	}
	return nil
}

// lines returns those of text or paragraphs.
func (a textArgs) lines(look lookArgs) ([]line, error) {
	var lines []line
	switch {
	case len(a.Texts) > 0:
		lines = linesOf(a.Texts)
	case a.Text != nil:
		lines = splitLines(string(*a.Text))
	default:
		return nil, formats.Errorf(formats.CodeInvalid, "text or paragraphs is required")
	}
	lines = look.set(lines)
	return lines, checkLines(lines)
}

func linesOf(list []Paragraph) []line {
	lines := make([]line, len(list))
	for i, p := range list {
		lines[i] = p.line()
	}
	return lines
}

// setSlideTextArgs are the members of set_slide_text.
type setSlideTextArgs struct {
	slideArgs
	slideTextArgs
	lookArgs
}

func (d *deckEdit) setSlideText(ctx context.Context, c *call, a setSlideTextArgs) error {
	if a.titleLines(a.lookArgs) == nil && a.bodyLines(a.lookArgs) == nil {
		return formats.Errorf(formats.CodeInvalid, "title or body is required")
	}
	return d.setTitleBody(ctx, c, a.slideTextArgs, a.lookArgs)
}

// appendBulletsArgs are the members of append_bullets.
type appendBulletsArgs struct {
	slideArgs
	Bullets Bullets     `json:"bullets" usage:"bullets" jsonschema:"{ops}: paragraphs to add to the body"`
	Texts   []Paragraph `json:"paragraphs" usage:"or paragraphs" jsonschema:"instead of text, body or bullets: paragraphs with formatting"`
	lookArgs
}

func (d *deckEdit) appendBullets(ctx context.Context, c *call, a appendBulletsArgs) error {
	lines := splitBullets(a.Bullets)
	if len(a.Texts) > 0 {
		lines = linesOf(a.Texts)
	}
	if len(lines) == 0 {
		return formats.Errorf(formats.CodeInvalid, "bullets is required: a list of texts")
	}
	lines = a.set(lines)
	if err := checkLines(lines); err != nil {
		return err
	}
	return d.setText(ctx, c.part, isBodyType, c.r, func(t *tree, body *node) []xmlscan.Splice {
		c.r.Hits += len(lines)
		return t.appendLines(body, lines)
	})
}

// setTitleBody sets what the operation gives of title and body.
func (d *deckEdit) setTitleBody(ctx context.Context, c *call, a slideTextArgs, look lookArgs) error {
	for _, what := range []struct {
		lines []line
		is    func(string) bool
	}{{a.titleLines(look), isTitleType}, {a.bodyLines(look), isBodyType}} {
		if what.lines == nil {
			continue
		}
		if err := checkLines(what.lines); err != nil {
			return err
		}
		c.r.Hits += len(what.lines)
		err := d.setText(ctx, c.part, what.is, c.r, func(t *tree, body *node) []xmlscan.Splice { return t.setLines(body, what.lines) })
		if err != nil {
			return err
		}
	}
	return nil
}

// setText lets change rewrite the text of a slide's title or body placeholder,
// in every branch of alternate content. A slide without one gets it first.
func (d *deckEdit) setText(ctx context.Context, part string, is func(string) bool, r *formats.OpReport, change func(*tree, *node) []xmlscan.Splice) error {
	t, err := d.tree(ctx, part)
	if err != nil {
		return err
	}
	found := titleOrBody(t, is)
	if len(found) == 0 {
		if err := d.addPlaceholder(ctx, t, is, r); err != nil {
			return err
		}
		if t, err = d.tree(ctx, part); err != nil {
			return err
		}
		if found = titleOrBody(t, is); len(found) == 0 {
			return formats.Errorf(formats.CodeUnsupported, "the slide has no place for that text")
		}
	}
	hits := r.Hits
	var splices []xmlscan.Splice
	for _, s := range found {
		r.Hits = hits // a shape in another branch has the same text
		splices = append(splices, change(t, s.body)...)
	}
	if out := xmlscan.Apply(t.Doc, splices); !bytes.Equal(out, t.Doc) {
		d.edit.Set(part, out)
	}
	return nil
}

// titleOrBody returns the title or the body placeholder of a slide: one shape, or the
// same placeholder in several branches of alternate content.
func titleOrBody(t *tree, is func(string) bool) []*shape {
	var list []*shape
	for s := range flat(shapes(t.spTree(), every)) {
		if s.body != nil {
			list = append(list, s)
		}
	}
	first := lowestIndex(list, is)
	if first == nil {
		return nil
	}
	out := []*shape{first}
	for _, s := range list {
		if s != first && s.ph != nil && s.phType() == first.phType() && s.phIndex() == first.phIndex() && s.cnv.Value("id") == first.cnv.Value("id") {
			out = append(out, s)
		}
	}
	return out
}
