package calc

import (
	"math"
	"strings"
	"time"

	"atelier/formats/xlsx/internal/numfmt"
)

// maxDay is the serial number of 9999-12-31 in the 1900 date system.
const maxDay = 2958465

// fakeLeap is the number of 29 February 1900, which did not exist (18.17.4.1).
const fakeLeap = 60

// The days that number 0 would be in the two systems, were it not for fakeLeap.
var (
	day0    = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	day1904 = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
)

// dayOf returns the number of a day given by year, month and day, of which the
// last two may be out of range. ok is false outside the calendar.
func (e *Evaluator) dayOf(year, month, day int) (serial float64, ok bool) {
	if month < -120_000 || month > 120_000 || day < -4_000_000 || day > 4_000_000 {
		return 0, false
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if e.book.Date1904 {
		serial = float64(t.Unix()-day1904.Unix()) / 86400
		return serial, serial >= 0 && serial <= maxDay-1462
	}
	serial = float64(t.Unix()-day0.Unix()) / 86400
	// Months before March 1900 are followed by a 29 February that did not exist.
	if first := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC); first.Before(time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)) {
		serial--
	}
	return serial, serial >= 0 && serial <= maxDay
}

// calendar returns year, month and day of a number; ok is false outside the
// calendar. Number 0 is day 0 of January 1900, 60 is 29 February.
func (e *Evaluator) calendar(serial float64) (year, month, day int, ok bool) {
	n := math.Floor(serial)
	if n < 0 || n > maxDay {
		return 0, 0, 0, false
	}
	if e.book.Date1904 {
		t := day1904.AddDate(0, 0, int(n))
		return t.Year(), int(t.Month()), t.Day(), true
	}
	switch {
	case n == 0:
		return 1900, 1, 0, true
	case n == fakeLeap:
		return 1900, 2, 29, true
	case n < fakeLeap:
		n++
	}
	t := day0.AddDate(0, 0, int(n))
	return t.Year(), int(t.Month()), t.Day(), true
}

// clock returns the seconds of a day that a number has, rounded as programs do.
func clock(serial float64) int {
	_, frac := math.Modf(math.Abs(serial))
	return int(math.Round(frac*86400)) % 86400
}

// monthDays is the number of days of a month of the calendar.
func monthDays(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// addMonths returns the day that is months later, or the last of that month.
func (e *Evaluator) addMonths(serial float64, months int) (float64, bool) {
	y, m, d, ok := e.calendar(serial)
	if !ok || months < -120_000 || months > 120_000 {
		return 0, false
	}
	first := time.Date(y, time.Month(m+months), 1, 0, 0, 0, 0, time.UTC)
	return e.dayOf(first.Year(), int(first.Month()), min(d, monthDays(first.Year(), int(first.Month()))))
}

// readDate reads a date, a time or both. Forms other than ISO 8601 and a time are
// those of one language.
func (e *Evaluator) readDate(s string) (float64, bool) {
	if x, ok := numfmt.Serial(s, e.book.Date1904); ok {
		return x, true
	}
	if x, ok := readTime(s); ok {
		return x, true
	}
	if looksLikeDate(s) || e.locale != nil && e.locale.MentionsMonth(s) {
		day, rest, both := strings.Cut(s, " ")
		if x, ok := e.numericDate(day); ok {
			if !both {
				return x, true
			}
			if t, ok := readTime(rest); ok {
				return x + t, true
			}
		}
		if x, ok := e.namedDate(s); ok {
			return x, true
		}
		e.stop(ReasonLanguage, "a date as text depends on the language of the program")
	}
	return 0, false
}

// looksLikeDate reports whether some program may read a text as a date.
func looksLikeDate(s string) bool {
	if len(s) > 40 || strings.Trim(s, "0123456789/-. ,:aApPmM") == "" && strings.ContainsAny(s, "/-.") && !strings.HasPrefix(s, "-") {
		return len(s) <= 40
	}
	low := strings.ToLower(s)
	for _, m := range []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"} {
		if strings.Contains(low, m) {
			return true
		}
	}
	return false
}

// numericDate reads a date of three numbers in the order of the program's language. A
// year has four digits, in the United States also two.
func (e *Evaluator) numericDate(s string) (float64, bool) {
	e.touched = true
	l := e.locale
	if l == nil || strings.Count(s, l.Separator) != 2 {
		return 0, false
	}
	layouts := map[string][]string{"mdy": {"1/2/2006", "1/2/06"}, "dmy": {"2/1/2006"}, "ymd": {"2006/1/2"}}[l.Order]
	for _, layout := range layouts {
		t, err := time.Parse(layout, strings.ReplaceAll(s, l.Separator, "/"))
		if err != nil {
			continue
		}
		year := t.Year()
		if layout == "1/2/06" { // two digits up to 29 are of this century
			if year = year%100 + 1900; year%100 < 30 {
				year += 100
			}
		}
		return e.dayOf(year, int(t.Month()), t.Day())
	}
	return 0, false
}

// namedDate reads a day with an English name of its month and four digits of its year, as
// programs in English do.
func (e *Evaluator) namedDate(s string) (float64, bool) {
	e.touched = true
	if e.locale == nil || !strings.HasPrefix(e.locale.Tag, "en") {
		return 0, false
	}
	for _, layout := range []string{"2-Jan-2006", "2 Jan 2006", "2-January-2006", "2 January 2006", "Jan 2, 2006", "January 2, 2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return e.dayOf(t.Year(), int(t.Month()), t.Day())
		}
	}
	return 0, false
}

// readTime reads 13:05, 13:05:30 or 1:05 PM.
func readTime(s string) (float64, bool) {
	for _, layout := range []string{"15:04", "15:04:05", "15:04:05.999", "3:04 PM", "3:04:05 PM", "3 PM"} {
		if t, err := time.Parse(layout, strings.ToUpper(s)); err == nil {
			return (float64(t.Hour()*3600+t.Minute()*60+t.Second()) + float64(t.Nanosecond())/1e9) / 86400, true
		}
	}
	return 0, false
}
