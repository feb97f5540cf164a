package xlsx

import (
	"slices"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// refKind says what an attribute that names cells holds, and what becomes of
// its element when all of them are gone.
type refKind uint8

const (
	dropsWith refKind = 1 << iota // the element goes with its cells; else it keeps the nearest
	isList                        // several blocks with blanks (ST_Sqref)
	isCell
)

// refAttrs are the attributes of a sheet, its tables, notes and pivots that
// name cells of that sheet, by element and attribute.
var refAttrs = map[string]refKind{
	"dimension@ref": 0, "sheetPr@syncRef": 0,
	"sheetView@topLeftCell": isCell, "customSheetView@topLeftCell": isCell, "pane@topLeftCell": isCell,
	"selection@activeCell": isCell, "selection@sqref": isList,
	"protectedRange@sqref": isList | dropsWith, "scenarios@sqref": isList, "inputCells@r": isCell | dropsWith,
	"autoFilter@ref": dropsWith, "sortState@ref": dropsWith, "sortCondition@ref": dropsWith,
	"mergeCell@ref": dropsWith, "hyperlink@ref": dropsWith, "cellWatch@r": isCell | dropsWith,
	"conditionalFormatting@sqref": isList | dropsWith, "dataValidation@sqref": isList | dropsWith, "ignoredError@sqref": isList | dropsWith,
	"table@ref": 0, "comment@ref": isCell | dropsWith, "threadedComment@ref": isCell | dropsWith,
	"location@ref": 0, "singleXmlCell@r": isCell | dropsWith, "nsvFilter@ref": dropsWith,
}

// formulaElems are the elements of a sheet whose text is a formula.
var formulaElems = []string{"formula", "formula1", "formula2", "f"}

// formulaAttrNames are attributes of any part that hold a reference to cells.
var formulaAttrNames = map[string]bool{
	"hyperlink@location": true, "controlPr@linkedCell": true, "controlPr@listFillRange": true,
	"formControlPr@fmlaLink": true, "formControlPr@fmlaRange": true, "formControlPr@fmlaTxbx": true, "formControlPr@fmlaGroup": true,
	"sp@textlink": true,
}

// emptied are the elements that go when the last of their children does.
var emptied = strings.Fields("mergeCells conditionalFormattings dataValidations hyperlinks ignoredErrors cellWatches rowBreaks colBreaks sparklines sparklineGroups ext extLst protectedRanges scenarios tableParts cols tableColumns dataRefs")

// walk lets one XML part follow.
type walk struct {
	rw    *formula.Rewriter
	home  string // lower-case name of the sheet the part belongs to
	elems []string
	doc   []byte
	edits []xmlscan.Splice
	open  []frame
	drop  map[string]bool // ids of tableParts that are gone
	table *book.Table     // the part is this table
	newID int
}

// frame is an open element.
type frame struct {
	local      string
	start      int
	mark       int // edits before it
	kids, gone int
	more       int  // children added
	cut        bool // goes because of a child
	tag        xmlscan.Token
	area       cellref.Range // conditionalFormatting, dataValidation: the block around its cells
	moved      cellref.Range
	order      []kid // of children whose order a move changes
}

// own reports whether the part belongs to the sheet whose cells move.
func (w *walk) own() bool { return w.rw.Shift != nil && w.home == w.rw.Sheet }

// run gives the changes; doc may be cut off behind the last element.
func (w *walk) run(doc []byte) ([]xmlscan.Splice, error) {
	w.doc = doc
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch t.Kind {
		case xmlscan.Start:
			if n := len(w.open); n > 0 {
				w.open[n-1].kids++
			}
			mark := len(w.edits)
			f := frame{local: t.Local, start: t.Start, mark: mark, tag: t}
			if !w.start(t, &f) {
				w.remove(t.Start, sc.Skip(), mark)
				continue
			}
			switch {
			case t.Empty:
			case slices.Contains(w.elems, t.Local) || t.Local == "sqref":
				w.content(t, sheetml.EndTagStart(doc, sc.Skip()))
			case t.Local == "name" && w.in("pivotSource"):
				w.pivotName(t.End, sheetml.EndTagStart(doc, sc.Skip()))
			default:
				w.open = append(w.open, f)
			}
		case xmlscan.End:
			if n := len(w.open); n > 0 {
				f := w.open[n-1]
				w.open = w.open[:n-1]
				w.end(f, t)
			}
		}
	}
	return w.edits, sc.Err()
}

// in reports whether the current element is a child of one with that name.
func (w *walk) in(local string) bool {
	n := len(w.open)
	return n > 0 && w.open[n-1].local == local
}

// pivotName follows the name of the pivot table that a chart shows (21.2.2.144):
// "[book.xlsx]Sheet!Table".
func (w *walk) pivotName(from, to int) {
	text := sheetml.CharData(w.doc[from:to])
	bang := strings.LastIndexByte(text, '!')
	book := strings.LastIndexByte(text[:max(bang, 0)], ']') + 1
	if bang < 0 {
		return
	}
	if now, ok := w.rw.Names[strings.ToLower(text[book:bang])]; ok {
		w.put(from, to, xmlscan.Escape(text[:book]+now+text[bang:]))
	}
}

// remove takes an element out with all changes inside it.
func (w *walk) remove(from, to, mark int) {
	w.edits = append(w.edits[:mark], xmlscan.Splice{Start: from, End: to})
	if n := len(w.open); n > 0 {
		w.open[n-1].gone++
	}
}

func (w *walk) put(from, to int, s string) {
	w.edits = append(w.edits, xmlscan.Splice{Start: from, End: to, New: []byte(s)})
}

// end closes an element: it goes when it has been emptied, and its count is
// brought up to date.
func (w *walk) end(f frame, t xmlscan.Token) {
	if f.cut || f.gone > 0 && f.gone == f.kids && f.more == 0 && slices.Contains(emptied, f.local) {
		w.remove(f.start, t.End, f.mark)
		if n := len(w.open); n > 0 && f.local == "sparklines" {
			w.open[n-1].cut = true
		}
		return
	}
	w.reorder(f, t.Start)
	if f.gone == 0 && f.more == 0 {
		return
	}
	for a := range f.tag.Attrs() {
		if n, err := strconv.Atoi(a.Value()); err == nil && (a.Name == "count" || a.Name == "manualBreakCount") {
			w.put(a.ValStart, a.ValEnd, strconv.Itoa(max(n-f.gone+f.more, 0)))
		}
	}
}

// start changes a start tag; false when the element is gone.
func (w *walk) start(t xmlscan.Token, f *frame) bool {
	for a := range t.Attrs() {
		if !w.attr(t, a, f) {
			return false
		}
	}
	switch t.Local {
	case "cfvo":
		w.threshold(t)
	case "dataRef":
		return w.dataRef(t)
	case "tablePart":
		if w.drop[t.AttrLocal("id")] {
			return false
		}
	}
	if !w.own() {
		return true
	}
	w.noteKid(t)
	switch t.Local {
	case "conditionalFormatting", "dataValidation", "sparkline":
		if f.area.Empty() {
			return w.extArea(t, f)
		}
	case "brk":
		return w.pageBreak(t)
	case "col":
		return w.column(t)
	case "filterColumn":
		return w.filterColumn(t)
	case "pane":
		w.pane(t)
	case "tableColumn":
		return w.tableColumn(t)
	case "table":
		w.totals(t)
	}
	return w.anchor(t)
}

// attr follows one attribute; false when its element is gone.
func (w *walk) attr(t xmlscan.Token, a xmlscan.Attr, f *frame) bool {
	key := t.Local + "@" + a.Name
	if formulaAttrNames[key] {
		if now, changed := w.rw.Text(a.Value(), formula.Place{Sheet: w.home}); changed && !strings.Contains(now, "#REF!") {
			w.put(a.ValStart, a.ValEnd, xmlscan.Escape(now))
		}
	}
	kind, ok := refAttrs[key]
	return !ok || !w.own() || w.cells(t, a, kind, f)
}

// cells follows an attribute that names cells.
func (w *walk) cells(t xmlscan.Token, a xmlscan.Attr, kind refKind, f *frame) bool {
	old := a.Value()
	if w.rw.Shift.Moves() {
		switch t.Local {
		case "sheetView", "customSheetView", "pane", "selection", "sheetPr":
			return true // what a person looks at stays where it is
		case "dimension":
			kind |= isList
		}
	}
	now, area, moved := w.refs(old, kind)
	if t.Local == "dimension" && w.rw.Shift.Moves() {
		now = moved.String()
	}
	if now == "" {
		if kind&dropsWith != 0 {
			return false
		}
		now = w.nearest(old)
	}
	if t.Local == "mergeCell" && !strings.Contains(now, ":") {
		return false
	}
	f.area, f.moved = area, moved
	if now != old {
		w.put(a.ValStart, a.ValEnd, now)
	}
	return true
}

// refs follows a list of blocks; area and moved are the blocks around them
// before and after.
func (w *walk) refs(s string, kind refKind) (now string, area, moved cellref.Range) {
	var out []string
	for _, one := range strings.Fields(s) {
		r := cellref.ParseAttr(one)
		if r.Empty() {
			out = append(out, one)
			continue
		}
		area.Add(r.R1, r.C1)
		area.Add(r.R2, r.C2)
		if w.rw.Shift.Moves() && kind&isList != 0 {
			for _, to := range w.rw.Shift.Ranges(r) {
				moved.Add(to.R1, to.C1)
				moved.Add(to.R2, to.C2)
				out = joinRef(out, to, w.rw.Shift.Cols)
			}
			continue
		}
		to := w.rw.Shift.Range(r)
		if to.Empty() {
			continue
		}
		moved.Add(to.R1, to.C1)
		moved.Add(to.R2, to.C2)
		switch {
		case to == r:
			out = append(out, one)
		default:
			out = append(out, to.String())
		}
	}
	return strings.Join(out, " "), area, moved
}

// nearest is where something that cannot go ends up when its cells are gone.
func (w *walk) nearest(s string) string {
	first, _, _ := strings.Cut(s, " ")
	r := cellref.ParseAttr(first)
	at, _ := w.rw.Shift.Cell(cellref.At(max(r.R1, 1), max(r.C1, 1)))
	return cellref.Name(at.Row, at.Col)
}

// content follows the text of a formula element or an xm:sqref.
func (w *walk) content(t xmlscan.Token, end int) {
	if end < t.End {
		return
	}
	old := sheetml.CharData(w.doc[t.End:end])
	if t.Local == "sqref" && !slices.Contains(w.elems, "sqref") {
		if !w.own() {
			return
		}
		if now, _, _ := w.refs(old, isList); now != "" && now != old {
			w.put(t.End, end, now)
		}
		return
	}
	if now, changed := w.rw.Text(old, w.place()); changed {
		w.put(t.End, end, xmlscan.Escape(now))
	}
}

// place says what relative references mean here: in a rule they hold for the
// first cell of its area.
func (w *walk) place() formula.Place {
	p := formula.Place{Sheet: w.home}
	for i := len(w.open) - 1; i >= 0 && w.own(); i-- {
		if f := w.open[i]; (f.local == "conditionalFormatting" || f.local == "dataValidation") && !f.area.Empty() {
			if a, b := w.rw.Shift.Side(f.area); w.rw.Shift.Moves() && w.rw.Shift.Keeps(a, b) {
				break // what it reads is where its cells find it
			}
			p.Keep = true
			from, _ := w.rw.Shift.Side(f.area)
			to, _ := w.rw.Shift.Side(f.moved)
			p.Delta = to - from
			break
		}
	}
	return p
}

// threshold follows the formula of a colour scale, data bar or icon set.
func (w *walk) threshold(t xmlscan.Token) {
	for a := range t.Attrs() {
		v := a.Value()
		if a.Name != "val" || strings.Trim(v, "0123456789.-+eE") == "" {
			continue
		}
		if now, changed := w.rw.Text(v, w.place()); changed {
			w.put(a.ValStart, a.ValEnd, xmlscan.Escape(now))
		}
	}
}

// dataRef is a source of a consolidation (18.3.1.31), worksheetSource and
// rangeSet ones of a pivot cache (18.10.1.95): a block with its sheet.
func (w *walk) dataRef(t xmlscan.Token) bool {
	sheet, here := t.Attr("sheet")
	if !here {
		sheet = w.home
	}
	if _, elsewhere := t.Attr("id"); elsewhere || strings.Contains(string(t.Bytes()), ":id=") {
		return true
	}
	now, renamed := w.rw.Names[strings.ToLower(sheet)]
	moves := w.rw.Shift != nil && strings.ToLower(sheet) == w.rw.Sheet
	for a := range t.Attrs() {
		switch {
		case a.Name == "sheet" && renamed:
			w.put(a.ValStart, a.ValEnd, sheetml.EscapeAttr(now))
		case a.Name == "ref" && moves:
			r := cellref.ParseAttr(a.Value())
			if to := w.rw.Shift.Range(r); !to.Empty() && to != r {
				w.put(a.ValStart, a.ValEnd, to.String())
			}
		}
	}
	return true
}
