package pptx

import (
	"encoding/json"

	"atelier/formats"
)

func jsonSize(v any) (int, error) {
	b, err := json.Marshal(v)
	return len(b), err
}

// fit makes the map of a deck small enough: first without shapes, then only
// index, title and hidden of each slide, then fewer slides. The note says what
// is missing.
func (m deckMap) fit() (deckMap, error) {
	whole := len(m.Slides) == m.SlideCount
	fits := func() (bool, error) { n, err := jsonSize(m); return n <= formats.MaxMap && whole, err }
	if ok, err := fits(); err != nil || ok {
		return m, err
	}
	m.Truncated = true
	for i := range m.Slides {
		m.Slides[i].Shapes = nil
	}
	m.Note = "the shapes of the slides are left out; map one slide with slide_index"
	if ok, err := fits(); err != nil || ok {
		return m, err
	}
	for i, s := range m.Slides {
		m.Slides[i] = slideMap{Index: s.Index, Title: s.Title, Hidden: s.Hidden}
	}
	m.Note = leftOutNote
	if ok, err := fits(); err != nil || ok {
		return m, err
	}
	for len(m.Slides) > 0 {
		m.Note = listedSlides(len(m.Slides), m.SlideCount)
		n, err := jsonSize(m)
		if err != nil || n <= formats.MaxMap {
			return m, err
		}
		m.Slides = m.Slides[:len(m.Slides)-1-(n-formats.MaxMap)/400]
	}
	return m, nil
}

// fitSlide makes the map of one slide small enough: the last shapes go, and
// are counted.
func (m deckMap) fitSlide() (deckMap, error) {
	s := &m.Slides[0]
	for {
		n, err := jsonSize(m)
		if err != nil || n <= formats.MaxMap || len(s.Shapes) == 0 {
			return m, err
		}
		m.Truncated, m.Note = true, "the last shapes are left out; read the slide for their text"
		last := len(s.Shapes) - 1
		if group := &s.Shapes[last]; len(group.Shapes) > 0 {
			s.More += dropHalf(group)
			continue
		}
		s.Shapes = s.Shapes[:last]
		s.More++
	}
}

// dropHalf drops the later half of a group's shapes and says how many they were.
func dropHalf(group *shapeMap) int {
	keep := len(group.Shapes) / 2
	dropped := countShapes(group.Shapes[keep:])
	group.Shapes = group.Shapes[:keep]
	return dropped
}

func countShapes(list []shapeMap) int {
	n := len(list)
	for _, s := range list {
		n += countShapes(s.Shapes)
	}
	return n
}
