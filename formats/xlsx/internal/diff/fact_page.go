package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// viewAttr is how a fact tells an attribute of a view.
type viewAttr struct {
	tells func(value string) bool // the value is not the default
	text  string                  // with % for the value
	warn  string
}

var viewAttrs = map[string]viewAttr{
	"showGridLines":     {isOff, "grid lines are not shown", ""},
	"showRowColHeaders": {isOff, "headings of rows and columns are not shown", ""},
	"showZeros":         {isOff, "zeros are not shown", "zeros are not shown"},
	"showFormulas":      {sheetml.IsTrue, "formulas are shown instead of values", ""},
	"rightToLeft":       {sheetml.IsTrue, "from right to left", ""},
	"tabSelected":       {sheetml.IsTrue, "selected sheet", ""},
	"zoomScale":         {isNot("100"), "zoom %%", ""},
	"view":              {isNot("normal"), "%", ""},
	"topLeftCell":       {isNot("A1"), "scrolled to %", ""},
}

func isOff(value string) bool { return !sheetml.IsTrue(value) }

func isNot(standard string) func(string) bool {
	return func(value string) bool { return value != standard }
}

// views lists how the sheet is shown (18.3.1.88).
func (d *sheetSide) views(raw []byte) error {
	n := 0
	return sheetml.EachChild(raw, func(t xmlscan.Token, xml []byte) error {
		v := sheetView{d: d}
		if n++; n > 1 {
			v.prefix = fmt.Sprintf("view %d: ", n)
		}
		v.attrs(t)
		return sheetml.EachChild(xml, v.child)
	})
}

// sheetView is one view of a sheet while it is told.
type sheetView struct {
	d      *sheetSide
	prefix string // of what is told; "" for the first view
}

func (v sheetView) say(key, text, warn string) {
	v.d.thing(inventory.Item{Kind: formats.FactView, Key: v.prefix + key, Text: v.prefix + text, WarnAdded: warn})
}

// attrs tells the attributes of the view that are not the default.
func (v sheetView) attrs(t xmlscan.Token) {
	for a := range t.Attrs() {
		value := a.Value()
		switch known, ok := viewAttrs[a.Name]; {
		case ok && known.tells(value):
			v.say(a.Name, strings.Replace(known.text, "%", value, 1), known.warn)
		case ok, a.Name == "workbookViewId", a.Name == "uid":
		default:
			v.say(a.Name, a.Name+" "+value, "")
		}
	}
}

// child tells a pane, a selection or another element of the view.
func (v sheetView) child(t xmlscan.Token, xml []byte) error {
	switch t.Local {
	case "pane":
		v.d.thing(inventory.Item{Kind: formats.FactView, Key: v.prefix + "pane", Text: v.prefix + paneWords(t)})
		if at := t.AttrLocal("topLeftCell"); at != "" {
			v.say("pane scroll", "the other pane begins at "+at, "")
		}
	case "selection":
		at := t.AttrLocal("sqref")
		if at == "" {
			at = "A1"
		}
		if active := t.AttrLocal("activeCell"); active != "" && active != at {
			at += ", active " + active
		}
		if pane := t.AttrLocal("pane"); at != "A1" || pane != "" {
			v.say("selection "+pane, strings.TrimSpace("selected "+at+" "+pane), "")
		}
	default:
		return v.d.element(xml, inventory.Item{Kind: formats.FactView, Key: v.prefix + t.Local, Text: t.Local})
	}
	return nil
}

func paneWords(t xmlscan.Token) string {
	state := t.AttrLocal("state")
	var parts []string
	frozen := strings.HasPrefix(state, "frozen")
	if y := t.AttrLocal("ySplit"); y != "" && y != "0" {
		if parts = append(parts, "split at "+y); frozen {
			n, _ := strconv.Atoi(y)
			parts[0] = formats.Count(n, "row")
		}
	}
	if v := t.AttrLocal("xSplit"); v != "" && v != "0" {
		s := "split at " + v
		if frozen {
			n, _ := strconv.Atoi(v)
			s = formats.Count(n, "column")
		}
		parts = append(parts, s)
	}
	if frozen {
		return "frozen: " + strings.Join(parts, " and ")
	}
	return "window " + strings.Join(parts, ", ")
}

// settings tells sheetPr (18.3.1.82).
func (d *sheetSide) settings(s sheetPart) error {
	for a := range s.tag.Attrs() {
		if a.Name != "filterMode" && a.Name != "uid" && !strings.HasPrefix(a.Name, "xmlns") {
			d.thing(inventory.Item{Kind: formats.FactSheet, Key: "setting " + a.Name, Text: a.Name + " " + a.Value()})
		}
	}
	return sheetml.EachChild(s.raw, func(t xmlscan.Token, raw []byte) error {
		switch t.Local {
		case "tabColor":
			d.thing(inventory.Item{Kind: formats.FactSheet, Key: "tab", Text: "tab colour " + d.book.book.Color(t)})
			return nil
		case "outlinePr":
			return d.attrs(t, formats.FactOutline, "outline")
		case "pageSetUpPr":
			return d.attrs(t, formats.FactPageSetup, "page")
		}
		return errUntold
	})
}

// attrWords lead the names of attributes that say too little.
var attrWords = map[string]string{"pageMargins": "margin", "printOptions": "print", "outline": "outline"}

// attrs tells each attribute of an element.
func (d *sheetSide) attrs(t xmlscan.Token, kind, prefix string) error {
	for a := range t.Attrs() {
		if strings.HasPrefix(a.Name, "xmlns") || a.Name == "uid" {
			continue
		}
		th := inventory.Item{Kind: kind, Key: prefix + " " + a.Name, Text: strings.TrimSpace(attrWords[prefix] + " " + spaced(a.Name) + " " + book.Clip(a.Value(), 100))}
		if strings.HasSuffix(a.Name, ":id") {
			th.Text = "settings of the printer"
			if i := slices.IndexFunc(d.rels, func(r opc.Relationship) bool { return r.ID == a.Value() }); i >= 0 {
				th.Sum = d.canon.Target(d.rels[i].Target)
			}
		}
		d.thing(th)
	}
	return nil
}

// spaced writes fitToHeight as "fit to height".
func spaced(s string) string {
	var sb strings.Builder
	for i, r := range s {
		if r >= 'A' && r <= 'Z' && i > 0 {
			sb.WriteByte(' ')
			r |= 0x20
		}
		sb.WriteRune(r)
	}
	return sb.String()
}

// defaults tells the sizes of rows and columns that have none of their own
// (18.3.1.81).
func (d *sheetSide) defaults(s sheetPart) error {
	for a := range s.tag.Attrs() {
		v := a.Value()
		th := inventory.Item{Kind: formats.FactRowHeight, Key: "default " + a.Name, Text: spaced(a.Name) + " " + v}
		switch a.Name {
		case "dyDescent", "outlineLevelRow", "outlineLevelCol", "x14ac:dyDescent":
			continue // derived, or of no effect beside the width
		case "defaultColWidth":
			if th.Kind = formats.FactColumnWidth; v == "0" {
				th.WarnAdded = "columns have no width"
			}
		case "zeroHeight":
			if !sheetml.IsTrue(v) {
				continue
			}
			th.Kind, th.Text, th.WarnAdded = formats.FactHiddenRows, "all rows without a height of their own are hidden", "all rows without a height of their own are hidden"
		case "customHeight", "thickTop", "thickBottom":
			if !sheetml.IsTrue(v) {
				continue
			}
		}
		if strings.HasPrefix(a.Name, "xmlns") {
			continue
		}
		d.thing(th)
	}
	return nil
}

// page tells print options, margins and set-up (18.3.1.63 and on).
func (d *sheetSide) page(s sheetPart) error {
	return d.attrs(s.tag, formats.FactPageSetup, s.local)
}

// headers tells the texts at the top and foot of printed pages (18.3.1.46).
func (d *sheetSide) headers(raw []byte) error {
	if t, ok := rootOf(raw); ok {
		if err := d.attrs(t, formats.FactPageSetup, "header"); err != nil {
			return err
		}
	}
	return sheetml.EachChild(raw, func(t xmlscan.Token, e []byte) error {
		kind := formats.FactHeader
		if strings.HasSuffix(t.Local, "Footer") {
			kind = formats.FactFooter
		}
		text := sheetml.CharData(e)
		if text == "" {
			return nil
		}
		d.thing(inventory.Item{Kind: kind, Key: t.Local, Text: spaced(t.Local) + " “" + book.Clip(book.OneLine(text), 200) + "”", Sum: inventory.SumOf([]byte(text))})
		return nil
	})
}

// breaks tells page breaks (18.3.1.74).
func (d *sheetSide) breaks(s sheetPart) error {
	return sheetml.EachChild(s.raw, func(t xmlscan.Token, _ []byte) error {
		id := sheetml.Atoi([]byte(t.AttrLocal("id")))
		text := fmt.Sprintf("page break below row %d", id)
		if s.local == "colBreaks" {
			text = "page break behind column " + cellref.ColumnName(max(id, 0))
		}
		var more []string
		for a := range t.Attrs() {
			if !slices.Contains([]string{"id", "man", "min", "max"}, a.Name) {
				more = append(more, a.Name+"="+a.Value())
			}
		}
		if !sheetml.IsTrue(t.AttrLocal("man")) {
			text += " (automatic)"
		}
		d.thing(inventory.Item{Kind: formats.FactPageSetup, Key: s.local + strconv.Itoa(id), Text: strings.TrimSpace(text + " " + strings.Join(more, " "))})
		return nil
	})
}
