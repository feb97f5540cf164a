package docx

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/seqdiff"
)

type differ struct{}

// Diff implements formats.Differ: paragraphs and table cells, aligned, with
// moved ones and changes of formatting; headers, notes and comments too; then
// the facts about all that is not text.
func (differ) Diff(ctx context.Context, before, after formats.Source, opt formats.DiffOptions) (*formats.Diff, error) {
	docA, err := openDocument(ctx, before)
	if err != nil {
		return nil, err
	}
	docB, err := openDocument(ctx, after)
	if err != nil {
		return nil, err
	}
	c := &comparison{d: &formats.Diff{Groups: []formats.DiffGroup{}}}
	if c.a, err = openSide(ctx, docA, true); err != nil {
		return nil, err
	}
	if c.b, err = openSide(ctx, docB, false); err != nil {
		return nil, err
	}
	c.a.other, c.b.other = c.b, c.a
	pairStories(c.a, c.b)
	for _, s := range c.b.stories {
		change := formats.Modified
		if s.pair == nil {
			change = formats.Added
		}
		c.story(s.pair, s, s.name, change)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for _, s := range c.a.stories {
		if s.pair == nil {
			c.story(s, nil, s.name, formats.Removed)
		}
	}
	facts, err := c.inventories(ctx)
	if err != nil {
		return nil, err
	}
	c.d.SetFacts(append(c.facts, facts...), c.phrases(), opt.Limit())
	c.d.Trim(opt.Limit())
	return c.d, nil
}

// storyText is a story with the lines it reads as.
type storyText struct {
	name, base string
	part       *part
	node       *node
	lines      []line
	pair       *storyText // that of the other side
}

// pairStories finds the stories that belong together. The numbers of notes and
// comments change when one is inserted before them, so their texts count first;
// headers and footers are known by their parts.
func pairStories(a, b *comparedSide) {
	key := func(s *storyText) string {
		if s.part.word == "header" || s.part.word == "footer" || s.part.word == "" {
			return s.part.word + " " + s.part.name
		}
		var sb strings.Builder
		sb.WriteString(s.part.word)
		if s.part.word == "comments" {
			sc := xmlscan.New(s.part.doc[s.node.start:s.node.inner])
			if sc.Next() {
				sb.WriteString(sc.Token().AttrLocal("author"))
			}
		}
		for _, l := range s.lines {
			sb.WriteString("\x00" + l.text)
		}
		return sb.String()
	}
	pair := func(key func(*storyText) string) {
		left := map[string][]*storyText{}
		for _, s := range a.stories {
			if k := key(s); s.pair == nil && k != "" {
				left[k] = append(left[k], s)
			}
		}
		for _, s := range b.stories {
			if s.pair != nil {
				continue
			}
			if k := key(s); len(left[k]) > 0 {
				s.pair, left[k][0].pair = left[k][0], s
				left[k] = left[k][1:]
			}
		}
	}
	pair(key)
	pair(func(s *storyText) string { return s.name })
	for _, s := range a.stories {
		if s.pair != nil && s.part.what != "" && s.pair.part.what != "" {
			a.partName[s.part.name] = b.partName[s.pair.part.name]
		}
	}
}

// comparison compares two documents and counts the differences.
type comparison struct {
	paragraphs, cells, rows, moved, formatted int

	a, b  *comparedSide
	d     *formats.Diff
	facts []formats.Fact
	ids   map[string]int
}

// phrases returns the counts in words.
func (c *comparison) phrases() []string {
	count := func(n int, word string) string {
		if n == 0 {
			return ""
		}
		return formats.Count(n, word)
	}
	s := []string{count(c.paragraphs, "paragraph"), count(c.cells, "table cell"), count(c.rows, "table row")}
	if c.moved > 0 {
		s = append(s, fmt.Sprintf("%d moved", c.moved))
	}
	if c.formatted > 0 {
		s = append(s, "formatting of "+formats.Count(c.formatted, "paragraph"))
	}
	return s
}

// story compares two stories, or reports one that is new or gone.
func (c *comparison) story(old, now *storyText, name string, change formats.Change) {
	if old == nil {
		old = &storyText{}
	}
	if now == nil {
		now = &storyText{}
	}
	var entries []*entry
	empty := &emptyLines{}
	steps := alignLines(old.lines, now.lines)
	shifts := c.columnShifts(old, now, steps)
	for _, s := range steps {
		switch s.Kind {
		case seqdiff.Added:
			entries = append(entries, c.oneSided(now, s.B, formats.Added, empty))
		case seqdiff.Removed:
			entries = append(entries, c.oneSided(old, s.A, formats.Removed, empty))
		default:
			entries = append(entries, c.line(old, now, old.lines[s.A], now.lines[s.B], s.Moved, shifts)...)
		}
	}
	items := c.groupEntries(entries)
	c.tellEmpty(empty)
	if len(items) > 0 {
		c.d.Groups = append(c.d.Groups, formats.DiffGroup{Name: name, Change: change, Items: items})
	}
}

func alignLines(old, now []line) []seqdiff.Step {
	words := func(ls []line) [][]string {
		out := make([][]string, len(ls))
		for i, l := range ls {
			out[i] = strings.Fields(l.text)
		}
		return out
	}
	wa, wb := words(old), words(now)
	return seqdiff.Lists(len(old), len(now), seqdiff.Options{
		KeyA: func(i int) uint64 { return lineKey(old[i]) },
		KeyB: func(j int) uint64 { return lineKey(now[j]) },
		Similar: func(i, j int) float64 {
			if old[i].node.kind != now[j].node.kind {
				return 0
			}
			return seqdiff.Ratio(wa[i], wb[j])
		},
		Twin:       func(i, j int) float64 { return similarity(old[i], now[j]) },
		Weightless: func(i int) bool { return len(wa[i]) < 3 },
	})
}

// similarity returns how well a line can stand for another by its form alone:
// its kind, its style, the cells of a row, its length. Translations keep these
// (Gale and Church, "A program for aligning sentences in bilingual corpora",
// 1993).
func similarity(a, b line) float64 {
	if a.node.kind != b.node.kind || a.node.style != b.node.style || a.text == "" || b.text == "" {
		return 0
	}
	if a.node.kind == rowNode && strings.Count(a.text, "\t") != strings.Count(b.text, "\t") {
		return 0
	}
	short, long := float64(min(len(a.text), len(b.text))), float64(max(len(a.text), len(b.text)))
	return 0.25 + 0.75*short/long
}

// countWhole counts a line that is new or gone.
func (c *comparison) countWhole(l line) {
	if l.node.kind == rowNode {
		c.rows++
	} else {
		c.paragraphs++
	}
}

func lineKey(l line) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", l.node.kind, l.text)
	return h.Sum64()
}
