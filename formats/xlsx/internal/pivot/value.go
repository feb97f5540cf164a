package pivot

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"atelier/formats/xlsx/internal/numfmt"
)

// Kind is what a value is.
type Kind uint8

// The kinds of values, in the order in which Excel sorts them.
const (
	Number Kind = iota
	Date
	Text
	Bool
	Error
	Blank
)

// Value is the value of a cell of the source. Num is the number, the serial of a
// date, or 1 for TRUE; Text the text or the error.
type Value struct {
	Kind Kind
	Num  float64
	Text string
}

// key tells values apart as a pivot table does: case of text does not count.
func (v Value) key() string {
	switch v.Kind {
	case Text:
		return "t" + strings.ToLower(v.Text)
	case Error:
		return "e" + v.Text
	case Blank:
		return ""
	case Date: // caches write dates to the second
		return "d" + strconv.FormatFloat(math.Round(v.Num*86400), 'f', -1, 64)
	}
	return string(rune('0'+v.Kind)) + strconv.FormatFloat(v.Num, 'g', -1, 64)
}

// Label is how a value is called in messages and matched with the names of items:
// dates as 2006-01-02, with the time where it has one.
func (v Value) Label(date1904 bool) string {
	switch v.Kind {
	case Number:
		return strconv.FormatFloat(v.Num, 'f', -1, 64)
	case Date:
		return isoDate(v.Num, date1904)
	case Bool:
		if v.Num != 0 {
			return "TRUE"
		}
		return "FALSE"
	case Blank:
		return "(blank)"
	}
	return v.Text
}

func isoDate(serial float64, date1904 bool) string {
	t, ok := numfmt.Time(serial, date1904)
	if !ok {
		return strconv.FormatFloat(serial, 'f', -1, 64)
	}
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 {
		return t.Format("2006-01-02")
	}
	return t.Format("2006-01-02T15:04:05")
}

// xmlDate is a date as the parts of a cache write it.
func xmlDate(serial float64, date1904 bool) string {
	t, ok := numfmt.Time(serial, date1904)
	if !ok {
		t = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	}
	return t.Format("2006-01-02T15:04:05")
}

// listPlaces are the places of months and weekdays, which Excel sorts by its lists and
// before other texts.
var listPlaces = func() map[string]int {
	out := map[string]int{}
	for i, w := range strings.Fields("january february march april may june july august september october november december sunday monday tuesday wednesday thursday friday saturday") {
		out[w], out[w[:3]] = i, i
	}
	return out
}()

// comparer compares labels as Excel sorts them.
type comparer struct{ texts *collate.Collator }

func newComparer() *comparer {
	return &comparer{collate.New(language.Und, collate.IgnoreCase)}
}

// compare orders two values: numbers and dates, texts, booleans, errors, blank.
func (c *comparer) compare(a, b Value) int {
	rank := func(k Kind) Kind {
		if k == Date {
			return Number
		}
		return k
	}
	if d := cmp.Compare(rank(a.Kind), rank(b.Kind)); d != 0 {
		return d
	}
	if a.Kind == Text && b.Kind == Text {
		i, one := listPlaces[strings.ToLower(a.Text)]
		j, two := listPlaces[strings.ToLower(b.Text)]
		if one != two {
			return boolInt(two) - boolInt(one)
		}
		if one {
			return cmp.Compare(i, j)
		}
		return cmp.Or(c.texts.CompareString(a.Text, b.Text), cmp.Compare(a.Text, b.Text))
	}
	return cmp.Or(cmp.Compare(a.Num, b.Num), cmp.Compare(a.Text, b.Text))
}
