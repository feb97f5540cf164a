package pivot

import (
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
)

// xml is the element filter.
func (f *Filter) xml(id int) string {
	kind, i := f.kind()
	out := `<filter fld="` + strconv.Itoa(f.Field) + `" type="` + f.Type + `" evalOrder="-1" id="` + strconv.Itoa(id) + `"`
	body := ""
	custom := func(op, val string) {
		if op == "equal" {
			body += `<customFilter` + attr("val", val) + `/>`
			return
		}
		body += `<customFilter operator="` + op + `"` + attr("val", val) + `/>`
	}
	switch kind {
	case "top":
		out += ` iMeasureFld="` + strconv.Itoa(f.Measure) + `"`
		body = `<top10`
		if f.Bottom {
			body += ` top="0"`
		}
		if f.Type == "percent" {
			body += ` percent="1"`
		}
		body += ` val="` + number(f.Num[0]) + `" filterVal="` + number(f.Num[0]) + `"/>`
	case "period":
		body = `<dynamicFilter type="` + f.Type + `"/>`
	default:
		how := comparisons[i]
		vals := f.Text
		if kind != "caption" {
			vals = [2]string{number(f.Num[0]), number(f.Num[1])}
		}
		if kind == "value" {
			out += ` iMeasureFld="` + strconv.Itoa(f.Measure) + `"`
		} else {
			out += attr("stringValue1", vals[0])
			if how.ops[1] != "" {
				out += attr("stringValue2", vals[1])
			}
		}
		if how.pattern != "" {
			vals[0] = strings.Replace(how.pattern, "X", vals[0], 1)
		}
		custom(how.ops[0], vals[0])
		if how.ops[1] != "" {
			custom(how.ops[1], vals[1])
		}
		and := ""
		if how.and {
			and = ` and="1"`
		}
		body = `<customFilters` + and + `>` + body + `</customFilters>`
	}
	return out + `><autoFilter ref="A1"><filterColumn colId="0">` + body + `</filterColumn></autoFilter></filter>`
}

// filtersXML is the element filters (18.10.1.35), "" for none.
func (t *Table) filtersXML() string {
	if len(t.Filters) == 0 {
		return ""
	}
	out := `<filters count="` + strconv.Itoa(len(t.Filters)) + `">`
	for i := range t.Filters {
		out += t.Filters[i].xml(i + 1)
	}
	return out + `</filters>`
}

// maxFilters bounds the filters of a table.
const maxFilters = 100

// filter reads an element filter, and those within it.
func (r *tableReader) filter(t xmlscan.Token) error {
	if t.Local == "filter" {
		f := Filter{Field: attrInt(t, "fld", -1), Type: t.AttrLocal("type"), Measure: attrInt(t, "iMeasureFld", -1), Text: [2]string{t.AttrLocal("stringValue1"), t.AttrLocal("stringValue2")}}
		kind, _ := f.kind()
		switch {
		case kind == "" || t.AttrLocal("mpFld") != "" || t.AttrLocal("iMeasureHier") != "":
			return unsupported("has the filter %q, which is not done here", f.Type)
		case f.Field < 0 || f.Field >= len(r.Fields):
			return unsupported("filters a field that is not there")
		case len(r.Filters) >= maxFilters:
			return unsupported("has more than %d filters", maxFilters)
		}
		r.Filters = append(r.Filters, f)
		return nil
	}
	if len(r.Filters) == 0 {
		return nil
	}
	f := &r.Filters[len(r.Filters)-1]
	switch t.Local {
	case "customFilter":
		if f.read < 2 {
			if n, err := strconv.ParseFloat(t.AttrLocal("val"), 64); err == nil {
				f.Num[f.read] = n
			} else if n, ok := numfmt.ISOSerial(t.AttrLocal("val"), r.Date1904); ok {
				f.Num[f.read] = n
			} else if f.ByValue() {
				return unsupported("compares a value with the text %.40q", t.AttrLocal("val"))
			}
			f.read++
		}
	case "top10":
		f.Bottom = attrOff(t, "top")
		n, err := strconv.ParseFloat(t.AttrLocal("val"), 64)
		if err != nil {
			return unsupported("has a filter of the top items without their number")
		}
		f.Num[0] = n
		if f.Type == "count" && sheetml.IsTrue(t.AttrLocal("percent")) {
			f.Type = "percent"
		}
	}
	return nil
}
