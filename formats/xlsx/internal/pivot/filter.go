package pivot

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/formats/xlsx/internal/numfmt"
)

// Filter keeps the items of a field of the rows or columns by their labels, by their
// dates, or by a value (18.10.1.34).
type Filter struct {
	Field   int
	Type    string // 18.18.58: captionBeginsWith, valueGreaterThan, count, dateBetween, thisYear …
	Text    [2]string
	Num     [2]float64 // what values and dates are compared with; [0] is how many of the top
	Measure int        // the value that decides, of a filter by value
	Bottom  bool       // the smallest, not the largest

	read int // how many numbers the definition has given
}

// comparisons are the endings of the types that compare, with their operators in an
// autofilter; a second operator makes two comparisons.
var comparisons = []struct {
	ending   string
	ops      [2]string
	and      bool
	pattern  string // of captions, in which X is the text
	opposite bool
}{
	{ending: "NotEqual", ops: [2]string{"notEqual"}, opposite: true}, {ending: "Equal", ops: [2]string{"equal"}},
	{ending: "NotBeginsWith", ops: [2]string{"notEqual"}, pattern: "X*", opposite: true}, {ending: "BeginsWith", ops: [2]string{"equal"}, pattern: "X*"},
	{ending: "NotEndsWith", ops: [2]string{"notEqual"}, pattern: "*X", opposite: true}, {ending: "EndsWith", ops: [2]string{"equal"}, pattern: "*X"},
	{ending: "NotContains", ops: [2]string{"notEqual"}, pattern: "*X*", opposite: true}, {ending: "Contains", ops: [2]string{"equal"}, pattern: "*X*"},
	{ending: "GreaterThanOrEqual", ops: [2]string{"greaterThanOrEqual"}}, {ending: "LessThanOrEqual", ops: [2]string{"lessThanOrEqual"}},
	{ending: "GreaterThan", ops: [2]string{"greaterThan"}}, {ending: "LessThan", ops: [2]string{"lessThan"}},
	{ending: "NewerThanOrEqual", ops: [2]string{"greaterThanOrEqual"}}, {ending: "OlderThanOrEqual", ops: [2]string{"lessThanOrEqual"}},
	{ending: "NewerThan", ops: [2]string{"greaterThan"}}, {ending: "OlderThan", ops: [2]string{"lessThan"}},
	{ending: "NotBetween", ops: [2]string{"lessThan", "greaterThan"}, opposite: true}, {ending: "Between", ops: [2]string{"greaterThanOrEqual", "lessThanOrEqual"}, and: true},
}

// kind splits a type: "caption", "value" or "date" with the place of its comparison,
// "top" for the top items, "period" for a stretch of the calendar, "" for none that is
// known.
func (f *Filter) kind() (string, int) {
	switch f.Type {
	case "count", "percent", "sum":
		return "top", 0
	}
	for _, k := range []string{"caption", "value", "date"} {
		if rest, ok := strings.CutPrefix(f.Type, k); ok {
			for i, c := range comparisons {
				if rest == c.ending {
					return k, i
				}
			}
		}
	}
	if slices.Contains(Periods, f.Type) {
		return "period", 0
	}
	return "", 0
}

// ByValue reports whether a value decides which items a filter keeps.
func (f *Filter) ByValue() bool { k, _ := f.kind(); return k == "value" || k == "top" }

// Periods are the filters by a stretch of the calendar.
var Periods = strings.Fields("today yesterday tomorrow thisWeek lastWeek nextWeek thisMonth lastMonth nextMonth thisQuarter lastQuarter nextQuarter thisYear lastYear nextYear yearToDate Q1 Q2 Q3 Q4 M1 M2 M3 M4 M5 M6 M7 M8 M9 M10 M11 M12")

// compare reports whether an order holds: of a label or number with the first and, for
// two bounds, the second.
func compareHolds(ending string, one, two int) bool {
	switch ending {
	case "NotEqual":
		return one != 0
	case "Equal":
		return one == 0
	case "GreaterThanOrEqual", "NewerThanOrEqual":
		return one >= 0
	case "LessThanOrEqual", "OlderThanOrEqual":
		return one <= 0
	case "GreaterThan", "NewerThan":
		return one > 0
	case "LessThan", "OlderThan":
		return one < 0
	case "Between":
		return one >= 0 && two <= 0
	}
	return one < 0 || two > 0 // NotBetween
}

// keepsLabel reports whether a filter of labels keeps one. Case does not count.
func (f *Filter) keepsLabel(c *comparer, label string) bool {
	_, i := f.kind()
	how := comparisons[i]
	low, text := strings.ToLower(label), strings.ToLower(f.Text[0])
	switch {
	case how.pattern == "X*":
		return matches(low, text+"*") != how.opposite
	case how.pattern == "*X":
		return matches(low, "*"+text) != how.opposite
	case how.pattern != "":
		return matches(low, "*"+text+"*") != how.opposite
	case how.ending == "Equal" || how.ending == "NotEqual":
		return matches(low, text) != how.opposite
	}
	order := func(with string) int {
		a, err1 := strconv.ParseFloat(label, 64)
		b, err2 := strconv.ParseFloat(with, 64)
		if err1 == nil && err2 == nil {
			return cmp.Compare(a, b)
		}
		return c.texts.CompareString(label, with)
	}
	return compareHolds(how.ending, order(f.Text[0]), order(f.Text[1]))
}

// matches compares a text with a pattern in which * and ? stand for others and ~ takes
// that meaning away. Its time is the product of the lengths.
func matches(s, pattern string) bool {
	text, p := []rune(s), []rune(pattern)
	star, mark, i, k := -1, 0, 0, 0
	for i < len(text) {
		switch {
		case k < len(p) && p[k] == '*':
			star, mark = k, i
			k++
		case k+1 < len(p) && p[k] == '~' && p[k+1] == text[i]:
			i, k = i+1, k+2
		case k < len(p) && (p[k] == '?' || p[k] == text[i] && p[k] != '~'):
			i, k = i+1, k+1
		case star >= 0:
			mark++
			i, k = mark, star+1
		default:
			return false
		}
	}
	for k < len(p) && p[k] == '*' {
		k++
	}
	return k == len(p)
}

// keepsDate reports whether a filter of dates keeps one. Its bounds are whole days.
func (f *Filter) keepsDate(v Value, now time.Time, date1904 bool) bool {
	if v.Kind != Date {
		return false
	}
	kind, i := f.kind()
	day := math.Floor(v.Num)
	if kind == "period" {
		t, ok := numfmt.Time(day, date1904)
		return ok && inPeriod(f.Type, t, now)
	}
	return compareHolds(comparisons[i].ending, cmp.Compare(day, math.Floor(f.Num[0])), cmp.Compare(day, math.Floor(f.Num[1])))
}

// inPeriod reports whether a day is in a stretch of the calendar. Weeks begin on
// Sunday, as in Excel.
func inPeriod(period string, t, now time.Time) bool {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	t = time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	month := today.AddDate(0, 0, 1-today.Day())
	quarter := month.AddDate(0, -(int(month.Month())-1)%3, 0)
	year := time.Date(today.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	week := today.AddDate(0, 0, -int(today.Weekday()))
	within := func(from, to time.Time) bool { return !t.Before(from) && t.Before(to) }
	move := map[string]int{"last": -1, "this": 0, "next": 1}
	if len(period) > 4 {
		if n, ok := move[period[:4]]; ok {
			switch period[4:] {
			case "Week":
				return within(week.AddDate(0, 0, 7*n), week.AddDate(0, 0, 7*n+7))
			case "Month":
				return within(month.AddDate(0, n, 0), month.AddDate(0, n+1, 0))
			case "Quarter":
				return within(quarter.AddDate(0, 3*n, 0), quarter.AddDate(0, 3*n+3, 0))
			case "Year":
				return within(year.AddDate(n, 0, 0), year.AddDate(n+1, 0, 0))
			}
		}
	}
	switch period {
	case "today":
		return t.Equal(today)
	case "yesterday":
		return t.Equal(today.AddDate(0, 0, -1))
	case "tomorrow":
		return t.Equal(today.AddDate(0, 0, 1))
	case "yearToDate":
		return within(year, today.AddDate(0, 0, 1))
	}
	n, _ := strconv.Atoi(period[1:])
	if period[0] == 'Q' {
		return (int(t.Month())-1)/3+1 == n
	}
	return int(t.Month()) == n
}

// filteredOut gives the entries of a field that its filters of labels and dates hide.
func (t *Table) filteredOut(field int) map[int]bool {
	out := map[int]bool{}
	c := newComparer()
	for k := range t.Filters {
		f := &t.Filters[k]
		if f.Field != field || f.ByValue() {
			continue
		}
		kind, _ := f.kind()
		for n, v := range t.Fields[field].entries() {
			keeps := true
			if kind == "caption" {
				keeps = f.keepsLabel(c, t.shown(field, n))
			} else {
				keeps = f.keepsDate(v, t.Now, t.Date1904)
			}
			if !keeps {
				out[n] = true
			}
		}
	}
	return out
}

// limit is what a filter by value keeps: combinations of the items of an axis down to
// its field.
type limit struct {
	rows  bool
	depth int
	root  *node
	kept  map[*node]bool
}

// allows reports whether a record is kept, by its keys of the axis.
func (l *limit) allows(keys []func(int) int, row int) bool {
	n := l.root
	for k := 0; k <= l.depth && n != nil; k++ {
		n = n.byItem[keys[k](row)]
	}
	return n != nil && l.kept[n]
}

// limits applies a filter by value to what the filters before it let through.
func (t *Table) limitOf(f *Filter, c *cube) *limit {
	for _, rows := range []bool{true, false} {
		depth := 0
		for _, i := range map[bool][]int{true: t.Rows, false: t.Columns}[rows] {
			if i == ValuesField {
				continue
			}
			if i != f.Field {
				depth++
				continue
			}
			l := &limit{rows: rows, depth: depth, root: c.cols, kept: map[*node]bool{}}
			if rows {
				l.root = c.rows
			}
			l.choose(l.root, depth, f, &axisLines{t: t, rows: rows, cube: c})
			return l
		}
	}
	return nil
}

// choose keeps children of the nodes that are over the field of the filter.
func (l *limit) choose(n *node, depth int, f *Filter, a *axisLines) {
	if depth > 0 {
		for _, c := range n.children {
			l.choose(c, depth-1, f, a)
		}
		return
	}
	kind, i := f.kind()
	var list []*node
	var nums []float64
	whole := 0.0
	for _, c := range n.children {
		v := a.sum(c, f.Measure)
		if v.Kind == Number {
			list, nums = append(list, c), append(nums, v.Num)
			whole += v.Num
		}
		if kind == "value" {
			one, two := cmp.Compare(v.Num, f.Num[0]), cmp.Compare(v.Num, f.Num[1])
			l.kept[c] = v.Kind == Number && compareHolds(comparisons[i].ending, one, two) || v.Kind == Blank && comparisons[i].opposite
		}
	}
	if kind == "value" || len(list) == 0 {
		return
	}
	sorted := slices.Clone(nums)
	slices.Sort(sorted)
	if !f.Bottom {
		slices.Reverse(sorted)
	}
	last := sorted[len(sorted)-1]
	switch sum := 0.0; f.Type {
	case "count":
		last = sorted[min(max(int(min(f.Num[0], 1e9)), 1), len(sorted))-1]
	default:
		want := f.Num[0]
		if f.Type == "percent" {
			want = whole * f.Num[0] / 100
		}
		for _, v := range sorted {
			if sum += v; sum >= want {
				last = v
				break
			}
		}
	}
	for k, c := range list { // items of equal value come together, as in Excel
		l.kept[c] = nums[k] >= last && !f.Bottom || nums[k] <= last && f.Bottom
	}
}
