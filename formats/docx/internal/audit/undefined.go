package audit

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/internal/lazyregexp"
)

// capitalised is a noun with capital letters behind an article, inside a sentence.
// It is looked for in languages that write nouns in lower case.
var capitalised = lazyregexp.New(`[\pL\pN,;)”"][\s\x{a0}]+(?:the|each|any|such|an?|its|their|all|both)[\s\x{a0}]+([A-Z][a-z]{2,}(?:[- ][A-Z][a-z]{2,}){0,3})`)

// namesOf are words of proper names, which nobody defines.
var namesOf = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`January February March April May June July August September October November December Monday Tuesday Wednesday Thursday Friday Saturday Sunday
		Act Acts Code Regulation Regulations Directive Law Laws Treaty Convention Constitution Court Courts Ministry Minister Commission Parliament Council Government State States Union Kingdom Republic Federal National Supreme High
		European United Netherlands Internet Web English German French Spanish Italian American British Chinese Japanese Indian University City County Bank Euro Euros Dollar Dollars World International Office Microsoft Google Word Excel Windows Linux
		Section Sections Clause Clauses Article Articles Annex Annexes Appendix Schedule Schedules Exhibit Exhibits Table Figure Chapter Part Parts Paragraph Agreement Contract Christmas Easter North South East West
		Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware Florida Georgia Hawaii Idaho Illinois Indiana Iowa Kansas Kentucky Louisiana Maine Maryland Massachusetts Michigan Minnesota Mississippi Missouri Montana Nebraska Nevada Hampshire Jersey Mexico York Carolina Dakota Ohio Oklahoma Oregon Pennsylvania Rhode Tennessee Texas Utah Vermont Virginia Washington Wisconsin Wyoming District Columbia England Wales Scotland Ireland Germany France Spain Italy Portugal`) {
		out[w] = true
	}
	return out
}()

// labelMax is how long a text may be that is a label, in bytes.
const labelMax = 60

// undefined looks for capitalised nouns that are used like terms and not defined.
func (a *auditing) undefined(ctx context.Context, list []*term) {
	known := map[string]bool{}
	for _, t := range list {
		known[stem(t.name)] = true
		for _, w := range strings.Fields(t.name) {
			known[stem(w)] = true
		}
	}
	type use struct {
		first, paras, last, count int
		name                      string
	}
	uses := map[string]*use{}
	var order []*use
	headings := map[string]bool{} // and other short texts, as those of forms
	a.each(ctx, func(i int, p *Para) {
		if p.Level >= 0 || len(p.Text) <= labelMax {
			headings[stem(strings.TrimRight(strings.TrimSpace(p.Text), ".:"))] = true
		}
		if p.Level >= 0 {
			return
		}
		if p.TOC || p.Edge {
			return
		}
		for _, m := range capitalised.FindAllStringSubmatchIndex(p.Text, 200) {
			name := p.Text[m[2]:m[3]]
			key := stem(name)
			if strings.HasPrefix(p.Text[m[3]:], "-") || proper(name, known) {
				continue
			}
			u := uses[key]
			if u == nil {
				if len(order) >= maxTerms {
					continue
				}
				u = &use{first: i, last: -1, name: name}
				uses[key], order = u, append(order, u)
			}
			u.count++
			if u.last != i {
				u.paras, u.last = u.paras+1, i
			}
		}
	})
	for _, u := range order {
		if u.count >= undefinedMin && u.paras >= 2 && !headings[stem(u.name)] {
			a.find(kindUndefined, formats.SeverityLow, u.first, fmt.Sprintf("%s is written like a defined term %d times and is not defined", quote(u.name), u.count), "a definition, or lower case")
		}
	}
}

// proper reports whether a noun is a name, or has a defined term in it.
func proper(name string, known map[string]bool) bool {
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' }) {
		if namesOf[w] || known[stem(w)] {
			return true
		}
	}
	return known[stem(name)]
}

// stem returns a noun in lower case without the ending of its plural.
func stem(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if t, ok := strings.CutSuffix(s, "ies"); ok {
		return t + "y"
	}
	return strings.TrimSuffix(s, "s")
}
