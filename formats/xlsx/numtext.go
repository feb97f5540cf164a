package xlsx

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// isoDate tells texts that are written as a full ISO 8601 date, or date and
// time. A time zone, a date without a day and a time alone are none.
var isoDate = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?$`)

// dateOf reads a text as a date. The serial number is rounded to the 15 digits
// that spreadsheets keep, which is less than a millisecond.
func dateOf(s string, date1904 bool) (number, code string, ok bool) {
	if !isDateText(s) {
		return "", "", false
	}
	v, ok := Serial(s, date1904)
	if !ok {
		return "", "", false
	}
	number = strconv.FormatFloat(v, 'f', 10, 64)
	number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	code = "yyyy-mm-dd"
	switch n := len(s); {
	case n > len("2006-01-02T15:04:05"):
		code += " hh:mm:ss.000"
	case n > len("2006-01-02T15:04"):
		code += " hh:mm:ss"
	case n > len("2006-01-02"):
		code += " hh:mm"
	}
	return number, code, true
}

// dateCode is the format code that a cell with the code old gets for a date:
// its own when it shows days or is one for text that need not give way.
func dateCode(old, want string, over bool) string {
	f := parseNumFormat(old)
	if f.showsDay() || f.isText() && !over {
		return old
	}
	return want
}

// showsDay reports whether a format shows the day, month or year of a number.
func (f *numFormat) showsDay() bool {
	if !f.isDate() {
		return false
	}
	s := &f.sections[0]
	for i, t := range s.toks {
		if t.kind == tokDate && (strings.IndexByte("ydebg", t.s[0]) >= 0 || t.s[0] == 'm' && !s.minutes(i)) {
			return true
		}
	}
	return false
}

// isText reports whether a cell of this format takes what is typed for text.
func (f *numFormat) isText() bool { return !f.general && f.sections[0].text && !f.sections[0].digits }

// Serial is the number that a cell holds for an ISO 8601 date or time without
// zone. ok is false when s is none, or before 1900-03-01, where Excel and the
// calendar differ.
func Serial(s string, date1904 bool) (v float64, ok bool) {
	if t, err := time.Parse(time.TimeOnly, s); err == nil {
		return float64(t.Hour()*3600+t.Minute()*60+t.Second()) / 86400, true
	}
	if len(s) < len(time.DateOnly) || strings.HasSuffix(s, "Z") {
		return 0, false
	}
	s = strings.Replace(s, " ", "T", 1)
	if v, ok = isoSerial(s, false); !ok || v < 61 || v >= 2958466 {
		return 0, false
	}
	v, ok = isoSerial(s, date1904)
	return v, ok && v >= 0
}

// isElapsed reports whether positive numbers show as a span of time, not a
// point in time.
func (f *numFormat) isElapsed() bool { return f.isDate() && f.sections[0].elapsed() }

// isDateText reports whether a text is written as an ISO 8601 date.
func isDateText(s string) bool { return isoDate.MatchString(s) }
