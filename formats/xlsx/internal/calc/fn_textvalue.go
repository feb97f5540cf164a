package calc

import (
	"math"
	"net/url"
	"strings"

	"atelier/formats/xlsx/internal/numfmt"
)

// Functions between numbers and text, of bytes, and of the forms of values.

func init() {
	register(
		Func{Name: "FIXED", Min: 1, Max: 3, Args: "n n? b", Call: func(c *Call, a []Value) Value {
			return c.fixed(a[0].num, optional(a, 1, 2), !flag(a, 2, false), "#,##0.00")
		}},
		Func{Name: "DOLLAR", Min: 1, Max: 2, Args: "n n?", Call: func(c *Call, a []Value) Value {
			return c.money(a[0].num, optional(a, 1, 2))
		}},
		Func{Name: "USDOLLAR", Min: 1, Max: 2, Args: "n n?", Call: func(c *Call, a []Value) Value {
			if l := c.known("an amount of money"); l.Tag != "en-US" {
				c.stop(ReasonLanguage, "USDOLLAR is known for programs in English of the United States only")
			}
			return c.money(a[0].num, optional(a, 1, 2))
		}},
		Func{Name: "DBCS", Min: 1, Max: 1, Args: "s", Call: wideText},
		Func{Name: "JIS", Min: 1, Max: 1, Args: "s", Call: wideText},
		Func{Name: "NUMBERVALUE", Min: 1, Max: 3, Args: "s s? s?", Call: numberValue},
		Func{Name: "ENCODEURL", Min: 1, Max: 1, Args: "s", Call: encodeURL},
		Func{Name: "VALUETOTEXT", Min: 1, Max: 2, Args: "e n?", Call: func(c *Call, a []Value) Value {
			return c.valueText(a[0], optional(a, 1, 0))
		}},
		Func{Name: "ARRAYTOTEXT", Min: 1, Max: 2, Args: "A n?", Call: arrayToText},
		Func{Name: "PERCENTOF", Min: 2, Max: 2, Args: "A", Call: percentOf},
	)
	// Functions that count bytes count characters but in Chinese, Japanese and Korean
	// programs, which need two bytes for other than ASCII characters.
	for name, of := range map[string]string{"LENB": "LEN", "LEFTB": "LEFT", "RIGHTB": "RIGHT", "MIDB": "MID", "REPLACEB": "REPLACE", "FINDB": "FIND", "SEARCHB": "SEARCH", "ASC": ""} {
		register(bytesFunc(name, of))
	}
}

// bytesFunc makes a row of a function that is like another one for ASCII text.
func bytesFunc(name, of string) Func {
	f := Func{Name: name, Min: 1, Max: 1, Args: "s"}
	args := map[string]Func{
		"LEN": {Min: 1, Max: 1, Args: "s"}, "LEFT": {Min: 1, Max: 2, Args: "s n"}, "RIGHT": {Min: 1, Max: 2, Args: "s n"},
		"MID": {Min: 3, Max: 3, Args: "s n n"}, "REPLACE": {Min: 4, Max: 4, Args: "s n n s"},
		"FIND": {Min: 2, Max: 3, Args: "s s n"}, "SEARCH": {Min: 2, Max: 3, Args: "s s n"},
	}
	if of != "" {
		f.Min, f.Max, f.Args = args[of].Min, args[of].Max, args[of].Args
	}
	f.Call = func(c *Call, a []Value) Value {
		for _, v := range a {
			if v.kind == Text && units(v.str).wide != nil {
				c.narrowLanguage()
			}
		}
		if of == "" {
			return a[0]
		}
		return functions[of].Call(c, a)
	}
	return f
}

// wideText is DBCS, which makes characters wide in Chinese, Japanese and Korean programs.
func wideText(c *Call, a []Value) Value {
	c.narrowLanguage()
	return a[0]
}

// narrowLanguage stops the formula unless the program is in a language whose characters
// are one byte each for functions that count bytes.
func (c *Call) narrowLanguage() {
	switch tag := c.known("characters of one or two bytes").Tag; tag[:2] {
	case "ja", "zh", "ko":
		c.stop(ReasonLanguage, "%s in a language with characters of two bytes", c.Func.Name)
	}
}

// money shows an amount of money of the program's language and region.
func (c *Call) money(x float64, decimals int) Value {
	l := c.known("an amount of money")
	if l.Money == "" {
		c.stop(ReasonLanguage, "how %s shows money in this language or region is not known", c.Func.Name)
	}
	return c.fixed(x, decimals, true, l.Money)
}

// fixed shows a number with a count of decimals. The format code has two.
func (c *Call) fixed(x float64, decimals int, commas bool, code string) Value {
	if decimals > 127 {
		return Fail(ErrValue)
	}
	l := c.known("a number with a point or commas")
	rounded := roundDigits(x, max(decimals, -320))
	if rounded == 0 && x < 0 {
		c.stop(ReasonForm, "%s of a negative number that is rounded to zero", c.Func.Name)
	}
	if math.Abs(rounded) >= 1e15 {
		c.stop(ReasonForm, "%s of a number of more than 15 digits", c.Func.Name)
	}
	if !commas {
		code = strings.ReplaceAll(code, "#,##0", "0")
	} else if l.Group == "" && math.Abs(rounded) >= 1000 {
		c.stop(ReasonLanguage, "what is between thousands differs between versions of systems in this language")
	}
	point := ""
	if decimals > 0 {
		point = "." + strings.Repeat("0", decimals)
	}
	code = strings.ReplaceAll(code, ".00", point)
	return c.text(numfmt.Parse(code).In(l).Untrimmed(rounded, c.book.Date1904))
}

// numberValue reads a number with given separators.
func numberValue(c *Call, a []Value) Value {
	decimal, group := ".", ","
	for i, s := range []*string{&decimal, &group} {
		if i+1 >= len(a) || a[i+1].Missing() {
			l := c.known("a number")
			if *s = l.Decimal; i == 1 {
				*s = l.Group
			}
			if *s == "" {
				c.stop(ReasonLanguage, "what is between thousands differs between versions of systems in this language")
			}
			continue
		}
		rs := []rune(a[i+1].str)
		if len(rs) == 0 {
			return Fail(ErrValue)
		}
		*s = string(rs[:1])
	}
	if decimal == group {
		return Fail(ErrValue)
	}
	s := strings.Map(func(r rune) rune {
		if r == ' ' {
			return -1
		}
		return r
	}, a[0].str)
	if s == "" {
		return Num(0)
	}
	bare := strings.TrimRight(s, "%")
	percents := len(s) - len(bare)
	whole, fraction, point := strings.Cut(bare, decimal)
	if strings.Contains(fraction, group) || strings.Contains(fraction, decimal) {
		return Fail(ErrValue)
	}
	s = strings.ReplaceAll(whole, group, "")
	if point {
		s += "." + fraction
	}
	x, ok := plainNumber(s)
	if !ok {
		if strings.ContainsAny(s, "0123456789") && strings.Trim(s, "0123456789.") != "" {
			c.stop(ReasonForm, "NUMBERVALUE of more than digits and separators")
		}
		return Fail(ErrValue)
	}
	return Num(x / math.Pow(100, float64(percents)))
}

// encodeURL writes a text as a part of an address.
func encodeURL(c *Call, a []Value) Value {
	if strings.ContainsAny(a[0].str, "~!*'()") {
		c.stop(ReasonForm, "ENCODEURL of signs that some addresses keep")
	}
	return c.text(strings.ReplaceAll(url.QueryEscape(a[0].str), "+", "%20"))
}

// valueText shows a value, in the strict form (1) as a formula has it.
func (c *Call) valueText(v Value, form int) Value {
	switch {
	case form != 0 && form != 1:
		return Fail(ErrValue)
	case v.kind == Err:
		return Str(v.Error().String())
	case v.kind == Text && form == 1:
		return c.text(`"` + strings.ReplaceAll(v.str, `"`, `""`) + `"`)
	case v.kind == Number && v.num != math.Trunc(v.num):
		c.known("a number with a point")
	}
	return c.toText(v)
}

func arrayToText(c *Call, a []Value) Value {
	in, bad := c.ArrayOf(a[0])
	form := optional(a, 1, 0)
	switch {
	case bad.IsError():
		return bad
	case form != 0 && form != 1:
		return Fail(ErrValue)
	case in.Len() > 1:
		c.english("a list of values")
	}
	var sb strings.Builder
	for i := range in.Len() {
		switch {
		case i == 0:
		case form == 0:
			sb.WriteString(", ")
		case i%in.cols == 0:
			sb.WriteString(";")
		default:
			sb.WriteString(",")
		}
		v := in.Index(i)
		if v.kind == Empty && form == 1 {
			c.stop(ReasonForm, "ARRAYTOTEXT of empty cells in the strict form")
		}
		if sb.WriteString(c.valueText(v, form).str); sb.Len() > 4*maxText {
			return Fail(ErrValue)
		}
	}
	if form == 1 {
		return c.text("{" + sb.String() + "}")
	}
	return c.text(sb.String())
}

// percentOf is the part that the numbers of its first argument have of those of the
// second.
func percentOf(c *Call, a []Value) Value {
	var sums [2]float64
	for i := range sums {
		if bad := c.EachNumber(a[i:i+1], func(x float64) { sums[i] += x }); bad.IsError() {
			return bad
		}
	}
	if sums[1] == 0 {
		return Fail(ErrDiv0)
	}
	return Num(sums[0] / sums[1])
}
