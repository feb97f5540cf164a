package numfmt

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Format is a parsed number format code (18.8.31) of up to four sections.
type Format struct {
	General  bool
	sections []section
	marks    *Locale // see section
}

// section is one part of a format code. A section with a condition applies to
// the numbers that satisfy it.
type section struct {
	toks    []token
	cond    string // "<", "<=", "=", "<>", ">=", ">", "" for none
	condVal float64
	date    bool
	text    bool // contains @
	general bool
	digits  bool
	percent int
	scale   int // commas behind the last digit: thousands
	comma   bool
	slash   bool // a fraction
	exp     bool
	point   bool

	names    *Locale // of months and days; nil: English
	genitive bool    // months have their form beside a day
	marks    *Locale // of point and comma; nil: English
}

type tokenKind uint8

const (
	tokLit   tokenKind = iota
	tokDigit           // 0 # ?
	tokPoint
	tokComma
	tokPercent
	tokExp // E+ E-
	tokSlash
	tokDate // y m d h s A/P and [h]
	tokText // @
	tokGeneral
)

type token struct {
	kind tokenKind
	s    string
}

// maxFormatCode is four times what Excel allows.
const maxFormatCode = 1020

// Parse reads a format code. An empty or overlong code is General.
func Parse(code string) *Format {
	if code == "" || len(code) > maxFormatCode || strings.EqualFold(code, "general") {
		return &Format{General: true}
	}
	f := &Format{}
	for len(f.sections) < 4 {
		s, rest, more := parseSection(code)
		f.sections = append(f.sections, s)
		if !more {
			break
		}
		code = rest
	}
	return f
}

// parseSection reads code up to its first ';'.
func parseSection(code string) (s section, rest string, more bool) {
	add := func(k tokenKind, t string) { s.toks = append(s.toks, token{k, t}) }
	i := 0
	for i < len(code) {
		c := code[i]
		switch {
		case c == ';':
			s.finish()
			return s, code[i+1:], true
		case c == '"':
			n := strings.IndexByte(code[i+1:], '"')
			if n < 0 {
				n = len(code) - i - 1
			}
			add(tokLit, code[i+1:i+1+n])
			i += n + 1
		case c == '\\' || c == '_' || c == '*':
			// A blank as wide as a character, and a fill, show as nothing more
			// than a blank or nothing in plain text.
			r := firstRune(code[i+1:])
			if c == '\\' {
				add(tokLit, r)
			} else if c == '_' {
				add(tokLit, " ")
			}
			i += len(r)
		case c == '[':
			n := strings.IndexByte(code[i:], ']')
			if n < 0 {
				add(tokLit, "[")
				break
			}
			s.bracket(code[i+1 : i+n])
			i += n
		case c == '0' || c == '#' || c == '?':
			add(tokDigit, string(c))
		case c == '.':
			add(tokPoint, ".")
		case c == ',':
			add(tokComma, ",")
		case c == '%':
			add(tokPercent, "%")
		case c == '/':
			add(tokSlash, "/")
		case c == '@':
			add(tokText, "@")
		case (c == 'E' || c == 'e') && i+1 < len(code) && (code[i+1] == '+' || code[i+1] == '-'):
			add(tokExp, code[i:i+2])
			i++
		case len(code)-i >= 7 && strings.EqualFold(code[i:i+7], "general"):
			add(tokGeneral, "")
			i += 6
		case len(code)-i >= 5 && strings.EqualFold(code[i:i+5], "am/pm"):
			add(tokDate, "AM/PM")
			i += 4
		case len(code)-i >= 3 && strings.EqualFold(code[i:i+3], "a/p"):
			add(tokDate, code[i:i+3])
			i += 2
		case strings.IndexByte("yYmMdDhHsSbBeEgG", c) >= 0:
			j := i
			for j < len(code) && code[j]|0x20 == c|0x20 {
				j++
			}
			add(tokDate, strings.ToLower(code[i:j]))
			i = j - 1
		default:
			r := firstRune(code[i:])
			add(tokLit, r)
			i += len(r) - 1
		}
		i++
	}
	s.finish()
	return s, "", false
}

func firstRune(s string) string {
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}

// bracket reads [Red], [$€-407], [>=100], [h].
func (s *section) bracket(b string) {
	low := strings.ToLower(b)
	switch {
	case strings.HasPrefix(b, "$"):
		cur, language, _ := strings.Cut(b[1:], "-")
		if l, genitive := localeOfBracket(language); l != nil {
			s.names, s.genitive = l, genitive
		}
		s.toks = append(s.toks, token{tokLit, cur})
	case low != "" && strings.Trim(low, "h") == "", low != "" && strings.Trim(low, "m") == "", low != "" && strings.Trim(low, "s") == "":
		s.toks = append(s.toks, token{tokDate, "[" + low + "]"})
	case strings.IndexAny(b, "<>=") == 0:
		op := strings.TrimRight(b, "0123456789.-+eE ")
		if v, err := strconv.ParseFloat(strings.TrimSpace(b[len(op):]), 64); err == nil {
			s.cond, s.condVal = strings.TrimSpace(op), v
		}
	}
}

// finish sets the flags of the section from its tokens.
func (s *section) finish() {
	last := -1
	for i, t := range s.toks {
		switch t.kind {
		case tokDigit:
			s.digits = true
			last = i
		case tokDate:
			s.date = true
		case tokText:
			s.text = true
		case tokGeneral:
			s.general = true
		case tokPercent:
			s.percent++
		case tokExp:
			s.exp = true
		case tokPoint:
			s.point = true
		case tokSlash:
			s.slash = true
		}
	}
	if s.date {
		s.digits = false
		return
	}
	s.slash = s.slash && s.digits
	for i, t := range s.toks {
		if t.kind != tokComma {
			continue
		}
		if i > last && last >= 0 && i == last+1+s.scale {
			s.scale++
		} else if i < last {
			s.comma = true
		}
	}
}

func (s *section) holds(v float64) bool {
	switch s.cond {
	case "<":
		return v < s.condVal
	case "<=":
		return v <= s.condVal
	case ">":
		return v > s.condVal
	case ">=":
		return v >= s.condVal
	case "=":
		return v == s.condVal
	case "<>":
		return v != s.condVal
	}
	return false
}

// pick chooses the section for a number. abs says that the section is for
// negative numbers, so that no minus sign is added.
func (f *Format) pick(v float64) (s *section, abs bool) {
	n := len(f.sections)
	if f.sections[n-1].text && n > 1 && !f.sections[n-1].digits {
		n--
	}
	if f.sections[0].cond != "" || n > 1 && f.sections[1].cond != "" {
		return f.pickByCondition(v, n)
	}
	switch {
	case n >= 3 && v == 0:
		return &f.sections[2], false
	case n >= 2 && v < 0:
		return &f.sections[1], true
	}
	return &f.sections[0], false
}

// pickByCondition is pick among the first n sections where these have conditions.
func (f *Format) pickByCondition(v float64, n int) (s *section, abs bool) {
	for i := 0; i < n; i++ {
		if sec := &f.sections[i]; sec.cond != "" && sec.holds(v) || sec.cond == "" && (i == n-1 || i == 0 && v > 0) {
			return sec, v < 0 && (sec.cond == "<" || sec.cond == "<=") && sec.condVal <= 0
		}
	}
	return nil, false
}

// Number formats v as Excel shows it in a cell, without blanks around it.
func (f *Format) Number(v float64, date1904 bool) string {
	return strings.TrimSpace(f.Untrimmed(v, date1904))
}

// Untrimmed formats v as Excel's function TEXT does.
func (f *Format) Untrimmed(v float64, date1904 bool) string {
	if f.General {
		return f.marks.General(v)
	}
	s, abs := f.pick(v)
	if s == nil {
		return f.marks.General(v)
	}
	if s.date {
		if t, ok := s.formatDate(v, date1904); ok {
			return t
		}
		return f.marks.General(v)
	}
	neg := v < 0 && !abs
	if v < 0 {
		v = -v
	}
	for range s.percent {
		v *= 100
	}
	for range s.scale {
		v /= 1000
	}
	var out string
	switch {
	case s.slash:
		out = s.fraction(v)
	case s.exp:
		out = s.scientific(v)
	default:
		out = s.plain(v)
	}
	if neg && s.visible() && strings.ContainsAny(out, "123456789") {
		out = "-" + strings.TrimLeft(out, " ")
	}
	return out
}

func (s *section) visible() bool { return s.digits || s.general || s.text }

// Text formats a string by the text section; without one it returns v.
func (f *Format) Text(v string) string {
	if f.General {
		return v
	}
	last := &f.sections[len(f.sections)-1]
	if !last.text {
		return v
	}
	var sb strings.Builder
	for _, t := range last.toks {
		switch t.kind {
		case tokText:
			sb.WriteString(v)
		case tokLit:
			sb.WriteString(t.s)
		}
	}
	if len(last.toks) == 1 {
		return sb.String()
	}
	return strings.TrimSpace(sb.String())
}

// In returns the format as programs of a locale show it. Names of months and days that
// the code asks for in another language stay in that.
func (f *Format) In(l *Locale) *Format {
	out := &Format{General: f.General, marks: l, sections: slices.Clone(f.sections)}
	for i := range out.sections {
		s := &out.sections[i]
		if s.marks = l; s.names == nil {
			s.names = l
		}
	}
	return out
}

// IsDate reports whether positive numbers show as dates.
func (f *Format) IsDate() bool { return !f.General && f.sections[0].date }

// General shows a number in the format General with the point of a locale; nil is that
// of English.
func (l *Locale) General(v float64) string {
	s := general(v)
	if l == nil || l.Decimal == "." {
		return s
	}
	return strings.Replace(s, ".", l.Decimal, 1)
}

// general is the General format with the 15 digits that Excel keeps.
func general(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "#NUM!"
	}
	if v == 0 {
		return "0"
	}
	s := strconv.FormatFloat(v, 'G', 15, 64)
	if a := math.Abs(v); a >= 1e-9 && a < 1e21 {
		r, _ := strconv.ParseFloat(s, 64)
		s = strconv.FormatFloat(r, 'f', -1, 64)
	}
	return s
}
