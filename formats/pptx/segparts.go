package pptx

import (
	"context"
	"slices"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/segment"
)

const (
	relCoreProps     = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
	relHandoutMaster = nsR + "/handoutMaster"
)

// kindsOfPlace are Segment.Part of the parts of a relationship.
var kindsOfPlace = map[string]string{
	relSlide: "slide", relChart: "chart", relChartEx: "chart", relChartShapes: "chart", relDiagramData: "smartart", relDiagramDrawing: "smartart",
	relNotes: "notes", relComments: "comment", relModernComments: "comment",
}

// translated calls fn once for each part with text a translator sees: slides
// with all that belongs to them, names of sections, properties, and where want
// says so masters and layouts.
func (d *deck) translated(ctx context.Context, masters func(part string) bool, fn func(unitPart) error) error {
	slides := make([]int, len(d.slides))
	for i := range slides {
		slides[i] = i
	}
	w := &partWalker{deck: d, ctx: ctx, seen: map[string]bool{}, diagrams: segment.Diagrams{}, fn: fn}
	if err := w.slides(slides, textParts); err != nil {
		return err
	}
	if err := w.visit(d.main, "presentation", "section"); err != nil {
		return err
	}
	for _, typ := range []string{relMaster, relNotesMaster, relHandoutMaster} {
		list, err := d.related(ctx, d.main, typ)
		if err != nil {
			return err
		}
		for _, m := range list {
			layouts, err := d.related(ctx, m.Target, relLayout)
			if err != nil {
				return err
			}
			for _, r := range append([]opc.Relationship{m}, layouts...) {
				if err := w.visitMaster(r, masters); err != nil {
					return err
				}
			}
		}
	}
	props, err := d.related(ctx, "", relCoreProps)
	if err != nil {
		return err
	}
	for _, r := range props {
		if err := w.visit(r.Target, "document properties", "property"); err != nil {
			return err
		}
	}
	return nil
}

// masterPlaces name masters in a Segment.Place.
var masterPlaces = map[string]string{relMaster: "slide master", relLayout: "layout", relNotesMaster: "notes master", relHandoutMaster: "handout master"}

// visitMaster visits a master or layout and the charts and diagrams on it.
func (w *partWalker) visitMaster(r opc.Relationship, wanted func(string) bool) error {
	place := masterPlaces[r.Type]
	if wanted(r.Target) {
		if r.Type == relLayout {
			l, err := w.loadLayout(w.ctx, r.Target)
			if err != nil {
				return err
			}
			if l.name != "" {
				place += " " + quote(l.name)
			}
		}
		if err := w.visit(r.Target, place, "master"); err != nil {
			return err
		}
	}
	for _, tp := range textParts {
		if slices.Contains([]string{relNotes, relComments, relModernComments}, tp.rel) {
			continue
		}
		own, err := w.related(w.ctx, r.Target, tp.rel)
		if err != nil {
			return err
		}
		for _, k := range own {
			if wanted(k.Target) {
				if err := w.visit(k.Target, place+tp.place, "master"); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
