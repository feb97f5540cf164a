package pivot

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
)

// axisNames are the values of the attribute axis (18.18.1).
var axisNames = map[Axis]string{RowAxis: "axisRow", ColAxis: "axisCol", PageAxis: "axisPage"}

// Location is the element location (18.10.1.49) of a table whose top left cell is at.
func (g *Grid) Location(at cellref.Cell, prefix string) string {
	out := fmt.Sprintf(`<%slocation ref="%s" firstHeaderRow="%d" firstDataRow="%d" firstDataCol="%d"`, prefix, g.Place(at), g.FirstHeaderRow, g.FirstDataRow, g.FirstDataCol)
	if n := len(g.t.Pages); n > 0 {
		out += fmt.Sprintf(` rowPageCount="%d" colPageCount="1"`, n)
	}
	return out + "/>"
}

// Place is where a table is whose top left cell is at, without its page fields.
func (g *Grid) Place(at cellref.Cell) cellref.Range {
	return cellref.Block(at.Row, at.Col, at.Row+max(g.Rows, 1)-1, at.Col+max(g.Cols, 1)-1)
}

// Whole is where a table is with its page fields.
func (g *Grid) Whole(at cellref.Cell) cellref.Range {
	r := g.Place(at)
	if n := len(g.t.Pages); n > 0 {
		r.R1 -= n + 1
		r.C2 = max(r.C2, r.C1+1)
	}
	return r
}

// ItemsXML is the element items of a field (18.10.1.46), "" for none.
func (f *Field) ItemsXML(prefix string) string {
	if f.Axis == NoAxis || len(f.Items) == 0 {
		return ""
	}
	n := len(f.Items) + boolInt(f.Subtotal)
	var sb strings.Builder
	fmt.Fprintf(&sb, `<%sitems count="%d">`, prefix, n)
	for _, it := range f.Items {
		sb.WriteString("<" + prefix + "item")
		if it.Caption != "" {
			sb.WriteString(attr("n", it.Caption))
		}
		if it.Hidden {
			sb.WriteString(` h="1"`)
		}
		if it.Collapsed {
			sb.WriteString(` sd="0"`)
		}
		if it.Missing && f.Group == nil {
			sb.WriteString(` m="1"`)
		}
		fmt.Fprintf(&sb, ` x="%d"/>`, it.Index)
	}
	if f.Subtotal {
		sb.WriteString("<" + prefix + `item t="default"/>`)
	}
	sb.WriteString("</" + prefix + "items>")
	return sb.String()
}

// LinesXML is the element rowItems or colItems (18.10.1.84, 18.10.1.14).
func (g *Grid) LinesXML(rows bool, prefix string) string {
	name, lines, fields := "rowItems", g.RowLines, g.t.Rows
	if !rows {
		name, lines, fields = "colItems", g.ColLines, g.t.Columns
	}
	if len(lines) == 0 {
		return ""
	}
	many := slices.Contains(fields, ValuesField)
	var sb strings.Builder
	fmt.Fprintf(&sb, `<%s%s count="%d">`, prefix, name, len(lines))
	for _, l := range lines {
		sb.WriteString("<" + prefix + "i")
		first := l.New
		switch l.Kind {
		case SubtotalLine:
			sb.WriteString(` t="default"`)
			first = len(l.Items) - 1
		case GrandLine:
			sb.WriteString(` t="grand"`)
		}
		if first > 0 {
			fmt.Fprintf(&sb, ` r="%d"`, first)
		}
		if many && l.Value > 0 {
			fmt.Fprintf(&sb, ` i="%d"`, l.Value)
		}
		if len(fields) == 0 {
			sb.WriteString("/>")
			continue
		}
		sb.WriteString(">")
		if l.Kind == GrandLine {
			sb.WriteString("<" + prefix + "x/>")
		}
		for k := first; k < len(l.Items); k++ {
			v := l.Items[k]
			if i := fields[k]; i != ValuesField {
				v = g.t.Fields[i].place[v]
			}
			if v == 0 {
				sb.WriteString("<" + prefix + "x/>")
			} else {
				fmt.Fprintf(&sb, `<%sx v="%d"/>`, prefix, v)
			}
		}
		sb.WriteString("</" + prefix + "i>")
	}
	sb.WriteString("</" + prefix + name + ">")
	return sb.String()
}

// xml is the element pivotField (18.10.1.69).
func (f *Field) xml(byValue bool) string {
	out := "<pivotField"
	if f.Caption != "" {
		out += attr("name", f.Caption)
	}
	if a := axisNames[f.Axis]; a != "" {
		out += ` axis="` + a + `"`
	}
	if f.DataField {
		out += ` dataField="1"`
	}
	if !f.Compact {
		out += ` compact="0"`
	}
	if f.NumFmt > 0 {
		out += ` numFmtId="` + strconv.Itoa(f.NumFmt) + `"`
	}
	if !f.Outline {
		out += ` outline="0"`
	}
	if f.Multiple {
		out += ` multipleItemSelectionAllowed="1"`
	}
	if f.Calculated() {
		out += ` dragToRow="0" dragToCol="0" dragToPage="0"`
	}
	if !f.ShowEmpty {
		out += ` showAll="0"`
	}
	if byValue {
		out += ` measureFilter="1"`
	}
	switch f.Sort {
	case Ascending:
		out += ` sortType="ascending"`
	case Descending:
		out += ` sortType="descending"`
	}
	if !f.Subtotal {
		out += ` defaultSubtotal="0"`
	} else if !f.SubtotalTop {
		out += ` subtotalTop="0"`
	}
	body := f.ItemsXML("")
	if f.Sort != AsListed && f.SortBy >= 0 {
		body += fmt.Sprintf(`<autoSortScope><pivotArea dataOnly="0" outline="0" fieldPosition="0"><references count="1"><reference field="4294967294" count="1" selected="0"><x v="%d"/></reference></references></pivotArea></autoSortScope>`, f.SortBy)
	}
	if f.RepeatLabels {
		body += `<extLst><ext uri="{2946ED86-A175-432a-8AC1-64E0C546D7DE}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:pivotField fillDownLabels="1"/></ext></extLst>`
	}
	if body == "" {
		return out + "/>"
	}
	return out + ">" + body + "</pivotField>"
}

// XML is the definition of a pivot table (18.10.1.73) whose top left cell is at.
func (t *Table) XML(g *Grid, at cellref.Cell, ns string, cacheID int) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+`<pivotTableDefinition xmlns="%s"%s cacheId="%d"`, ns, attr("name", t.Name), cacheID)
	if slices.Contains(t.Rows, ValuesField) {
		sb.WriteString(` dataOnRows="1"`)
	}
	sb.WriteString(` applyNumberFormats="0" applyBorderFormats="0" applyFontFormats="0" applyPatternFormats="0" applyAlignmentFormats="0" applyWidthHeightFormats="1"` + attr("dataCaption", t.Words.Values))
	if t.ErrorText != "" {
		sb.WriteString(attr("errorCaption", t.ErrorText) + ` showError="1"`)
	}
	if t.MissingText != "" {
		sb.WriteString(attr("missingCaption", t.MissingText))
	}
	if t.HideHeaders {
		sb.WriteString(` showHeaders="0"`)
	}
	if t.ClassicLayout {
		sb.WriteString(` gridDropZones="1"`)
	}
	if t.Words.Grand != English.Grand {
		sb.WriteString(attr("grandTotalCaption", t.Words.Grand))
	}
	sb.WriteString(` updatedVersion="6" minRefreshableVersion="3" useAutoFormatting="1"`)
	// The file names the row of totals rowGrandTotals; Excel's window names the same
	// one "grand totals for columns".
	if !t.ColGrand {
		sb.WriteString(` rowGrandTotals="0"`)
	}
	if !t.RowGrand {
		sb.WriteString(` colGrandTotals="0"`)
	}
	sb.WriteString(` itemPrintTitles="1" createdVersion="6" indent="0"`)
	if t.compact() {
		sb.WriteString(` outline="1" outlineData="1"`)
	} else {
		sb.WriteString(` compact="0" compactData="0"`)
		if t.outlineValues() {
			sb.WriteString(` outline="1" outlineData="1"`)
		}
	}
	sb.WriteString(` multipleFieldFilters="0"`)
	if t.Words.Rows != English.Rows {
		sb.WriteString(attr("rowHeaderCaption", t.Words.Rows))
	}
	if t.Words.Columns != English.Columns {
		sb.WriteString(attr("colHeaderCaption", t.Words.Columns))
	}
	sb.WriteString(">" + g.Location(at, ""))
	fmt.Fprintf(&sb, `<pivotFields count="%d">`, len(t.Fields))
	for i, f := range t.Fields {
		sb.WriteString(f.xml(slices.ContainsFunc(t.Filters, func(x Filter) bool { return x.Field == i && x.ByValue() })))
	}
	sb.WriteString("</pivotFields>")
	axis := func(name string, list []int) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(&sb, `<%s count="%d">`, name, len(list))
		for _, i := range list {
			fmt.Fprintf(&sb, `<field x="%d"/>`, i)
		}
		sb.WriteString("</" + name + ">")
	}
	axis("rowFields", t.Rows)
	sb.WriteString(g.LinesXML(true, ""))
	axis("colFields", t.Columns)
	sb.WriteString(g.LinesXML(false, ""))
	t.pagesXML(&sb)
	t.valuesXML(&sb)
	fmt.Fprintf(&sb, `<pivotTableStyleInfo%s showRowHeaders="1" showColHeaders="1" showRowStripes="0" showColStripes="0" showLastColumn="1"/>`, attr("name", t.Style))
	sb.WriteString(t.filtersXML())
	if !t.ValuesLine {
		sb.WriteString(`<extLst><ext uri="{962EF5D1-5CA2-4c93-8EF4-DBF5C05439D2}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:pivotTableDefinition hideValuesRow="1"/></ext></extLst>`)
	}
	sb.WriteString("</pivotTableDefinition>")
	return sb.String()
}

// pagesXML writes pageFields (18.10.1.63).
func (t *Table) pagesXML(sb *strings.Builder) {
	if len(t.Pages) == 0 {
		return
	}
	fmt.Fprintf(sb, `<pageFields count="%d">`, len(t.Pages))
	for _, i := range t.Pages {
		fmt.Fprintf(sb, `<pageField fld="%d"`, i)
		if s := t.Fields[i].Selected; s >= 0 {
			fmt.Fprintf(sb, ` item="%d"`, s)
		}
		sb.WriteString(` hier="-1"/>`)
	}
	sb.WriteString("</pageFields>")
}

// valuesXML writes dataFields (18.10.1.23).
func (t *Table) valuesXML(sb *strings.Builder) {
	if len(t.Values) == 0 {
		return
	}
	fmt.Fprintf(sb, `<dataFields count="%d">`, len(t.Values))
	for _, m := range t.Values {
		fmt.Fprintf(sb, `<dataField%s fld="%d"`, attr("name", m.Name), m.Field)
		if m.Function != "" && m.Function != "sum" {
			sb.WriteString(` subtotal="` + string(m.Function) + `"`)
		}
		if m.ShowAs != Normal && !m.ShowAs.extended() {
			sb.WriteString(` showDataAs="` + string(m.ShowAs) + `"`)
		}
		fmt.Fprintf(sb, ` baseField="%d" baseItem="%d"`, m.BaseField, m.BaseItem)
		if m.NumFmt > 0 {
			fmt.Fprintf(sb, ` numFmtId="%d"`, m.NumFmt)
		}
		if m.ShowAs.extended() {
			fmt.Fprintf(sb, `><extLst><ext uri="{E15A36E0-9728-4e99-A89B-3F7291B0FE68}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:dataField pivotShowAs="%s"/></ext></extLst></dataField>`, m.ShowAs)
			continue
		}
		sb.WriteString("/>")
	}
	sb.WriteString("</dataFields>")
}
