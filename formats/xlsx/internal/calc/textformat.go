package calc

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats/xlsx/internal/numfmt"
	"atelier/internal/lazyregexp"
)

// textFunc is TEXT: it shows a value by a format code.
func textFunc(c *Call, a []Value) Value {
	v, code := a[0], a[1].str
	if v.kind == Text {
		if x, ok := c.readNumber(v.str); ok {
			v = Num(x)
		}
	}
	switch {
	case v.kind == Bool:
		v = c.toText(v)
	}
	switch {
	case code == "":
		return Str("")
	case v.kind == Text && strings.Count(code, ";") > 2 && !strings.Contains(code, "@"):
		c.stop(ReasonForm, "TEXT of a text in a format without @")
	case v.kind == Text:
		return c.text(numfmt.Parse(code).Text(v.str))
	}
	x := c.toNumber(v).num
	if strings.EqualFold(code, "General") {
		return Str(c.generalText(x))
	}
	f := c.format(code)
	if x < 0 && f.IsDate() && !f.IsElapsed() {
		return Fail(ErrValue)
	}
	return c.text(f.Untrimmed(x, c.book.Date1904))
}

// The format codes of TEXT that show the same in all programs: numbers, with an
// exponent, times that were elapsed, dates; each with literal text around it.
var (
	codeText    = `(?:"[^"]*"|\\.|\[\$[^\]-]*(?:-[0-9A-Fa-f]+)?\]|[-+()$€£¥ ])*`
	codeNumber  = lazyregexp.New(`^` + codeText + `(?:[0#][0#,]*(?:\.[0#]*,*)?|\.[0#]+|)` + codeText + `%?` + codeText + `$`)
	codeParted  = lazyregexp.New(`^[-+$() ]*[0#]+(?:[-() ]+[0#]+)+[-() ]*$`) // (000) 000-0000
	codeExp     = lazyregexp.New(`^0(?:\.[0#]+)?E[+-]0+$`)
	codeElapsed = lazyregexp.New(`^\[(?:h+\]:mm(?::ss)?|m+\](?::ss)?|s+\])$`)
	codeDate    = lazyregexp.New(`^(?:"[^"]*"|\\.|y{1,4}|m{1,5}|d{1,4}|h{1,2}|s{1,2}|AM/PM|am/pm|A/P|a/p|[-/:., T])+$`)
	codeNames   = lazyregexp.New(`^\[\$-[0-9A-Za-z-]+\]`)
	// What a section is made of: texts, brackets and single characters.
	codeParts       = lazyregexp.New(`"[^"]*"|\\.|\[[^\]]*\]|(?s:.)`)
	codeLetters     = lazyregexp.New(`^(?:"[^"]*"|\\.|\pL|[-/:., ])+$`)
	codeLettersOnly = lazyregexp.New(`^(?:"[^"]*"|\\.|[^0#"\\])+$`)
	codeThousands   = lazyregexp.New(`^[^,]*[0#](?:,[0#]{3})+(?:[^0#,][^,]*)?$`)
	codeRuns        = lazyregexp.New(`[mM]+|[dD]+`)
	codeElapsedLike = lazyregexp.New(`^\[\pL+\]`)
)

// format reads a format code of a formula. It stops the formula where programs, or
// programs in several languages, show a code differently.
func (c *Call) format(code string) *numfmt.Format {
	sections := strings.Split(code, ";")
	for i, section := range sections {
		sections[i] = c.section(section)
	}
	return numfmt.Parse(strings.Join(sections, ";")).In(c.locale)
}

// section checks a section of a format code and returns it with the letters and signs of
// files.
func (c *Call) section(code string) string {
	low := strings.ToLower(code)
	plain := !strings.ContainsAny(code, ".,"+"\u00a0")
	switch {
	case codeElapsed.MatchString(low) && (c.locale == nil || c.locale.Codes[3] == "h"):
		c.touched = true
		return code
	case codeParted.MatchString(code):
		if l := c.locale; strings.Contains(strings.Trim(code, " "), " ") && (l == nil || l.Group != "," && l.Group != ".") {
			c.known("a format code with blanks")
			c.stop(ReasonForm, "TEXT in the format %s, whose blanks may separate thousands", strconv.Quote(code))
		}
		c.touched = c.touched || strings.Contains(code, " ")
		return code
	case code == "@", plain && (codeNumber.MatchString(code) || codeExp.MatchString(code)):
		return code
	case codeElapsedLike.MatchString(low) && strings.HasPrefix(low, "["):
		c.stop(ReasonForm, "TEXT in the format %s", strconv.Quote(code))
	}
	if in, ok := c.numberCode(code); ok {
		return in
	}
	names, rest := "", code
	if m := codeNames.FindStringSubmatch(code); m != nil {
		names, rest = m[0], code[len(m[0]):]
	}
	if !codeLetters.MatchString(rest) {
		c.stop(ReasonForm, "TEXT in the format %s", strconv.Quote(code))
	}
	l := c.known("a format code of dates")
	in, ok := localDate(rest, l)
	if !ok || !codeDate.MatchString(in) && !codeDate.MatchString(strings.ToLower(in)) {
		c.stop(ReasonForm, "TEXT in the format %s", strconv.Quote(code))
	}
	if names != "" {
		if l = numfmt.NamesOfCode(names[3 : len(names)-1]); l == nil {
			c.stop(ReasonLanguage, "TEXT in the format %s: its language is not known here", strconv.Quote(code))
		}
	}
	if l.Certain&namesIn(in) != namesIn(in) {
		c.stop(ReasonLanguage, "names of months or days differ between versions of systems in this language")
	}
	return names + in
}

// numberCode returns the code of a number with the point and comma of files.
func (c *Call) numberCode(code string) (in string, ok bool) {
	if !strings.ContainsAny(code, "0#") || codeLettersOnly.MatchString(code) {
		return "", false
	}
	if c.locale == nil {
		if codeNumber.MatchString(code) || codeExp.MatchString(code) {
			c.known("a format code with a point or comma")
		}
		return "", false
	}
	l := c.locale
	in = code
	if l.Decimal != "." {
		var sb strings.Builder
		for _, part := range codeParts.FindAllString(code, -1) {
			switch {
			case part == l.Decimal:
				part = "."
			case part == l.Group:
				part = ","
			case part == "." || part == ",":
				return "", false
			}
			sb.WriteString(part)
		}
		in = sb.String()
	}
	c.touched = true
	if !codeNumber.MatchString(in) && !codeExp.MatchString(in) || l.Decimal != "." && strings.Contains(in, ",") && !codeThousands.MatchString(in) {
		return "", false
	}
	return in, true
}

// namesIn returns the kinds of names that a code of dates shows.
func namesIn(code string) (n numfmt.Names) {
	for _, run := range codeRuns.FindAllString(code, -1) {
		switch run[0] | 0x20 {
		case 'm':
			if len(run) == 3 {
				n |= numfmt.ShortMonths
			} else if len(run) > 3 {
				n |= numfmt.LongMonths
			}
		case 'd':
			if len(run) == 3 {
				n |= numfmt.ShortDays
			} else if len(run) > 3 {
				n |= numfmt.LongDays
			}
		}
	}
	return n
}

// localDate returns a code of dates with the letters of files. ok is false where it has
// letters that mean nothing in the language, a sign that shows as another one, or where
// months and minutes would be taken for each other.
func localDate(code string, l *numfmt.Locale) (in string, ok bool) {
	if strings.HasPrefix(l.Tag, "en") {
		return code, true
	}
	if strings.Contains(code, "/") && l.Separator != "/" {
		return "", false
	}
	fields := [6]string{"y", "m", "d", "h", "m", "s"}
	var sb strings.Builder
	var kinds []int // of the runs of letters
	for _, part := range codeParts.FindAllString(code, -1) {
		if first, _ := utf8.DecodeRuneInString(part); !unicode.IsLetter(first) {
			sb.WriteString(part)
			continue
		}
		kind := -1
		for i, letter := range l.Codes {
			match := strings.EqualFold(letter, part)
			if l.Codes[1] == "M" && (i == 1 || i == 4) { // German tells M from m
				match = letter == part
			}
			if match && (kind < 0 || i != 4) {
				kind = i
			}
		}
		if kind < 0 {
			return "", false
		}
		sb.WriteString(fields[kind])
		kinds = append(kinds, kind)
	}
	return sb.String(), l.Codes[1] == l.Codes[4] || monthsApart(kinds)
}

// monthsApart reports whether letters of months and minutes are where the code of files
// would take them for these: minutes are behind hours or before seconds.
func monthsApart(kinds []int) bool {
	var runs []int
	for i, k := range kinds {
		if i == 0 || kinds[i-1] != k {
			runs = append(runs, k)
		}
	}
	for i, k := range runs {
		beside := i > 0 && runs[i-1] == 3 || i+1 < len(runs) && runs[i+1] == 5
		if k == 1 && beside || k == 4 && !beside {
			return false
		}
	}
	return true
}

// generalText is a number as a cell with the format General shows it: in at most
// 11 characters besides the sign.
func (c *Call) generalText(x float64) string {
	size := math.Abs(x)
	if size != 0 && size < 1e-4 {
		c.stop(ReasonForm, "TEXT of a very small number in the format General")
	}
	l := c.known("a number with a point")
	if !strings.HasPrefix(l.Tag, "en") {
		c.stop(ReasonLanguage, "TEXT in the format General, which has another name in other languages")
	}
	if size >= 1e11 {
		s := strconv.FormatFloat(x, 'E', 5, 64)
		mantissa, exp, _ := strings.Cut(s, "E")
		return strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".") + "E" + exp
	}
	whole := len(strconv.FormatFloat(math.Floor(size), 'f', 0, 64))
	return c.numberText(roundDigits(x, max(10-whole, 0)))
}
