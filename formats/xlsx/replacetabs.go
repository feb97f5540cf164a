package xlsx

import (
	"context"
	"io"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/formula"
	"atelier/internal/textclip"
)

// tabs are the new names of sheets, by index, fit for Excel.
func (r *replacer) tabs() map[int]string {
	out := map[int]string{}
	for u, name := range r.plain {
		if u.tab > 0 {
			out[u.tab-1] = name
		}
	}
	taken := map[string]bool{}
	for i, s := range r.wb.Sheets {
		if _, ok := out[i]; !ok {
			taken[strings.ToLower(s.Name)] = true
		}
	}
	for i := range r.wb.Sheets {
		name, ok := out[i]
		if !ok {
			continue
		}
		name = tabName(name)
		if name == "" || strings.EqualFold(name, "history") { // Excel keeps that name
			name = r.wb.Sheets[i].Name
		}
		base := name
		for n := 2; taken[strings.ToLower(name)]; n++ {
			end := " " + strconv.Itoa(n)
			name = textclip.UTF16(base, book.MaxSheetNameLen-len(end)) + end
		}
		taken[strings.ToLower(name)] = true
		out[i] = name
	}
	return out
}

// tabName is s without what the name of a sheet may not have.
func tabName(s string) string {
	s = strings.Map(func(c rune) rune {
		switch {
		case c == '[':
			return '('
		case c == ']':
			return ')'
		case strings.ContainsRune(`:\/`, c):
			return '-'
		case c == '*', c == '?', c < 0x20, c == 0xFFFE, c == 0xFFFF:
			return -1
		}
		return c
	}, s)
	return strings.Trim(textclip.UTF16(strings.Trim(s, "' "), book.MaxSheetNameLen), "' ")
}

// renamed writes the workbook with its sheets renamed and the other targets in
// it: formulas, defined names, links, charts and pivot tables follow the names.
func (r *replacer) renamed(ctx context.Context, dst io.Writer, targets *targets, tabs map[int]string, opt formats.ReplaceOptions, whole *edit) error {
	e := &structure{wb: r.wb, ed: r.wb.Package.Edit()}
	names := map[string]string{}
	for i, name := range tabs {
		names[strings.ToLower(r.wb.Sheets[i].Name)] = name
	}
	g := &following{structure: e, sheet: -1, rw: &formula.Rewriter{Names: names}}
	if err := g.look(ctx); err != nil {
		return err
	}
	if err := g.write(ctx); err != nil {
		return err
	}
	if err := g.appProps(ctx); err != nil {
		return err
	}
	ids := map[string]bool{}
	for u := range r.plain {
		if u.tab > 0 {
			ids[u.seg.ID] = true
		}
	}
	rest := targets.without(ids)
	if rest.empty() {
		whole.pass = &pass{wb: r.wb, ed: e.ed, rep: &formats.Report{}}
		return whole.writeReplaced(ctx, dst, opt)
	}
	whole.due = r.wb.due
	whole.dropped.then(r.wb.dropped)
	next := &spool{}
	defer next.Close()
	e.ed.Fast()
	if err := e.ed.Write(ctx, next); err != nil {
		return err
	}
	whole.src = next.source(whole.name)
	return replaceTargets(ctx, whole.src, dst, rest, opt, whole)
}
