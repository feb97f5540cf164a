package xlsx

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lazyregexp"
)

// filterRule is what one column of a filter keeps (18.3.2.7). Exactly one of its
// kinds is used: a list, comparisons, the top values, or those beside the average.
type filterRule struct {
	col  int    // from 0, in the filter
	keep string // attributes of the column's button

	list    []string // values as shown
	shown   map[string]bool
	dates   []dateGroup
	blanks  bool
	wanted  []any // of an operation: values whose cells are looked for
	matched []bool

	tests []filterTest
	and   bool

	top     *topRule
	average int // 1: above the average, -1: below
	limit   float64
	numbers []float64 // of the column, for top and average
}

// dateGroup is a year, a month or a day (18.3.2.4); the members behind it are 0.
type dateGroup struct{ year, month, day int }

// filterTest is a comparison (18.3.2.2): with a number, or with a text in which *
// and ? stand for other characters.
type filterTest struct {
	operator string // of the file: equal, lessThan …
	val      string
	number   float64
	isNumber bool
	pattern  *regexp.Regexp // of equal and notEqual with a text
}

// topRule keeps the largest or smallest values (18.3.2.10).
type topRule struct {
	bottom, percent bool
	n               float64
}

// filterCell is a cell as a filter sees it.
type filterCell struct {
	blank, unknown, isNumber bool
	number                   float64
	shown                    string
	day                      dateGroup // of a date, else zero
}

// maxFilterPattern bounds the text that is compared with wildcards; Excel takes 255
// characters.
const maxFilterPattern = 1000

// newFilterTest returns a comparison as the file has it.
func newFilterTest(operator, val string) filterTest {
	t := filterTest{operator: operator, val: val}
	if t.operator == "" {
		t.operator = "equal"
	}
	n, err := strconv.ParseFloat(val, 64)
	t.number, t.isNumber = n, err == nil
	if !t.isNumber && len(val) <= maxFilterPattern && (t.operator == "equal" || t.operator == "notEqual") {
		t.pattern = wildcards(val)
	}
	return t
}

// wildcards makes an expression of a text in which * and ? stand for others and ~
// takes that meaning away.
func wildcards(s string) *regexp.Regexp {
	var sb strings.Builder
	sb.WriteString("(?is)^")
	rs := []rune(s)
	for i := 0; i < len(rs); i++ {
		switch {
		case rs[i] == '~' && i+1 < len(rs) && strings.ContainsRune("*?~", rs[i+1]):
			i++
			sb.WriteString(regexp.QuoteMeta(string(rs[i])))
		case rs[i] == '*':
			sb.WriteString(".*")
		case rs[i] == '?':
			sb.WriteString(".")
		default:
			sb.WriteString(regexp.QuoteMeta(string(rs[i])))
		}
	}
	return regexp.MustCompile(sb.String() + "$")
}

// matches reports whether the rule keeps a cell.
func (r *filterRule) matches(c filterCell) bool {
	switch {
	case c.unknown:
		return true // it is told, and the row stays
	case r.top != nil || r.average != 0:
		return c.isNumber && r.beside(c.number)
	case len(r.tests) > 0:
		return r.compares(c)
	case c.blank:
		return r.blanks
	}
	return r.shown[strings.ToLower(c.shown)] || c.day != (dateGroup{}) && slices.ContainsFunc(r.dates, c.day.in)
}

// in reports whether a day is in a group.
func (d dateGroup) in(g dateGroup) bool {
	return d.year == g.year && (g.month == 0 || d.month == g.month) && (g.day == 0 || d.day == g.day)
}

func (r *filterRule) compares(c filterCell) bool {
	for _, t := range r.tests {
		if ok := t.holds(c); ok != r.and {
			return ok
		}
	}
	return r.and
}

// holds reports whether a comparison is true of a cell. Numbers are compared with
// numbers, texts with texts, as Excel does.
func (t filterTest) holds(c filterCell) bool {
	if strings.TrimSpace(t.val) == "" { // the blank cells, or the others
		return c.blank == (t.operator == "equal")
	}
	var order int
	switch {
	case c.blank:
		return t.operator == "notEqual"
	case t.operator == "equal", t.operator == "notEqual":
		same := t.isNumber && c.isNumber && c.number == t.number
		if t.pattern != nil {
			same = !c.isNumber && t.pattern.MatchString(c.shown)
		} else if !c.isNumber {
			same = strings.EqualFold(c.shown, t.val)
		}
		return same == (t.operator == "equal")
	case t.isNumber != c.isNumber:
		return false
	case t.isNumber:
		order = sign(c.number - t.number)
	default:
		order = strings.Compare(strings.ToLower(c.shown), strings.ToLower(t.val))
	}
	switch t.operator {
	case "greaterThan":
		return order > 0
	case "greaterThanOrEqual":
		return order >= 0
	case "lessThan":
		return order < 0
	default:
		return order <= 0
	}
}

func sign(f float64) int {
	switch {
	case f > 0:
		return 1
	case f < 0:
		return -1
	}
	return 0
}

// beside reports whether a number is among the top ones, or on the side of the
// average that is kept.
func (r *filterRule) beside(n float64) bool {
	switch {
	case r.average > 0:
		return n > r.limit
	case r.average < 0:
		return n < r.limit
	case r.top.bottom:
		return n <= r.limit
	}
	return n >= r.limit
}

// looks reports whether the rule has to see the column before it can decide.
func (r *filterRule) looks() bool { return r.top != nil || r.average != 0 || len(r.wanted) > 0 }

// maxFilterValues is how many values the list of a filter has in Excel at most.
const maxFilterValues = 10_000

// see takes in a cell of the column before the rule decides.
func (r *filterRule) see(c filterCell) error {
	if c.unknown || c.blank {
		return nil
	}
	if (r.top != nil || r.average != 0) && c.isNumber {
		r.numbers = append(r.numbers, c.number)
	}
	for i, want := range r.wanted {
		group, ok := c.is(want)
		if !ok {
			continue
		}
		r.matched[i] = true
		if c.day != (dateGroup{}) {
			if !slices.Contains(r.dates, group) {
				r.dates = append(r.dates, group)
			}
		} else {
			r.add(c.shown)
		}
	}
	if len(r.list)+len(r.dates) > maxFilterValues {
		return formats.Errorf(formats.CodeTooLarge, "the values to keep are shown in more than %d ways; use an operator and a value, such as >= 1000", maxFilterValues)
	}
	return nil
}

// add puts a value, as shown, on the list.
func (r *filterRule) add(shown string) {
	low := strings.ToLower(shown)
	if r.shown == nil {
		r.shown = map[string]bool{}
	}
	if !r.shown[low] {
		r.shown[low] = true
		r.list = append(r.list, shown)
	}
}

// is reports whether a cell has a value that an operation names: as shown, as a
// number, or as a date, a month or a year in ISO form. A date is in a group.
func (c filterCell) is(want any) (dateGroup, bool) {
	text := plainText(want)
	if c.day != (dateGroup{}) {
		if g, ok := parseGroup(text); ok {
			return g, c.day.in(g)
		}
		return c.day, strings.EqualFold(c.shown, text)
	}
	if strings.EqualFold(c.shown, text) {
		return dateGroup{}, true
	}
	n, err := strconv.ParseFloat(text, 64)
	return dateGroup{}, err == nil && c.isNumber && n == c.number
}

var groupText = lazyregexp.New(`^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$`)

// parseGroup reads 2026, 2026-11 or 2026-11-22.
func parseGroup(s string) (g dateGroup, ok bool) {
	m := groupText.FindStringSubmatch(s)
	if m == nil {
		return g, false
	}
	g.year, _ = strconv.Atoi(m[1])
	g.month, _ = strconv.Atoi(m[2])
	g.day, _ = strconv.Atoi(m[3])
	return g, true
}

// dayOf is the day of a serial number.
func dayOf(n float64, date1904 bool) dateGroup {
	t, ok := numfmt.Time(n, date1904)
	if !ok {
		return dateGroup{}
	}
	t = t.Round(time.Second)
	return dateGroup{t.Year(), int(t.Month()), t.Day()}
}

// decide ends what see takes in.
func (r *filterRule) decide() {
	if n := len(r.numbers); n > 0 {
		switch {
		case r.average != 0:
			sum := 0.0
			for _, v := range r.numbers {
				sum += v
			}
			r.limit = sum / float64(n)
		case r.top != nil:
			k := r.top.n
			if r.top.percent {
				k = math.Floor(float64(n) * k / 100)
			}
			slices.Sort(r.numbers)
			i := min(max(int(k), 1), n)
			if r.limit = r.numbers[n-i]; r.top.bottom {
				r.limit = r.numbers[i-1]
			}
		}
	}
	r.numbers = nil
	slices.SortFunc(r.dates, func(a, b dateGroup) int { return (a.year-b.year)*400 + (a.month-b.month)*32 + a.day - b.day })
	for i, want := range r.wanted {
		if !r.matched[i] {
			r.add(plainText(want))
		}
	}
}

// xml writes the rule as a filterColumn.
func (r *filterRule) xml(prefix string) string {
	var sb strings.Builder
	num := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	sb.WriteString(`<filterColumn colId="` + strconv.Itoa(r.col) + `"` + r.keep + `>`)
	switch {
	case r.top != nil:
		sb.WriteString(`<top10`)
		if r.top.bottom {
			sb.WriteString(` top="0"`)
		}
		if r.top.percent {
			sb.WriteString(` percent="1"`)
		}
		sb.WriteString(` val="` + num(r.top.n) + `" filterVal="` + num(r.limit) + `"/>`)
	case r.average != 0:
		side := map[int]string{1: "aboveAverage", -1: "belowAverage"}[r.average]
		sb.WriteString(`<dynamicFilter type="` + side + `" val="` + num(r.limit) + `"/>`)
	case len(r.tests) > 0:
		sb.WriteString(`<customFilters`)
		if r.and {
			sb.WriteString(` and="1"`)
		}
		sb.WriteString(`>`)
		for _, t := range r.tests {
			op := ""
			if t.operator != "equal" {
				op = ` operator="` + t.operator + `"`
			}
			sb.WriteString(`<customFilter` + op + ` val="` + sheetml.EscapeAttr(t.val) + `"/>`)
		}
		sb.WriteString(`</customFilters>`)
	default:
		r.writeList(&sb)
	}
	sb.WriteString(`</filterColumn>`)
	return sheetml.WithPrefix(sb.String(), prefix)
}

// writeList writes a list of values and dates (18.3.2.8).
func (r *filterRule) writeList(sb *strings.Builder) {
	sb.WriteString(`<filters`)
	if r.blanks {
		sb.WriteString(` blank="1"`)
	}
	if len(r.list)+len(r.dates) == 0 {
		sb.WriteString(`/>`)
		return
	}
	sb.WriteString(`>`)
	for _, v := range r.list {
		sb.WriteString(`<filter val="` + sheetml.EscapeAttr(v) + `"/>`)
	}
	for _, d := range r.dates {
		group := "year"
		sb.WriteString(`<dateGroupItem year="` + strconv.Itoa(d.year) + `"`)
		if d.month > 0 {
			group = "month"
			sb.WriteString(` month="` + strconv.Itoa(d.month) + `"`)
		}
		if d.day > 0 {
			group = "day"
			sb.WriteString(` day="` + strconv.Itoa(d.day) + `"`)
		}
		sb.WriteString(` dateTimeGrouping="` + group + `"/>`)
	}
	sb.WriteString(`</filters>`)
}

// readFilterRule reads a filterColumn; ok is false for one whose rows cannot be
// worked out here, such as a filter by colour.
func readFilterRule(t xmlscan.Token, raw []byte) (r *filterRule, ok bool) {
	r = &filterRule{col: sheetml.Atoi([]byte(t.AttrLocal("colId")))}
	ok, none := true, true
	_ = sheetml.EachChild(raw, func(t xmlscan.Token, one []byte) error {
		none = false
		switch t.Local {
		case "filters":
			ok = r.readList(t, one)
		case "customFilters":
			r.and = sheetml.IsTrue(t.AttrLocal("and"))
			return sheetml.EachChild(one, func(t xmlscan.Token, _ []byte) error {
				r.tests = append(r.tests, newFilterTest(t.AttrLocal("operator"), sheetml.Unescape(t.AttrLocal("val"))))
				return nil
			})
		case "top10":
			n, err := strconv.ParseFloat(t.AttrLocal("val"), 64)
			top, given := t.Attr("top")
			r.top = &topRule{bottom: given && !sheetml.IsTrue(top), percent: sheetml.IsTrue(t.AttrLocal("percent")), n: n}
			ok = err == nil
		case "dynamicFilter":
			r.average = map[string]int{"aboveAverage": 1, "belowAverage": -1}[t.AttrLocal("type")]
			ok = r.average != 0
		default:
			ok = false
		}
		return nil
	})
	if none { // only a button that is hidden
		return nil, true
	}
	return r, ok
}

// readList reads a list of values and dates; a part of a day is not known.
func (r *filterRule) readList(t xmlscan.Token, raw []byte) bool {
	r.blanks = sheetml.IsTrue(t.AttrLocal("blank"))
	known := true
	_ = sheetml.EachChild(raw, func(t xmlscan.Token, _ []byte) error {
		if t.Local == "filter" {
			r.add(sheetml.Unescape(t.AttrLocal("val")))
			return nil
		}
		g := dateGroup{year: sheetml.Atoi([]byte(t.AttrLocal("year")))}
		switch t.AttrLocal("dateTimeGrouping") {
		case "year":
		case "month":
			g.month = sheetml.Atoi([]byte(t.AttrLocal("month")))
		case "day":
			g.month, g.day = sheetml.Atoi([]byte(t.AttrLocal("month"))), sheetml.Atoi([]byte(t.AttrLocal("day")))
		default:
			known = false
		}
		r.dates = append(r.dates, g)
		return nil
	})
	return known
}
