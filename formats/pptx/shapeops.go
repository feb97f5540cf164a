package pptx

import (
	"bytes"
	"context"
	"fmt"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// setTree sets a part to its tree with splices applied, unless nothing changes.
func (d *deckEdit) setTree(t *tree, splices []xmlscan.Splice) {
	if out := xmlscan.Apply(t.Doc, splices); !bytes.Equal(out, t.Doc) {
		d.edit.Set(t.part, out)
	}
}

// setShapeTextArgs are the members of set_shape_text.
type setShapeTextArgs struct {
	slideArgs
	shapeArgs
	textArgs
	lookArgs
}

// setShapeText sets the text of any shape that can hold some.
func (d *deckEdit) setShapeText(ctx context.Context, c *call, a setShapeTextArgs) error {
	lines, err := a.lines(a.lookArgs)
	if err != nil {
		return err
	}
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	f, err := c.findShape(t, a.shapeArgs, "")
	if err != nil {
		return err
	}
	if f.n.Local != "sp" {
		return formats.Errorf(formats.CodeUnsupported, "the shape %s is a %s and holds no text of its own%s", quote(f.name()), f.kind(), insteadOf(f.kind()))
	}
	var splices []xmlscan.Splice
	for _, s := range f.all {
		if s.body != nil {
			splices = append(splices, t.setLines(s.body, lines)...)
		} else if s.n.Local == "sp" {
			splices = append(splices, t.newBody(s.n, lines))
		}
	}
	c.r.Hits = len(lines)
	d.setTree(t, splices)
	return nil
}

// insteadOf returns what to use for shapes that set_shape_text cannot change.
func insteadOf(kind string) string {
	switch kind {
	case kindTable:
		return "; use set_table_cell"
	case kindGroup:
		return "; name one of the shapes in it"
	case kindDiagram, kindChart:
		return "; use replace_text"
	}
	return ""
}

// newBody returns a drawn shape its first text, in the middle as PowerPoint
// does.
func (t *tree) newBody(sp *node, lines []line) xmlscan.Splice {
	at := sp.Close
	for k := range sp.Kids() {
		if k.Is(nsP, "extLst") {
			at = k.Start
			break
		}
	}
	prefix, decl := "a", ""
	if p, ok := sp.PrefixOf(nsA); ok {
		prefix = p
	} else {
		decl = ` xmlns:a="` + t.uri(nsA) + `"`
	}
	for i := range lines {
		if lines[i].format.Alignment == "" {
			lines[i].format.Alignment = "center"
		}
	}
	var buf bytes.Buffer
	for _, l := range lines {
		t.writeParagraph(&buf, prefix, nil, l)
	}
	x := fmt.Sprintf(`<p:txBody%s><a:bodyPr rtlCol="0" anchor="ctr"/><a:lstStyle/>`, decl)
	return xmlscan.Splice{Start: at, End: at, New: []byte(reprefix(x, sp.Prefix, prefix) + buf.String() + reprefix(`</p:txBody>`, sp.Prefix, prefix))}
}

// uri returns a transitional namespace as the part writes it.
func (t *tree) uri(u string) string {
	if t.Strict() {
		return xmlscan.Strict(u)
	}
	return u
}

// setAltTextArgs are the members of set_alt_text.
type setAltTextArgs struct {
	slideArgs
	shapeArgs
	Text *Lines `json:"text" usage:"text" jsonschema:"{ops}: the text"`
}

// setAltText sets the alternative text of a shape (19.3.1.12).
func (d *deckEdit) setAltText(ctx context.Context, c *call, a setAltTextArgs) error {
	if a.Text == nil {
		return formats.Errorf(formats.CodeInvalid, `text is required; use "" to remove the alternative text`)
	}
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	f, err := c.findShape(t, a.shapeArgs, "")
	if err != nil {
		return err
	}
	var splices []xmlscan.Splice
	for _, s := range f.all {
		if s.cnv != nil {
			splices = append(splices, t.SetAttr(s.cnv, "descr", string(*a.Text)))
		}
	}
	c.r.Hits = 1
	d.setTree(t, splices)
	return nil
}
