package rules

import (
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/looks"
	"atelier/formats/xlsx/internal/sheetml"
)

// Operators are the signs of comparisons (18.18.15, 18.18.20).
var Operators = map[string]string{"lessThan": "<", "lessThanOrEqual": "<=", "equal": "=", "notEqual": "<>", "greaterThanOrEqual": ">=", "greaterThan": ">", "between": "between", "notBetween": "not between"}

// Words says the rules of a workbook in words.
type Words struct {
	Looks    *looks.Book // for colours; nil: they are left out
	Date1904 bool
}

var textRules = map[string]string{"containsText": "contains", "notContainsText": "does not contain", "beginsWith": "begins with", "endsWith": "ends with"}

// plainRules are those whose type says all.
var plainRules = map[string]string{"duplicateValues": "duplicate values", "uniqueValues": "unique values"}

// Format says what a cfRule, whose start tag is t, tests or draws, without the
// format that it gives to cells.
func (w Words) Format(t xmlscan.Token, raw []byte) string {
	switch typ := t.AttrLocal("type"); typ {
	case "cellIs":
		return "cell " + Operators[t.AttrLocal("operator")] + " " + tests(raw)
	case "expression":
		return "formula " + tests(raw)
	case "containsText", "notContainsText", "beginsWith", "endsWith":
		return textRules[typ] + " “" + t.AttrLocal("text") + "”"
	case "top10":
		return topWords(t)
	case "aboveAverage":
		if v, ok := t.Attr("aboveAverage"); ok && !sheetml.IsTrue(v) {
			return "below average"
		}
		return "above average"
	case "duplicateValues", "uniqueValues":
		return plainRules[typ]
	case "dataBar":
		return strings.TrimSpace("data bar " + strings.Join(w.colors(raw), " "))
	case "colorScale":
		return strings.TrimSpace("colour scale " + w.scale(raw))
	case "iconSet":
		return w.icons(raw)
	case "timePeriod":
		return "dates: " + t.AttrLocal("timePeriod")
	default:
		return strings.TrimSpace(typ + " " + tests(raw))
	}
}

// tests are the formulas of a rule itself, not those of its scale.
func tests(raw []byte) string {
	var f []string
	_ = sheetml.EachChild(raw, func(t xmlscan.Token, one []byte) error {
		if t.Local == "formula" || t.Local == "f" {
			f = append(f, sheetml.TextsOf(one, t.Local)...)
		}
		return nil
	})
	return strings.Join(f, " and ")
}

func topWords(t xmlscan.Token) string {
	s := "top "
	if sheetml.IsTrue(t.AttrLocal("bottom")) {
		s = "bottom "
	}
	s += t.AttrLocal("rank")
	if sheetml.IsTrue(t.AttrLocal("percent")) {
		s += "%"
	}
	return s
}

// maxSteps bounds the steps of a scale; programs know at most five.
const maxSteps = 10

// colors are the colours that a rule draws with.
func (w Words) colors(raw []byte) (out []string) {
	sheetml.EachStartTag(raw, func(t xmlscan.Token) bool {
		if (t.Local == "color" || t.Local == "fillColor") && w.Looks != nil {
			out = append(out, w.Looks.Color(t))
		}
		return len(out) < maxSteps
	})
	return out
}

// steps are the values at which a scale or a set of icons changes (18.3.1.11).
func steps(raw []byte) (out []string) {
	_ = sheetml.EachChild(raw, func(list xmlscan.Token, one []byte) error {
		if list.Local != "colorScale" && list.Local != "iconSet" {
			return nil
		}
		return sheetml.EachChild(one, func(t xmlscan.Token, v []byte) error {
			if t.Local == "cfvo" && len(out) < maxSteps {
				out = append(out, stepWords(t, v))
			}
			return nil
		})
	})
	return out
}

func stepWords(t xmlscan.Token, raw []byte) string {
	v := t.AttrLocal("val")
	if f := sheetml.TextsOf(raw, "f"); v == "" && len(f) > 0 {
		v = f[0]
	}
	switch typ := t.AttrLocal("type"); typ {
	case "percent":
		return v + "%"
	case "percentile":
		return "percentile " + v
	case "num", "formula":
		return v
	default:
		return typ // min, max, autoMin, autoMax
	}
}

// scale says a colour scale (18.3.1.16): "min red → percentile 50 yellow → max green".
func (w Words) scale(raw []byte) string {
	at, colors := steps(raw), w.colors(raw)
	var out []string
	for i, s := range at {
		if i < len(colors) {
			s += " " + colors[i]
		}
		out = append(out, s)
	}
	return strings.Join(out, " → ")
}

// icons says a set of icons (18.3.1.49): "icons 3Arrows from 0%, 33%, 67%".
func (w Words) icons(raw []byte) string {
	out := "icons"
	sheetml.EachStartTag(raw, func(t xmlscan.Token) bool {
		if t.Local != "iconSet" {
			return true
		}
		if set := t.AttrLocal("iconSet"); set != "" {
			out += " " + set
		} else {
			out += " 3TrafficLights1"
		}
		if sheetml.IsTrue(t.AttrLocal("reverse")) {
			out += " in reverse"
		}
		if v, given := t.Attr("showValue"); given && !sheetml.IsTrue(v) {
			out += " without values"
		}
		return false
	})
	if at := steps(raw); len(at) > 0 {
		out += " from " + strings.Join(at, ", ")
	}
	return out
}
