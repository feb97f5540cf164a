package pptx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// unit is a place that holds translatable text: a paragraph, or a value that
// is plain text.
type unit struct {
	id       string
	place    string
	kind     string               // Segment.Part
	n        *node                // a:p, or the element whose character data or attribute is the text
	para     *paragraph.Paragraph // nil for a value
	index    int                  // of para in the part
	attr     *xmlscan.Attr        // of n, when its value is the text
	sheet    bool                 // the value shows a cell of the chart's data sheet
	repeats  string               // id of a unit that says the same elsewhere, which this one follows
	sameCell []*node              // values that show the same cell of the chart's data again
}

// unitPart is a part with the units in it, in document order.
type unitPart struct {
	t     *tree
	units []*unit
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

// eachPart calls fn once for each part with text: slide by slide the slide and
// then the parts of the given kinds.
func (d *deck) eachPart(ctx context.Context, slides []int, kinds []textPart, fn func(unitPart) error) error {
	w := &partWalker{deck: d, ctx: ctx, seen: map[string]bool{}, fn: fn}
	return w.slides(slides, kinds)
}

// partWalker hands each part with text to fn once.
type partWalker struct {
	*deck
	ctx   context.Context
	whole bool // texts outside paragraphs that only a translator wants
	seen  map[string]bool
	fn    func(unitPart) error

	diagram map[string]string // ids of texts of diagrams, which their drawings repeat
}

func (w *partWalker) visit(part, place, kind string) error {
	if w.seen[part] {
		return nil
	}
	w.seen[part] = true
	t, err := w.tree(w.ctx, part)
	if err != nil {
		return err
	}
	units, err := unitsOf(t, place, kind, w.whole)
	if err != nil {
		return err
	}
	if w.whole {
		w.pairRepeats(t, units)
	}
	return w.fn(unitPart{t, units})
}

func (w *partWalker) slides(slides []int, kinds []textPart) error {
	for _, i := range slides {
		s, slide := w.deck.slides[i], fmt.Sprintf("slide %d", i+1)
		if err := w.visit(s.part, slide, "slide"); err != nil {
			return err
		}
		for _, tp := range kinds {
			rels, err := w.related(w.ctx, s.part, tp.rel)
			if err != nil {
				return err
			}
			for _, r := range rels {
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
		}
	}
	return nil
}

// unitsOf lists the units of a part; place begins the place of each. whole
// adds what only a translator wants: attributes and properties.
func unitsOf(t *tree, place, kind string, whole bool) ([]*unit, error) {
	paras, err := paragraph.Parse(t.Doc, paragraph.Drawing)
	if err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: %w", t.part, err)
	}
	w := &unitWalker{tree: t, paras: make(map[int]int, len(paras)), list: paras, cells: map[string]*unit{}, named: t.Root.Is(nsP, "sld"), kind: kind, whole: whole}
	for i, p := range paras {
		w.paras[p.Start] = i
	}
	w.walk(t.Root, place)
	return w.units, nil
}

// unitWalker numbers paragraphs and values by their position in the part,
// those without text too, so that an ID does not depend on any text.
type unitWalker struct {
	tree            *tree
	named           bool   // the part's shapes have names worth giving
	kind            string // Segment.Part of what is not a special place
	whole           bool
	paras           map[int]int // index in list by offset
	list            []*paragraph.Paragraph
	units           []*unit
	nParas, nValues int
	nAttrs          int
	cells           map[string]*unit // chart values by formula and position
}

func (w *unitWalker) walk(n *node, place string) {
	switch {
	case n.Is(nsA, "p"):
		w.nParas++
		if i, ok := w.paras[n.Start]; ok {
			w.units = append(w.units, &unit{id: fmt.Sprintf("%s#p%d", w.tree.part, w.nParas), place: place, kind: w.kind, n: n, para: w.list[i], index: i})
		}
		if w.whole {
			w.attributes(n, place)
		}
		return
	case n.Is(nsA, "tbl"):
		w.table(n, slideOf(place)+", table")
		return
	case n.Is(nsC, "strCache"), n.Is(nsC, "strLit"), n.Is(nsC, "multiLvlStrCache"), n.Is(nsC15, "dlblRangeCache"):
		w.cache(n, place)
		return
	case n.Is(nsP, "text"), // of a classic comment, 19.4.6
		n.Is(nsC, "v") && n.In(nsC, "tx"),       // a series name of no cell
		n.Is(nsCX, "v") && n.In(nsCX, "txData"), // a title or name, [MS-ODRAWXML] 2.24.3
		n.Is(nsCX, "pt") && n.In(nsCX, "lvl") && n.Parent.In(nsCX, "strDim"):
		w.value(n, place)
		return
	case w.whole && w.property(n):
		w.value(n, place+", "+n.Local)
		return
	}
	if w.whole {
		w.attribute(n, place)
	}
	for k := range n.Kids() {
		w.walk(k, w.placeOf(k, place))
	}
}

// placeOf returns the place of what is inside k, place being that of k's
// parent.
func (w *unitWalker) placeOf(k *node, place string) string {
	switch {
	case w.named && k.Space == nsP && (k.Local == "sp" || k.Local == "graphicFrame" || k.Local == "cxnSp" || k.Local == "pic"):
		name := asShape(k, shown).name()
		if name == "" {
			name = "shape"
		}
		return slideOf(place) + ", " + oneLine(name)
	case k.Space != nsC:
	case k.Local == "title" && k.Parent.Local == "chart":
		return place + " title"
	case k.Local == "title":
		return place + " axis title"
	case k.Local == "ser":
		return place + " series"
	case k.Local == "cat":
		return strings.TrimSuffix(place, " series") + " category"
	}
	return place
}

// slideOf returns the "slide 3" that place begins with.
func slideOf(place string) string {
	head, _, _ := strings.Cut(place, ",")
	return head
}

func (w *unitWalker) table(tbl *node, place string) {
	if kind := w.kind; kind == "slide" {
		w.kind = "table"
		defer func() { w.kind = kind }()
	}
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
				w.walk(tc, fmt.Sprintf("%s row %d cell %d", place, row, cell))
			}
		}
	}
}

// cache lists the texts of a chart that come from its data sheet. Each series
// repeats the categories: what the same cell shows is one unit.
func (w *unitWalker) cache(n *node, place string) {
	formula := w.tree.Text(n.Parent.Child(n.Space, "f"))
	for v := range n.All() {
		if !v.Is(nsC, "v") || v.First != nil {
			continue
		}
		key := cacheKey(formula, n, v)
		if first := w.cells[key]; first != nil && key != "" {
			w.nValues++
			first.sameCell = append(first.sameCell, v)
			continue
		}
		u := w.value(v, place)
		w.cells[key], u.sheet = u, formula != ""
	}
}

// cacheKey names the cell that the value v of a cache shows; "" when the cache
// says no formula.
func cacheKey(formula string, cache, v *node) string {
	if formula == "" {
		return ""
	}
	level := 0
	if at := v.Parent.Parent; at != cache {
		for k := cache.First; k != nil && k != at; k = k.Next {
			if k.Is(nsC, "lvl") {
				level++
			}
		}
	}
	return fmt.Sprintf("%s|%d|%s", formula, level, v.Parent.Value("idx"))
}

func (w *unitWalker) value(n *node, place string) *unit {
	w.nValues++
	u := &unit{id: fmt.Sprintf("%s#v%d", w.tree.part, w.nValues), place: place, kind: w.kind, n: n}
	w.units = append(w.units, u)
	return u
}
