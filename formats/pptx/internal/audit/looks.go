package audit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atelier/formats"
)

const (
	smallSize   = 10   // points
	smallPart   = 0.5  // of the letters of a text that are small
	smallFrom   = 20   // letters
	smallNotes  = 0.85 // of the height of the slide: below are notes and sources
	oddShare    = 0.08 // of all letters: a font that has more is meant
	oddSlides   = 0.3  // of all slides
	fontLetters = 200  // of a deck, before its fonts are judged
	oddUses     = 2    // of a colour: one that has more is meant
	themeUses   = 8    // of colours of the theme, before others are odd
	themeShare  = 0.8
	nearColor   = 0.08
	lowest      = 0.02
)

// smallTexts reports texts that cannot be read from a seat.
func (a *Auditor) smallTexts(_ context.Context, s *Slide) {
	var at places
	least := float64(smallSize)
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		if sh.Hidden || isFooter(sh.Placeholder) || sh.Frame.Y > smallNotes*a.deck.Height {
			continue
		}
		small, all := 0, 0
		for _, r := range sh.Text.Runs {
			all += r.Letters
			if r.Size > 0 && r.Size < smallSize {
				small += r.Letters
			}
		}
		if all >= smallFrom && float64(small) > smallPart*float64(all) {
			at.add(s.shapeAt(sh.ID))
			for _, r := range sh.Text.Runs {
				if r.Size > 0 {
					least = min(least, r.Size)
				}
			}
		}
	}
	if at.n > 0 {
		a.find(kindSmall, formats.SeverityLow, at.first[0], fmt.Sprintf("%s of less than %d points (the least has %v): %s", formats.Count(at.n, "text"), smallSize, least, &at), fmt.Sprintf("at least %d points", smallSize))
	}
}

// collectLooks notes the fonts and colours of a slide.
func (a *Auditor) collectLooks(_ context.Context, s *Slide) {
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		fonts := map[string]int{}
		used := map[RGB]bool{}
		see := func(c Color) {
			switch {
			case c.Theme:
				a.themed++
			case c.Literal && c.Known && !used[c.RGB]:
				a.literal++
				used[c.RGB] = true
			}
		}
		for _, r := range sh.Text.Runs {
			a.letters += r.Letters
			fonts[r.Font] += r.Letters
			see(r.Color)
		}
		see(sh.Fill.Color)
		see(sh.Line)
		for _, f := range slices.Sorted(maps.Keys(fonts)) {
			count(a.fonts, f, fonts[f], s.Index, s.shapeAt(sh.ID))
		}
		for _, c := range slices.Sorted(maps.Keys(used)) {
			count(a.colors, c, 1, s.Index, s.shapeAt(sh.ID))
		}
	}
}

// plainFonts are used on purpose beside those of a theme: symbols, and code.
var plainFonts = []string{"wingdings", "webdings", "symbol", "zapfdingbats", "emoji", "mono", "consolas", "courier", "menlo", "monaco", "lucida console", "math", "icon", "awesome", "barcode"}

// oddFonts reports fonts that are neither of the theme nor much used.
func (a *Auditor) oddFonts() {
	if a.letters < fontLetters {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(a.fonts)) {
		t := a.fonts[name]
		low := strings.ToLower(name)
		switch {
		case name == "" || slices.ContainsFunc(a.deck.Fonts, func(f string) bool { return alike(low, strings.ToLower(f)) }):
		case float64(t.n) > oddShare*float64(a.letters) || a.deck.Slides > 3 && float64(t.slides) > oddSlides*float64(a.deck.Slides):
		case slices.ContainsFunc(plainFonts, func(p string) bool { return strings.Contains(low, p) }):
		default:
			a.find(kindFont, formats.SeverityLow, t.at.first[0], fmt.Sprintf("the font %s is neither of the theme nor one that the deck uses much: %s", quote(name), &t.at), "a font of the theme: "+strings.Join(a.deck.Fonts, ", "))
		}
	}
}

// alike reports whether a font is another or a cut of it, such as Calibri Light.
func alike(font, other string) bool {
	return font == other || other != "" && strings.HasPrefix(font, other+" ") || strings.HasPrefix(other, font+" ")
}

// oddColors reports colours that are none of the theme, in a deck that uses those.
func (a *Auditor) oddColors() {
	if a.themed < themeUses || float64(a.themed) < themeShare*float64(a.themed+a.literal) {
		return
	}
	for _, c := range slices.Sorted(maps.Keys(a.colors)) {
		t := a.colors[c]
		if t.n > oddUses || c.grey() {
			continue
		}
		near := NamedColor{}
		best := 2.0
		for _, n := range a.deck.Colors {
			if d := c.distance(n.RGB); d < best {
				near, best = n, d
			}
		}
		if best > nearColor && near.Name != "" {
			a.find(kindColor, formats.SeverityLow, t.at.first[0], fmt.Sprintf("the colour %s is none of the theme, whose colours the deck uses elsewhere: %s", c, &t.at), fmt.Sprintf("a colour of the theme; the nearest is %s (%s)", near.Name, near.RGB))
		}
	}
}

// deckMap says what a deck is made of.
type deckMap struct {
	Slides  int          `json:"slides"`
	Hidden  []int        `json:"hidden_slides,omitempty"` // by index, the first of them
	Layouts []layoutUse  `json:"layouts"`
	Theme   []string     `json:"theme_fonts,omitempty"`
	Fonts   []fontUse    `json:"other_fonts,omitempty"` // that slides name
	Colors  []NamedColor `json:"theme_colors,omitempty"`
}

type layoutUse struct {
	Name   string `json:"name"`
	Slides int    `json:"slides"`
}

type fontUse struct {
	Font  string `json:"font"`
	Share string `json:"share"` // of all letters
}

const mapMost = 12 // layouts, fonts, hidden slides of a map

func (a *Auditor) deckMap() deckMap {
	m := deckMap{Slides: a.deck.Slides, Hidden: a.hidden[:min(len(a.hidden), mapMost)], Layouts: []layoutUse{}, Theme: a.deck.Fonts, Colors: a.deck.Colors}
	for _, name := range byUse(a.layouts) {
		m.Layouts = append(m.Layouts, layoutUse{name, a.layouts[name].n})
	}
	for _, name := range byUse(a.fonts) {
		if share := float64(a.fonts[name].n) / float64(max(1, a.letters)); name != "" && share >= lowest {
			m.Fonts = append(m.Fonts, fontUse{name, fmt.Sprintf("%.0f%%", 100*share)})
		}
	}
	return m
}

// byUse returns the names that are used most.
func byUse(m map[string]*tally) []string {
	list := slices.SortedFunc(maps.Keys(m), func(x, y string) int { return cmp.Or(m[y].n-m[x].n, cmp.Compare(x, y)) })
	return list[:min(len(list), mapMost)]
}
