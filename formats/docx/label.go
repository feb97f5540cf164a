package docx

import (
	"context"
	"fmt"
	"strings"
)

// counters are the numbers that the paragraphs of one story have reached, by
// list definition: instances of one definition count on (17.9.15).
type counters struct {
	*numbering
	counts  map[*listDef]*counter
	entered map[string]*[maxLevels]bool // levels of an instance that were met
}

type counter struct {
	value [maxLevels]int
	used  [maxLevels]bool
}

func newCounters(nb *numbering) *counters {
	return &counters{numbering: nb, counts: map[*listDef]*counter{}, entered: map[string]*[maxLevels]bool{}}
}

// next counts a paragraph and gives its label, "" when the level shows none.
func (c *counters) next(m membership) string {
	def := c.def(m.num)
	if def == nil {
		return ""
	}
	n := c.counts[def]
	if n == nil {
		n = &counter{}
		c.counts[def] = n
	}
	met := c.entered[m.num]
	if met == nil {
		met = &[maxLevels]bool{}
		c.entered[m.num] = met
	}
	if !met[m.level] && c.nums[m.num].starts[m.level] >= 0 {
		n.used[m.level] = false // an instance with its own start begins anew, once
	}
	met[m.level] = true
	if n.used[m.level] {
		n.value[m.level]++
	} else {
		n.value[m.level], n.used[m.level] = c.start(m.num, m.level), true
	}
	// Levels above that were passed over are at their start: that of the instance,
	// else of the level, which holds whenever a level begins (17.9.25, 17.9.26).
	// LibreOffice shows 1 there.
	for at := range m.level {
		if !n.used[at] {
			n.value[at], n.used[at] = c.start(m.num, at), true
		}
	}
	for at := m.level + 1; at < maxLevels; at++ {
		if c.restarts(m.num, at, m.level) {
			n.used[at] = false
		}
	}
	return c.text(m, n)
}

// restarts reports whether a level begins anew after a paragraph of a higher
// one (17.9.10).
func (c *counters) restarts(num string, at, behind int) bool {
	l := c.level(num, at)
	if l == nil || l.restart < 0 || l.restart > at {
		return true
	}
	return behind < l.restart
}

// text returns the label of a paragraph at the numbers of n (17.9.11).
func (c *counters) text(m membership, n *counter) string {
	l := c.level(m.num, m.level)
	if l == nil {
		return ""
	}
	if l.format == "bullet" || l.picture {
		return bullet(l)
	}
	var sb strings.Builder
	for i := 0; i < len(l.text); i++ {
		if l.text[i] == '%' && i+1 < len(l.text) && l.text[i+1] >= '1' && l.text[i+1] <= '9' {
			at := int(l.text[i+1] - '1')
			i++
			if of := c.level(m.num, at); of != nil && at <= m.level {
				sb.WriteString(of.number(n.value[at], l.legal && of.format != "none"))
			}
			continue
		}
		sb.WriteByte(l.text[i])
	}
	return strings.TrimSpace(sb.String())
}

// bullet returns the character of a bullet; those of symbol fonts are in the
// private use area and read as •.
func bullet(l *listLevel) string {
	text := strings.TrimSpace(l.text)
	if l.picture {
		return "•"
	}
	if text == "" {
		return ""
	}
	for _, r := range text {
		if r >= 0xe000 && r <= 0xf8ff {
			return "•"
		}
	}
	return text
}

// labels returns the list labels of the paragraphs of a part. Text boxes are a
// story of their own. A paragraph that a tracked deletion leaves without text
// is not counted, as it is not shown.
func (d *document) labels(p *part, nb *numbering) map[*node]string {
	out := map[*node]string{}
	if len(nb.nums) == 0 {
		return out
	}
	member := d.members(nb)
	stories, boxes := newCounters(nb), newCounters(nb)
	for _, n := range p.nodes {
		if n.hidden || n.gone && strings.TrimSpace(p.paras[n.para].Text()) == "" {
			continue
		}
		m, ok := member(n)
		if !ok {
			continue
		}
		c := stories
		if n.boxed() {
			c = boxes
		}
		if text := c.next(m); text != "" {
			out[n] = text
		}
	}
	return out
}

// members returns how to find the list of a paragraph. It remembers, as most
// paragraphs are alike.
func (d *document) members(nb *numbering) func(n *node) (membership, bool) {
	type place struct {
		style string
		ref   listRef
	}
	type answer struct {
		membership
		ok bool
	}
	known := map[place]answer{}
	return func(n *node) (membership, bool) {
		m, ok := known[place{n.style, n.list}]
		if !ok {
			m.membership, m.ok = nb.listOf(d.styles, n.style, n.list)
			known[place{n.style, n.list}] = m
		}
		return m.membership, m.ok
	}
}

// listLabels returns the list labels of paragraphs, counted once for a part. Those of a
// document that is only read are kept with the part.
func (d *document) listLabels(ctx context.Context) (func(*part, *node) string, error) {
	nb, err := d.numbering(ctx)
	if err != nil {
		return nil, err
	}
	byPart := map[*part]map[*node]string{}
	return func(p *part, n *node) string {
		if d.reading {
			return d.keptLabel(p, n, nb)
		}
		labels, ok := byPart[p]
		if !ok {
			labels = d.labels(p, nb)
			byPart[p] = labels
		}
		return labels[n]
	}, nil
}

func (d *document) keptLabel(p *part, n *node, nb *numbering) string {
	if p.labels == nil {
		labels := d.labels(p, nb)
		if len(labels) == 0 {
			p.labels = []string{}
		} else {
			p.labels = make([]string, len(p.nodes))
		}
		for n, label := range labels {
			p.labels[n.para] = label
		}
	}
	if len(p.labels) == 0 || n.kind != paraNode {
		return ""
	}
	return p.labels[n.para]
}

// boxed reports whether a block is in a text box.
func (n *node) boxed() bool {
	for a := n; a != nil; a = a.parent {
		if a.kind == boxNode {
			return true
		}
	}
	return false
}

// number writes n in the format of the level (17.18.59). A format that is not
// known here is written as # and the decimal number.
func (l *listLevel) number(n int, legal bool) string {
	format := l.format
	if legal {
		format = "decimal"
	}
	switch format {
	case "none", "bullet":
		return ""
	case "decimal", "":
		return fmt.Sprint(n)
	case "custom":
		if digits, _, _ := strings.Cut(l.pattern, ","); strings.Trim(digits, "0123456789") == "" && digits != "" {
			return fmt.Sprintf("%0*d", len(digits), n)
		}
	}
	if write := numberFormats[format]; write != nil && n >= 0 {
		return write(n)
	}
	return fmt.Sprintf("#%d", n)
}
