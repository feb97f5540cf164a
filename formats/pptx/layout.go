package pptx

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"atelier/formats"
	"atelier/internal/textclip"
)

// layout is a slide layout of the deck (19.3.1.39).
type layout struct {
	part  string
	name  string
	typ   string // what it is for: obj, titleOnly, secHead …
	tree  *tree
	items []*shape // its placeholders

	title   *shape            // the first of each kind, for match
	indexed map[string]*shape // other than titles, by idx
	typed   map[string]*shape // by the type of a master that theirs inherits from
	bodies  map[string]*shape // the same, only those that can hold text
}

// loadLayout reads a layout once.
func (d *deck) loadLayout(ctx context.Context, part string) (*layout, error) {
	if l := d.layouts[part]; l != nil {
		return l, nil
	}
	t, err := d.tree(ctx, part)
	if err != nil {
		return nil, err
	}
	l := &layout{part: part, name: t.Root.Child(nsP, "cSld").Value("name"), typ: t.Root.Value("type"), tree: t}
	for s := range flat(shapes(t.spTree(), shown)) {
		if s.ph != nil {
			l.items = append(l.items, s)
		}
	}
	l.index()
	d.layouts[part] = l
	return l, nil
}

// index notes which placeholders match finds.
func (l *layout) index() {
	l.indexed, l.typed, l.bodies = map[string]*shape{}, map[string]*shape{}, map[string]*shape{}
	first := func(m map[string]*shape, key string, s *shape) {
		if m[key] == nil {
			m[key] = s
		}
	}
	for _, s := range l.items {
		if !s.isTitle() {
			first(l.indexed, strconv.Itoa(s.phIndex()), s)
		} else if l.title == nil {
			l.title = s
		}
		first(l.typed, masterType(s.phType()), s)
		if s.body != nil {
			first(l.bodies, masterType(s.phType()), s)
		}
	}
}

// layoutOf returns the layout of a slide, nil when it names none.
func (d *deck) layoutOf(ctx context.Context, slide string) (*layout, error) {
	rels, err := d.related(ctx, slide, relLayout)
	if err != nil || len(rels) == 0 {
		return nil, err
	}
	return d.loadLayout(ctx, rels[0].Target)
}

// allLayouts lists the layouts of every master in the masters' order, those of
// the master of layout first (nil for none) coming first.
func (d *deck) allLayouts(ctx context.Context, first *layout) ([]*layout, error) {
	pres, err := d.tree(ctx, d.main)
	if err != nil {
		return nil, err
	}
	rels, err := d.Rels(ctx, d.main)
	if err != nil {
		return nil, err
	}
	var own, other []*layout
	for m := range pres.Root.Child(nsP, "sldMasterIdLst").Kids() {
		master := relTarget(rels, m.RelValue("id"))
		if master == "" || !d.Has(master) {
			continue
		}
		list, err := d.masterLayouts(ctx, master)
		if err != nil {
			return nil, err
		}
		mine := false
		for _, l := range list {
			mine = mine || l == first
		}
		if mine {
			own = append(own, list...)
		} else {
			other = append(other, list...)
		}
	}
	return append(own, other...), nil
}

func (d *deck) masterLayouts(ctx context.Context, master string) ([]*layout, error) {
	t, err := d.tree(ctx, master)
	if err != nil {
		return nil, err
	}
	rels, err := d.related(ctx, master, relLayout)
	if err != nil {
		return nil, err
	}
	var out []*layout
	for id := range t.Root.Child(nsP, "sldLayoutIdLst").Kids() {
		if part := relTarget(rels, id.RelValue("id")); part != "" {
			l, err := d.loadLayout(ctx, part)
			if err != nil {
				return nil, err
			}
			out = append(out, l)
		}
	}
	return out, nil
}

const defaultLayout = "title_and_content"

// findLayout picks the layout an operation asks for: by the layout's own name,
// by its purpose, by the name a purpose usually has. What the deck lacks gives
// the default and a warning.
func (d *deck) findLayout(ctx context.Context, want string, near *layout) (*layout, string, error) {
	list, err := d.allLayouts(ctx, near)
	if err != nil {
		return nil, "", err
	}
	if len(list) == 0 {
		return nil, "", formats.Errorf(formats.CodeUnsupported, "%s has no slide layout to make a slide from", d.name)
	}
	if strings.TrimSpace(want) == "" {
		want = defaultLayout
	}
	if l := matchLayout(list, want); l != nil {
		return l, "", nil
	}
	l := matchLayout(list, defaultLayout)
	if l == nil {
		l = layoutWithText(list)
	}
	return l, "the deck has no layout " + quote(want) + "; used " + quote(l.name) + " instead; it has " + layoutList(list), nil
}

// layoutList names layouts for a message.
func layoutList(list []*layout) string {
	var names []string
	for _, l := range list {
		if name := quote(l.name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 30 {
		names = append(names[:30], fmt.Sprintf("%d more", len(names)-30))
	}
	return strings.Join(names, ", ")
}

func matchLayout(list []*layout, want string) *layout {
	for _, l := range list {
		if strings.EqualFold(strings.TrimSpace(l.name), strings.TrimSpace(want)) {
			return l
		}
	}
	key := foldName(want)
	for _, typ := range purposes[key] {
		for _, l := range list {
			if l.typ == typ && l.serves(typ) {
				return l
			}
		}
	}
	for _, l := range list {
		if foldName(l.name) == key || strings.EqualFold(l.typ, want) {
			return l
		}
	}
	for _, typ := range purposes[key] {
		for _, l := range list {
			// The name says it in another language, or the places do.
			if slices.Contains(purposes[foldName(l.name)], typ) && l.typ == "" && l.serves(typ) {
				return l
			}
		}
		for _, l := range list {
			if l.typ == "" && l.looksLike(typ) {
				return l
			}
		}
	}
	return nil
}

// serves reports whether the layout has what its type promises: files in the
// wild call a layout "tx" that has no place for text.
func (l *layout) serves(typ string) bool {
	if typ == "obj" || typ == "tx" {
		return l.find(isTitleType) != nil && l.find(isBodyType) != nil
	}
	return true
}

// layoutWithText returns the first layout with a title and a body, else with a
// body, else the first.
func layoutWithText(list []*layout) *layout {
	for _, l := range list {
		if l.serves("obj") {
			return l
		}
	}
	for _, l := range list {
		if l.find(isBodyType) != nil {
			return l
		}
	}
	return list[0]
}

// find returns the placeholder of the lowest idx whose type satisfies is.
func (l *layout) find(is func(string) bool) *shape {
	if l == nil {
		return nil
	}
	return lowestIndex(l.items, is)
}

// lowestIndex returns the placeholder of the lowest idx that can hold text and whose
// type satisfies is, nil when there is none.
func lowestIndex(list []*shape, is func(string) bool) *shape {
	var best *shape
	for _, s := range list {
		if s.ph != nil && s.n.Local == "sp" && is(s.phType()) && (best == nil || s.phIndex() < best.phIndex()) {
			best = s
		}
	}
	return best
}

// foldName keeps the letters and digits of s in lower case, so that
// "Title and Content" and "title_and_content" compare equal.
func foldName(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func quote(s string) string { return `"` + clip(s, 60) + `"` }

// clip shortens s to n characters.
func clip(s string, n int) string { return textclip.Fit(s, n) }
