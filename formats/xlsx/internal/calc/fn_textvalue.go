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
			return c.fixed(a[0].num, optional(a, 1, 2), !flag(a, 2, false), "", "")
		}},
		Func{Name: "DOLLAR", Min: 1, Max: 2, Args: "n n?", Call: func(c *Call, a []Value) Value {
			if c.opts.Language != "en-US" {
				c.stop(ReasonLanguage, "DOLLAR shows the currency of the program's language")
			}
			if a[0].num < 0 {
				return c.fixed(-a[0].num, optional(a, 1, 2), true, "($", ")")
			}
			return c.fixed(a[0].num, optional(a, 1, 2), true, "$", "")
		}},
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
				c.stop(ReasonLanguage, "%s of other than ASCII characters", name)
			}
		}
		if of == "" {
			return a[0]
		}
		return functions[of].Call(c, a)
	}
	return f
}

// fixed shows a number with a count of decimals, between two texts.
func (c *Call) fixed(x float64, decimals int, commas bool, before, behind string) Value {
	if decimals > 127 {
		return Fail(ErrValue)
	}
	c.english("a number with a point or commas")
	rounded := roundDigits(x, max(decimals, -320))
	if rounded == 0 && x != 0 && (x < 0 || before == "($") {
		c.stop(ReasonForm, "%s of a negative number that is rounded to zero", c.Func.Name)
	}
	code := "0"
	if commas {
		code = "#,##0"
	}
	if decimals > 0 {
		code += "." + strings.Repeat("0", decimals)
	}
	if math.Abs(rounded) >= 1e15 {
		c.stop(ReasonForm, "%s of a number of more than 15 digits", c.Func.Name)
	}
	return c.text(before + numfmt.Parse(code).Untrimmed(rounded, c.book.Date1904) + behind)
}

// numberValue reads a number with given separators.
func numberValue(c *Call, a []Value) Value {
	decimal, group := ".", ","
	for i, s := range []*string{&decimal, &group} {
		if i+1 >= len(a) || a[i+1].Missing() {
			c.english("a number")
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
		c.english("a number with a point")
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
