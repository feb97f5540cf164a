package pptx

import (
	"context"
	"encoding/json"
	"fmt"

	"atelier/formats"
)

type mapper struct{}

// mapMax bounds the encoded map in bytes; mapSlides is more slides than fit.
const (
	mapMax    = 8 << 10
	mapSlides = 400
	titleMax  = 80 // characters of a title in the map
)

// deckMap is the structure of a presentation (W-33).
type deckMap struct {
	SlideCount int        `json:"slide_count"`
	Slides     []slideMap `json:"slides"`
	Truncated  bool       `json:"truncated,omitempty"`
	Note       string     `json:"note,omitempty"` // what was left out
}

type slideMap struct {
	Index    int    `json:"index"` // 0-based
	Title    string `json:"title"`
	Layout   string `json:"layout,omitempty"`
	Hidden   bool   `json:"hidden,omitempty"`
	Shapes   int    `json:"shapes,omitempty"`
	HasTable bool   `json:"has_table,omitempty"`
	HasChart bool   `json:"has_chart,omitempty"`
	HasImage bool   `json:"has_image,omitempty"`
	HasNotes bool   `json:"has_notes,omitempty"`
}

// Map implements formats.Mapper.
func (mapper) Map(ctx context.Context, src formats.Source, _ formats.MapOptions) (any, error) {
	d, _, err := openDeck(ctx, src)
	if err != nil {
		return nil, err
	}
	m := deckMap{SlideCount: len(d.slides), Slides: []slideMap{}}
	for i := range d.slides[:min(len(d.slides), mapSlides)] {
		s, err := d.mapSlide(ctx, i)
		if err != nil {
			return nil, err
		}
		m.Slides = append(m.Slides, s)
	}
	return m.fit()
}

func (d *deck) mapSlide(ctx context.Context, i int) (slideMap, error) {
	m := slideMap{Index: i}
	part := d.slides[i].part
	t, err := d.tree(ctx, part)
	if err != nil {
		return m, err
	}
	m.Hidden = isFalse(t.root.attr("show"))
	list := shapes(t.spTree(), shown)
	m.Shapes = len(list)
	if title := titleOf(list); title != nil {
		m.Title = clip(t.oneLine(title.body), titleMax)
	}
	for s := range flat(list) {
		m.HasTable = m.HasTable || s.tbl != nil
		m.HasChart = m.HasChart || s.chart != ""
		m.HasImage = m.HasImage || s.n.Local == "pic"
	}
	notes, err := d.notesText(ctx, part)
	if err != nil {
		return m, err
	}
	m.HasNotes = notes != ""
	l, err := d.layoutOf(ctx, part)
	if l != nil {
		m.Layout = clip(l.name, titleMax/2)
	}
	return m, err
}

// fit makes the map small enough: first only index, title and hidden of each
// slide, then fewer slides, and the note says so.
func (m deckMap) fit() (deckMap, error) {
	size := func() (int, error) { b, err := json.Marshal(m); return len(b), err }
	n, err := size()
	if err != nil || n <= mapMax && len(m.Slides) == m.SlideCount {
		return m, err
	}
	m.Truncated = true
	for i, s := range m.Slides {
		m.Slides[i] = slideMap{Index: s.Index, Title: s.Title, Hidden: s.Hidden}
	}
	m.Note = "layouts and contents of the slides are left out; read a slide with slide_index"
	if n, err = size(); err != nil || n <= mapMax && len(m.Slides) == m.SlideCount {
		return m, err
	}
	for len(m.Slides) > 0 {
		m.Note = fmt.Sprintf("only slides 0 to %d of %d are listed, with index and title; read any slide with slide_index", len(m.Slides)-1, m.SlideCount)
		if n, err = size(); err != nil || n <= mapMax {
			return m, err
		}
		m.Slides = m.Slides[:len(m.Slides)-1-(n-mapMax)/400]
	}
	return m, nil
}

func isFalse(s string) bool { return s == "0" || s == "false" || s == "off" }
