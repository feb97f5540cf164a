package docx

import (
	"fmt"
	"strings"

	"atelier/formats"
)

// repeatedFact is something that may be in very many places, such as a tracked
// change: what is alike is reported together.
type repeatedFact struct {
	kind     string
	what     string // "insertion", "text as white as its background"
	many     string
	by       string // " by Ana"
	key      string // with what and text pairs it with the other side
	at, was  string
	text     string
	outcome  string // what became of it, on the side before
	warnNew  func(places, texts string) string
	warnGone func(places, texts string) string
}

func (l repeatedFact) id() string {
	return l.kind + "\x00" + l.what + "\x00" + l.by + "\x00" + l.key + "\x00" + l.text
}

// compareLoose makes a fact of those on one side only that are alike.
func (c *comparison) compareLoose(before, after []repeatedFact) {
	count := map[string]int{}
	for _, l := range before {
		count[l.id()]++
	}
	var added, removed []repeatedFact
	for _, l := range after {
		if count[l.id()]--; count[l.id()] < 0 {
			added = append(added, l)
		}
	}
	count = map[string]int{}
	for _, l := range after {
		count[l.id()]++
	}
	for _, l := range before {
		if count[l.id()]--; count[l.id()] < 0 {
			removed = append(removed, l)
		}
	}
	c.tellLoose(added, formats.Added)
	c.tellLoose(removed, formats.Removed)
}

func (c *comparison) tellLoose(list []repeatedFact, change formats.Change) {
	groups := map[string][]repeatedFact{}
	var order []string
	for _, l := range list {
		k := l.kind + "\x00" + l.what + "\x00" + l.by + "\x00" + l.outcome
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], l)
	}
	for _, k := range order {
		g := groups[k]
		var at, texts []string
		size := 0
		for i, l := range g {
			place := l.at
			if change == formats.Removed && l.was != "" {
				place = l.was
			}
			if i == 0 || place != at[len(at)-1] {
				at = append(at, place)
			}
			if l.text != "" && size < 600 {
				texts = append(texts, "“"+clip(l.text, 200)+"”")
				size += len(l.text)
				if size >= 600 && i < len(g)-1 {
					texts = append(texts, fmt.Sprintf("and %d more", len(g)-1-i))
				}
			}
		}
		what := g[0].what + g[0].by
		if len(g) > 1 {
			what = fmt.Sprintf("%d %s%s", len(g), g[0].many, g[0].by)
		}
		words := strings.Join(texts, ", ")
		if words != "" {
			what += ": " + words
		}
		places := looseRanges(at)
		if change == formats.Added {
			w := ""
			if g[0].warnNew != nil {
				w = g[0].warnNew(places, words)
			}
			c.looseFact(g[0].kind, change, places, "", what, w)
			continue
		}
		w := ""
		if g[0].warnGone != nil {
			w = g[0].warnGone(places, words)
		}
		c.looseFact(g[0].kind, change, places, what, g[0].outcome, w)
	}
}

func (c *comparison) looseFact(kind string, change formats.Change, at, old, now, warning string) {
	c.addFact(kind, change, at, old, now, "")
	c.facts[len(c.facts)-1].Warning = warning
}

// looseRanges writes the places of several stories.
func looseRanges(at []string) string {
	bare := make([]string, len(at))
	for i, a := range at {
		bare[i] = a
		if _, in, ok := strings.Cut(a, " ("); ok {
			bare[i] = strings.TrimSuffix(in, ")")
		}
	}
	return ranges(bare)
}
