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

// views lists how the sheet is shown (18.3.1.88).
func (d *sheetSide) views(raw []byte) error {
	n := 0
	return childrenOf(raw, func(v xmlscan.Token, view []byte) error {
		n++
		prefix := ""
		if n > 1 {
			prefix = fmt.Sprintf("view %d: ", n)
		}
		say := func(key, text, warn string) {
			d.thing(inventory.Item{Kind: formats.FactView, Key: prefix + key, Text: prefix + text, WarnAdded: warn})
		}
		for a := range v.Attrs() {
			val := a.Value()
			switch a.Name {
			case "showGridLines":
				if !sheetml.IsTrue(val) {
					say(a.Name, "grid lines are not shown", "")
				}
			case "showRowColHeaders":
				if !sheetml.IsTrue(val) {
					say(a.Name, "headings of rows and columns are not shown", "")
				}
			case "showZeros":
				if !sheetml.IsTrue(val) {
					say(a.Name, "zeros are not shown", "zeros are not shown")
				}
			case "showFormulas":
				if sheetml.IsTrue(val) {
					say(a.Name, "formulas are shown instead of values", "")
				}
			case "rightToLeft":
				if sheetml.IsTrue(val) {
					say(a.Name, "from right to left", "")
				}
			case "tabSelected":
				if sheetml.IsTrue(val) {
					say(a.Name, "selected sheet", "")
				}
			case "zoomScale":
				if val != "100" {
					say(a.Name, "zoom "+val+"%", "")
				}
			case "view":
				if val != "normal" {
					say(a.Name, val, "")
				}
			case "topLeftCell":
				if val != "A1" {
					say(a.Name, "scrolled to "+val, "")
				}
			case "workbookViewId", "uid":
			default:
				say(a.Name, a.Name+" "+val, "")
			}
		}
		return childrenOf(view, func(t xmlscan.Token, e []byte) error {
			switch t.Local {
			case "pane":
				d.thing(inventory.Item{Kind: formats.FactView, Key: prefix + "pane", Text: prefix + paneWords(t)})
				if at := t.AttrLocal("topLeftCell"); at != "" {
					say("pane scroll", "the other pane begins at "+at, "")
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
					say("selection "+pane, strings.TrimSpace("selected "+at+" "+pane), "")
				}
			default:
				return d.element(e, inventory.Item{Kind: formats.FactView, Key: prefix + t.Local, Text: t.Local})
			}
			return nil
		})
	})
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
	return childrenOf(s.raw, func(t xmlscan.Token, raw []byte) error {
		switch t.Local {
		case "tabColor":
			d.thing(inventory.Item{Kind: formats.FactSheet, Key: "tab", Text: "tab colour " + d.book.book.color(t)})
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
	return childrenOf(raw, func(t xmlscan.Token, e []byte) error {
		kind := formats.FactHeader
		if strings.HasSuffix(t.Local, "Footer") {
			kind = formats.FactFooter
		}
		text := plain(e)
		if text == "" {
			return nil
		}
		d.thing(inventory.Item{Kind: kind, Key: t.Local, Text: spaced(t.Local) + " “" + book.Clip(book.OneLine(text), 200) + "”", Sum: inventory.SumOf([]byte(text))})
		return nil
	})
}

// breaks tells page breaks (18.3.1.74).
func (d *sheetSide) breaks(s sheetPart) error {
	return childrenOf(s.raw, func(t xmlscan.Token, _ []byte) error {
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
