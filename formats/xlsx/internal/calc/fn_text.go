package calc

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

func init() {
	one := func(name string, f func(s string) string) Func {
		return Func{Name: name, Min: 1, Max: 1, Args: "s", Call: func(c *Call, a []Value) Value { return c.text(f(a[0].str)) }}
	}
	register(
		one("UPPER", strings.ToUpper),
		one("LOWER", strings.ToLower),
		one("PROPER", proper),
		one("TRIM", trim),
		one("CLEAN", func(s string) string {
			return strings.Map(func(r rune) rune {
				if r < ' ' {
					return -1
				}
				return r
			}, s)
		}),
		Func{Name: "LEN", Min: 1, Max: 1, Args: "s", Call: func(_ *Call, a []Value) Value { return Num(float64(units(a[0].str).n())) }},
		Func{Name: "LEFT", Min: 1, Max: 2, Args: "s n", Call: leftFunc},
		Func{Name: "RIGHT", Min: 1, Max: 2, Args: "s n", Call: rightFunc},
		Func{Name: "MID", Min: 3, Max: 3, Args: "s n n", Call: midFunc},
		Func{Name: "REPLACE", Min: 4, Max: 4, Args: "s n n s", Call: replaceFunc},
		Func{Name: "SUBSTITUTE", Min: 3, Max: 4, Args: "s s s n", Call: substitute},
		Func{Name: "REPT", Min: 2, Max: 2, Args: "s n", Call: rept},
		Func{Name: "FIND", Min: 2, Max: 3, Args: "s s n", Call: find},
		Func{Name: "SEARCH", Min: 2, Max: 3, Args: "s s n", Call: searchFunc},
	)
}

func init() {
	register(
		Func{Name: "EXACT", Min: 2, Max: 2, Args: "s", Call: func(_ *Call, a []Value) Value { return Boolean(a[0].str == a[1].str) }},
		Func{Name: "CONCATENATE", Min: 1, Max: -1, Args: "s", Call: func(c *Call, a []Value) Value {
			var sb strings.Builder
			for _, v := range a {
				sb.WriteString(v.str)
			}
			return c.text(sb.String())
		}},
		Func{Name: "CONCAT", Min: 1, Max: -1, Args: "a", Call: func(c *Call, a []Value) Value { return c.join(a, "", false) }},
		Func{Name: "TEXTJOIN", Min: 3, Max: -1, Args: "a b a", Call: textJoin},
		Func{Name: "T", Min: 1, Max: 1, Args: "a", Each: true, Values: true, Call: func(c *Call, a []Value) Value {
			if v := c.first(a[0]); v.kind == Text || v.kind == Err {
				return v
			}
			return Str("")
		}},
		Func{Name: "VALUE", Min: 1, Max: 1, Args: "v", Call: func(c *Call, a []Value) Value {
			if a[0].kind == Bool {
				return Fail(ErrValue)
			}
			return c.toNumber(a[0])
		}},
		Func{Name: "TEXT", Min: 2, Max: 2, Args: "v s", Call: textFunc},
		Func{Name: "CHAR", Min: 1, Max: 1, Args: "n", Call: charFunc},
		Func{Name: "CODE", Min: 1, Max: 1, Args: "s", Call: codeFunc},
		Func{Name: "UNICHAR", Min: 1, Max: 1, Args: "n", Call: func(_ *Call, a []Value) Value {
			r := a[0].Int()
			if r < 1 || r > unicode.MaxRune || r >= 0xD800 && r < 0xE000 {
				return Fail(ErrValue)
			}
			return Str(string(rune(r)))
		}},
		Func{Name: "UNICODE", Min: 1, Max: 1, Args: "s", Call: func(_ *Call, a []Value) Value {
			for _, r := range a[0].str {
				return Num(float64(r))
			}
			return Fail(ErrValue)
		}},
	)
}

// unitText is a text in the units that Excel counts, of UTF-16; one of ASCII stays
// as it is.
type unitText struct {
	ascii string
	wide  []uint16
}

func units(s string) unitText {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return unitText{wide: utf16.Encode([]rune(s))}
		}
	}
	return unitText{ascii: s}
}

func (u unitText) n() int { return len(u.ascii) + len(u.wide) }

// cut returns the units from one to before another, within the text.
func (u unitText) cut(from, to int) string {
	from, to = min(max(from, 0), u.n()), min(max(to, 0), u.n())
	if from >= to {
		return ""
	}
	if u.wide != nil {
		return string(utf16.Decode(u.wide[from:to]))
	}
	return u.ascii[from:to]
}

// count is a number of characters, 1 where it is left out; negative ones fail.
func count(a []Value, i int) (int, bool) {
	if i >= len(a) {
		return 1, true
	}
	return a[i].Int(), a[i].num >= 0
}

func leftFunc(_ *Call, a []Value) Value {
	n, ok := count(a, 1)
	if !ok {
		return Fail(ErrValue)
	}
	return Str(units(a[0].str).cut(0, n))
}

func rightFunc(_ *Call, a []Value) Value {
	n, ok := count(a, 1)
	if !ok {
		return Fail(ErrValue)
	}
	u := units(a[0].str)
	return Str(u.cut(u.n()-min(n, u.n()), u.n()))
}

func midFunc(_ *Call, a []Value) Value {
	from, n := a[1].Int(), a[2].Int()
	if from < 1 || n < 0 {
		return Fail(ErrValue)
	}
	return Str(units(a[0].str).cut(from-1, from-1+min(n, maxText)))
}

func replaceFunc(c *Call, a []Value) Value {
	from, n := a[1].Int(), a[2].Int()
	if from < 1 || n < 0 {
		return Fail(ErrValue)
	}
	u := units(a[0].str)
	return c.text(u.cut(0, from-1) + a[3].str + u.cut(from-1+min(n, maxText), u.n()))
}

func substitute(c *Call, a []Value) Value {
	s, old, with := a[0].str, a[1].str, a[2].str
	if len(a) == 4 && a[3].Int() < 1 {
		return Fail(ErrValue)
	}
	if old == "" {
		return Str(s)
	}
	if n := strings.Count(s, old); len(s)+n*len(with) > 8*maxText {
		return Fail(ErrValue)
	}
	if len(a) < 4 {
		return c.text(strings.ReplaceAll(s, old, with))
	}
	at := 0
	for k := a[3].Int(); ; k-- {
		i := strings.Index(s[at:], old)
		if i < 0 {
			return Str(s)
		}
		if at += i; k == 1 {
			return c.text(s[:at] + with + s[at+len(old):])
		}
		at += len(old)
	}
}

func rept(c *Call, a []Value) Value {
	n := a[1].Int()
	if n < 0 || n*units(a[0].str).n() > maxText {
		return Fail(ErrValue)
	}
	return c.text(strings.Repeat(a[0].str, n))
}

// start returns the place from which FIND and SEARCH look, in units.
func start(a []Value, u unitText) (int, bool) {
	if len(a) < 3 {
		return 0, true
	}
	from := a[2].Int() - 1
	return from, from >= 0 && from <= u.n()
}

func find(_ *Call, a []Value) Value {
	u := units(a[1].str)
	from, ok := start(a, u)
	if !ok {
		return Fail(ErrValue)
	}
	head := u.cut(0, from)
	rest := strings.TrimPrefix(a[1].str, head)
	i := strings.Index(rest, a[0].str)
	if i < 0 {
		return Fail(ErrValue)
	}
	return Num(float64(from + units(rest[:i]).n() + 1))
}

func searchFunc(c *Call, a []Value) Value {
	u := units(a[1].str)
	from, ok := start(a, u)
	if !ok {
		return Fail(ErrValue)
	}
	rest := []rune(strings.TrimPrefix(a[1].str, u.cut(0, from)))
	for i, r := range rest {
		rest[i] = unicode.ToLower(r)
	}
	p := c.newPattern(a[0].str)
	p.runes, p.wild = append(p.runes, '*'), append(p.wild, '*')
	for i := range len(rest) + 1 {
		c.step(1)
		if p.matchRunes(rest[i:]) {
			return Num(float64(from + len(utf16.Encode(rest[:i])) + 1))
		}
	}
	return Fail(ErrValue)
}

// trim removes blanks at the ends and all but one between words.
func trim(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' })
	return strings.Join(words, " ")
}

func proper(s string) string {
	letter := false
	return strings.Map(func(r rune) rune {
		if was := letter; was {
			letter = unicode.IsLetter(r)
			return unicode.ToLower(r)
		}
		letter = unicode.IsLetter(r)
		return unicode.ToTitle(r)
	}, s)
}

// join joins the texts of arguments.
func (c *Call) join(a []Value, between string, skipEmpty bool) Value {
	var sb strings.Builder
	first, bad := true, Value{}
	add := func(v Value) bool {
		t := c.toText(v)
		if t.kind == Err {
			bad = t
			return false
		}
		if t.str == "" && skipEmpty {
			return true
		}
		if !first {
			sb.WriteString(between)
		}
		first = false
		sb.WriteString(t.str)
		if sb.Len() > 4*maxText {
			bad = Fail(ErrValue)
		}
		return bad.kind != Err
	}
	for _, v := range a {
		if v.kind == RefKind && !skipEmpty && between != "" {
			arr, failed := c.ArrayOf(v)
			if failed.IsError() {
				return failed
			}
			v = Value{kind: ArrayKind, obj: &object{array: arr}}
		}
		c.Each(v, func(v Value, _ bool) bool { return add(v) })
		if bad.kind == Err {
			return bad
		}
	}
	return c.text(sb.String())
}

func textJoin(c *Call, a []Value) Value {
	between := c.first(a[0])
	if a[0].kind == RefKind && !a[0].Ref()[0].one() || a[0].kind == ArrayKind {
		c.stop(ReasonForm, "TEXTJOIN with several delimiters")
	}
	t := c.toText(between)
	if t.kind == Err {
		return t
	}
	return c.join(a[2:], t.str, a[1].Bool())
}

func charFunc(_ *Call, a []Value) Value {
	n := a[0].Int()
	if n < 1 || n > 255 {
		return Fail(ErrValue)
	}
	if n < 0x80 || n >= 0xA0 {
		return Str(string(rune(n)))
	}
	return Str(string(windows1252[n-0x80]))
}

func codeFunc(_ *Call, a []Value) Value {
	r, size := utf8.DecodeRuneInString(a[0].str)
	if size == 0 {
		return Fail(ErrValue)
	}
	if r < 0x80 || r >= 0xA0 && r < 0x100 {
		return Num(float64(r))
	}
	if i := slices.Index(windows1252, r); i >= 0 {
		return Num(float64(0x80 + i))
	}
	return Num('?')
}

// windows1252 are the characters 128 to 159 of the code page of Windows.
var windows1252 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

// lower is a key for names, which have no case.
func lower(s string) string { return strings.ToLower(s) }
