package pptx

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/align"
	"atelier/formats/opc"
)

type differ struct{}

// Diff implements formats.Differ: slides by their id, with what came, went or
// moved; on each the shapes by their id, with text, place, picture and format.
func (differ) Diff(ctx context.Context, before, after formats.Source, opt formats.DiffOptions) (*formats.Diff, error) {
	a, err := seeDeck(ctx, before)
	if err != nil {
		return nil, err
	}
	b, err := seeDeck(ctx, after)
	if err != nil {
		return nil, err
	}
	x := &deckDiff{d: &formats.Diff{Groups: []formats.DiffGroup{}}}
	x.slides(a, b)
	x.d.Summary = x.summary()
	if x.d.Warnings, err = risks(ctx, a, b); err != nil {
		return nil, err
	}
	x.d.Trim(opt.Limit())
	return x.d, nil
}

// seenDeck is a presentation as a comparison sees it.
type seenDeck struct {
	pkg     *opc.Package
	slides  []seenSlide
	actions []string // what clicks run
}

type seenSlide struct {
	id     string // of the slide list
	title  string
	layout string
	notes  string
	hidden bool
	shapes []seenShape
	words  []string // all of them, to know a slide again
}

type seenShape struct {
	id, name, kind string
	text           string
	place          string
	picture        uint64 // hash of the picture it shows
	raw            uint64 // hash of its element
}

func seeDeck(ctx context.Context, src formats.Source) (*seenDeck, error) {
	d, pkg, err := openDeck(ctx, src)
	if err != nil {
		return nil, err
	}
	out := &seenDeck{pkg: pkg}
	for i := range d.slides {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := d.seeSlide(ctx, pkg, i)
		if err != nil {
			return nil, err
		}
		out.slides = append(out.slides, s)
		doc, err := d.ReadXML(ctx, d.slides[i].part)
		if err != nil {
			return nil, err
		}
		for _, m := range action.FindAllSubmatch(doc, opc.MaxRisks) {
			out.actions = append(out.actions, fmt.Sprintf("a click on slide %d runs a %s", i+1, m[1]))
		}
	}
	return out, nil
}

func (d *deck) seeSlide(ctx context.Context, pkg *opc.Package, i int) (seenSlide, error) {
	part := d.slides[i].part
	out := seenSlide{id: d.slides[i].id}
	t, err := d.tree(ctx, part)
	if err != nil {
		return out, err
	}
	rels, err := d.Rels(ctx, part)
	if err != nil {
		return out, err
	}
	out.hidden = isFalse(t.root.attr("show"))
	list := shapes(t.spTree(), shown)
	if title := titleOf(list); title != nil {
		out.title = t.oneLine(title.body)
	}
	r := &slideReader{deck: d, t: t, rels: rels}
	for s := range flat(list) {
		seen := seenShape{id: s.cnv.attr("id"), name: s.name(), kind: s.kind(), raw: hashOf(t.doc[s.n.Start:s.n.end])}
		if seen.text, err = r.shapeText(ctx, s); err != nil {
			return out, err
		}
		seen.text = strings.TrimRight(seen.text, " \t\r\n")
		if f, ok := frameOf(s.xfrm()); ok {
			seen.place = fmt.Sprintf("%.2f, %.2f; %.2f × %.2f in", inches(f.x), inches(f.y), inches(f.w), inches(f.h))
		}
		if s.kind() == kindPicture {
			for _, rel := range rels {
				if strings.HasSuffix(rel.Type, "/image") && !rel.External && bytes.Contains(t.doc[s.n.Start:s.n.end], []byte(`"`+rel.ID+`"`)) && d.Has(rel.Target) {
					b, err := pkg.Read(ctx, rel.Target)
					if err != nil {
						return out, err
					}
					seen.picture ^= hashOf(b)
				}
			}
		}
		out.shapes = append(out.shapes, seen)
		out.words = append(out.words, strings.Fields(seen.text)...)
	}
	if out.notes, err = d.notesText(ctx, part); err != nil {
		return out, err
	}
	l, err := d.layoutOf(ctx, part)
	if l != nil {
		out.layout = l.name
	}
	return out, err
}

func hashOf(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// risks says what the new deck could do that the old one could not, and what it
// lost.
func risks(ctx context.Context, a, b *seenDeck) ([]string, error) {
	out, err := opc.Risks(ctx, a.pkg, b.pkg)
	for _, act := range b.actions {
		if !slices.Contains(a.actions, act) {
			out = append(out, act)
		}
	}
	return opc.Clipped(out), err
}

// action is what a click runs (21.1.2.3.5): a program or a macro.
var action = regexp.MustCompile(`action="ppaction://(program|macro)[^"]*"`)

// deckDiff gathers and counts differences.
type deckDiff struct {
	d                              *formats.Diff
	added, removed, moved, changed int
	texts, places, others          int
}

func (x *deckDiff) summary() string {
	count := func(n int, word, what string) string {
		if n == 0 {
			return ""
		}
		return strings.TrimSpace(formats.Count(n, word) + " " + what)
	}
	return formats.Phrase(count(x.added, "slide", "added"), count(x.removed, "slide", "removed"), count(x.moved, "slide", "moved"),
		count(x.texts, "text", "on "+formats.Count(x.changed, "slide")), count(x.others, "shape", "changed otherwise"), count(x.places, "shape", "moved"))
}

// slides aligns the slides: by id, and where programs numbered them anew by
// what they say.
func (x *deckDiff) slides(a, b *seenDeck) {
	ids := map[string]bool{}
	for _, s := range a.slides {
		ids[s.id] = true
	}
	common := 0
	for _, s := range b.slides {
		if ids[s.id] {
			common++
		}
	}
	key := func(s seenSlide) uint64 {
		if common > 0 && s.id != "" {
			return hashOf([]byte(s.id))
		}
		return hashOf([]byte(strings.Join(s.words, " ")))
	}
	steps := align.Lists(len(a.slides), len(b.slides), align.Options{
		KeyA: func(i int) uint64 { return key(a.slides[i]) }, KeyB: func(j int) uint64 { return key(b.slides[j]) },
		Similar: func(i, j int) float64 {
			if common > 0 && (a.slides[i].id == b.slides[j].id) != (i == j) && a.slides[i].id != b.slides[j].id {
				return 0 // ids are kept: another id is another slide
			}
			return align.Ratio(a.slides[i].words, b.slides[j].words)
		},
	})
	for _, s := range steps {
		g := formats.DiffGroup{Change: formats.Modified, Items: []formats.DiffItem{}}
		switch {
		case s.A < 0:
			x.added++
			g.Name, g.Change = slideName(s.B, b.slides[s.B]), formats.Added
			for _, sh := range b.slides[s.B].shapes {
				if sh.text != "" {
					g.Items = append(g.Items, formats.DiffItem{Change: formats.Added, At: sh.at(), New: sh.text})
				}
			}
		case s.B < 0:
			x.removed++
			g.Name, g.Change = slideName(s.A, a.slides[s.A]), formats.Removed
			for _, sh := range a.slides[s.A].shapes {
				if sh.text != "" {
					g.Items = append(g.Items, formats.DiffItem{Change: formats.Removed, At: sh.at(), Old: sh.text})
				}
			}
		default:
			g.Name = slideName(s.B, b.slides[s.B])
			if s.Moved {
				x.moved++
				g.Change, g.From = formats.Moved, fmt.Sprintf("slide %d", s.A+1)
			}
			g.Items = append(g.Items, x.slide(a.slides[s.A], b.slides[s.B])...)
			if len(g.Items) > 0 {
				x.changed++
			}
		}
		if g.Change != formats.Modified || len(g.Items) > 0 {
			x.d.Groups = append(x.d.Groups, g)
		}
	}
}

func slideName(i int, s seenSlide) string {
	if s.title == "" {
		return fmt.Sprintf("slide %d", i+1)
	}
	return fmt.Sprintf("slide %d: %s", i+1, clip(s.title, 60))
}

func (s seenShape) at() string { return fmt.Sprintf("shape %s %q", s.id, flatten1(s.name)) }

// shapeKey tells a slide's shapes apart. Ids should be unique (ECMA-376-1,
// 19.3.1.12), but real decks repeat them.
type shapeKey struct {
	id  string
	nth int // among those of the id
}

func shapeKeys(shapes []seenShape) []shapeKey {
	seen := map[string]int{}
	out := make([]shapeKey, len(shapes))
	for i, s := range shapes {
		out[i] = shapeKey{s.id, seen[s.id]}
		seen[s.id]++
	}
	return out
}

// slide compares a slide with what it was.
func (x *deckDiff) slide(a, b seenSlide) []formats.DiffItem {
	var out []formats.DiffItem
	note := func(text string) {
		x.others++
		out = append(out, formats.DiffItem{Change: formats.Modified, Notes: []string{text}})
	}
	if a.hidden != b.hidden {
		note(map[bool]string{true: "hidden now", false: "shown again"}[b.hidden])
	}
	if a.layout != b.layout {
		note(fmt.Sprintf("layout %s → %s", a.layout, b.layout))
	}
	was := map[shapeKey]seenShape{}
	for i, k := range shapeKeys(a.shapes) {
		was[k] = a.shapes[i]
	}
	keys := shapeKeys(b.shapes)
	for i, s := range b.shapes {
		o, ok := was[keys[i]]
		delete(was, keys[i])
		if !ok {
			x.texts++
			out = append(out, formats.DiffItem{Change: formats.Added, At: s.at(), New: s.text, Notes: []string{s.kind}})
			continue
		}
		if it, ok := x.shape(o, s); ok {
			out = append(out, it)
		}
	}
	for _, k := range shapeKeys(a.shapes) {
		if s, gone := was[k]; gone {
			x.texts++
			out = append(out, formats.DiffItem{Change: formats.Removed, At: s.at(), Old: s.text, Notes: []string{s.kind}})
		}
	}
	if a.notes != b.notes {
		x.texts++
		out = append(out, formats.DiffItem{Change: formats.Modified, At: "notes", Old: a.notes, New: b.notes})
	}
	return out
}

func (x *deckDiff) shape(a, b seenShape) (formats.DiffItem, bool) {
	it := formats.DiffItem{Change: formats.Formatted, At: b.at(), New: b.text}
	if a.place != b.place {
		it.Notes = append(it.Notes, "place "+a.place+" → "+b.place)
	}
	if a.picture != b.picture {
		it.Notes = append(it.Notes, "another picture")
	}
	switch {
	case a.text != b.text:
		x.texts++
		it.Change, it.Old = formats.Modified, a.text
	case a.picture != b.picture:
		x.others++
		it.Change = formats.Modified
	case a.place != b.place:
		x.places++
		it.Change = formats.Modified
	case a.raw != b.raw:
		x.others++
		it.Notes = append(it.Notes, "formatting")
	default:
		return it, false
	}
	return it, true
}
