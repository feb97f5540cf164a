package xlsx

import (
	"bytes"
	"context"
	"strings"

	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// filterSchema has the children of autoFilter (18.3.1.2), tableChildren those of table
// (18.5.1.2).
var (
	filterSchema  = element.NewSchema("filterColumn sortState extLst")
	tableChildren = element.NewSchema("autoFilter sortState tableColumns tableStyleInfo extLst")
)

// sortStateXML says by which columns the rows of r were sorted (18.3.1.92).
func sortStateXML(prefix string, r cellref.Range, keys []int, by []SortKey) string {
	var sb strings.Builder
	sb.WriteString("<" + prefix + `sortState ref="` + r.String() + `">`)
	for i, col := range keys {
		descending := ""
		if by[i].Descending {
			descending = ` descending="1"`
		}
		sb.WriteString("<" + prefix + "sortCondition" + descending + ` ref="` + cellref.Block(r.R1, col, r.R2, col).String() + `"/>`)
	}
	sb.WriteString("</" + prefix + "sortState>")
	return sb.String()
}

// noteSort notes in the filter of the sheet, and in its tables, by which columns their
// rows were sorted. Where only a part of their rows was sorted, what they said before
// is wrong and goes.
func (w *blockWriter) noteSort(r cellref.Range, keys []int, by []SortKey) {
	w.tableEdits = map[string][]xmlscan.Splice{}
	for _, t := range w.tables {
		rows := cellref.Block(t.Ref.R1+t.Headers, t.Ref.C1, t.Ref.R2-t.Totals, t.Ref.C2)
		if edit, ok := tableSort(t, rows, r, keys, by); ok {
			w.tableEdits[t.Part] = append(w.tableEdits[t.Part], edit)
		}
	}
	s := w.plan.sheets[w.sheet]
	w.plan.deferEdit(s, func(_ context.Context, sw *sheetWork) error {
		t, end, ok := sw.child("autoFilter")
		if !ok {
			return nil
		}
		area := cellref.ParseAttr(t.AttrLocal("ref"))
		rows := cellref.Block(area.R1+1, area.C1, area.R2, area.C2)
		if !rows.Meets(r) {
			return nil
		}
		e := element.Parse(sw.skel.Doc[t.Start:end], sw.prefix+"autoFilter", filterSchema)
		setSort(e, sw.prefix, rows, r, keys, by)
		sw.edit(xmlscan.Splice{Start: t.Start, End: end, New: []byte(e.String())})
		return nil
	})
}

// setSort sets the sort state of a filter or table whose data are in rows.
func setSort(e *element.Element, prefix string, rows, r cellref.Range, keys []int, by []SortKey) {
	if rows == r {
		e.Set("sortState", sortStateXML(prefix, r, keys, by))
	} else {
		e.Drop("sortState")
	}
}

// tableSort returns the edit of a table part for rows that were sorted.
func tableSort(t *book.Table, rows, r cellref.Range, keys []int, by []SortKey) (xmlscan.Splice, bool) {
	if !rows.Meets(r) || rows != r && !bytes.Contains(t.Doc, []byte("sortState")) {
		return xmlscan.Splice{}, false
	}
	sc := xmlscan.New(t.Doc)
	for sc.Next() {
		root := sc.Token()
		if root.Kind != xmlscan.Start {
			continue
		}
		prefix := ""
		if root.Prefix != "" {
			prefix = root.Prefix + ":"
		}
		sc.Skip()
		for sc := xmlscan.New(t.Doc); sc.Next(); {
			if c := sc.Token(); c.Kind == xmlscan.Start && c.Depth == 2 {
				if to := max(c.End, sc.Skip()); c.Local == "sortState" {
					now := ""
					if rows == r {
						now = sortStateXML(prefix, r, keys, by)
					}
					return xmlscan.Splice{Start: c.Start, End: to, New: []byte(now)}, true
				}
			}
		}
		return element.Insert(t.Doc, tableChildren, "sortState", sortStateXML(prefix, r, keys, by))
	}
	return xmlscan.Splice{}, false
}
