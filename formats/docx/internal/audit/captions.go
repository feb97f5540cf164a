package audit

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
)

// caption is the caption of a table or figure.
type caption struct {
	class, num string // "table", "3" or "2.1"
	para       int
}

const (
	captionMax   = 300 // bytes of a caption
	namedFrom    = 3   // captions from which on each is expected to be referred to
	namedPercent = 60  // of captions that are
)

// captionOf returns the caption that a paragraph is.
func captionOf(i int, p *Para) (caption, bool) {
	if p.TOC || strings.HasPrefix(p.Style, "table of") || len(p.Text) > captionMax {
		return caption{}, false
	}
	m := captionStart.FindStringSubmatchIndex(p.Text)
	if m == nil {
		return caption{}, false
	}
	rest := p.Text[m[1]:]
	if p.Style != "caption" && !p.Seq && (rest == "" || !strings.ContainsAny(rest[:1], ":.\t|") && !strings.HasPrefix(strings.TrimSpace(rest), "–") && !strings.HasPrefix(strings.TrimSpace(rest), "—") && !strings.HasPrefix(rest, " - ")) {
		return caption{}, false
	}
	return caption{class(p.Text[m[2]:m[3]]), captionNumber(p.Text[m[4]:m[7]]), i}, true
}

func captionNumber(s string) string { return strings.ReplaceAll(s, "–", "-") }

// captions looks at the numbers of captions, and at references to them.
func (a *auditing) captions(ctx context.Context) {
	var list []caption
	is := map[int]bool{}
	have := map[string]map[string]bool{}
	a.each(ctx, func(i int, p *Para) {
		c, ok := captionOf(i, p)
		if !ok {
			return
		}
		list = append(list, c)
		is[i] = true
		if have[c.class] == nil {
			have[c.class] = map[string]bool{}
		}
		have[c.class][c.num] = true
	})
	if len(list) == 0 {
		return
	}
	a.captionGaps(list)
	named := map[string]bool{}
	a.each(ctx, func(i int, p *Para) {
		if p.TOC || is[i] && !a.opt.Wants(kindUnnamed) || strings.HasPrefix(p.Style, "table of") {
			return
		}
		text := p.Text
		if is[i] { // what a caption says after its own number
			text = text[captionStart.FindStringIndex(text)[1]:]
		}
		for _, r := range mentions(text, captionRef, captionAnd) {
			c, num := class(r.word), captionNumber(r.num+r.parts)
			if own := have[c]; own != nil && !own[num] && !own[strings.TrimRight(r.num, ".")] && !is[i] {
				a.find(kindTarget, formats.SeverityHigh, i, fmt.Sprintf("the text refers to %s, and no caption has that number", quote(r.word+" "+num)), "a number that exists")
			}
			named[c+num] = true
			named[c+r.num] = true
		}
	})
	a.unnamed(list, named)
}

// captionGaps looks for numbers that are missing or stand twice.
func (a *auditing) captionGaps(list []caption) {
	last := map[string]int{}
	first := map[string]int{} // where a number stands first
	for _, c := range list {
		at := strings.LastIndexAny(c.num, ".-") + 1
		n, err := strconv.Atoi(strings.TrimLeft(c.num[at:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
		if err != nil {
			continue
		}
		series := c.class + " " + c.num[:at]
		before := last[series]
		last[series] = n
		where, again := first[c.class+c.num]
		if !again {
			first[c.class+c.num] = c.para
		}
		switch {
		case again && n != 1:
			a.find(kindCaption, formats.SeverityMedium, c.para, fmt.Sprintf("the number of %s stands also at %s", quote(c.class+" "+c.num), a.at(where)), "a number of its own")
		case before > 0 && n > before+1:
			a.find(kindCaption, formats.SeverityMedium, c.para, fmt.Sprintf("%s follows number %d", quote(c.class+" "+c.num), before), fmt.Sprintf("number %d", before+1))
		case before == 0 && n == 2 && at == 0:
			a.find(kindCaption, formats.SeverityLow, c.para, fmt.Sprintf("%s is the first of its kind", quote(c.class+" "+c.num)), "number 1")
		case before > n && n > 1:
			a.find(kindCaption, formats.SeverityMedium, c.para, fmt.Sprintf("%s stands behind number %d", quote(c.class+" "+c.num), before), "numbers in order")
		}
	}
}

// unnamed looks for captions that no text refers to, in a document that refers to
// most of them.
func (a *auditing) unnamed(list []caption, named map[string]bool) {
	total, have := map[string]int{}, map[string]int{}
	for _, c := range list {
		total[c.class]++
		if named[c.class+c.num] {
			have[c.class]++
		}
	}
	for _, c := range list {
		if !named[c.class+c.num] && total[c.class] >= namedFrom && have[c.class]*100 >= total[c.class]*namedPercent {
			a.find(kindUnnamed, formats.SeverityLow, c.para, "no text refers to "+quote(c.class+" "+c.num)+"; the text refers to most others", "")
		}
	}
}
