package calc

import (
	"slices"
	"strings"
	"unicode"
)

// TEXTBEFORE, TEXTAFTER and TEXTSPLIT.

func init() {
	register(
		Func{Name: "TEXTBEFORE", Min: 2, Max: 6, Args: "s a n? b? b? e?", Call: textBeside(false)},
		Func{Name: "TEXTAFTER", Min: 2, Max: 6, Args: "s a n? b? b? e?", Call: textBeside(true)},
		Func{Name: "TEXTSPLIT", Min: 2, Max: 6, Args: "s a? a? b? b? e?", Call: textSplit},
	)
}

// delimiters are texts any of which ends a part.
type delimiters [][]rune

// delimiters reads an argument of one or several texts.
func (c *Call) delimiters(v Value, folds bool) (d delimiters, bad Value) {
	all, bad := c.ArrayOf(v)
	if bad.IsError() {
		return nil, bad
	}
	if all.Len() > maxArguments {
		c.stop(ReasonLimit, "%s with more than %d delimiters", c.Func.Name, maxArguments)
	}
	for i := range all.Len() {
		t := c.toText(all.Index(i))
		if t.IsError() {
			return nil, t
		}
		d = append(d, runesOf(t.str, folds))
	}
	return d, Value{}
}

// runesOf returns the characters of a text, in lower case where case does not count.
func runesOf(s string, folds bool) []rune {
	rs := []rune(s)
	for i := range rs {
		if folds {
			rs[i] = unicode.ToLower(rs[i])
		}
	}
	return rs
}

// at returns how long the delimiter at a place is, 0 for none. Of several ones that
// are there, of different lengths, it is not known which one Excel takes.
func (d delimiters) at(c *Call, text []rune, i int) int {
	n := 0
	for _, x := range d {
		c.step(1)
		if len(x) == 0 || len(x) > len(text)-i || !slices.Equal(text[i:i+len(x)], x) {
			continue
		}
		if n != 0 && n != len(x) {
			c.stop(ReasonForm, "%s with delimiters that begin alike", c.Func.Name)
		}
		n = len(x)
	}
	return n
}

// span is where a delimiter is.
type span struct{ from, to int }

// all finds the delimiters of a text from left to right.
func (d delimiters) all(c *Call, text []rune, last bool) (spans []span) {
	for i := 0; i < len(text); {
		n := d.at(c, text, i)
		if n == 0 {
			i++
			continue
		}
		for k := 1; k < n && last; k++ {
			if d.at(c, text, i+k) > 0 {
				c.stop(ReasonForm, "%s from the end with delimiters that overlap", c.Func.Name)
			}
		}
		spans = append(spans, span{i, i + n})
		i += n
	}
	return spans
}

// textBeside returns the text before or after the n-th delimiter, counted from the
// end for a negative one.
func textBeside(after bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		folds := flag(a, 3, false)
		d, bad := c.delimiters(a[1], folds)
		text, n := []rune(a[0].str), optional(a, 2, 1)
		switch {
		case bad.IsError():
			return bad
		case n == 0:
			return Fail(ErrValue)
		}
		if slices.ContainsFunc(d, func(x []rune) bool { return len(x) == 0 }) {
			if len(d) > 1 || n != 1 && n != -1 || len(text) == 0 {
				c.stop(ReasonForm, "%s with an empty delimiter", c.Func.Name)
			}
			return Str(map[bool]string{true: a[0].str, false: ""}[after == (n > 0)])
		}
		if len(text) > 0 && max(n, -n) > len(text) {
			return Fail(ErrValue)
		}
		spans := d.all(c, runesOf(a[0].str, folds), n < 0)
		if flag(a, 4, false) { // an end of the text counts as a delimiter
			if n > 0 {
				spans = append(spans, span{len(text), len(text)})
			} else {
				spans = append([]span{{0, 0}}, spans...)
			}
		}
		at := n - 1
		if n < 0 {
			at = len(spans) + n
		}
		switch {
		case at < 0 || at >= len(spans):
			if len(a) > 5 && !a[5].Missing() {
				return a[5]
			}
			return Fail(ErrNA)
		case after:
			return Str(string(text[spans[at].to:]))
		}
		return Str(string(text[:spans[at].from]))
	}
}

// parts cuts a text at its delimiters.
func (d delimiters) parts(c *Call, text string, folds, leaves bool) (out []string) {
	rs, from := []rune(text), 0
	add := func(to int) {
		if from < to || !leaves {
			out = append(out, string(rs[from:to]))
		}
	}
	for _, s := range d.all(c, runesOf(text, folds), false) {
		add(s.from)
		from = s.to
	}
	add(len(rs))
	return out
}

// textSplit cuts a text into columns and rows.
func textSplit(c *Call, a []Value) Value {
	leaves, folds := flag(a, 3, false), flag(a, 4, false)
	var by [2]delimiters // of columns and rows
	for i := range by {
		if i+1 >= len(a) || a[i+1].Missing() {
			continue
		}
		var bad Value
		if by[i], bad = c.delimiters(a[i+1], folds); bad.IsError() {
			return bad
		}
		if slices.ContainsFunc(by[i], func(x []rune) bool { return len(x) == 0 }) {
			return Fail(ErrValue)
		}
	}
	switch {
	case by[0] == nil && by[1] == nil:
		return Fail(ErrValue)
	case strings.TrimSpace(a[0].str) == "":
		c.stop(ReasonForm, "TEXTSPLIT of an empty text")
	}
	lines := []string{a[0].str}
	if by[1] != nil {
		lines = by[1].parts(c, a[0].str, folds, leaves)
	}
	table, width := [][]string{}, 0
	for _, line := range lines {
		row := []string{line}
		if by[0] != nil {
			row = by[0].parts(c, line, folds, leaves)
		}
		if len(row) == 0 {
			c.stop(ReasonForm, "TEXTSPLIT of a row of nothing but delimiters")
		}
		table, width = append(table, row), max(width, len(row))
	}
	pad := Fail(ErrNA)
	if len(a) > 5 && !a[5].Missing() {
		pad = a[5]
	}
	c.takeText(len(a[0].str))
	return c.made(len(table), width, func(row, col int) Value {
		if col < len(table[row]) {
			return Str(table[row][col])
		}
		return pad
	})
}
