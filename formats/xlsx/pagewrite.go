package xlsx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// setPage makes the change in a sheet.
func (w *sheetWork) setPage(c *pageChange) error {
	was, names := w.skel, len(w.f.names)
	if c.fit != nil {
		w.setFit(*c.fit)
	}
	w.setAttrs("printOptions", nil, c.options)
	w.setAttrs("pageMargins", []attr{{"left", "0.7"}, {"right", "0.7"}, {"top", "0.75"}, {"bottom", "0.75"}, {"header", "0.3"}, {"footer", "0.3"}}, c.margins)
	w.setAttrs("pageSetup", nil, c.setup)
	if err := w.setHeaders(c.texts); err != nil {
		return err
	}
	for name, list := range c.breaks {
		w.setBreaks(name, list)
	}
	w.setPrintNames(c)
	if len(w.f.names) == names && string(was.Doc) == string(w.skel.Doc) {
		w.warn("the pages of the sheet %q are set up so already; nothing was changed", w.sheet.name)
		return nil
	}
	w.rep.Hits, w.rep.Notes = 1, append(w.rep.Notes, c.said()...)
	return nil
}

// setAttrs sets attributes of a child of worksheet, which is made with those of
// base where it is missing.
func (w *sheetWork) setAttrs(name string, base, attrs []attr) {
	if len(attrs) == 0 {
		return
	}
	t, _, ok := w.child(name)
	tag := []byte("<" + w.prefix + name + "/>")
	if ok {
		tag = slices.Clone(t.Bytes())
	} else {
		for _, a := range base {
			tag = sheetml.EditTag(tag, " "+a.name+`="`+a.value+`"`)
		}
	}
	for _, a := range attrs {
		switch now := sheetml.AttrOf(tag, a.name); {
		case now == a.value:
		case a.value == "":
			tag = sheetml.EditTag(tag, "", a.name)
		default:
			tag = sheetml.EditTag(tag, " "+a.name+`="`+sheetml.EscapeAttr(a.value)+`"`, a.name)
		}
	}
	switch {
	case ok:
		w.edit(xmlscan.Splice{Start: t.Start, End: t.End, New: tag})
	case string(tag) != "<"+w.prefix+name+"/>":
		w.insert(name, string(tag))
	}
}

// setFit says whether the sheet is shrunk to a number of pages (18.3.1.65).
func (w *sheetWork) setFit(fit bool) {
	for _, t := range w.skel.Elements("pageSetUpPr") {
		if t.Depth != 3 || sheetml.IsTrue(t.AttrLocal("fitToPage")) == fit {
			continue
		}
		add := ""
		if fit {
			add = ` fitToPage="1"`
		}
		w.edit(xmlscan.Splice{Start: t.Start, End: t.End, New: sheetml.EditTag(t.Bytes(), add, "fitToPage")})
		return
	}
	if !fit || slices.ContainsFunc(w.skel.Elements("pageSetUpPr"), func(t xmlscan.Token) bool { return t.Depth == 3 }) {
		return
	}
	child := "<" + w.prefix + `pageSetUpPr fitToPage="1"/>`
	switch t, end, ok := w.child("sheetPr"); {
	case !ok:
		w.insert("sheetPr", "<"+w.prefix+"sheetPr>"+child+"</"+w.prefix+"sheetPr>")
	case t.Empty:
		open := strings.TrimSuffix(string(t.Bytes()), "/>") + ">"
		w.edit(xmlscan.Splice{Start: t.Start, End: end, New: []byte(open + child + "</" + w.prefix + "sheetPr>")})
	default: // it is the last child (18.3.1.82)
		at := sheetml.EndTagStart(w.skel.Doc, end)
		w.edit(xmlscan.Splice{Start: at, End: at, New: []byte(child)})
	}
}

// setBreaks sets the page breaks made by hand; others stay (18.3.1.74).
func (w *sheetWork) setBreaks(name string, list []int) {
	t, end, ok := w.child(name)
	type brk struct {
		id  int
		xml string
	}
	var all []brk
	if ok {
		_ = sheetml.EachChild(w.skel.Doc[t.Start:end], func(t xmlscan.Token, raw []byte) error {
			if id := sheetml.Atoi([]byte(t.AttrLocal("id"))); !sheetml.IsTrue(t.AttrLocal("man")) && !slices.Contains(list, id) {
				all = append(all, brk{id, string(raw)})
			}
			return nil
		})
	}
	last := cellref.MaxCol - 1
	if name == "colBreaks" {
		last = cellref.MaxRow - 1
	}
	for _, id := range list {
		all = append(all, brk{id, fmt.Sprintf(`<%sbrk id="%d" max="%d" man="1"/>`, w.prefix, id, last)})
	}
	slices.SortFunc(all, func(a, b brk) int { return cmp.Compare(a.id, b.id) })
	xml := ""
	for _, b := range all {
		xml += b.xml
	}
	if xml != "" {
		xml = fmt.Sprintf(`<%s%s count="%d" manualBreakCount="%d">%s</%[1]s%[2]s>`, w.prefix, name, len(all), len(list), xml)
	}
	if ok {
		w.edit(xmlscan.Splice{Start: t.Start, End: end, New: []byte(xml)})
	} else if xml != "" {
		w.insert(name, xml)
	}
}
