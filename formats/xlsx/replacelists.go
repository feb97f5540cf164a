package xlsx

import (
	"strings"

	"atelier/formats/language"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/sheetml"
)

// commas keeps commas out of texts that are choices of a list, where they part
// one choice from the next: a semicolon stands for one, in cells too.
func (r *replacer) commas() {
	for _, l := range r.lists {
		for k, item := range l.items {
			if u := l.units[k]; u != nil {
				if text, ok := r.plain[u]; ok {
					r.plain[u] = noComma(text)
				}
				continue
			}
			at := r.cellWith(strings.TrimSpace(item))
			if at < 0 {
				continue
			}
			runs := r.runs[r.entries[at].unit]
			for i := range runs {
				runs[i].text = noComma(runs[i].text)
			}
		}
	}
}

func noComma(s string) string { return strings.ReplaceAll(s, ",", ";") }

// writeLists writes the lists of which a choice changes.
func (r *replacer) writeLists(f *finisher) {
	for _, l := range r.lists {
		changed := false
		items := make([]string, len(l.items))
		for k, item := range l.items {
			text := strings.TrimSpace(item)
			now, ok := r.follow(text)
			if u := l.units[k]; u != nil {
				now, ok = r.plain[u]
			}
			if items[k] = item; ok && now != text {
				items[k], changed = strings.Replace(item, text, now, 1), true
			}
		}
		if changed {
			s := f.sheets[l.sheet]
			text := `"` + strings.ReplaceAll(strings.Join(items, ","), `"`, `""`) + `"`
			s.edits = append(s.edits, xmlscan.Splice{Start: l.span.Start, End: l.span.End, New: []byte(xmlscan.Escape(text))})
		}
	}
}

// around lets what stands around the rows follow: criteria of filters, texts of
// conditional formats, and with text in another language its direction
// (18.3.1.87, rightToLeft).
func (r *replacer) around(f *finisher) {
	if !r.cellsChange() {
		return
	}
	for i, list := range r.skelEchoes {
		for _, e := range list {
			if now, ok := r.follow(e.text); ok {
				f.sheets[i].edits = append(f.sheets[i].edits, xmlscan.Splice{Start: e.span.Start, End: e.span.End, New: []byte(sheetml.EscapeAttr(now))})
			}
		}
	}
	if r.lang == "" {
		return
	}
	rtl := language.RightToLeft(r.lang)
	for i, views := range r.views {
		if !r.withText[i] {
			continue
		}
		for _, v := range views {
			if v.rtl == rtl {
				continue
			}
			e := xmlscan.Splice{Start: v.value.Start, End: v.value.End, New: []byte("0")}
			switch {
			case rtl && v.value.OK():
				e.New = []byte("1")
			case rtl:
				e = xmlscan.Splice{Start: v.attrs, End: v.attrs, New: []byte(` rightToLeft="1"`)}
			}
			f.sheets[i].edits = append(f.sheets[i].edits, e)
		}
	}
}
