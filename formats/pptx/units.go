package pptx

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/segment"
	"atelier/formats/ooxml/xmlscan"
)

// unitPart is a part with its texts, in document order.
type unitPart struct {
	*segment.Part
	name string
	t    *tree // nil in parts that hold neither shapes nor tables, and without places
}

// textPart says what the parts of a relationship of a slide are to a reader.
type textPart struct{ rel, place string }

var textParts = []textPart{
	{relChart, ", chart"},
	{relChartEx, ", chart"},
	{relDiagramData, ", diagram"},
	{relDiagramDrawing, ", diagram drawing"},
	{relNotes, " notes"},
	{relComments, " comment"},
	{relModernComments, " comment"},
}

// partWalker hands each part with text to fn once: slide by slide the slide and then the
// parts of the given kinds.
type partWalker struct {
	*deck
	ctx  context.Context
	seen map[string]bool
	fn   func(unitPart) error

	textOnly bool                  // nobody asks for the places of texts, nor keeps what fn got
	space    segment.Space         // where textOnly is set
	absent   func(doc []byte) bool // a part that fn has nothing to do in; nil: none
	diagrams segment.Diagrams
}

func (w *partWalker) visit(part, place, kind string) error {
	if w.seen[part] {
		return nil
	}
	w.seen[part] = true
	doc, err := w.ReadXML(w.ctx, part)
	if err != nil {
		return err
	}
	if w.absent != nil && w.absent(doc) {
		return nil
	}
	p := unitPart{name: part}
	if !w.textOnly && !slices.Contains([]string{"chart", "smartart", "comment", "section", "property"}, kind) {
		if p.t, err = parse(w.ctx, part, doc); err != nil {
			return err
		}
	}
	opt := segmentOptions(p, segment.Where{Place: place, Kind: kind})
	if opt.PlainOnly = w.textOnly && plainKinds[kind]; opt.PlainOnly {
		opt.Space = &w.space
	}
	if p.Part, err = segment.Scan(w.ctx, doc, opt); err != nil {
		return cmp.Or(w.ctx.Err(), error(formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: %w", part, err)))
	}
	w.diagrams.Pair(p.Part)
	return w.fn(p)
}

// plainKinds are the parts whose texts are paragraphs and alternative texts.
var plainKinds = map[string]bool{"slide": true, "notes": true}

func (w *partWalker) slides(slides []int, kinds []textPart) error {
	for _, i := range slides {
		s, slide := w.deck.slides[i], fmt.Sprintf("slide %d", i+1)
		if err := w.visit(s.part, slide, "slide"); err != nil {
			return err
		}
		rels, err := w.Rels(w.ctx, s.part)
		if err != nil {
			return err
		}
		for _, tp := range kinds {
			if err := w.besides(rels, slide, tp); err != nil {
				return err
			}
		}
	}
	return nil
}

// besides visits the parts of one kind that a slide with these relationships has, with
// the drawings on its charts.
func (w *partWalker) besides(rels []opc.Relationship, slide string, tp textPart) error {
	for _, r := range w.targets(rels, tp.rel) {
		if err := w.visit(r.Target, slide+tp.place, kindsOfPlace[tp.rel]); err != nil {
			return err
		}
		drawn, err := w.related(w.ctx, r.Target, relChartShapes)
		if err != nil {
			return err
		}
		for _, r := range drawn {
			if err := w.visit(r.Target, slide+", chart drawing", "chart"); err != nil {
				return err
			}
		}
	}
	return nil
}

// segmentOptions returns how the texts of a part that is in a place are named
// and numbered, and what has text in presentations only: classic comments
// (19.4.6) and names of sections ([MS-PPTX] 2.3.24).
func segmentOptions(p unitPart, in segment.Where) segment.Options {
	opt := segment.Options{
		Where: in,
		ID:    func(s segment.Series, n int, _ string) string { return fmt.Sprintf("%s#%c%d", p.name, s, n) },
		Value: func(t xmlscan.Token) bool { return t.Is(nsP, "text") },
		Attributes: func(t xmlscan.Token) []segment.Named {
			if t.Is(nsP14, "section") {
				return []segment.Named{{Name: "name", Kind: "section"}}
			}
			return nil
		},
	}
	if p.t != nil {
		places := placesOf(p.t, in)
		opt.Enter = func(t xmlscan.Token, in segment.Where) segment.Where {
			if at, ok := places[t.Start]; ok {
				return at
			}
			return in
		}
	}
	return opt
}

// placesOf returns the places of what is in the shapes of a slide and in the
// cells of tables, by the offset of the shape or cell.
func placesOf(t *tree, in segment.Where) map[int]segment.Where {
	slide, _, _ := strings.Cut(in.Place, ",") // "slide 3"
	cells := segment.Where{Place: slide + ", table", Kind: in.Kind}
	if in.Kind == "slide" {
		cells.Kind = "table"
	}
	named := t.Root.Is(nsP, "sld") // shapes of layouts and masters have no names worth giving
	out := map[int]segment.Where{}
	for n := range t.Root.All() {
		switch {
		case n.Is(nsA, "tbl"):
			addCells(out, n, cells)
		case named && n.Space == nsP && (n.Local == "sp" || n.Local == "graphicFrame" || n.Local == "cxnSp" || n.Local == "pic"):
			name := asShape(n, shown).name()
			if name == "" {
				name = "shape"
			}
			out[n.Start] = segment.Where{Place: slide + ", " + oneLine(name), Kind: in.Kind}
		}
	}
	return out
}

// addCells adds the places of the cells of a table.
func addCells(out map[int]segment.Where, tbl *node, in segment.Where) {
	row := 0
	for tr := range tbl.Kids() {
		if !tr.Is(nsA, "tr") {
			continue
		}
		row++
		cell := 0
		for tc := range tr.Kids() {
			if tc.Is(nsA, "tc") {
				cell++
				out[tc.Start] = segment.Where{Place: fmt.Sprintf("%s row %d cell %d", in.Place, row, cell), Kind: in.Kind}
			}
		}
	}
}
