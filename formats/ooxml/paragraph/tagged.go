package paragraph

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats/tags"
	"atelier/internal/lazyregexp"
)

// group is a sequence of items that a translator sees as one: text of one
// formatting, or an object.
type group struct {
	items  []item
	opaque bool
	key    string // formatting
	cont   int    // container
	tag    int    // 0: untagged text

	lead, tail []item // of a field's result: its edges
}

func (g group) text() string {
	var sb strings.Builder
	for _, it := range g.items {
		sb.WriteString(it.text)
	}
	return sb.String()
}

// groups splits the items and numbers the tags. The groups before from and
// from to on are opaque ones at the edges, which need no tag.
func (p *Paragraph) groups() (gs []group, from, to int) {
	for _, it := range p.withAnchors() {
		if it.kind == textItem && it.text == "" {
			continue
		}
		g := group{opaque: it.kind == opaqueItem, cont: p.visibleContainer(it.cont)}
		if it.run >= 0 && !g.opaque {
			g.key = p.runs[it.run].key
		}
		if n := len(gs); n > 0 && gs[n-1].joins(g, it) {
			gs[n-1].items = append(gs[n-1].items, it)
			continue
		}
		g.items = []item{it}
		gs = append(gs, g)
	}
	gs = p.pairFields(gs)
	from, to = 0, len(gs)
	for from < to && gs[from].opaque {
		from++
	}
	for to > from && gs[to-1].opaque {
		to--
	}
	key, cont := mainFormatting(gs)
	n := 0
	for i := from; i < to; i++ {
		if gs[i].opaque || gs[i].isField() || gs[i].cont != cont || gs[i].key != key && !gs[i].invisible() {
			n++
			gs[i].tag = n
		}
	}
	return gs, from, to
}

// visibleContainer returns the innermost container from cont outwards that
// makes a difference to a reader, -1 when there is none.
func (p *Paragraph) visibleContainer(cont int) int {
	for cont >= 0 && p.dialect.through[p.conts[cont].name] {
		cont = p.conts[cont].parent
	}
	return cont
}

// joins reports whether an item belongs to the group before it: the same
// formatting, or a blank whose formatting no one sees.
func (g group) joins(next group, it item) bool {
	if g.opaque || next.opaque {
		return g.opaque && next.opaque && g.cont == next.cont
	}
	next.items = []item{it}
	return g.cont == next.cont && (g.key == next.key || next.invisible() && !showsBlanks.MatchString(g.key))
}

// showsBlanks matches formatting that shows on blanks too, such as the line of
// a form to fill in.
var showsBlanks = lazyregexp.New(`<\w*:?(?:highlight|shd|bdr|strike|dstrike)[\s/>]|<\w*:?u\s[^>]*val="[^nw]|\su="[^nw]|\sstrike="[^n]`)

// invisible reports whether a group is blanks whose formatting no one sees.
func (g group) invisible() bool {
	return strings.TrimFunc(g.text(), unicode.IsSpace) == "" && !showsBlanks.MatchString(g.key)
}

// mainFormatting returns the formatting of most of the text; the first on a
// tie. Where text is in several containers only that outside them counts, so
// that what a translator adds without a tag does not become part of a link.
func mainFormatting(gs []group) (key string, cont int) {
	type id struct {
		key  string
		cont int
	}
	count := map[id]int{}
	best, most := id{"", -1}, -1
	outside := severalConts(gs)
	for _, g := range gs {
		if g.opaque || g.isField() || outside && g.cont >= 0 {
			continue
		}
		k := id{g.key, g.cont}
		count[k] += utf8.RuneCountInString(g.text())
	}
	for _, g := range gs {
		if k := (id{g.key, g.cont}); !g.opaque && !g.isField() && (!outside || g.cont < 0) && count[k] > most {
			best, most = k, count[k]
		}
	}
	return best.key, best.cont
}

// severalConts reports whether the text is in more than one container.
func severalConts(gs []group) bool {
	cont, seen := -1, false
	for _, g := range gs {
		if !g.opaque && seen && g.cont != cont {
			return true
		}
		if !g.opaque {
			cont, seen = g.cont, true
		}
	}
	return false
}

// Tagged returns the paragraph's text for a translator, formatting as inline
// tags; "" when it has no text.
func (p *Paragraph) Tagged() string {
	gs, from, to := p.groups()
	return tags.String(groupTokens(gs[from:to]))
}

func groupTokens(gs []group) []tags.Token {
	var out []tags.Token
	text := func(s string) {
		if s == "" {
			return
		}
		if n := len(out); n > 0 && out[n-1].Kind == tags.Text {
			out[n-1].Text += s
		} else {
			out = append(out, tags.Token{Kind: tags.Text, Text: s})
		}
	}
	plain := func(i int) bool { return i >= 0 && i < len(gs) && !gs[i].opaque && gs[i].tag == 0 }
	for i, g := range gs {
		switch {
		case g.opaque:
			out = append(out, tags.Token{Kind: tags.Single, N: g.tag})
		case g.tag == 0:
			text(g.text())
		default:
			// Blanks beside plain text need no formatting: "<1>here</1> and".
			core, before, behind := g.text(), "", ""
			if strings.TrimSpace(core) != "" && !g.isField() && !showsBlanks.MatchString(g.key) {
				if rest := strings.TrimLeftFunc(core, unicode.IsSpace); plain(i - 1) {
					before, core = core[:len(core)-len(rest)], rest
				}
				if rest := strings.TrimRightFunc(core, unicode.IsSpace); plain(i + 1) {
					core, behind = rest, core[len(rest):]
				}
			}
			text(before)
			out = append(out, tags.Token{Kind: tags.Open, N: g.tag})
			text(core)
			out = append(out, tags.Token{Kind: tags.Close, N: g.tag})
			text(behind)
		}
	}
	return out
}
