package diff

import (
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/rules"
	"atelier/formats/xlsx/internal/sheetml"
)

// conditional lists the rules of a conditionalFormatting (18.3.1.18), also of the
// 2009 extension.
func (d *sheetSide) conditional(raw []byte) error {
	at := ""
	if t, ok := rootOf(raw); ok {
		at = t.AttrLocal("sqref")
	}
	if list := sheetml.TextsOf(raw, "sqref"); at == "" && len(list) > 0 {
		at = list[0]
	}
	return sheetml.EachChild(raw, func(t xmlscan.Token, rule []byte) error {
		if t.Local != "cfRule" {
			return nil
		}
		look := ""
		var dxf inventory.Sum
		if i := sheetml.Atoi([]byte(t.AttrLocal("dxfId"))); i >= 0 && i < len(d.book.book.DXFs) {
			look, dxf = d.book.book.DXF(i), inventory.SumOf(d.book.book.DXFs[i])
		}
		text := d.words().Format(t, rule)
		if look != "" {
			text += " → " + look
		}
		th := inventory.Item{Kind: formats.FactCondFormat, Key: at + " " + t.AttrLocal("type"), At: blocks(at), Text: text, Sum: dxf}
		if how := d.book.book.DXFHides(sheetml.Atoi([]byte(t.AttrLocal("dxfId")))); how != "" {
			th.WarnAdded = "the conditional format hides values: " + how
		}
		return d.element(rule, th)
	})
}

// words says rules of the workbook in words.
func (d *sheetSide) words() rules.Words {
	return rules.Words{Looks: d.book.book, Date1904: d.book.Date1904}
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

// validations lists data validations (18.3.1.32), also of the 2009 extension.
func (d *sheetSide) validations(raw []byte) error {
	if t, ok := rootOf(raw); ok && sheetml.IsTrue(t.AttrLocal("disablePrompts")) {
		d.thing(inventory.Item{Kind: formats.FactValidation, Key: "prompts", Text: "prompts of validations are not shown"})
	}
	return sheetml.EachChild(raw, func(t xmlscan.Token, v []byte) error {
		if t.Local != "dataValidation" {
			return nil
		}
		at := t.AttrLocal("sqref")
		if list := sheetml.TextsOf(v, "sqref"); at == "" && len(list) > 0 {
			at = list[0]
		}
		return d.element(v, inventory.Item{Kind: formats.FactValidation, Key: at, At: blocks(at), Text: d.words().Validation(t, v)})
	})
}

// links lists hyperlinks (18.3.1.47).
func (d *sheetSide) links(raw []byte) error {
	return sheetml.EachChild(raw, func(t xmlscan.Token, v []byte) error {
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
	out, by := rules.Filter(raw), rules.Sorted(raw)
	if by != "" {
		by = ", " + by
	}
	if len(out) == 0 {
		return "filter buttons" + by, false
	}
	return "filter: " + placesOf(out, 0) + by, true
}

// extensions lists what the extensions of a sheet hold ([MS-XLSX] 2.3).
func (d *sheetSide) extensions(raw []byte) error {
	return sheetml.EachChild(raw, func(_ xmlscan.Token, ext []byte) error {
		return sheetml.EachChild(ext, func(t xmlscan.Token, v []byte) error {
			switch t.Local {
			case "conditionalFormattings":
				return sheetml.EachChild(v, func(_ xmlscan.Token, cf []byte) error { return d.conditional(cf) })
			case "dataValidations":
				return d.validations(v)
			case "sparklineGroups":
				return sheetml.EachChild(v, func(t xmlscan.Token, g []byte) error {
					s := rules.Sparklines(g)
					return d.element(g, inventory.Item{Kind: formats.FactChart, Key: "sparklines", At: placesOf(s.At, 0), Text: s.Text, WarnRemoved: "lost: sparklines"})
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
