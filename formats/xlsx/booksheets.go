package xlsx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// bookSheets changes the list of sheets of the workbook part: their order,
// their state, and one that is new.
type bookSheets struct {
	wb    *workbook
	order []int          // sheets by index in the file; -1 is the new one
	state map[int]string // new states by index in the file: "", "hidden"
	fresh string         // the new sheet's name
	relID string
	names []book.DefinedName // that belong to the new sheet
	calc  bool
}

// newIndex gives where sheet i of the file ends up.
func (b *bookSheets) newIndex(i int) int { return slices.Index(b.order, i) }

func (b *bookSheets) stateOf(i int) string {
	if i < 0 {
		return ""
	}
	if s, ok := b.state[i]; ok {
		return s
	}
	return b.wb.Sheets[i].State
}

// visible is the new index of the first visible sheet at or behind i.
func (b *bookSheets) visible(i int) int {
	for _, from := range []int{i, 0} {
		for k := from; k < len(b.order); k++ {
			if b.stateOf(b.order[k]) == "" {
				return k
			}
		}
	}
	return 0
}

// apply gives the changed workbook part.
func (b *bookSheets) apply() ([]byte, error) {
	w := &walk{doc: b.wb.XML}
	prefix, rel := "", "" // rel: the prefix of relationship ids, where the root binds one
	var sheets []xmlscan.Token
	var ends []int
	namesEnd, sheetsEnd := 0, 0
	sc := xmlscan.New(b.wb.XML)
	for sc.Next() {
		t := sc.Token()
		if t.Depth == 2 && t.Kind == xmlscan.End {
			switch t.Local {
			case "sheets", "functionGroups", "externalReferences":
				sheetsEnd = t.End
			case "definedNames":
				namesEnd = t.Start
			}
		}
		if t.Kind != xmlscan.Start || t.Space != sheetml.Namespace {
			continue
		}
		switch t.Local {
		case "workbook":
			if t.Prefix != "" {
				prefix = t.Prefix + ":"
			}
			rel = relPrefix(t)
		case "sheet":
			sheets = append(sheets, t)
			ends = append(ends, sc.Skip())
		case "definedName":
			b.nameScope(w, t)
		case "workbookView", "customWorkbookView":
			b.view(w, t)
		case "calcPr":
			w.calcOnLoad(t, b.calc)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", b.wb.Main, err)
	}
	if len(sheets) != len(b.wb.Sheets) || len(sheets) == 0 {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s lists its sheets in more than one place", b.wb.Main)
	}
	b.list(w, sheets, ends, prefix, rel)
	b.ownNames(w, prefix, namesEnd, sheetsEnd)
	return xmlscan.Apply(b.wb.XML, w.edits), nil
}

// relPrefix returns the prefix, with its colon, that a root element binds to
// relationship ids; "" for none.
func relPrefix(root xmlscan.Token) string {
	prefix := ""
	for a := range root.Attrs() {
		if p, ok := strings.CutPrefix(a.Name, "xmlns:"); ok && xmlscan.Transitional(a.Value()) == sheetml.RelNamespace {
			prefix = p + ":"
		}
	}
	return prefix
}

// nameScope gives a name that belongs to a sheet the sheet's new index.
func (b *bookSheets) nameScope(w *walk, t xmlscan.Token) {
	for a := range t.Attrs() {
		if n, err := strconv.Atoi(a.Value()); a.Name == "localSheetId" && err == nil && n >= 0 && n < len(b.wb.Sheets) && b.newIndex(n) != n {
			w.put(a.ValStart, a.ValEnd, strconv.Itoa(b.newIndex(n)))
		}
	}
}

// list writes the sheet elements in their new order into the places of the old.
func (b *bookSheets) list(w *walk, sheets []xmlscan.Token, ends []int, prefix, rel string) {
	id := 0
	for _, s := range b.wb.Sheets {
		id = max(id, s.SheetID)
	}
	elem := func(i int) string {
		if i < 0 {
			ns := ""
			if rel == "" {
				rel, ns = "r:", ` xmlns:r="`+b.relSpace()+`"`
			}
			return fmt.Sprintf(`<%ssheet%s name="%s" sheetId="%d" %sid="%s"/>`, prefix, ns, sheetml.EscapeAttr(b.fresh), id+1, rel, b.relID)
		}
		t := sheets[i]
		if b.stateOf(i) == b.wb.Sheets[i].State {
			return string(b.wb.XML[t.Start:ends[i]])
		}
		tag := t.Bytes()
		if !t.Empty {
			tag = append(slices.Clone(tag[:len(tag)-1]), '/', '>')
		}
		if b.stateOf(i) == "" {
			return string(sheetml.EditTag(tag, "", "state"))
		}
		return string(sheetml.EditTag(tag, ` state="`+b.stateOf(i)+`"`, "state"))
	}
	k := 0
	for n, t := range sheets {
		text := elem(b.order[k])
		k++
		// What comes behind the last place of the file goes into it too.
		for n == len(sheets)-1 && k < len(b.order) {
			text += elem(b.order[k])
			k++
		}
		if text != string(b.wb.XML[t.Start:ends[n]]) {
			w.put(t.Start, ends[n], text)
		}
	}
}

// relSpace is the namespace of relationship ids as the workbook writes it.
func (b *bookSheets) relSpace() string {
	if b.wb.Strict {
		return xmlscan.Strict(sheetml.RelNamespace)
	}
	return sheetml.RelNamespace
}

// ownNames adds the names of the new sheet.
func (b *bookSheets) ownNames(w *walk, prefix string, namesEnd, sheetsEnd int) {
	if len(b.names) == 0 {
		return
	}
	var sb strings.Builder
	for _, n := range b.names {
		hidden := ""
		if n.Name == "_xlnm._FilterDatabase" {
			hidden = ` hidden="1"`
		}
		fmt.Fprintf(&sb, `<%sdefinedName name="%s" localSheetId="%d"%s>%s</%sdefinedName>`, prefix, sheetml.EscapeAttr(n.Name), b.newIndex(-1), hidden, xmlscan.Escape(n.Text), prefix)
	}
	if namesEnd > 0 {
		w.put(namesEnd, namesEnd, sb.String())
		return
	}
	w.put(sheetsEnd, sheetsEnd, "<"+prefix+"definedNames>"+sb.String()+"</"+prefix+"definedNames>")
}

// view keeps the active and the first tab on the sheets they were on, as long
// as those can be seen.
func (b *bookSheets) view(w *walk, t xmlscan.Token) {
	old := 0
	at := sheetml.Span{}
	for a := range t.Attrs() {
		n, err := strconv.Atoi(a.Value())
		if err != nil || n < 0 || n >= len(b.wb.Sheets) {
			continue
		}
		switch a.Name {
		case "activeTab":
			old, at = n, sheetml.Piece(a.ValStart, a.ValEnd)
		case "firstSheet":
			if to := b.visible(b.newIndex(n)); to != n {
				w.put(a.ValStart, a.ValEnd, strconv.Itoa(to))
			}
		}
	}
	to := b.visible(b.newIndex(old))
	switch {
	case to == old || t.Local != "workbookView" && !at.OK():
	case at.OK():
		w.put(at.Start, at.End, strconv.Itoa(to))
	default:
		i := t.Start + sheetml.NameLen(t.Bytes())
		w.put(i, i, ` activeTab="`+strconv.Itoa(to)+`"`)
	}
}
