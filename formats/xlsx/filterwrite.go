package xlsx

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// write writes the criteria and the rows that they hide and show.
func (f *rowFilter) write(ctx context.Context, g *following, keeps []bool) error {
	e, fa := g.structure, g.facts[g.sheet]
	shown, hid, showed, held, err := f.visible(ctx, g, keeps)
	if err != nil {
		return err
	}
	if changed := f.writeElement(g); !changed && hid+showed == 0 {
		e.warn("the filter %s has these criteria already; nothing was changed", f.ref)
		return nil
	}
	e.saidProtected(fa, g.sheet)
	e.rep.Made, e.rep.Hits = e.wb.Sheets[g.sheet].Name+"!"+f.ref.String(), max(1, hid+showed)
	e.rep.Notes = append(e.rep.Notes, formats.Count(shown, "row is", "rows are")+" shown, "+strconv.Itoa(len(keeps)-shown)+" of the filter hidden")
	if held > 0 {
		e.warn("%s hidden, because another filter hides it", formats.Count(held, "row stays", "rows stay"))
	}
	if shown == 0 {
		e.warn("no row meets the criteria, so all are hidden")
	}
	if hid+showed > 0 {
		g.dirtySubtotals(f.data)
		g.dependants(ctx)
	}
	if f.table == nil && f.isNew {
		g.name, g.hides = &book.DefinedName{Name: filterName, Local: g.sheet, Text: formula.QuoteSheet(e.wb.Sheets[g.sheet].Name) + "!" + absolute(f.ref)}, true
	}
	return g.write(ctx)
}

// visible plans which rows hide and show. Rows that another filter may hide stay
// hidden.
func (f *rowFilter) visible(ctx context.Context, g *following, keeps []bool) (shown, hid, showed, held int, err error) {
	hidden := make([]bool, len(keeps))
	for s, err := range g.wb.Rows(ctx, g.wb.Sheets[g.sheet].Part, book.Window{Last: f.data.R2}) {
		if err != nil {
			return 0, 0, 0, 0, err
		}
		if s.Event != sheetml.RowStart || s.Row < f.data.R1 || s.Row > f.data.R2 {
			continue
		}
		g.facts[g.sheet].rowExists[s.Row] = true
		hidden[s.Row-f.data.R1] = hiddenRow(s.Raw()[s.Start:])
	}
	others := f.others(g)
	for i, keep := range keeps {
		row := f.data.R1 + i
		if keep && hidden[i] && slices.ContainsFunc(others, func(r cellref.Range) bool { return r.R1 < row && row <= r.R2 }) {
			held++
			continue
		}
		if keep {
			shown++
		}
		if keep == hidden[i] {
			g.hidden = g.hidden.add(row, !keep)
			if keep {
				showed++
			} else {
				hid++
			}
		}
	}
	return shown, hid, showed, held, nil
}

// others are the blocks of the other filters of the sheet that have criteria.
func (f *rowFilter) others(g *following) (out []cellref.Range) {
	w := &sheetWork{skel: g.facts[g.sheet].skel}
	if tag, end, ok := w.child("autoFilter"); ok && f.table != nil && strings.Contains(string(w.skel.Doc[tag.Start:end]), "filterColumn") {
		out = append(out, cellref.ParseAttr(tag.AttrLocal("ref")))
	}
	for _, t := range g.tables[g.sheet] {
		if f.table == nil || t.Part != f.table.Part {
			if tag, end, ok := tableChild(t.Doc, "autoFilter"); ok && strings.Contains(string(t.Doc[tag.Start:end]), "filterColumn") {
				out = append(out, filterRef(t))
			}
		}
	}
	return out
}

// writeElement writes the autoFilter element of the sheet or the table, and the mark
// of a filtered sheet. It reports whether anything changed.
func (f *rowFilter) writeElement(g *following) bool {
	if f.table != nil {
		doc := f.table.Doc
		tag, end, ok := tableChild(doc, "autoFilter")
		if !ok {
			root, _ := firstTag(doc)
			xml := f.xml(tagPrefix(root), nil)
			doc = xmlscan.Apply(doc, []xmlscan.Splice{{Start: root.End, End: root.End, New: []byte(xml)}})
		} else {
			xml := f.xml(tagPrefix(tag), tag.Bytes())
			if xml == string(doc[tag.Start:end]) {
				return false
			}
			doc = xmlscan.Apply(doc, []xmlscan.Splice{{Start: tag.Start, End: end, New: []byte(xml)}})
		}
		g.ed.Set(f.table.Part, doc)
		if g.skip == nil {
			g.skip = map[string]bool{}
		}
		g.skip[f.table.Part] = true
		return true
	}
	fa := g.facts[g.sheet]
	w := &sheetWork{skel: fa.skel, prefix: fa.prefix, rep: &g.rep}
	if tag, end, ok := w.child("autoFilter"); ok {
		old := tag.Bytes()
		if f.isNew {
			old = nil
		}
		w.edit(xmlscan.Splice{Start: tag.Start, End: end, New: []byte(f.xml(w.prefix, old))})
	} else {
		w.insert("autoFilter", f.xml(w.prefix, nil))
	}
	w.markFiltered(len(f.rules) > 0)
	fa.skel, g.touched = w.skel, w.changed
	return w.changed
}

// xml writes the element; tag is its present start tag, nil for a new one.
func (f *rowFilter) xml(prefix string, tag []byte) string {
	if tag == nil {
		tag = []byte("<" + prefix + `autoFilter ref="` + f.ref.String() + `"/>`)
	}
	var cols []int
	for col := range f.rules {
		cols = append(cols, col)
	}
	for col := range f.old {
		if _, ok := f.rules[col]; !ok && buttonAttrs(f.tags[col]) != "" && !f.isNew {
			cols = append(cols, col) // the button stays hidden
		}
	}
	slices.SortFunc(cols, cmp.Compare[int])
	inner := ""
	for _, col := range cols {
		switch r, raw := f.rules[col], f.old[col]; {
		case f.fresh[col]:
			inner += r.xml(prefix)
		case r != nil:
			inner += string(raw)
		default:
			inner += "<" + prefix + `filterColumn colId="` + strconv.Itoa(col) + `"` + buttonAttrs(f.tags[col]) + `/>`
		}
	}
	inner += string(f.sort)
	open := strings.TrimSuffix(strings.TrimSuffix(string(tag), ">"), "/")
	if inner == "" {
		return open + "/>"
	}
	return open + ">" + inner + "</" + prefix + "autoFilter>"
}
