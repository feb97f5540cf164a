package docx

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
)

// ListMap is a list: the paragraphs that name one numbering instance (17.9.18).
type ListMap struct {
	ID         string         `json:"id"`
	Definition string         `json:"definition"` // lists of one definition count on
	At         string         `json:"at"`         // its first paragraph
	Paragraphs int            `json:"paragraphs"`
	Levels     []ListLevelMap `json:"levels"`
}

// ListLevelMap is a level of a list in use.
type ListLevelMap struct {
	Level      int    `json:"level"`
	Label      string `json:"label"` // as it begins: "1.", "(a)", "•"
	Paragraphs int    `json:"paragraphs"`
}

// StyleMap counts the uses of a style.
type StyleMap struct {
	Style string `json:"style"`
	Kind  string `json:"kind,omitempty"` // character or table; paragraph otherwise
	Count int    `json:"count"`
}

// mapLists fills in the lists and the styles of the paragraphs from one offset to
// another.
func (d *document) mapLists(ctx context.Context, p *part, from, to int, m *Map) error {
	nb, err := d.numbering(ctx)
	if err != nil {
		return err
	}
	member := d.members(nb)
	byID := map[string]*ListMap{}
	var order []*ListMap
	var first []*node
	styles := map[string]int{}
	for i, n := range p.nodes {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if n.hidden || n.start < from || n.start >= to {
			continue
		}
		styles[n.style]++
		mem, ok := member(n)
		if !ok {
			continue
		}
		l := byID[mem.num]
		if l == nil {
			l = &ListMap{ID: clip(mem.num, 12), Definition: clip(nb.def(mem.num).id, 12)}
			byID[mem.num] = l
			order, first = append(order, l), append(first, n)
		}
		l.count(nb, mem)
	}
	m.ListsOmitted = max(0, len(order)-formats.MaxMap/16)
	order = order[:len(order)-m.ListsOmitted]
	at := p.addressesOf(first[:len(order)])
	for i, l := range order {
		l.At = at[i]
		slices.SortFunc(l.Levels, func(a, b ListLevelMap) int { return a.Level - b.Level })
		m.Lists = append(m.Lists, *l)
	}
	d.mapStyles(m, styles)
	return nil
}

// count adds a paragraph.
func (l *ListMap) count(nb *numbering, mem membership) {
	l.Paragraphs++
	for i := range l.Levels {
		if l.Levels[i].Level == mem.level {
			l.Levels[i].Paragraphs++
			return
		}
	}
	begin := &counter{}
	for at := range begin.value {
		begin.value[at] = nb.start(mem.num, at)
	}
	label := shownLabel(newCounters(nb).text(mem, begin))
	l.Levels = append(l.Levels, ListLevelMap{mem.level, label, 1})
}

// stylesShown is how many paragraph styles a map without detail has.
const stylesShown = 12

// mapStyles adds paragraph styles by id with how often each is used, the most
// used first.
func (d *document) mapStyles(m *Map, used map[string]int) {
	byName := map[string]int{}
	for id, n := range used {
		if id == "" {
			id = d.styles.standard()
		}
		byName[d.styles.label(id)] += n
	}
	var list []StyleMap
	for name, n := range byName {
		if name != "" {
			list = append(list, StyleMap{Style: clip(name, 60), Count: n})
		}
	}
	slices.SortFunc(list, func(a, b StyleMap) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Style, b.Style)
	})
	m.Styles = append(list, m.Styles...)
}

// addressesOf returns the addresses of paragraphs of the body or of text boxes.
func (p *part) addressesOf(nodes []*node) []string {
	all := p.addresses(p.stories[0], "")
	for _, box := range p.boxes {
		for k, a := range p.addresses(box, "x"+strconv.Itoa(box.box)) {
			all[k] = a
		}
	}
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = all[n]
	}
	return out
}
