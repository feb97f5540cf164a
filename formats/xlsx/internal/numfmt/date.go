package numfmt

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Time turns a date serial into a time. In the 1900 system day 60 is 29 February
// 1900, which did not exist (18.17.4.1); the days before it are off by one.
func Time(v float64, date1904 bool) (time.Time, bool) {
	if v < 0 || v >= 2958466 { // behind 9999-12-31
		return time.Time{}, false
	}
	days := math.Floor(v)
	ms := math.Round((v - days) * 86400e3)
	base := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if date1904 {
		base = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	} else if days < 60 {
		days++
	}
	return base.AddDate(0, 0, int(days)).Add(time.Duration(ms) * time.Millisecond), true
}

// ISOSerial returns the serial number of the ISO 8601 date in a t="d" cell.
func ISOSerial(s string, date1904 bool) (float64, bool) {
	s = strings.TrimSuffix(s, "Z")
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		base := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
		if date1904 {
			base = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		// A time.Duration ends after 292 years.
		v := float64(t.UnixMilli()-base.UnixMilli()) / 86400e3
		if !date1904 && v >= 2 && v < 61 {
			v-- // serial 1 is 1900-01-01; see Time
		}
		return v, true
	}
	return 0, false
}

// day is a day as Excel shows it.
type day struct {
	year    int
	month   time.Month
	number  int
	weekday time.Weekday
}

// calendarDay returns the day that Excel shows for a serial, of which t is the
// time. Excel counts 1900 as a leap year: serial 60 is 29 February 1900, serial 0
// is 0 January 1900, and the weekdays before March 1900 follow from that.
func calendarDay(t time.Time, v float64, date1904 bool) day {
	d := day{t.Year(), t.Month(), t.Day(), t.Weekday()}
	serial := int(math.Round(v*86400e3)) / 86400e3
	if date1904 || serial > 60 {
		return d
	}
	d.weekday = time.Weekday((serial + 6) % 7)
	switch serial {
	case 0:
		d.year, d.month, d.number = 1900, time.January, 0
	case 60:
		d.year, d.month, d.number = 1900, time.February, 29
	}
	return d
}

// formatDate formats a date serial.
func (s *section) formatDate(v float64, date1904 bool) (string, bool) {
	neg := false
	if v < 0 && s.elapsed() {
		v, neg = -v, true
	}
	dec := s.secondDecimals()
	// Round to what is shown first, so that 59.9996 s does not show as 60.
	if unit := math.Pow(10, float64(dec)) * 86400; s.showsSeconds() {
		v = math.Round(v*unit) / unit
	}
	t, ok := Time(v, date1904)
	if !ok {
		return "", false
	}
	hour12, shown := s.hour12(), calendarDay(t, v, date1904)
	var sb strings.Builder
	if neg {
		sb.WriteByte('-')
	}
	for i, tok := range s.toks {
		switch tok.kind {
		case tokDate:
			sb.WriteString(s.dateField(i, v, t, shown, hour12))
		case tokPoint:
			if dec == 0 {
				sb.WriteByte('.')
			}
		case tokDigit:
			if i > 0 && s.toks[i-1].kind == tokPoint && dec > 0 {
				frac := fmt.Sprintf("%03d", t.Nanosecond()/1e6)
				sb.WriteString(s.marks.point() + frac[:min(dec, 3)])
			}
		default:
			sb.WriteString(tok.s)
		}
	}
	return sb.String(), true
}

// hour12 reports whether hours are counted to twelve.
func (s *section) hour12() bool {
	return slices.ContainsFunc(s.toks, func(t token) bool {
		return t.kind == tokDate && (strings.HasSuffix(t.s, "M") || strings.EqualFold(t.s, "A/P"))
	})
}

func (s *section) elapsed() bool {
	for _, t := range s.toks {
		if t.kind == tokDate && t.s[0] == '[' {
			return true
		}
	}
	return false
}

func (s *section) showsSeconds() bool {
	for _, t := range s.toks {
		if t.kind == tokDate && strings.Contains(t.s, "s") {
			return true
		}
	}
	return false
}

// secondDecimals counts the zeros of "ss.000".
func (s *section) secondDecimals() int {
	n := 0
	for i, t := range s.toks {
		if t.kind == tokDigit && t.s == "0" && i > 0 && (s.toks[i-1].kind == tokPoint || n > 0) {
			n++
		}
	}
	return n
}

// minutes reports whether the m or mm token at i means minutes: it does after
// hours and before seconds.
func (s *section) minutes(i int) bool {
	for j := i - 1; j >= 0; j-- {
		if t := s.toks[j]; t.kind == tokDate {
			if strings.Contains(t.s, "h") {
				return true
			}
			break
		}
	}
	for j := i + 1; j < len(s.toks); j++ {
		if t := s.toks[j]; t.kind == tokDate {
			return strings.Contains(t.s, "s")
		}
	}
	return false
}

func (s *section) dateField(i int, v float64, t time.Time, d day, hour12 bool) string {
	f := s.toks[i].s
	pad := func(n int) string {
		if len(f) > 1 {
			return fmt.Sprintf("%02d", n)
		}
		return strconv.Itoa(n)
	}
	switch f[0] {
	case '[':
		return elapsedField(f, v)
	case 'A', 'a':
		switch f {
		case "AM/PM":
			return s.names.halfDay(t.Hour() >= 12)
		case "a/p":
			return t.Format("pm")[:1]
		}
		return t.Format("PM")[:1]
	case 'y', 'e':
		if f[0] == 'y' && len(f) <= 2 {
			return fmt.Sprintf("%02d", d.year%100)
		}
		return strconv.Itoa(d.year)
	case 'b':
		return strconv.Itoa(d.year + 543)
	case 'g':
		return ""
	case 'm':
		if len(f) <= 2 && s.minutes(i) {
			return pad(t.Minute())
		}
		switch len(f) {
		case 1, 2:
			return pad(int(d.month))
		}
		return s.names.nameOf(f, int(d.month)-1, s.genitive)
	case 'd':
		switch len(f) {
		case 1, 2:
			return pad(d.number)
		}
		return s.names.nameOf(f, int(d.weekday), false)
	case 'h':
		h := t.Hour()
		if hour12 {
			h = (h+11)%12 + 1
		}
		return pad(h)
	case 's':
		return pad(t.Second())
	}
	return ""
}

func elapsedField(f string, v float64) string {
	unit := 24.0
	switch f[1] {
	case 'm':
		unit *= 60
	case 's':
		unit *= 3600
	}
	s := strconv.FormatFloat(math.Floor(v*unit+1e-9), 'f', 0, 64)
	if w := len(f) - 2; len(s) < w {
		s = strings.Repeat("0", w-len(s)) + s
	}
	return s
}
