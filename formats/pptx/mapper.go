package pptx

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
)

type mapper struct{}

// mapSlides is more slides than fit into a map.
const (
	mapSlides = 400
	titleMax  = 80 // characters of a title in the map
)

// deckMap is the structure of a presentation (W-33).
type deckMap struct {
	SlideCount  int          `json:"slide_count"`
	Width       float64      `json:"slide_width,omitempty"` // inches
	Height      float64      `json:"slide_height,omitempty"`
	HiddenCount int          `json:"hidden_count,omitempty"`
	Sections    []sectionMap `json:"sections,omitempty"`
	Slides      []slideMap   `json:"slides"`
	Truncated   bool         `json:"truncated,omitempty"`
	Note        string       `json:"note,omitempty"` // what was left out
}

// sectionMap is a section of slides.
type sectionMap struct {
	Name  string `json:"name"`
	Slide int    `json:"slide"` // index of its first slide; -1 when it has none
}

// maxMapSections is how many sections a map lists.
const maxMapSections = 40

// mapSections lists the sections of the deck.
func (d *deck) mapSections(ctx context.Context) ([]sectionMap, error) {
	t, err := d.tree(ctx, d.main)
	if err != nil {
		return nil, err
	}
	var out []sectionMap
	for _, s := range sectionsOf(t) {
		if len(out) == maxMapSections {
			break
		}
		first := slices.IndexFunc(d.slides, func(r slideRef) bool { return slices.Contains(s.slides, r.id) })
		out = append(out, sectionMap{clip(s.list.Parent.Value("name"), titleMax/2), first})
	}
	return out, nil
}

// slideMap says what is on a slide: the shapes, or where there is no room for
// them how many there are.
type slideMap struct {
	Index      int        `json:"index"` // 0-based
	Title      string     `json:"title"`
	Layout     string     `json:"layout,omitempty"`
	Hidden     bool       `json:"hidden,omitempty"`
	HasNotes   bool       `json:"has_notes,omitempty"`
	Comments   int        `json:"comments,omitempty"`
	ShapeCount int        `json:"shape_count,omitempty"` // without those in groups
	Tables     int        `json:"tables,omitempty"`
	Charts     int        `json:"charts,omitempty"`
	Images     int        `json:"images,omitempty"`
	Shapes     []shapeMap `json:"shapes,omitempty"`
	More       int        `json:"more_shapes,omitempty"` // left out
}

// shapeMap is one shape. Lengths are in inches from the slide's upper left.
type shapeMap struct {
	ID       int        `json:"id"`
	Name     string     `json:"name,omitempty"`
	Kind     string     `json:"kind"`
	Chars    int        `json:"chars,omitempty"` // of its text
	Rows     int        `json:"rows,omitempty"`
	Cols     int        `json:"cols,omitempty"`
	Chart    []string   `json:"chart,omitempty"` // chart types
	Title    string     `json:"title,omitempty"` // of a chart
	Alt      string     `json:"alt,omitempty"`   // alternative text
	Hidden   bool       `json:"hidden,omitempty"`
	Position []float64  `json:"position,omitempty"` // x, y, width, height
	Shapes   []shapeMap `json:"shapes,omitempty"`   // of a group
}

// Map implements formats.Mapper.
func (mapper) Map(ctx context.Context, src formats.Source, opt formats.MapOptions) (any, error) {
	d, _, err := openDeck(ctx, src)
	if err != nil {
		return nil, err
	}
	m := deckMap{SlideCount: len(d.slides), Width: inches(float64(d.width)), Height: inches(float64(d.height)), Slides: []slideMap{}}
	if opt.SlideIndex == nil {
		if m.Sections, err = d.mapSections(ctx); err != nil {
			return nil, err
		}
	}
	from, to := 0, min(len(d.slides), mapSlides)
	if i := opt.SlideIndex; i != nil {
		if *i < 0 || *i >= len(d.slides) {
			return nil, formats.Errorf(formats.CodeInvalid, "invalid slide_index")
		}
		from, to = *i, *i+1
	}
	for i := from; i < to; i++ {
		s, err := d.mapSlide(ctx, i, opt.SlideIndex != nil)
		if err != nil {
			return nil, err
		}
		if s.Hidden {
			m.HiddenCount++
		}
		m.Slides = append(m.Slides, s)
	}
	if opt.SlideIndex != nil {
		m.HiddenCount = 0 // only one slide was looked at
		return m.fitSlide()
	}
	return m.fit()
}

// mapSlide maps one slide; placed says where each shape stands.
func (d *deck) mapSlide(ctx context.Context, i int, placed bool) (slideMap, error) {
	m := slideMap{Index: i}
	part := d.slides[i].part
	t, err := d.tree(ctx, part)
	if err != nil {
		return m, err
	}
	rels, err := d.Rels(ctx, part)
	if err != nil {
		return m, err
	}
	m.Hidden = isFalse(t.Root.Value("show"))
	list := shapes(t.spTree(), shown)
	m.ShapeCount = len(list)
	if title := titleOf(list); title != nil {
		m.Title = clip(t.oneLine(title.body), titleMax)
	}
	for s := range flat(list) {
		switch s.kind() {
		case kindTable:
			m.Tables++
		case kindChart:
			m.Charts++
		case kindPicture:
			m.Images++
		}
	}
	if m.Shapes, err = d.mapShapes(ctx, t, list, rels, placed, onSlide); err != nil {
		return m, err
	}
	notes, err := d.notesText(ctx, part)
	if err != nil {
		return m, err
	}
	m.HasNotes = notes != ""
	comments, err := d.comments(ctx, part)
	if err != nil {
		return m, err
	}
	m.Comments = len(comments)
	l, err := d.layoutOf(ctx, part)
	if l != nil {
		m.Layout = clip(l.name, titleMax/2)
	}
	return m, err
}

func (d *deck) mapShapes(ctx context.Context, t *tree, list []*shape, rels []opc.Relationship, placed bool, at place) ([]shapeMap, error) {
	out := make([]shapeMap, 0, len(list))
	for _, s := range list {
		m := shapeMap{ID: intOr(s.cnv.Value("id"), 0), Name: clip(s.name(), titleMax/2), Kind: s.kind(), Alt: clip(oneLine(s.cnv.Value("descr")), titleMax), Hidden: isTrue(s.cnv.Value("hidden"))}
		if s.body != nil {
			m.Chars = utf8.RuneCountInString(t.outline(s.body))
		}
		if s.tbl != nil {
			m.Rows, m.Cols = tableSize(s.tbl)
		}
		c, err := d.chart(ctx, relTarget(rels, s.chart))
		if err != nil {
			return nil, err
		}
		if c != nil {
			m.Chart, m.Title = c.types, clip(c.title, titleMax)
		}
		if placed {
			f, ok, err := d.frameOn(ctx, t.part, s, at)
			if err != nil {
				return nil, err
			}
			if ok {
				m.Position = []float64{inches(f.x), inches(f.y), inches(f.w), inches(f.h)}
			}
		}
		if len(s.kids) > 0 {
			if m.Shapes, err = d.mapShapes(ctx, t, s.kids, rels, placed, at.inside(s)); err != nil {
				return nil, err
			}
		}
		out = append(out, m)
	}
	return out, nil
}

func isFalse(s string) bool { return s == "0" || s == "false" || s == "off" }

// leftOutNote is what the note of a map says when slides are listed without more.
const leftOutNote = "layouts and contents of the slides are left out; map or read one with slide_index"

// listedSlides returns how many slides a map lists.
func listedSlides(listed, of int) string {
	return fmt.Sprintf("only slides 0 to %d of %d are listed, with index and title; map or read any slide with slide_index", listed-1, of)
}
