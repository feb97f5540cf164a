package numfmt

import (
	"strconv"
	"strings"
	"time"

	"atelier/internal/lazyregexp"
)

// isoDate matches a full ISO 8601 date, or date and time. It does not match a
// time alone, a date without a day, or a time with a zone.
var isoDate = lazyregexp.New(`^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?$`)

// ParseDate reads text as a date and returns its serial number and a number
// format that shows as much of it as the text gives. The number is rounded to
// 10 decimals (less than a millisecond), since spreadsheets keep 15 digits.
func ParseDate(s string, date1904 bool) (number, code string, ok bool) {
	if !IsDateText(s) {
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

// DateCode returns the format code for a cell that gets a date: old when it
// shows days, or is a text format and over is false; else want.
func DateCode(old, want string, over bool) string {
	f := Parse(old)
	if f.ShowsDay() || f.IsText() && !over {
		return old
	}
	return want
}

// ShowsDay reports whether a format shows the day, month or year of a number.
func (f *Format) ShowsDay() bool {
	if !f.IsDate() {
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

// IsText reports whether Excel stores as text whatever is typed into a cell with
// this format.
func (f *Format) IsText() bool { return !f.General && f.sections[0].text && !f.sections[0].digits }

// Serial returns the number that a cell holds for an ISO 8601 date or time
// without a zone. ok is false for other text, and for dates before 1900-03-01,
// where Excel and the calendar differ.
func Serial(s string, date1904 bool) (v float64, ok bool) {
	if t, err := time.Parse(time.TimeOnly, s); err == nil {
		return float64(t.Hour()*3600+t.Minute()*60+t.Second()) / 86400, true
	}
	if len(s) < len(time.DateOnly) || strings.HasSuffix(s, "Z") {
		return 0, false
	}
	s = strings.Replace(s, " ", "T", 1)
	if v, ok = ISOSerial(s, false); !ok || v < 61 || v >= 2958466 {
		return 0, false
	}
	v, ok = ISOSerial(s, date1904)
	return v, ok && v >= 0
}

// IsElapsed reports whether positive numbers show as a duration, such as [h]:mm.
func (f *Format) IsElapsed() bool { return f.IsDate() && f.sections[0].elapsed() }

// IsDateText reports whether a text is written as an ISO 8601 date.
func IsDateText(s string) bool { return isoDate.MatchString(s) }
