package pivot

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

func attr(name, v string) string { return ` ` + name + `="` + xmlscan.Escape(escaped(v)) + `"` }

// escaped writes characters that XML cannot hold as _xHHHH_ (22.9.2.19).
func escaped(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 }) {
		return s
	}
	var sb strings.Builder
	for _, r := range s {
		if r < 0x20 {
			fmt.Fprintf(&sb, "_x%04X_", r)
		} else {
			sb.WriteRune(r)
		}
	}
	return sb.String()
}

func num(v float64) string { return strconv.FormatFloat(v, 'g', 17, 64) }

// number writes a number in the fewest digits that read back the same.
func number(v float64) string { return Digits(v) }

// Digits writes a number in the fewest digits that read back the same, with an
// exponent where it is very large or small.
func Digits(v float64) string {
	if a := math.Abs(v); v == 0 || a >= 1e-5 && a < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'E', -1, 64)
}

// item is a value as an element of sharedItems or of a record (18.10.1.90).
func (v Value) item(prefix string, date1904 bool) string {
	switch v.Kind {
	case Number:
		return "<" + prefix + `n v="` + number(v.Num) + `"/>`
	case Date:
		return "<" + prefix + `d v="` + xmlDate(v.Num, date1904) + `"/>`
	case Bool:
		return "<" + prefix + `b v="` + strconv.Itoa(boolInt(v.Num != 0)) + `"/>`
	case Error:
		return "<" + prefix + "e" + attr("v", v.Text) + "/>"
	case Blank:
		return "<" + prefix + "m/>"
	}
	return "<" + prefix + "s" + attr("v", v.Text) + "/>"
}

// listed reports whether the cache lists the values of a field once and records
// refer to them.
func (f *Field) listed() bool { return len(f.Shared) > 0 }

// sharedAttrs are the attributes of sharedItems that tell what a column holds.
func (c *Column) sharedAttrs(date1904 bool) string {
	s := c.stats()
	texts := s.kinds[Text] + s.kinds[Bool] + s.kinds[Error]
	numbers, dates, blanks := s.kinds[Number], s.kinds[Date], s.kinds[Blank]
	out := ""
	flag := func(name string, v bool) {
		out += ` ` + name + `="` + strconv.Itoa(boolInt(v)) + `"`
	}
	if texts == 0 && blanks == 0 && numbers+dates > 0 || texts == 0 && numbers > 0 && dates > 0 && blanks == 0 {
		flag("containsSemiMixedTypes", false)
	}
	if texts == 0 && numbers == 0 && dates+blanks > 0 {
		flag("containsNonDate", false)
	}
	if dates > 0 {
		flag("containsDate", true)
	}
	if texts == 0 && numbers+dates+blanks > 0 {
		flag("containsString", false)
	}
	if blanks > 0 {
		flag("containsBlank", true)
	}
	if boolInt(texts > 0)+boolInt(numbers > 0)+boolInt(dates > 0) > 1 {
		flag("containsMixedTypes", true)
	}
	if numbers > 0 {
		flag("containsNumber", true)
		if s.whole {
			flag("containsInteger", true)
		}
		out += ` minValue="` + number(s.min) + `" maxValue="` + number(s.max) + `"`
	}
	if dates > 0 {
		out += ` minDate="` + xmlDate(s.first, date1904) + `" maxDate="` + xmlDate(s.last, date1904) + `"`
	}
	if s.longText {
		flag("longText", true)
	}
	return out
}

// SharedItems is the sharedItems element of a field (18.10.1.90), with a prefix for
// its name.
func (t *Table) SharedItems(i int, d *Data, prefix string) string {
	f := t.Fields[i]
	if f.Column < 0 {
		return ""
	}
	var sb strings.Builder
	sb.WriteString("<" + prefix + "sharedItems" + d.Columns[f.Column].sharedAttrs(d.Date1904))
	if !f.listed() {
		sb.WriteString("/>")
		return sb.String()
	}
	fmt.Fprintf(&sb, ` count="%d">`, len(f.Shared))
	for _, v := range f.Shared {
		sb.WriteString(v.item(prefix, d.Date1904))
	}
	sb.WriteString("</" + prefix + "sharedItems>")
	return sb.String()
}

// FieldGroup is the fieldGroup element of a field, "" for none.
func (t *Table) FieldGroup(i int, prefix string) string {
	g := t.Fields[i].Group
	parent := -1
	if g != nil {
		parent = g.Parent
	}
	if g == nil {
		return ""
	}
	var sb strings.Builder
	sb.WriteString("<" + prefix + "fieldGroup")
	if parent >= 0 {
		fmt.Fprintf(&sb, ` par="%d"`, parent)
	}
	fmt.Fprintf(&sb, ` base="%d"><%srangePr`, g.Base, prefix)
	if !g.AutoStart {
		sb.WriteString(` autoStart="0"`)
	}
	if !g.AutoEnd {
		sb.WriteString(` autoEnd="0"`)
	}
	if g.By == "range" {
		fmt.Fprintf(&sb, ` startNum="%s" endNum="%s" groupInterval="%s"/>`, number(g.Start), number(g.End), number(g.Interval))
	} else {
		fmt.Fprintf(&sb, ` groupBy="%s" startDate="%s" endDate="%s"/>`, g.By, xmlDate(g.Start, t.Date1904), xmlDate(g.End, t.Date1904))
	}
	fmt.Fprintf(&sb, `<%sgroupItems count="%d">`, prefix, len(g.Labels))
	for _, v := range g.Labels {
		sb.WriteString(v.item(prefix, t.Date1904))
	}
	sb.WriteString("</" + prefix + "groupItems></" + prefix + "fieldGroup>")
	return sb.String()
}

// CacheXML is the definition of a new cache (18.10.1.67). source is the element
// worksheetSource, refreshed the serial of the present time.
func (t *Table) CacheXML(d *Data, ns, relNS, source string, refreshed float64) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+`<pivotCacheDefinition xmlns="%s" xmlns:r="%s" r:id="rId1" refreshedBy="Atelier" refreshedDate="%s" createdVersion="6" refreshedVersion="6" minRefreshableVersion="3" recordCount="%d"><cacheSource type="worksheet">%s</cacheSource><cacheFields count="%d">`,
		ns, relNS, num(math.Round(refreshed*86400)/86400), d.Rows(), source, len(t.Fields))
	for i, f := range t.Fields {
		fmt.Fprintf(&sb, `<cacheField%s numFmtId="%d"`, attr("name", f.Name), f.NumFmt)
		if f.Formula != "" {
			sb.WriteString(attr("formula", f.Formula))
		}
		if f.Column < 0 {
			sb.WriteString(` databaseField="0"`)
		}
		sb.WriteString(">" + t.SharedItems(i, d, "") + t.FieldGroup(i, "") + "</cacheField>")
	}
	sb.WriteString("</cacheFields></pivotCacheDefinition>")
	return sb.String()
}

// WriteRecords writes the records of a cache (18.10.1.68).
func (t *Table) WriteRecords(ctx context.Context, d *Data, ns string, out io.Writer) error {
	w := bufio.NewWriterSize(out, 64<<10)
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+`<pivotCacheRecords xmlns="%s" count="%d">`, ns, d.Rows())
	for row := range d.Rows() {
		if row%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		w.WriteString("<r>")
		for _, f := range t.Fields {
			if f.Column < 0 {
				continue
			}
			v := d.Columns[f.Column].At(row)
			if f.listed() {
				w.WriteString(`<x v="` + strconv.Itoa(f.shared[v.key()]) + `"/>`)
				continue
			}
			w.WriteString(v.item("", d.Date1904))
		}
		w.WriteString("</r>")
	}
	w.WriteString("</pivotCacheRecords>")
	return w.Flush()
}
