package xlsx

import (
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// bookEdit changes the workbook part: the list of sheets, the defined names, the
// active tab and calcPr.
type bookEdit struct {
	wb     *workbook
	rw     *formula.Rewriter // for the formulas of names
	sheets []bookSheet       // as they will be, in order
	names  []*bookName       // that are set or removed
	byName map[nameKey]*bookName
	calc   bool // formulas must be calculated anew

	index  map[int]int // in sheets, by index in the file
	edits  []xmlscan.Splice
	prefix string // of the workbook's elements, with its colon
	rel    string // bound to relationship ids, with its colon; "" for none
	listed []sheetElement

	sheetsEnd int   // of the list of sheets: the start of its end tag
	namesAt   int   // where a list of names goes
	calcAt    int   // where calcPr goes
	hasCalc   bool  // there is a calcPr
	nameList  frame // the list of names
	seen      int   // names
}

// bookSheet is a sheet as the workbook part will list it.
type bookSheet struct {
	orig  int // index in the file, -1 for a new sheet
	name  string
	state string // "", "hidden", "veryHidden"
	relID string // of a new sheet
}

// nameKey names a defined name: its sheet and the name in lower case.
type nameKey struct {
	local int
	name  string
}

// bookName is a defined name that is set, or removed when its text is empty.
type bookName struct {
	book.DefinedName // Local is an index in bookEdit.sheets
	hidden           bool
	written          bool
}

// sheetElement is a sheet element of the file.
type sheetElement struct {
	tag xmlscan.Token
	end int
}

// newBookEdit returns an edit that changes nothing yet.
func newBookEdit(wb *workbook) *bookEdit {
	b := &bookEdit{wb: wb, rw: &formula.Rewriter{}, byName: map[nameKey]*bookName{}}
	for i, s := range wb.Sheets {
		b.sheets = append(b.sheets, bookSheet{orig: i, name: s.Name, state: s.State})
	}
	return b
}

// set sets a name, or removes it when its text is empty; the last call counts.
func (b *bookEdit) set(d book.DefinedName, hidden bool) {
	key := nameKey{d.Local, strings.ToLower(d.Name)}
	n := b.byName[key]
	if n == nil {
		n = &bookName{}
		b.names, b.byName[key] = append(b.names, n), n
	}
	n.DefinedName, n.hidden = d, hidden
}

// apply puts the changed workbook part into ed.
func (b *bookEdit) apply(ed *opc.Edit) error {
	b.index = map[int]int{}
	for i, s := range b.sheets {
		if s.orig >= 0 {
			b.index[s.orig] = i
		}
	}
	sc := xmlscan.New(b.wb.XML)
	for sc.Next() {
		t := sc.Token()
		if t.Depth == 2 && (t.Kind == xmlscan.End || t.Empty) {
			b.close(t)
		}
		if t.Kind == xmlscan.Start && t.Space == sheetml.Namespace {
			b.open(t, sc)
		}
	}
	if err := sc.Err(); err != nil {
		return book.CorruptPart(err, b.wb.Main)
	}
	if len(b.listed) != len(b.wb.Sheets) {
		return formats.Errorf(formats.CodeCorrupt, "%s lists its sheets in more than one place", b.wb.Main)
	}
	b.finish()
	if len(b.edits) > 0 {
		ed.Set(b.wb.Main, xmlscan.Apply(b.wb.XML, b.edits))
	}
	return nil
}

// finish adds what depends on the whole part: the list of sheets, and names and
// calcPr where there are none.
func (b *bookEdit) finish() {
	b.wb.due = b.wb.due || b.calc
	b.list()
	b.addNames(b.namesAt, b.namesAt, false)
	if b.calc && !b.hasCalc && b.calcAt > 0 {
		b.put(b.calcAt, b.calcAt, "<"+b.prefix+`calcPr fullCalcOnLoad="1"/>`)
	}
}

func (b *bookEdit) put(from, to int, s string) {
	b.edits = append(b.edits, xmlscan.Splice{Start: from, End: to, New: []byte(s)})
}

// open looks at the start tag of an element.
func (b *bookEdit) open(t xmlscan.Token, sc *xmlscan.Scanner) {
	switch t.Local {
	case "workbook":
		if t.Prefix != "" {
			b.prefix = t.Prefix + ":"
		}
		b.rel = relPrefix(t)
	case "sheet":
		b.listed = append(b.listed, sheetElement{t, sc.Skip()})
	case "definedNames":
		b.nameList = frame{start: t.Start, mark: len(b.edits)}
	case "definedName":
		b.nameList.kids++
		if b.definedName(t, sc.Skip()) {
			b.nameList.gone++
		}
	case "workbookView", "customWorkbookView":
		b.view(t)
	case "calcPr":
		b.hasCalc = true
		if v, _ := t.Attr("fullCalcOnLoad"); b.calc && !sheetml.IsTrue(v) {
			b.put(t.Start, t.End, string(sheetml.EditTag(t.Bytes(), ` fullCalcOnLoad="1"`, "fullCalcOnLoad")))
		}
	}
}

// close looks at the end of a child of workbook. Names come behind sheets,
// functionGroups and externalReferences, calcPr behind names (18.2.27).
func (b *bookEdit) close(t xmlscan.Token) {
	switch t.Local {
	case "sheets":
		b.sheetsEnd = t.Start
		b.namesAt, b.calcAt = t.End, t.End
	case "functionGroups", "externalReferences":
		b.namesAt, b.calcAt = t.End, t.End
	case "definedNames":
		b.calcAt = t.End
		if t.Empty {
			b.addNames(t.Start, t.End, false)
			return
		}
		b.addNames(t.Start, t.Start, true)
		if l := b.nameList; l.gone > 0 && l.gone == l.kids && l.more == 0 {
			b.edits = b.edits[:l.mark]
			b.put(l.start, t.End, "")
		}
	}
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

// list writes the list of sheets. Sheets of the file take the places of those
// that stay; a new one goes behind the sheet before it.
func (b *bookEdit) list() {
	texts := make([]string, len(b.listed))
	var places []int
	for i := range b.listed {
		if _, stays := b.index[i]; stays {
			places = append(places, i)
		}
	}
	first, k, id := "", 0, 0
	for _, s := range b.wb.Sheets {
		id = max(id, s.SheetID)
	}
	for _, s := range b.sheets {
		switch {
		case s.orig >= 0:
			texts[places[k]] = b.element(s)
			k++
		case k > 0:
			id++
			texts[places[k-1]] += b.newElement(s, id)
		default:
			id++
			first += b.newElement(s, id)
		}
	}
	if len(places) > 0 {
		texts[places[0]] = first + texts[places[0]]
	} else if first != "" {
		b.put(b.sheetsEnd, b.sheetsEnd, first)
	}
	for i, e := range b.listed {
		if texts[i] != string(b.wb.XML[e.tag.Start:e.end]) {
			b.put(e.tag.Start, e.end, texts[i])
		}
	}
}

// element returns the element of a sheet of the file with its new name and state.
func (b *bookEdit) element(s bookSheet) string {
	e, was := b.listed[s.orig], b.wb.Sheets[s.orig]
	tag := e.tag.Bytes()
	if s.name != was.Name {
		for a := range e.tag.Attrs() {
			if a.Name == "name" {
				tag = xmlscan.Apply(tag, []xmlscan.Splice{{Start: a.ValStart - e.tag.Start, End: a.ValEnd - e.tag.Start, New: []byte(sheetml.EscapeAttr(s.name))}})
			}
		}
	}
	if s.state != was.State {
		state := ""
		if s.state != "" {
			state = ` state="` + s.state + `"`
		}
		tag = sheetml.EditTag(tag, state, "state")
	}
	return string(tag) + string(b.wb.XML[e.tag.End:e.end])
}

// newElement returns the element of a new sheet.
func (b *bookEdit) newElement(s bookSheet, id int) string {
	rel, ns := b.rel, ""
	if rel == "" {
		rel, ns = "r:", ` xmlns:r="`+sheetml.RelNamespace+`"`
		if b.wb.Strict {
			ns = ` xmlns:r="` + xmlscan.Strict(sheetml.RelNamespace) + `"`
		}
	}
	return fmt.Sprintf(`<%ssheet%s name="%s" sheetId="%d" %sid="%s"/>`, b.prefix, ns, sheetml.EscapeAttr(s.name), id, rel, s.relID)
}

// definedName changes one name (18.2.5); true when it is gone.
func (b *bookEdit) definedName(t xmlscan.Token, end int) bool {
	d := b.wb.Names[b.seen]
	b.seen++
	scoped := d.Local >= 0 && d.Local < len(b.wb.Sheets)
	local, stays := d.Local, true
	if scoped {
		local, stays = b.index[d.Local]
	}
	n := b.byName[nameKey{local, strings.ToLower(d.Name)}]
	switch {
	case !stays, n != nil && (n.Text == "" || n.written):
		b.put(t.Start, end, "")
		return true
	case n != nil && t.Empty:
		n.written = true
		b.put(t.Start, end, b.nameXML(n))
		return false
	}
	if local != d.Local {
		for a := range t.Attrs() {
			if a.Name == "localSheetId" {
				b.put(a.ValStart, a.ValEnd, strconv.Itoa(local))
			}
		}
	}
	switch {
	case n != nil:
		n.written = true
		b.put(t.End, sheetml.EndTagStart(b.wb.XML, end), xmlscan.Escape(n.Text))
	case !t.Empty:
		return b.rewriteName(t, end, d, scoped)
	}
	return false
}

// rewriteName rewrites the formula of a name. A built-in name, such as a print
// area, goes with its cells: then the result is true.
func (b *bookEdit) rewriteName(t xmlscan.Token, end int, d book.DefinedName, scoped bool) bool {
	p := formula.Place{Keep: true}
	if scoped {
		p.Sheet = strings.ToLower(b.wb.Sheets[d.Local].Name)
	}
	now, changed := b.rw.Text(d.Text, p)
	if !changed {
		return false
	}
	if strings.HasPrefix(d.Name, "_xlnm.") && strings.Contains(now, "#REF!") {
		var left []string
		for tok := range formula.Tokens(now) {
			if tok.Kind == formula.Ref {
				left = append(left, now[tok.Start:tok.End])
			}
		}
		if now = strings.Join(left, ","); now == "" {
			b.put(t.Start, end, "")
			return true
		}
	}
	b.put(t.End, sheetml.EndTagStart(b.wb.XML, end), xmlscan.Escape(now))
	return false
}

// addNames writes the names that the workbook does not have yet in place of
// [from,to): into the list there, or as a new list.
func (b *bookEdit) addNames(from, to int, list bool) {
	xml := ""
	for _, n := range b.names {
		if !n.written && n.Text != "" {
			n.written = true
			b.nameList.more++
			xml += b.nameXML(n)
		}
	}
	if xml == "" {
		return
	}
	if !list {
		xml = "<" + b.prefix + "definedNames>" + xml + "</" + b.prefix + "definedNames>"
	}
	b.put(from, to, xml)
}

func (b *bookEdit) nameXML(n *bookName) string {
	attrs := ""
	if n.Local >= 0 {
		attrs = fmt.Sprintf(` localSheetId="%d"`, n.Local)
	}
	if n.hidden {
		attrs += ` hidden="1"`
	}
	return fmt.Sprintf(`<%sdefinedName name="%s"%s>%s</%sdefinedName>`, b.prefix, sheetml.EscapeAttr(n.Name), attrs, xmlscan.Escape(n.Text), b.prefix)
}

// view keeps the active and the first tab on the sheets they were on, as long
// as those can be seen.
func (b *bookEdit) view(t xmlscan.Token) {
	active := t.Local == "workbookView"
	for a := range t.Attrs() {
		if a.Name != "activeTab" && a.Name != "firstSheet" {
			continue
		}
		active = active && a.Name != "activeTab"
		n, err := strconv.Atoi(a.Value())
		if err != nil || n < 0 || n >= len(b.wb.Sheets) {
			continue
		}
		if to := b.tab(n); to != n {
			b.put(a.ValStart, a.ValEnd, strconv.Itoa(to))
		}
	}
	if to := b.tab(0); active && to != 0 {
		i := t.Start + sheetml.NameLen(t.Bytes())
		b.put(i, i, ` activeTab="`+strconv.Itoa(to)+`"`)
	}
}

// tab returns the new index of sheet n of the file. For a sheet that is gone or
// becomes hidden it is the first visible one from its place on, else the first
// one of all.
func (b *bookEdit) tab(n int) int {
	i, stays := b.index[n]
	if stays && b.sheets[i].state == b.wb.Sheets[n].State {
		return i
	}
	if !stays {
		i = min(n, len(b.sheets)-1)
	}
	for _, from := range []int{i, 0} {
		for k := from; k < len(b.sheets); k++ {
			if b.sheets[k].state == "" {
				return k
			}
		}
	}
	return 0
}
