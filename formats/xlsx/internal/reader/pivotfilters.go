package reader

import (
	"fmt"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/numfmt"
)

// itemFilter is a filter of the items of a field of a pivot table (18.10.1.34).
type itemFilter struct {
	field, measure int
	kind           string // 18.18.58
	texts          [2]string
	vals           []string // of its autofilter
	bottom         bool
}

// addItemFilter takes in a filter, or an element within one.
func (pt *pivotTable) addItemFilter(t xmlscan.Token) {
	clip := func(name string) string { return book.Clip(book.OneLine(t.AttrLocal(name)), headChars) }
	n := len(pt.only) - 1
	switch {
	case t.Local == "filter":
		if len(pt.only) < maxPivotFields {
			pt.only = append(pt.only, itemFilter{field: attrInt(t, "fld"), measure: attrInt(t, "iMeasureFld"), kind: clip("type"), texts: [2]string{clip("stringValue1"), clip("stringValue2")}})
		}
	case n < 0 || len(pt.only[n].vals) > 1:
	default:
		pt.only[n].vals = append(pt.only[n].vals, clip("val"))
		pt.only[n].bottom = t.AttrLocal("top") == "0"
	}
}

// filterWords say the comparisons of filters; the longer endings come first.
var filterWords = [][2]string{
	{"NotBeginsWith", "do not begin with"}, {"BeginsWith", "begin with"}, {"NotEndsWith", "do not end with"}, {"EndsWith", "end with"}, {"NotContains", "do not contain"}, {"Contains", "contain"},
	{"NotEqual", "are not"}, {"GreaterThanOrEqual", "are at least"}, {"LessThanOrEqual", "are at most"}, {"NewerThanOrEqual", "are not before"}, {"OlderThanOrEqual", "are not after"},
	{"GreaterThan", "are above"}, {"LessThan", "are below"}, {"NewerThan", "are after"}, {"OlderThan", "are before"}, {"NotBetween", "are not between"}, {"Between", "are between"}, {"Equal", "are"},
}

// kept says what a filter keeps: only labels that begin with "A".
func (pt *pivotTable) kept(f itemFilter) string {
	measure := "a value"
	if f.measure >= 0 && f.measure < len(pt.values) {
		measure = pt.values[f.measure].name
	}
	val := func(n int) string {
		if n < len(f.vals) {
			return f.vals[n]
		}
		return ""
	}
	end := map[bool]string{false: "top", true: "bottom"}[f.bottom]
	switch f.kind {
	case "count":
		return fmt.Sprintf("only the %s %s by %s", end, val(0), measure)
	case "percent":
		return fmt.Sprintf("only the %s %s%% by %s", end, val(0), measure)
	case "sum":
		return fmt.Sprintf("only the %s that make %s of %s", end, val(0), measure)
	}
	for _, w := range filterWords {
		what, ok := strings.CutSuffix(f.kind, w[0])
		if !ok {
			continue
		}
		one, two := val(0), val(1)
		subject := "dates that"
		switch what {
		case "caption":
			subject, one, two = "labels that", strconv.Quote(f.texts[0]), strconv.Quote(f.texts[1])
		case "value":
			subject = "items whose " + measure
			w[1] = strings.Replace(w[1], "are", "is", 1)
		default:
			one, two = pt.day(one), pt.day(two)
		}
		if strings.HasSuffix(f.kind, "Between") {
			one += " and " + two
		}
		return "only " + subject + " " + w[1] + " " + one
	}
	return "only " + f.kind
}

// day shows a serial number as a date.
func (pt *pivotTable) day(s string) string {
	n, err := strconv.ParseFloat(s, 64)
	if t, ok := numfmt.Time(n, pt.date1904); err == nil && ok {
		return t.Format("2006-01-02")
	}
	return s
}
