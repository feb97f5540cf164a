package pptx

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/internal/seqdiff"
)

type differ struct{}

// Diff implements formats.Differ: slides by their id, with what came, went or
// moved; on each the shapes by their id, with text, place, picture and format.
func (differ) Diff(ctx context.Context, before, after formats.Source, opt formats.DiffOptions) (*formats.Diff, error) {
	a, err := readComparedDeck(ctx, before)
	if err != nil {
		return nil, err
	}
	b, err := readComparedDeck(ctx, after)
	if err != nil {
		return nil, err
	}
	x := &deckDiff{d: &formats.Diff{Groups: []formats.DiffGroup{}}}
	facts, err := compareDecks(ctx, a, b, x.slides(a, b))
	if err != nil {
		return nil, err
	}
	x.d.SetFacts(facts, []string{x.summary()}, opt.Limit())
	x.d.Trim(opt.Limit())
	return x.d, nil
}

// comparedDeck is a presentation as a comparison sees it.
type comparedDeck struct {
	deck   *deck
	pkg    *opc.Package
	slides []comparedSlide
}

type comparedSlide struct {
	id     string // of the slide list
	title  string
	layout string
	notes  string
	hidden bool
	shapes []comparedShape
	words  []string // all of them, to know a slide again
}

type comparedShape struct {
	id, name, kind string
	text           string
}

// relCache is a package whose relationships are read once, as long as they are
// not too many.
type relCache struct {
	*opc.Package
	rels  map[string][]opc.Relationship
	count int
}

const maxCachedRels = 20000

// Rels returns that of the package.
func (c *relCache) Rels(ctx context.Context, source string) ([]opc.Relationship, error) {
	if list, ok := c.rels[source]; ok {
		return list, nil
	}
	list, err := c.Package.Rels(ctx, source)
	if err == nil && c.count < maxCachedRels {
		c.rels[source] = list
		c.count += len(list) + 1
	}
	return list, err
}

func readComparedDeck(ctx context.Context, src formats.Source) (*comparedDeck, error) {
	d, pkg, err := openDeck(ctx, src)
	if err != nil {
		return nil, err
	}
	d.parts = &relCache{Package: pkg, rels: map[string][]opc.Relationship{}}
	out := &comparedDeck{deck: d, pkg: pkg}
	for i := range d.slides {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := d.readComparedSlide(ctx, i)
		if err != nil {
			return nil, err
		}
		out.slides = append(out.slides, s)
	}
	return out, nil
}

func (d *deck) readComparedSlide(ctx context.Context, i int) (comparedSlide, error) {
	part := d.slides[i].part
	out := comparedSlide{id: d.slides[i].id}
	t, err := d.tree(ctx, part)
	if err != nil {
		return out, err
	}
	rels, err := d.Rels(ctx, part)
	if err != nil {
		return out, err
	}
	out.hidden = isFalse(t.Root.Value("show"))
	list := shapes(t.spTree(), shown)
	if title := titleOf(list); title != nil {
		out.title = t.oneLine(title.body)
	}
	r := &slideReader{deck: d, t: t, rels: rels}
	for s := range flat(list) {
		seen := comparedShape{id: s.cnv.Value("id"), name: s.name(), kind: s.kind()}
		if seen.text, err = r.shapeText(ctx, s); err != nil {
			return out, err
		}
		seen.text = strings.TrimRight(seen.text, " \t\r\n")
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

// deckDiff collects and counts the texts that differ; other differences are
// facts.
type deckDiff struct {
	d              *formats.Diff
	texts, changed int // on so many slides
}

func (x *deckDiff) summary() string {
	if x.texts == 0 {
		return ""
	}
	return formats.Count(x.texts, "text") + " on " + formats.Count(x.changed, "slide")
}

// slides aligns the slides: by id, and where programs numbered them anew by
// what they say.
func (x *deckDiff) slides(a, b *comparedDeck) []seqdiff.Step {
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
	key := func(s comparedSlide) uint64 {
		if common > 0 && s.id != "" {
			return hashOf([]byte(s.id))
		}
		return hashOf([]byte(strings.Join(s.words, " ")))
	}
	steps := seqdiff.Lists(len(a.slides), len(b.slides), seqdiff.Options{
		KeyA: func(i int) uint64 { return key(a.slides[i]) }, KeyB: func(j int) uint64 { return key(b.slides[j]) },
		Similar: func(i, j int) float64 {
			if common > 0 && (a.slides[i].id == b.slides[j].id) != (i == j) && a.slides[i].id != b.slides[j].id {
				return 0 // ids are kept: another id is another slide
			}
			return seqdiff.Ratio(a.slides[i].words, b.slides[j].words)
		},
	})
	for _, s := range steps {
		if g := x.slideGroup(a, b, s); g.Change != formats.Modified || len(g.Items) > 0 {
			x.d.Groups = append(x.d.Groups, g)
		}
	}
	return steps
}

// slideGroup returns the differences of one step of the alignment.
func (x *deckDiff) slideGroup(a, b *comparedDeck, s seqdiff.Step) formats.DiffGroup {
	g := formats.DiffGroup{Change: formats.Modified, Items: []formats.DiffItem{}}
	switch {
	case s.A < 0:
		g.Name, g.Change = slideName(s.B, b.slides[s.B]), formats.Added
		for _, sh := range b.slides[s.B].shapes {
			if sh.text != "" {
				g.Items = append(g.Items, formats.DiffItem{Change: formats.Added, At: sh.at(), New: sh.text})
			}
		}
	case s.B < 0:
		g.Name, g.Change = slideName(s.A, a.slides[s.A]), formats.Removed
		for _, sh := range a.slides[s.A].shapes {
			if sh.text != "" {
				g.Items = append(g.Items, formats.DiffItem{Change: formats.Removed, At: sh.at(), Old: sh.text})
			}
		}
	default:
		g.Name = slideName(s.B, b.slides[s.B])
		if s.Moved {
			g.Change, g.From = formats.Moved, fmt.Sprintf("slide %d", s.A+1)
		}
		g.Items = append(g.Items, x.slide(a.slides[s.A], b.slides[s.B])...)
		if len(g.Items) > 0 {
			x.changed++
		}
	}
	return g
}

func slideName(i int, s comparedSlide) string {
	if s.title == "" {
		return fmt.Sprintf("slide %d", i+1)
	}
	return fmt.Sprintf("slide %d: %s", i+1, clip(s.title, 60))
}

func (s comparedShape) at() string { return fmt.Sprintf("shape %s %q", s.id, oneLine(s.name)) }

// shapeKey tells a slide's shapes apart. Ids should be unique (ECMA-376-1,
// 19.3.1.12), but real decks repeat them.
type shapeKey struct {
	id  string
	nth int // among those of the id
}

func shapeKeys(shapes []comparedShape) []shapeKey {
	seen := map[string]int{}
	out := make([]shapeKey, len(shapes))
	for i, s := range shapes {
		out[i] = shapeKey{s.id, seen[s.id]}
		seen[s.id]++
	}
	return out
}

// slide compares the texts of a slide with what they were.
func (x *deckDiff) slide(a, b comparedSlide) []formats.DiffItem {
	var out []formats.DiffItem
	was := map[shapeKey]comparedShape{}
	for i, k := range shapeKeys(a.shapes) {
		was[k] = a.shapes[i]
	}
	keys := shapeKeys(b.shapes)
	for i, s := range b.shapes {
		o, ok := was[keys[i]]
		delete(was, keys[i])
		switch {
		case !ok && s.text != "":
			out = append(out, formats.DiffItem{Change: formats.Added, At: s.at(), New: s.text, Notes: []string{s.kind}})
		case ok && o.text != s.text:
			out = append(out, formats.DiffItem{Change: formats.Modified, At: s.at(), Old: o.text, New: s.text})
		}
	}
	for _, k := range shapeKeys(a.shapes) {
		if s, gone := was[k]; gone && s.text != "" {
			out = append(out, formats.DiffItem{Change: formats.Removed, At: s.at(), Old: s.text, Notes: []string{s.kind}})
		}
	}
	if a.notes != b.notes {
		out = append(out, formats.DiffItem{Change: formats.Modified, At: "notes", Old: a.notes, New: b.notes})
	}
	x.texts += len(out)
	return out
}
