package audit

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/internal/lazyregexp"
)

// typedStart is a number or letter at the start of a paragraph, with what is
// around it.
var typedStart = lazyregexp.New(`^[\s\x{a0}]*(\(?)(?:((?:\d{1,3}\.){1,6})(\d{1,3})|(\d{1,3})|([a-z])|([ivx]{2,6}))(\)|\.\)|\.|)[\s\x{a0}]+\S`)

// series are numbers that count on: "1.", "2." or "4.1", "4.2".
type series struct {
	last   int
	run    int // how many followed each other
	para   int // of the last
	group  int
	header int // the heading under which it is
	typed  bool
}

// seriesNear is how many paragraphs may be between two numbers of a series.
const seriesNear = 60

// gapCounter follows the numbers that are typed in the text.
type gapCounter struct {
	*auditing
	open   map[string]series
	header int // paragraph of the last heading
}

// gaps looks for numbers that are missing or stand twice: those typed in the text,
// and those of headings.
func (a *auditing) gaps(ctx context.Context) {
	g := gapCounter{auditing: a, open: map[string]series{}, header: -1}
	var labels [10]map[string]int // of headings, below the present one of the level above
	a.each(ctx, func(i int, p *Para) {
		if p.TOC || p.Edge {
			return
		}
		typed, text := p.Label == "", p.Label+" x"
		if typed {
			text = p.Text
		}
		if m := typedStart.FindStringSubmatch(text); m != nil {
			g.see(i, p, m, typed)
		}
		if p.Level > 0 && strings.TrimSpace(p.Text) != "" {
			g.header = i
			a.labelTwice(&labels, i, p)
		}
	})
}

// labelTwice reports a heading with the number of another at its level, below the
// same one.
func (a *auditing) labelTwice(labels *[10]map[string]int, i int, p *Para) {
	for l := p.Level + 1; l < len(labels); l++ {
		labels[l] = nil
	}
	num := labelNum.FindString(p.Label)
	if num == "" || !p.Body {
		return
	}
	before, ok := labels[p.Level][p.Label]
	if ok && (num == "1" || strings.HasSuffix(num, ".1")) {
		a.find(kindNumbering, formats.SeverityLow, i, fmt.Sprintf("the numbers of headings of level %d begin again here with %s, which %s has too", p.Level, p.Label, a.at(before)), "numbers that count on, unless another text begins here")
		labels[p.Level], ok = nil, false
	}
	if ok {
		a.find(kindNumbering, formats.SeverityMedium, i, fmt.Sprintf("the heading %s has the number %s, as has %s", quote(p.Text), p.Label, a.at(before)), "a number of its own: it may be of another list")
		return
	}
	if labels[p.Level] == nil {
		labels[p.Level] = map[string]int{}
	}
	labels[p.Level][p.Label] = i
}

// see takes the number m at the start of a paragraph.
func (g *gapCounter) see(i int, p *Para, m []string, typed bool) {
	key, n, shown := g.seriesOf(m)
	if n == 0 || m[7] == "" && m[2] == "" { // "4 apples", but "4.2 Apples"
		return
	}
	if m[2] != "" && m[7] == "" && m[1] == "" && strings.Count(m[2], ".") == 1 && n > 40 {
		return // rather an amount
	}
	s, ok := g.open[key]
	near := ok && s.group == p.Group && i-s.para <= seriesNear && (m[2] != "" || s.header == g.header || p.Level > 0)
	next := series{last: n, run: 1, para: i, group: p.Group, header: g.header, typed: typed}
	if p.Level > 0 {
		next.header = i
	}
	switch established := s.run >= 2 || m[2] != "" && s.last == 1; {
	case !near:
	case n == s.last+1:
		next.run = s.run + 1
	case !typed:
	case n == s.last && established && s.typed:
		g.find(kindNumbering, formats.SeverityMedium, i, fmt.Sprintf("the number %s stands also at %s", shown, g.at(s.para)), "the number after it")
		next.run = s.run
	case n > s.last+1 && n <= s.last+3 && established:
		g.find(kindNumbering, formats.SeverityMedium, i, fmt.Sprintf("the number %s follows %s at %s", shown, like(m, s.last), g.at(s.para)), like(m, s.last+1))
		next.run = s.run + 1
	}
	g.open[key] = next
}

// seriesOf returns the series that a number belongs to, and its place in it.
func (g *gapCounter) seriesOf(m []string) (key string, n int, shown string) {
	shown = strings.TrimSpace(m[1] + m[2] + m[3] + m[4] + m[5] + m[6] + m[7])
	form := m[1] + "#" + m[7]
	switch {
	case m[2] != "":
		n, _ = strconv.Atoi(m[3])
		return m[1] + m[2] + "#", n, shown
	case m[4] != "":
		n, _ = strconv.Atoi(m[4])
		return form + "1", n, shown
	case m[6] != "":
		return form + "i", romanValue(m[6]), shown
	}
	letter := int(m[5][0]-'a') + 1
	if r := romanValue(m[5]); r > 0 && g.open[form+"a"].last != letter-1 {
		return form + "i", r, shown // (i), (ii); but (h), (i)
	}
	return form + "a", letter, shown
}

// like returns a number in the form of that in m.
func like(m []string, n int) string {
	switch {
	case m[2] != "" || m[4] != "":
		return m[1] + m[2] + strconv.Itoa(n) + m[7]
	case m[5] != "" && n <= 26:
		return m[1] + string(rune('a'+n-1)) + m[7]
	}
	return m[1] + romanOf(n) + m[7]
}

var romanFigures = []struct {
	n int
	s string
}{{10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}}

func romanOf(n int) string {
	var sb strings.Builder
	for _, f := range romanFigures {
		for n >= f.n {
			sb.WriteString(f.s)
			n -= f.n
		}
	}
	return sb.String()
}

// romanValue reads a roman number up to 39, 0 when s is none.
func romanValue(s string) int {
	n, rest := 0, s
	for _, f := range romanFigures {
		for strings.HasPrefix(rest, f.s) {
			n, rest = n+f.n, rest[len(f.s):]
		}
	}
	if rest != "" || romanOf(n) != s {
		return 0
	}
	return n
}
