package xlsx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/formula"
)

// dropCharts removes charts of one sheet from their drawings, with the parts that
// nothing else leads to, and a drawing when nothing is left in it.
func (e *structure) dropCharts(ctx context.Context, list []*placedChart) error {
	uses, err := e.ed.Uses(ctx)
	if err != nil {
		return err
	}
	byDrawing := map[string][]*placedChart{}
	var drawings []string
	for _, c := range list {
		if !e.wb.Sheets[c.sheet].Worksheet() {
			return formats.Errorf(formats.CodeUnsupported, "the chart is all that the sheet %q shows; use delete_sheet", e.wb.Sheets[c.sheet].Name)
		}
		if byDrawing[c.drawing] == nil {
			drawings = append(drawings, c.drawing)
		}
		byDrawing[c.drawing] = append(byDrawing[c.drawing], c)
	}
	for _, d := range drawings {
		if err := e.dropFrames(ctx, byDrawing[d], uses); err != nil {
			return err
		}
	}
	return nil
}

// dropFrames removes charts of one drawing.
func (e *structure) dropFrames(ctx context.Context, list []*placedChart, uses opc.Uses) error {
	t := list[0].t
	var gone []*tree.Node
	for _, c := range list {
		n := c.anchor
		if c.frame.Parent.Local == "grpSp" {
			n = c.frame
		}
		if !slices.Contains(gone, n) {
			gone = append(gone, n)
		}
	}
	var edits []xmlscan.Splice
	for _, n := range gone {
		edits = append(edits, xmlscan.Splice{Start: n.Start, End: n.After})
	}
	left := false
	for n := range t.Root.Kids() {
		left = left || !slices.Contains(gone, n)
	}
	for _, c := range list {
		if err := e.ed.RemoveRelated(ctx, c.drawing, c.relID, uses); err != nil {
			return err
		}
	}
	if left {
		e.ed.Set(list[0].drawing, xmlscan.Apply(t.Doc, edits))
		return nil
	}
	return e.dropDrawing(ctx, list[0])
}

// dropDrawing removes the drawing of a sheet.
func (e *structure) dropDrawing(ctx context.Context, c *placedChart) error {
	part := e.wb.Sheets[c.sheet].Part
	rels, err := e.ed.Rels(ctx, part)
	if err != nil {
		return err
	}
	id := ""
	for _, r := range rels {
		if r.Type == book.RelDrawing && !r.External && strings.EqualFold(r.Target, c.drawing) {
			id = r.ID
		}
	}
	p := newPlan(e.wb, false)
	p.deferEdit(p.sheets[c.sheet], func(_ context.Context, w *sheetWork) error {
		if t, end, ok := w.child("drawing"); ok && t.AttrLocal("id") == id {
			w.edit(xmlscan.Splice{Start: t.Start, End: end})
		}
		return nil
	})
	f := &finisher{plan: p, wb: e.wb, ed: e.ed, rw: &formula.Rewriter{}}
	if err := f.finish(ctx); err != nil {
		return err
	}
	if err := e.removePart(ctx, part, id, c.drawing); err != nil {
		return err
	}
	return e.dropEmptyRels(ctx, part)
}

// dropEmptyRels removes the relationships part of a part that has none left.
func (e *structure) dropEmptyRels(ctx context.Context, part string) error {
	rels, err := e.ed.Rels(ctx, part)
	if name := opc.RelsName(part); err == nil && len(rels) == 0 && e.ed.Has(name) {
		e.ed.Remove(name)
		return e.ed.RemoveContentType(ctx, name)
	}
	return err
}
