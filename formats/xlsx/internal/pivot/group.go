package pivot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"atelier/formats"
	"atelier/formats/xlsx/internal/numfmt"
)

// Group puts the values of a field together by ranges (18.10.1.43 and 18.10.1.75).
// Labels[0] is what lies before Start and the last label what lies behind End.
type Group struct {
	By         string // "range" for numbers, or "days", "months", "quarters", "years"
	Base       int    // index of the field whose values are put together
	Parent     int    // of a base field: the coarsest field over it, -1 for none
	Start, End float64
	Interval   float64
	AutoStart  bool
	AutoEnd    bool
	Labels     []Value

	date1904 bool
	first    int // year of the first label of years
}

// GroupUnits are the units of dates that a field may be grouped by, finest first.
var GroupUnits = []string{"days", "months", "quarters", "years"}

// maxGroups bounds the groups of a field.
const maxGroups = 10_000

var monthNames = []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}

// Fit sets the bounds that follow the data, and the labels.
func (g *Group) Fit(f *Field, c *Column, date1904 bool) error {
	s := c.stats()
	g.date1904 = date1904
	if g.By == "range" {
		return g.fitNumbers(f, s)
	}
	if s.otherIndex >= 0 || s.kinds[Date] == 0 {
		v := Value{Kind: Blank}
		if s.otherIndex >= 0 {
			v = c.At(s.otherIndex)
		}
		return formats.Errorf(formats.CodeInvalid, "the field %q cannot be grouped by dates: record %d has %s, which is no date (a date is a number with a date format)", f.Name, max(s.otherIndex, 0)+1, quoted(v.Label(date1904)))
	}
	if g.AutoStart {
		g.Start = math.Floor(s.first)
	}
	if g.AutoEnd {
		g.End = math.Floor(s.last) + 1
	}
	from, ok1 := numfmt.Time(g.Start, date1904)
	to, ok2 := numfmt.Time(g.End, date1904)
	if !ok1 || !ok2 {
		return formats.Errorf(formats.CodeInvalid, "the field %q has dates that no calendar has; it cannot be grouped", f.Name)
	}
	g.label(from, to)
	return nil
}

func quoted(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}

// label lists the groups of dates.
func (g *Group) label(from, to time.Time) {
	day := func(t time.Time) string { return fmt.Sprintf("%d/%d/%d", int(t.Month()), t.Day(), t.Year()) }
	names := []string{"<" + day(from)}
	switch g.By {
	case "years":
		g.first = from.Year()
		for y := from.Year(); y <= to.Add(-time.Second).Year() && len(names) < maxGroups; y++ {
			names = append(names, strconv.Itoa(y))
		}
	case "quarters":
		names = append(names, "Qtr1", "Qtr2", "Qtr3", "Qtr4")
	case "months":
		names = append(names, monthNames...)
	case "days":
		for d := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() == 2024; d = d.AddDate(0, 0, 1) {
			names = append(names, fmt.Sprintf("%d-%s", d.Day(), monthNames[d.Month()-1]))
		}
	}
	g.setLabels(append(names, ">"+day(to)))
}

func (g *Group) setLabels(names []string) {
	g.Labels = make([]Value, len(names))
	for i, n := range names {
		g.Labels[i] = Value{Kind: Text, Text: n}
	}
}

// fitNumbers lists the groups of numbers.
func (g *Group) fitNumbers(f *Field, s stats) error {
	if s.kinds[Number] == 0 {
		return formats.Errorf(formats.CodeInvalid, "the field %q has no numbers to group", f.Name)
	}
	if g.AutoStart {
		g.Start = s.min
	}
	if g.AutoEnd {
		g.End = s.max
	}
	if !(g.Interval > 0) || g.End < g.Start {
		return formats.Errorf(formats.CodeInvalid, "the field %q: groups need a step above 0 and an end that is not before the start", f.Name)
	}
	n := math.Floor((g.End-g.Start)/g.Interval) + 1
	if n > maxGroups {
		return formats.Errorf(formats.CodeTooLarge, "the field %q would have %.0f groups; the limit is %d, choose a larger step", f.Name, n, maxGroups)
	}
	whole := s.whole && g.Start == math.Trunc(g.Start) && g.Interval == math.Trunc(g.Interval)
	text := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	names := []string{"<" + text(g.Start)}
	for i := range int(n) {
		lo := g.Start + float64(i)*g.Interval
		hi := lo + g.Interval
		if whole {
			hi--
		}
		if whole && hi == lo {
			names = append(names, text(lo))
			continue
		}
		names = append(names, text(lo)+"-"+text(hi))
	}
	g.setLabels(append(names, ">"+text(g.Start+n*g.Interval)))
	return nil
}

// Of returns the index of the group that a value belongs to, -1 for none.
func (g *Group) Of(v Value) int {
	last := len(g.Labels) - 1
	switch {
	case g.By == "range" && v.Kind == Number:
		switch {
		case v.Num < g.Start:
			return 0
		case v.Num > g.End && math.Floor((v.Num-g.Start)/g.Interval) >= float64(last-1):
			return last
		}
		return 1 + int(math.Floor((v.Num-g.Start)/g.Interval))
	case g.By == "range" || v.Kind != Date:
		return -1
	case v.Num < g.Start:
		return 0
	case v.Num >= g.End:
		return last
	}
	t, ok := numfmt.Time(v.Num, g.date1904)
	if !ok {
		return -1
	}
	switch g.By {
	case "years":
		return 1 + t.Year() - g.first
	case "quarters":
		return 1 + int(t.Month()-1)/3
	case "months":
		return int(t.Month())
	}
	return time.Date(2024, t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).YearDay()
}

// sortEntries sorts indexes of entries by their values.
func sortEntries(list []int, entries []Value) {
	c := newComparer()
	slices.SortStableFunc(list, func(a, b int) int { return c.compare(entries[a], entries[b]) })
}
