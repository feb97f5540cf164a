package docx

import (
	"context"
	"fmt"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
)

const (
	maxWide   = 100 // tables that WideTables names
	wideSlack = 300 // twentieths of a point: the margins of cells are outside the text
)

// WideTables says which tables of the body are wider than the text of their page, which
// cuts them off at its edge. It reads preferred widths (17.4.63), and for tables of fixed
// layout (17.4.52) the widths of their columns; tables that programs fit to the page are
// none of them. omitted counts those beyond the first hundred.
func WideTables(ctx context.Context, src formats.Source) (facts []string, omitted int, err error) {
	d, err := openDocument(ctx, src)
	if err != nil {
		return nil, 0, err
	}
	e := &editing{document: d}
	p, secs, err := e.sectionsOf(ctx)
	if err != nil {
		return nil, 0, err
	}
	k, room := 0, -1
	for i, t := range p.stories[0].kidsOf(tableNode) {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		for k < len(secs) && secs[k].start < t.start {
			k, room = k+1, -1
		}
		if room < 0 {
			raw := ""
			if k < len(secs) {
				raw = p.raw(secs[k].span)
			}
			room = textRoom(raw)
		}
		width := p.tableWidth(t)
		if width <= room+wideSlack {
			continue
		}
		if len(facts) == maxWide {
			omitted++
			continue
		}
		facts = append(facts, fmt.Sprintf("t%d is %.4g inches wide, and the text of its page %.4g: what is beyond the margin may be cut off", i, float64(width)/1440, float64(room)/1440))
	}
	return facts, omitted, nil
}

// textRoom returns the width between the margins of a section in twentieths of a point
// (17.6.11, 17.6.13).
func textRoom(sectPr string) int {
	size, margins := map[string]int{"w": papers["a4"][0]}, map[string]int{"left": 1417, "right": 1417, "gutter": 0}
	sc := xmlscan.New([]byte(sectPr))
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		into := size
		switch t.Local {
		case "pgSz":
		case "pgMar":
			into = margins
		default:
			continue
		}
		for name := range into {
			if v := t.AttrLocal(name); v != "" {
				into[name] = atoi(v)
			}
		}
	}
	return max(1, size["w"]-margins["left"]-margins["right"]-margins["gutter"])
}

// tableWidth returns how wide a table wants to be in twentieths of a point, 0 where it
// fits itself to the page.
func (p *part) tableWidth(t *node) int {
	props := element.Parse(p.raw(t.props), p.prefix+"tblPr", tblPrSchema)
	attrOf := func(child, name string) string {
		sc := xmlscan.New([]byte(props.Get(child)))
		if !sc.Next() {
			return ""
		}
		return sc.Token().AttrLocal(name)
	}
	width := 0
	if attrOf("tblW", "type") == "dxa" {
		width = atoi(attrOf("tblW", "w"))
	}
	if attrOf("tblLayout", "type") == "fixed" {
		_, columns := p.gridColumns(t)
		sum := 0
		for _, w := range columns {
			sum += w
		}
		width = max(width, sum)
	}
	if width > 0 && attrOf("tblInd", "type") == "dxa" {
		width += max(0, atoi(attrOf("tblInd", "w")))
	}
	return width
}
