package calc

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"atelier/formats/xlsx/internal/numfmt"
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
	codeNumber  = regexp.MustCompile(`^` + codeText + `(?:[0#][0#,]*(?:\.[0#]*)?|\.[0#]+|)` + codeText + `%?` + codeText + `$`)
	codeExp     = regexp.MustCompile(`^0(?:\.[0#]+)?E[+-]0+$`)
	codeElapsed = regexp.MustCompile(`^\[(?:h+\]:mm(?::ss)?|m+\](?::ss)?|s+\])$`)
	codeDate    = regexp.MustCompile(`^(?:"[^"]*"|\\.|y{1,4}|m{1,5}|d{1,4}|h{1,2}|s{1,2}|AM/PM|am/pm|A/P|a/p|[-/:., T])+$`)
	codeNames   = regexp.MustCompile(`mmm|ddd`)
)

// format reads a format code of a formula. It stops the formula where programs, or
// programs in several languages, show a code differently.
func (c *Call) format(code string) *numfmt.Format {
	date := false
	for _, section := range strings.Split(code, ";") {
		low := strings.ToLower(section)
		switch {
		case codeNumber.MatchString(section), section == "@":
		case codeExp.MatchString(section), codeElapsed.MatchString(low):
		case codeDate.MatchString(section) || codeDate.MatchString(low):
			date = true
		default:
			c.stop(ReasonForm, "TEXT in the format %s", strconv.Quote(code))
		}
	}
	switch {
	case date && codeNames.MatchString(strings.ToLower(code)):
		c.english("the name of a month or day")
	case date:
		c.english("a format code of dates")
	case strings.ContainsAny(code, ".,"):
		c.english("a format code with a point or comma")
	}
	return numfmt.Parse(code)
}

// generalText is a number as a cell with the format General shows it: in at most
// 11 characters besides the sign.
func (c *Call) generalText(x float64) string {
	size := math.Abs(x)
	if size != 0 && size < 1e-4 {
		c.stop(ReasonForm, "TEXT of a very small number in the format General")
	}
	c.english("a number with a point")
	if size >= 1e11 {
		s := strconv.FormatFloat(x, 'E', 5, 64)
		mantissa, exp, _ := strings.Cut(s, "E")
		return strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".") + "E" + exp
	}
	whole := len(strconv.FormatFloat(math.Floor(size), 'f', 0, 64))
	return general.Number(roundDigits(x, max(10-whole, 0)), false)
}
