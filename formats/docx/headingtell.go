package docx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/internal/lazyregexp"
)

// typedNumber is a number that stands in the text of a heading.
var typedNumber = lazyregexp.New(`^\s*(?:\d+(?:\.\d+)*[.)]?|[IVXLC]+[.)]|[A-Z][.)]|§+\s*\d+\S*|(?i:article|section|chapter|part)\s+(?:\d+|[IVXLC]+)\S*)(?:\s|$)`)

// tellHeadings says how the headings are numbered now, which have a number of
// their own, and which have one in their text.
func (e *editing) tellHeadings(ctx context.Context, rep *formats.OpReport) error {
	p, err := e.body(ctx)
	if err != nil {
		return err
	}
	label, err := e.listLabels(ctx)
	if err != nil {
		return err
	}
	nb, err := e.numbering(ctx)
	if err != nil {
		return err
	}
	list := e.headingList(nb)
	addresses := p.addresses(p.stories[0], "")
	var shown, own, typed []string
	count := 0
	for _, n := range p.nodes {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		level, text := e.styles.level(n.style), p.paras[n.para].Text()
		if n.hidden || n.gone || n.boxed() || level < 1 || strings.TrimSpace(text) == "" {
			continue
		}
		l := label(p, n)
		if l != "" {
			if count++; len(shown) < maxNotes {
				shown = append(shown, addresses[n]+": "+clip(l+" "+text, 50))
			}
		}
		if n.list.num != "" && n.list.num != "0" && n.list.num != list {
			own = append(own, addresses[n])
		}
		if l != "" && typedNumber.MatchString(text) {
			typed = append(typed, addresses[n])
		}
	}
	switch {
	case count == 0:
		rep.Notes = append(rep.Notes, "no heading has a number")
	case count > len(shown):
		shown = append(shown, fmt.Sprintf("%d in all", count))
		fallthrough
	default:
		rep.Notes = append(rep.Notes, strings.Join(shown, "; "))
	}
	some := func(list []string) string { return clip(strings.Join(list[:min(8, len(list))], ", "), 100) }
	if len(own) > 0 {
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("%s in a list of their own (%s), which stays; set_list with format none takes them out", formats.Count(len(own), "heading is", "headings are"), some(own)))
	}
	if len(typed) > 0 {
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("%s a number in the text too (%s); set_paragraph takes it out", formats.Count(len(typed), "heading has", "headings have"), some(typed)))
	}
	return nil
}
