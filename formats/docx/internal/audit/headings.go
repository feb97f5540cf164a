package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
)

// headings looks at the outline of the body: levels that are passed over, empty
// headings, and those that say the same beside each other.
func (a *auditing) headings(ctx context.Context) {
	var open [10]map[string]int // texts by level, below the present heading of the level above
	last, first := 0, true
	var empty []string
	a.each(ctx, func(i int, p *Para) {
		if p.Level < 1 || !p.Body || p.TOC {
			return
		}
		if strings.TrimSpace(p.Text) == "" {
			if p.Void && p.Label != "" {
				a.find(kindEmpty, formats.SeverityMedium, i, fmt.Sprintf("a heading of level %d has the number %s and no text", p.Level, p.Label), "text, or another style")
			} else if p.Void {
				empty = append(empty, p.At)
			}
			return
		}
		switch {
		case first && p.Level > 1:
			a.find(kindOrder, formats.SeverityLow, i, fmt.Sprintf("the first heading %s has level %d", quote(p.Text), p.Level), "level 1")
		case !first && p.Level > last+1:
			a.find(kindOrder, formats.SeverityMedium, i, fmt.Sprintf("the heading %s has level %d below one of level %d", quote(p.Text), p.Level, last), fmt.Sprintf("level %d, or a heading of that level before it", last+1))
		}
		first, last = false, p.Level
		for l := p.Level + 1; l < len(open); l++ {
			open[l] = nil
		}
		key := squeeze(p.Text)
		if key == "" {
			return
		}
		if before, ok := open[p.Level][key]; ok {
			a.find(kindRepeated, formats.SeverityLow, i, fmt.Sprintf("the heading %s of level %d stands also at %s, in the same section", quote(p.Text), p.Level, a.at(before)), "")
			return
		}
		if open[p.Level] == nil {
			open[p.Level] = map[string]int{}
		}
		open[p.Level][key] = i
	})
	if len(empty) > 0 {
		a.findAt(kindEmpty, formats.SeverityLow, empty[0], fmt.Sprintf("headings without text: %d, at %s", len(empty), places(empty)), "text, or another style")
	}
}

// contents compares a table of contents with the headings.
func (a *auditing) contents(ctx context.Context) {
	from, to, ok := a.contentLevels()
	if !ok {
		return
	}
	have, listed := map[string]bool{}, map[string]bool{}
	a.each(ctx, func(i int, p *Para) {
		if p.TOC || strings.TrimSpace(p.Text) == "" {
			return
		}
		if p.Level >= 0 || len(p.Text) < 300 { // entries may come from other styles
			have[squeeze(p.Text)], have[squeeze(p.Label+p.Text)] = true, true
		}
	})
	entries := 0
	a.each(ctx, func(i int, p *Para) {
		if !p.TOC || strings.HasPrefix(p.Style, "table of") {
			return
		}
		text := entryText(p.Text)
		key := squeeze(text)
		if key == "" {
			return
		}
		entries++
		bare := strings.TrimLeft(key, "0123456789")
		listed[key], listed[bare] = true, true
		if !have[key] && !have[bare] && strings.HasPrefix(p.Style, "toc ") && !errorText(p.Text) {
			a.find(kindTOC, formats.SeverityMedium, i, "the table of contents has "+quote(text)+", which is the text of no heading", "update the table of contents")
		}
	})
	if entries == 0 {
		return
	}
	a.each(ctx, func(i int, p *Para) {
		if !p.Body || p.TOC || p.Level < from || p.Level > to {
			return
		}
		key := squeeze(p.Text)
		if key != "" && !listed[key] && !listed[squeeze(p.Label+p.Text)] && !listed[strings.TrimLeft(key, "0123456789")] {
			a.find(kindTOC, formats.SeverityMedium, i, "the heading "+quote(p.Text)+" is not in the table of contents", "update the table of contents")
		}
	})
}

// contentLevels returns the levels of headings that the table of contents lists
// (17.16.5.68). There must be one table, of the whole document.
func (a *auditing) contentLevels() (from, to int, ok bool) {
	n := 0
	for _, f := range a.Fields {
		w := words(f.Instr)
		if len(w) == 0 || !strings.EqualFold(w[0], "TOC") || hasSwitch(w, `\c`) >= 0 || hasSwitch(w, `\a`) >= 0 {
			continue
		}
		o := hasSwitch(w, `\o`)
		if n++; o < 0 || hasSwitch(w, `\b`) >= 0 {
			return 0, 0, false
		}
		from, to = 1, 9
		if o+1 < len(w) && !strings.HasPrefix(w[o+1], `\`) {
			if _, err := fmt.Sscanf(w[o+1], "%d-%d", &from, &to); err != nil {
				from, to = 1, 9
			}
		}
	}
	return from, to, n == 1
}

// hasSwitch returns where a switch is in the words of an instruction, -1 when it
// is absent.
func hasSwitch(w []string, name string) int {
	return slices.IndexFunc(w, func(s string) bool { return strings.EqualFold(s, name) })
}

// entryText returns an entry of a table of contents without its page number.
func entryText(s string) string {
	if i := strings.LastIndexByte(s, '\t'); i >= 0 {
		if page := strings.TrimSpace(s[i:]); len(page) < 8 {
			s = s[:i]
		}
	}
	return strings.TrimSpace(strings.TrimRight(s, ". …\u00a0"))
}
