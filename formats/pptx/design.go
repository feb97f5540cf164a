package pptx

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
)

// designArgs are the members of operations on masters and layouts.
type designArgs struct {
	Layout string `json:"layout" usage:"layout?" jsonschema:"{ops}: a layout's name"`
	Master string `json:"master" usage:"or master? (else all masters)" jsonschema:"{ops}: the name of a master's theme, or its number from 0"`
}

// design is what masters and layouts there are, and the slides on them.
type design struct {
	masters []*layout
	names   []string         // of their themes
	slides  map[string][]int // on a master or a layout, by its part
	layouts map[string][]*layout
}

// designOf reads masters and layouts with their slides.
func (d *deckEdit) designOf(ctx context.Context) (*design, error) {
	out := &design{slides: map[string][]int{}, layouts: map[string][]*layout{}}
	masters, err := d.related(ctx, d.main, relMaster)
	if err != nil {
		return nil, err
	}
	for _, m := range masters {
		l, err := d.loadLayout(ctx, m.Target)
		if err != nil {
			return nil, err
		}
		if out.layouts[m.Target], err = d.masterLayouts(ctx, m.Target); err != nil {
			return nil, err
		}
		name := ""
		themes, err := d.related(ctx, m.Target, relTheme)
		if err != nil {
			return nil, err
		}
		if len(themes) > 0 {
			t, err := d.tree(ctx, themes[0].Target)
			if err != nil {
				return nil, err
			}
			name = t.Root.Value("name")
		}
		out.masters, out.names = append(out.masters, l), append(out.names, name)
	}
	for i, s := range d.deck.slides {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rels, err := d.related(ctx, s.part, relLayout)
		if err != nil {
			return nil, err
		}
		if len(rels) == 0 {
			continue
		}
		out.slides[rels[0].Target] = append(out.slides[rels[0].Target], i)
		for master, list := range out.layouts {
			if slices.ContainsFunc(list, func(l *layout) bool { return l.part == rels[0].Target }) {
				out.slides[master] = append(out.slides[master], i)
			}
		}
	}
	return out, nil
}

// pages returns the layout or master that an operation names, all masters when it names
// none.
func (d *deckEdit) pages(ctx context.Context, g *design, a designArgs) ([]*layout, error) {
	if a.Layout != "" {
		if a.Master != "" {
			return nil, formats.Errorf(formats.CodeInvalid, "give layout or master, not both")
		}
		list, err := d.allLayouts(ctx, nil)
		if err != nil {
			return nil, err
		}
		if l := matchLayout(list, a.Layout); l != nil {
			return []*layout{l}, nil
		}
		return nil, d.noLayout(ctx, a.Layout)
	}
	if len(g.masters) == 0 {
		return nil, formats.Errorf(formats.CodeUnsupported, "%s has no slide master", d.name)
	}
	if a.Master == "" {
		return g.masters, nil
	}
	var names []string
	for i, m := range g.masters {
		if strings.EqualFold(strings.TrimSpace(a.Master), g.names[i]) || a.Master == strconv.Itoa(i) {
			return []*layout{m}, nil
		}
		names = append(names, quote(g.names[i]))
	}
	return nil, formats.Errorf(formats.CodeNotFound, "the deck has no master %s; it has %s", quote(a.Master), clip(strings.Join(names, ", "), 600))
}

// followers returns the slides on the pages, in the order of the presentation.
func (g *design) followers(pages []*layout) []int {
	var out []int
	for _, p := range pages {
		out = append(out, g.slides[p.part]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// under returns the layouts that take from the pages what they do not set themselves.
func (g *design) under(pages []*layout) []*layout {
	var out []*layout
	for _, p := range pages {
		out = append(out, g.layouts[p.part]...)
	}
	return out
}

// noteFollowers says how many slides take over what an operation set, and which have
// their own, which stays: of what own reports of a part.
func (d *deckEdit) noteFollowers(ctx context.Context, c *call, g *design, pages []*layout, what string, own func(part string) (bool, error)) error {
	slides := g.followers(pages)
	var with, names []string
	for _, i := range slides {
		if err := ctx.Err(); err != nil {
			return err
		}
		has, err := own(d.deck.slides[i].part)
		if err != nil {
			return err
		}
		if has {
			with = append(with, strconv.Itoa(i))
		}
	}
	for _, l := range g.under(pages) {
		has, err := own(l.part)
		if err != nil {
			return err
		}
		if has && !slices.Contains(names, quote(l.name)) {
			names = append(names, quote(l.name))
		}
	}
	text := "used by " + formats.Count(len(slides), "slide")
	if !slices.Contains(c.r.Notes, text) { // set_theme asks for colours and for fonts
		c.note("%s", text)
	}
	if len(with) > 0 {
		c.note("these set %s themselves: slides %s", what, firstOf(with))
	}
	if len(names) > 0 {
		c.note("layouts that set %s themselves: %s", what, firstOf(names))
	}
	return nil
}

// firstOf lists the first of many.
func firstOf(list []string) string {
	if len(list) > 15 {
		return strings.Join(list[:15], ", ") + fmt.Sprintf(" and %d more", len(list)-15)
	}
	return strings.Join(list, ", ")
}
