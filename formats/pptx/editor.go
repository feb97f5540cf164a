package pptx

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"atelier/formats"
	"atelier/formats/opc"
	"atelier/formats/xmlscan"
)

type editor struct{}

// Operation implements formats.Editor.
func (editor) Operation() (zero any, names []string) {
	return Operation{}, append([]string(nil), opNames...)
}

// Apply implements formats.Editor.
func (editor) Apply(ctx context.Context, src formats.Source, dst io.Writer, ops []json.RawMessage, _ formats.ApplyOptions) (formats.Report, error) {
	rep := formats.Report{Ops: []formats.OpReport{}}
	d, err := openEdit(ctx, src)
	if err != nil {
		return rep, err
	}
	for i, raw := range ops {
		if err := ctx.Err(); err != nil {
			return rep, err
		}
		op, err := decodeOp(raw, i)
		if err != nil {
			return rep, err
		}
		r := formats.OpReport{Index: i, Op: op.Op}
		if err := d.apply(ctx, op, &r); err != nil {
			return rep, formats.InOp(err, i, op.Op)
		}
		rep.Ops = append(rep.Ops, r)
	}
	return rep, d.edit.Write(ctx, dst)
}

// deckEdit is a presentation being edited: its parts are read as they stand in
// the edit.
type deckEdit struct {
	deck
	edit *opc.Edit
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

func (d *deckEdit) apply(ctx context.Context, op Operation, r *formats.OpReport) error {
	if op.Op == opAddSlide {
		return d.addSlide(ctx, op, r)
	}
	if op.Index == nil {
		return formats.Errorf(formats.CodeInvalid, "index is required: the slide, counted from 0")
	}
	i := int(*op.Index)
	if i < 0 || i >= len(d.slides) {
		return formats.Errorf(formats.CodeInvalid, "invalid slide index")
	}
	part := d.slides[i].part
	if op.Op == opAppendBullets {
		if len(op.Bullets) == 0 {
			return formats.Errorf(formats.CodeInvalid, "bullets is required: a list of texts")
		}
		return d.setText(ctx, part, isBodyType, r, func(t *tree, body *node) []xmlscan.Splice {
			lines := splitBullets(op.Bullets)
			r.Hits += len(lines)
			return t.appendLines(body, lines)
		})
	}
	if op.Title == nil && op.Body == nil {
		return formats.Errorf(formats.CodeInvalid, "title or body is required")
	}
	return d.setTitleBody(ctx, part, op, r)
}

// setTitleBody sets what the operation gives of title and body.
func (d *deckEdit) setTitleBody(ctx context.Context, part string, op Operation, r *formats.OpReport) error {
	for _, what := range []struct {
		text *Lines
		is   func(string) bool
	}{{op.Title, isTitleType}, {op.Body, isBodyType}} {
		if what.text == nil {
			continue
		}
		lines := splitLines(string(*what.text))
		r.Hits += len(lines)
		err := d.setText(ctx, part, what.is, r, func(t *tree, body *node) []xmlscan.Splice { return t.setLines(body, lines) })
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
	found := twins(t, is)
	if len(found) == 0 {
		if err := d.addPlaceholder(ctx, t, is, r); err != nil {
			return err
		}
		if t, err = d.tree(ctx, part); err != nil {
			return err
		}
		if found = twins(t, is); len(found) == 0 {
			return formats.Errorf(formats.CodeUnsupported, "the slide has no place for that text")
		}
	}
	hits := r.Hits
	var splices []xmlscan.Splice
	for _, s := range found {
		r.Hits = hits // a twin in another branch is the same text
		splices = append(splices, change(t, s.body)...)
	}
	if out := xmlscan.Apply(t.doc, splices); !bytes.Equal(out, t.doc) {
		d.edit.Set(part, out)
	}
	return nil
}

// twins is the title or the body placeholder of a slide: one shape, or the
// same placeholder in several branches of alternate content.
func twins(t *tree, is func(string) bool) []*shape {
	var list []*shape
	for s := range flat(shapes(t.spTree(), every)) {
		if s.body != nil {
			list = append(list, s)
		}
	}
	first := lowest(list, is)
	if first == nil {
		return nil
	}
	out := []*shape{first}
	for _, s := range list {
		if s != first && s.ph != nil && s.phType() == first.phType() && s.phIndex() == first.phIndex() && s.cnv.attr("id") == first.cnv.attr("id") {
			out = append(out, s)
		}
	}
	return out
}
