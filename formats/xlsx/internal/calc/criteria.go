package calc

import (
	"strings"
	"unicode"
)

// criterion is a condition of COUNTIF and its like: a value, or a text such as
// ">=10", "<>x", "a*".
type criterion struct {
	e       *Evaluator
	op      operator
	value   Value
	pattern *pattern // of a text that is compared for equality
	bare    bool     // "=" or "<>" alone: whether a cell is empty
}

// criterion reads a condition.
func (e *Evaluator) criterion(v Value) criterion {
	c := criterion{e: e, op: opEq, value: v}
	switch v.kind {
	case Empty, Missing:
		c.value = Value{kind: Number} // an empty cell as a condition is 0
		return c
	case Text:
	default:
		return c
	}
	s := v.str
	written := false
	for _, o := range []struct {
		sign string
		op   operator
	}{{"<>", opNe}, {"<=", opLe}, {">=", opGe}, {"=", opEq}, {"<", opLt}, {">", opGt}} {
		if rest, ok := strings.CutPrefix(s, o.sign); ok {
			s, c.op, written = rest, o.op, true
			break
		}
	}
	c.bare = written && s == "" && (c.op == opEq || c.op == opNe)
	c.value = e.typed(s)
	if c.value.kind == Text && (c.op == opEq || c.op == opNe) {
		c.pattern = e.newPattern(s)
	}
	return c
}

// typed returns text as the value that typing it into a cell gives.
func (e *Evaluator) typed(s string) Value {
	if is, ok := e.readBool(s); ok {
		return Boolean(is)
	}
	if code := errorOf(strings.ToUpper(s)); code != 0 {
		return Fail(code)
	}
	if x, ok := e.readNumber(s); ok {
		return Num(x)
	}
	return Str(s)
}

// matches reports whether a value satisfies the condition.
func (c criterion) matches(v Value) bool {
	if c.bare {
		return v.blank() == (c.op == opEq)
	}
	switch c.op {
	case opEq:
		return c.equal(v)
	case opNe:
		return !c.equal(v)
	}
	if v.kind != c.value.kind {
		return false
	}
	return compareOp(c.op, compareValues(v, c.value)).Bool()
}

func (c criterion) equal(v Value) bool {
	switch c.value.kind {
	case Text:
		if v.blank() {
			return c.value.str == ""
		}
		return v.kind == Text && c.pattern.matches(v.str)
	case Number:
		if v.kind == Text { // a number as text is that number
			x, ok := c.e.plain(strings.TrimSpace(v.str))
			return ok && digits15(x) == digits15(c.value.num)
		}
		return v.kind == Number && digits15(v.num) == digits15(c.value.num)
	}
	return v.kind == c.value.kind && v.num == c.value.num
}

// pattern is a text with the wildcards ? and *; ~ before one makes it a character.
type pattern struct {
	runes []rune // in lower case
	wild  []byte // '?' or '*' where a wildcard is, else 0
	plain bool
	e     *Evaluator
}

func (e *Evaluator) newPattern(s string) *pattern {
	p := &pattern{plain: true, e: e}
	escaped := false
	for _, r := range s {
		w := byte(0)
		if !escaped {
			if r == '~' {
				escaped = true
				continue
			}
			if r == '?' || r == '*' {
				w, p.plain = byte(r), false
			}
		} else if r != '?' && r != '*' && r != '~' {
			p.runes, p.wild = append(p.runes, '~'), append(p.wild, 0)
		}
		escaped = false
		p.runes, p.wild = append(p.runes, unicode.ToLower(r)), append(p.wild, w)
	}
	if escaped {
		p.runes, p.wild = append(p.runes, '~'), append(p.wild, 0)
	}
	return p
}

// literal reports whether the pattern is the text s with no wildcard or escape.
func (p *pattern) literal(s string) bool {
	return p.plain && !strings.Contains(s, "~")
}

// matches reports whether a whole text matches, without regard to case.
func (p *pattern) matches(s string) bool {
	if p.plain && len(s) < len(p.runes) {
		return false
	}
	text := []rune(s)
	for i, r := range text {
		text[i] = unicode.ToLower(r)
	}
	return p.matchRunes(text)
}

func (p *pattern) matchRunes(text []rune) bool {
	i, j, star, from := 0, 0, -1, 0
	for n := 1; i < len(text); n++ {
		if n&1023 == 0 {
			p.e.step(64)
		}
		switch {
		case j < len(p.runes) && p.wild[j] == '*':
			star, from = j, i
			j++
		case j < len(p.runes) && (p.wild[j] == '?' || p.wild[j] == 0 && p.runes[j] == text[i]):
			i++
			j++
		case star >= 0:
			from++
			i, j = from, star+1
		default:
			return false
		}
	}
	for j < len(p.runes) && p.wild[j] == '*' {
		j++
	}
	return j == len(p.runes)
}
