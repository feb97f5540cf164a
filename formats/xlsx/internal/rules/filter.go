package rules

import (
	"fmt"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// maxFilterChars bounds a value of a filter in words.
const maxFilterChars = 40

// Filter says what the columns of an autoFilter (18.3.1.2) keep, a text for each
// value or comparison: "column 2 > 1000".
func Filter(raw []byte) (out []string) {
	_ = sheetml.EachChild(raw, func(t xmlscan.Token, column []byte) error {
		if t.Local != "filterColumn" {
			return nil
		}
		f := filterColumn{name: fmt.Sprintf("column %d ", sheetml.Atoi([]byte(t.AttrLocal("colId")))+1)}
		sheetml.EachStartTag(column, func(t xmlscan.Token) bool {
			f.element(t)
			return true
		})
		out = append(out, f.out...)
		return nil
	})
	return out
}

// filterColumn is a column of a filter while it is said.
type filterColumn struct {
	name  string
	join  string // before a further comparison
	tests int
	out   []string
}

func (f *filterColumn) say(text string) { f.out = append(f.out, f.name+text) }

func (f *filterColumn) element(t xmlscan.Token) {
	switch t.Local {
	case "filters":
		if sheetml.IsTrue(t.AttrLocal("blank")) {
			f.say("is blank")
		}
	case "filter":
		f.say("is " + book.Clip(t.AttrLocal("val"), maxFilterChars))
	case "dateGroupItem":
		f.say("is " + dateGroupText(t))
	case "customFilters":
		if f.join = "or "; sheetml.IsTrue(t.AttrLocal("and")) {
			f.join = "and "
		}
	case "customFilter":
		op := Operators[t.AttrLocal("operator")]
		if op == "" {
			op = "="
		}
		val := t.AttrLocal("val")
		if strings.TrimSpace(val) == "" {
			val = "blank"
		}
		text := op + " " + book.Clip(val, maxFilterChars)
		if f.tests++; f.tests > 1 {
			f.out = append(f.out, f.join+f.name+text)
			return
		}
		f.say(text)
	case "top10":
		side, unit := "top ", ""
		if top, given := t.Attr("top"); given && !sheetml.IsTrue(top) {
			side = "bottom "
		}
		if sheetml.IsTrue(t.AttrLocal("percent")) {
			unit = "%"
		}
		f.say(side + book.Clip(t.AttrLocal("val"), maxFilterChars) + unit)
	case "dynamicFilter":
		f.say("by " + t.Local + " " + t.AttrLocal("type"))
	case "colorFilter", "iconFilter":
		f.say("by " + t.Local)
	}
}

// dateGroupText is a year, month, day or time (18.3.2.4): 2026-11-22.
func dateGroupText(t xmlscan.Token) string {
	out := t.AttrLocal("year")
	for _, unit := range []struct{ name, before string }{{"month", "-"}, {"day", "-"}, {"hour", " "}, {"minute", ":"}, {"second", ":"}} {
		v := t.AttrLocal(unit.name)
		if v == "" {
			break
		}
		out += unit.before + fmt.Sprintf("%02s", v)
	}
	return out
}
