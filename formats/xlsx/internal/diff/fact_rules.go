package diff

import (
	"bytes"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// textsOf are the texts of the elements with those local names.
func textsOf(raw []byte, locals ...string) []string {
	var out []string
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Empty {
			continue
		}
		for _, l := range locals {
			if t.Local == l {
				out = append(out, strings.TrimSpace(plain(raw[t.End:sheetml.EndTagStart(raw, sc.Skip())])))
				break
			}
		}
	}
	return out
}

// plain is the character data of XML content, its tags left out.
func plain(b []byte) string {
	var sb strings.Builder
	for len(b) > 0 {
		i := bytes.IndexByte(b, '<')
		if i < 0 {
			sb.WriteString(sheetml.CharData(b))
			break
		}
		sb.WriteString(sheetml.CharData(b[:i]))
		j := bytes.IndexByte(b[i:], '>')
		if j < 0 {
			break
		}
		b = b[i+j+1:]
	}
	return sb.String()
}

var operatorWords = map[string]string{"lessThan": "<", "lessThanOrEqual": "<=", "equal": "=", "notEqual": "<>", "greaterThanOrEqual": ">=", "greaterThan": ">", "between": "between", "notBetween": "not between"}

// conditional lists the rules of a conditionalFormatting (18.3.1.18), also of the
// 2009 extension.
func (d *sheetSide) conditional(raw []byte) error {
	at := ""
	if t, ok := rootOf(raw); ok {
		at = t.AttrLocal("sqref")
	}
	if list := textsOf(raw, "sqref"); at == "" && len(list) > 0 {
		at = list[0]
	}
	return childrenOf(raw, func(t xmlscan.Token, rule []byte) error {
		if t.Local != "cfRule" {
			return nil
		}
		look := ""
		var dxf inventory.Sum
		if i := sheetml.Atoi([]byte(t.AttrLocal("dxfId"))); i >= 0 && i < len(d.book.book.dxfs) {
			look, dxf = d.book.book.dxf(i), inventory.SumOf(d.book.book.dxfs[i])
		}
		text := ruleWords(t, rule)
		if look != "" {
			text += " → " + look
		}
		th := inventory.Item{Kind: formats.FactCondFormat, Key: at + " " + t.AttrLocal("type"), At: blocks(at), Text: text, Sum: dxf}
		if how := d.book.book.dxfHides(sheetml.Atoi([]byte(t.AttrLocal("dxfId")))); how != "" {
			th.WarnAdded = "the conditional format hides values: " + how
		}
		return d.element(rule, th)
	})
}

func rootOf(raw []byte) (xmlscan.Token, bool) {
	sc := xmlscan.New(raw)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start {
			return t, true
		}
	}
	return xmlscan.Token{}, false
}

// blocks writes a list of blocks with commas.
func blocks(sqref string) string { return placesOf(strings.Fields(sqref), 0) }

func ruleWords(t xmlscan.Token, raw []byte) string {
	f := textsOf(raw, "formula", "f")
	first := strings.Join(f, " and ")
	switch typ := t.AttrLocal("type"); typ {
	case "cellIs":
		return "cell " + operatorWords[t.AttrLocal("operator")] + " " + first
	case "expression":
		return "formula " + first
	case "containsText", "notContainsText", "beginsWith", "endsWith":
		return map[string]string{"containsText": "contains", "notContainsText": "does not contain", "beginsWith": "begins with", "endsWith": "ends with"}[typ] + " “" + t.AttrLocal("text") + "”"
	case "top10":
		s := "top "
		if sheetml.IsTrue(t.AttrLocal("bottom")) {
			s = "bottom "
		}
		s += t.AttrLocal("rank")
		if sheetml.IsTrue(t.AttrLocal("percent")) {
			s += "%"
		}
		return s
	case "aboveAverage":
		if v, ok := t.Attr("aboveAverage"); ok && !sheetml.IsTrue(v) {
			return "below average"
		}
		return "above average"
	case "duplicateValues":
		return "duplicate values"
	case "uniqueValues":
		return "unique values"
	case "dataBar":
		return "data bar"
	case "colorScale":
		return "colour scale"
	case "iconSet":
		return "icons"
	case "timePeriod":
		return "dates: " + t.AttrLocal("timePeriod")
	default:
		return strings.TrimSpace(typ + " " + first)
	}
}

// dxf says a format of a rule (18.8.14) in words.
func (lb *lookBook) dxf(i int) string {
	l := lb.dxfLook(i)
	if l == nil {
		return ""
	}
	return l.say()
}

func (lb *lookBook) dxfHides(i int) string {
	if l := lb.dxfLook(i); l != nil {
		if l.props[lookColor] == "" && l.props[lookFill] == "" && l.props[lookNumber] == "" {
			return ""
		}
		return l.hides()
	}
	return ""
}

func (lb *lookBook) dxfLook(i int) *look {
	if i < 0 || i >= len(lb.dxfs) {
		return nil
	}
	l := &look{}
	_ = childrenOf(lb.dxfs[i], func(t xmlscan.Token, raw []byte) error {
		switch t.Local {
		case "font":
			lb.font(raw, l)
		case "fill":
			lb.fill(raw, l)
			if c := textColor(lb, raw, "bgColor"); c != "" { // what a solid fill of a rule has
				l.props[lookFill] = c
			}
		case "border":
			lb.border(raw, l)
		case "numFmt":
			l.props[lookNumber] = t.AttrLocal("formatCode")
		}
		return nil
	})
	return l
}

// textColor is the colour of the element called local.
func textColor(lb *lookBook, raw []byte, local string) string {
	sc := xmlscan.New(raw)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Local == local {
			return lb.color(t)
		}
	}
	return ""
}

// validations lists data validations (18.3.1.32), also of the 2009 extension.
func (d *sheetSide) validations(raw []byte) error {
	if t, ok := rootOf(raw); ok && sheetml.IsTrue(t.AttrLocal("disablePrompts")) {
		d.thing(inventory.Item{Kind: formats.FactValidation, Key: "prompts", Text: "prompts of validations are not shown"})
	}
	return childrenOf(raw, func(t xmlscan.Token, v []byte) error {
		if t.Local != "dataValidation" {
			return nil
		}
		at := t.AttrLocal("sqref")
		if list := textsOf(v, "sqref"); at == "" && len(list) > 0 {
			at = list[0]
		}
		return d.element(v, inventory.Item{Kind: formats.FactValidation, Key: at, At: blocks(at), Text: validationWords(t, v)})
	})
}

func validationWords(t xmlscan.Token, raw []byte) string {
	f := textsOf(raw, "formula1", "formula2")
	typ := t.AttrLocal("type")
	var s string
	switch typ {
	case "", "none":
		s = "any value"
	case "list":
		s = "list " + strings.Join(f, "")
	case "custom":
		s = "formula " + strings.Join(f, "")
	default:
		op := operatorWords[t.AttrLocal("operator")]
		if op == "" {
			op = "between"
		}
		s = map[string]string{"whole": "whole number", "decimal": "number", "textLength": "text length"}[typ]
		if s == "" {
			s = typ
		}
		s += " " + op + " " + strings.Join(f, " and ")
	}
	if p := t.AttrLocal("prompt"); p != "" {
		s += ", prompt “" + book.Clip(p, 60) + "”"
	}
	if e := t.AttrLocal("error"); e != "" {
		s += ", error “" + book.Clip(e, 60) + "”"
	}
	if style := t.AttrLocal("errorStyle"); style == "warning" || style == "information" {
		s += ", " + style + " only"
	}
	return s
}

// links lists hyperlinks (18.3.1.47).
func (d *sheetSide) links(raw []byte) error {
	return childrenOf(raw, func(t xmlscan.Token, v []byte) error {
		at := t.AttrLocal("ref")
		target, id := "", ""
		for a := range t.Attrs() {
			if strings.HasSuffix(a.Name, ":id") {
				id = a.Value()
			}
		}
		for _, r := range d.rels {
			if r.ID == id && id != "" {
				target = r.Target
			}
		}
		text := "link to " + target
		if loc := t.AttrLocal("location"); loc != "" {
			if text = "link to " + loc + " in this workbook"; target != "" {
				text = "link to " + target + "#" + loc
			}
		}
		if tip := t.AttrLocal("tooltip"); tip != "" {
			text += ", tip “" + book.Clip(tip, 80) + "”"
		}
		return d.element(v, inventory.Item{Kind: formats.FactLink, Key: at, At: at, Text: text})
	})
}

// filter tells an autofilter (18.3.1.2): its block, criteria and the rows they
// hide.
func (d *sheetSide) filter(raw []byte) error {
	t, _ := rootOf(raw)
	text, criteria := filterWords(raw)
	th := inventory.Item{Kind: formats.FactFilter, Key: "filter", At: t.AttrLocal("ref"), Text: text}
	if criteria {
		r := cellref.ParseAttr(t.AttrLocal("ref"))
		n := 0
		for _, run := range d.scan.rows {
			if run.hidden {
				n += max(0, min(run.to, r.R2)-max(run.from, r.R1+1)+1)
			}
		}
		if n > 0 {
			th.Text += fmt.Sprintf(", %s hidden", formats.Count(n, "row"))
			th.WarnAdded = fmt.Sprintf("the filter hides %s", formats.Count(n, "row"))
		}
	}
	return d.element(raw, th)
}

// filterWords says a filter and whether it chooses rows.
func filterWords(raw []byte) (text string, criteria bool) {
	var out []string
	col := 0
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch t.Local {
		case "filterColumn":
			col = sheetml.Atoi([]byte(t.AttrLocal("colId"))) + 1
		case "filter":
			out = append(out, fmt.Sprintf("column %d is %s", col, book.Clip(t.AttrLocal("val"), 40)))
		case "filters":
			if sheetml.IsTrue(t.AttrLocal("blank")) {
				out = append(out, fmt.Sprintf("column %d is blank", col))
			}
		case "customFilter":
			op := operatorWords[t.AttrLocal("operator")]
			if op == "" {
				op = "="
			}
			out = append(out, fmt.Sprintf("column %d %s %s", col, op, book.Clip(t.AttrLocal("val"), 40)))
		case "top10", "dynamicFilter", "colorFilter", "iconFilter", "dateGroupItem":
			out = append(out, fmt.Sprintf("column %d by %s", col, t.Local))
		}
	}
	if len(out) == 0 {
		return "filter buttons", false
	}
	return "filter: " + placesOf(out, 0), true
}

// extensions lists what the extensions of a sheet hold ([MS-XLSX] 2.3).
func (d *sheetSide) extensions(raw []byte) error {
	return childrenOf(raw, func(_ xmlscan.Token, ext []byte) error {
		return childrenOf(ext, func(t xmlscan.Token, v []byte) error {
			switch t.Local {
			case "conditionalFormattings":
				return childrenOf(v, func(_ xmlscan.Token, cf []byte) error { return d.conditional(cf) })
			case "dataValidations":
				return d.validations(v)
			case "sparklineGroups":
				return childrenOf(v, func(t xmlscan.Token, g []byte) error {
					places, src := textsOf(g, "sqref"), textsOf(g, "f")
					return d.element(g, inventory.Item{Kind: formats.FactChart, Key: "sparklines", At: placesOf(places, 0), Text: "sparklines of " + placesOf(src, 0), WarnRemoved: "lost: sparklines"})
				})
			case "slicerList", "timelineRefs":
				return nil // told with their parts
			}
			return d.element(v, inventory.Item{Kind: formats.FactPart, Key: t.Local, Text: t.Local, WarnAdded: "changed in a way that cannot be told here: " + t.Local})
		})
	})
}

// embedded lists embedded objects and controls (18.3.1.60, 18.3.1.20).
func (d *sheetSide) embedded(s sheetPart) error {
	kind, word := formats.FactObject, "embedded object"
	if s.local == "controls" {
		kind, word = formats.FactControl, "control"
	}
	seen := map[string]bool{}
	sc := xmlscan.New(s.raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Local != "oleObject" && t.Local != "control" {
			continue
		}
		raw := s.raw[t.Start:max(t.End, sc.Skip())]
		id := t.AttrLocal("shapeId")
		if seen[id] {
			continue // for programs that do not know the first form
		}
		seen[id] = true
		text := strings.Join(strings.Fields(word+" "+t.AttrLocal("name")+" "+t.AttrLocal("progId")), " ")
		if err := d.element(raw, inventory.Item{Kind: kind, Key: s.local + " " + id, Text: text, WarnAdded: "a new " + text, WarnRemoved: "lost: " + text}); err != nil {
			return err
		}
	}
	return sc.Err()
}

// protection tells what a protected sheet forbids (18.3.1.85).
func (d *sheetSide) protection(s sheetPart) error {
	var allowed []string
	on := sheetml.IsTrue(s.tag.AttrLocal("sheet"))
	for a := range s.tag.Attrs() {
		switch a.Name {
		case "formatCells", "formatColumns", "formatRows", "insertColumns", "insertRows", "insertHyperlinks", "deleteColumns", "deleteRows", "sort", "autoFilter", "pivotTables":
			if !sheetml.IsTrue(a.Value()) {
				allowed = append(allowed, a.Name)
			}
		}
	}
	text := "the sheet is protected"
	if !on {
		text = "the sheet is not protected"
	}
	if s.tag.AttrLocal("password") != "" || s.tag.AttrLocal("hashValue") != "" {
		text += " with a password"
	}
	if len(allowed) > 0 {
		text += ", allowing " + strings.Join(allowed, ", ")
	}
	th := inventory.Item{Kind: formats.FactProtection, Key: "protection", Text: text}
	if on {
		th.WarnRemoved = "the sheet is no longer protected"
	} else {
		th.WarnAdded = "the sheet is not protected"
	}
	return d.element(s.raw, th)
}
