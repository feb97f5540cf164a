package calc

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Functions that choose and order the rows or columns of an array.

func init() {
	register(
		Func{Name: "FILTER", Min: 2, Max: 3, Args: "A A a?", Call: filter},
		Func{Name: "UNIQUE", Min: 1, Max: 3, Args: "A b? b?", Call: unique},
		Func{Name: "SORT", Min: 1, Max: 4, Args: "A A? A? b?", Call: sortFunc},
		Func{Name: "SORTBY", Min: 2, Max: -1, Args: "A A A?", Repeat: 2, Call: sortBy},
	)
}

// line returns a value of a row, or of a column with columns.
func (a *Array) line(columns bool, line, i int) Value {
	if columns {
		return a.At(i, line)
	}
	return a.At(line, i)
}

// lines returns how many rows an array has and how long they are, or columns.
func (a *Array) lines(columns bool) (n, length int) {
	if columns {
		return a.cols, a.rows
	}
	return a.rows, a.cols
}

// picked returns lines of an array in a given order.
func (c *Call) picked(in *Array, columns bool, lines []int) Value {
	if columns {
		return c.made(in.rows, len(lines), func(row, col int) Value { return in.At(row, lines[col]) })
	}
	return c.made(len(lines), in.cols, func(row, col int) Value { return in.At(lines[row], col) })
}

func filter(c *Call, a []Value) Value {
	in, bad := c.ArrayOf(a[0])
	if bad.IsError() {
		return bad
	}
	include, bad := c.ArrayOf(a[1])
	if bad.IsError() {
		return bad
	}
	columns := false
	switch {
	case include.cols == 1 && include.rows == in.rows:
	case include.rows == 1 && include.cols == in.cols:
		columns = true
	default:
		return Fail(ErrValue)
	}
	var lines []int
	for i := range include.Len() {
		c.step(1)
		b := c.toBool(include.Index(i))
		if b.IsError() {
			return b
		}
		if b.Bool() {
			if len(lines)&0xfff == 0 {
				c.takeRoom(0x400)
			}
			lines = append(lines, i)
		}
	}
	if len(lines) == 0 {
		if len(a) > 2 && !a[2].Missing() {
			return c.values(a[2])
		}
		return Fail(ErrCalc)
	}
	return c.picked(in, columns, lines)
}

// unique returns the lines of an array that differ, or those that are there once.
func unique(c *Call, a []Value) Value {
	in, bad := c.ArrayOf(a[0])
	if bad.IsError() {
		return bad
	}
	columns, once := flag(a, 1, false), flag(a, 2, false)
	n, length := in.lines(columns)
	seen := map[string]int{}
	var firsts []int
	counts := map[int]int{}
	empty, zero := false, false
	var key strings.Builder
	for line := range n {
		key.Reset()
		for i := range length {
			c.step(1)
			v := in.line(columns, line, i)
			empty, zero = empty || v.kind == Empty, zero || v.kind == Number && v.num == 0
			writeKey(&key, v)
		}
		first, ok := seen[key.String()]
		if !ok {
			c.takeRoom(length + 1)
			seen[key.String()], first = line, line
			firsts = append(firsts, line)
		}
		if ok {
			c.sameLine(in, columns, first, line, length)
		}
		counts[first]++
	}
	if empty && zero {
		c.stop(ReasonForm, "UNIQUE of empty cells and zeros")
	}
	if once {
		firsts = slices.DeleteFunc(firsts, func(line int) bool { return counts[line] > 1 })
	}
	return c.picked(in, columns, firsts)
}

// writeKey adds a value to a key that is the same for equal values.
func writeKey(key *strings.Builder, v Value) {
	key.WriteByte(byte(v.kind))
	switch v.kind {
	case Text:
		s := lower(v.str)
		key.WriteString(strconv.Itoa(len(s)))
		key.WriteByte(' ')
		key.WriteString(s)
	case Empty:
	default:
		key.WriteString(strconv.FormatFloat(digits15(v.num), 'g', -1, 64))
		key.WriteByte(' ')
	}
}

// sameLine ends the formula where numbers that look equal are not.
func (c *Call) sameLine(in *Array, columns bool, first, line, length int) {
	for i := range length {
		if in.line(columns, first, i).num != in.line(columns, line, i).num {
			c.stop(ReasonForm, "%s of numbers that differ behind their 15th digit", c.Func.Name)
		}
	}
}

// sortKey is what lines are ordered by.
type sortKey struct {
	at         func(line int) Value
	descending bool
}

// sortedLines returns the numbers of lines in the order of keys, alike ones as they
// were.
func (c *Call) sortedLines(n int, keys []sortKey) []int {
	c.takeRoom(n)
	lines := make([]int, n)
	for i := range lines {
		lines[i] = i
	}
	slices.SortStableFunc(lines, func(x, y int) int {
		for _, k := range keys {
			c.step(4)
			if o := c.sortOrder(k.at(x), k.at(y), k.descending); o != 0 {
				return o
			}
		}
		return 0
	})
	return lines
}

// sortOrder orders values as sorting does: numbers, texts, truth values, errors, and
// empty ones at the end in any direction.
func (c *Call) sortOrder(a, b Value, descending bool) int {
	if a.kind == Empty || b.kind == Empty {
		return cmp.Compare(btoi(a.kind == Empty), btoi(b.kind == Empty))
	}
	if descending {
		a, b = b, a
	}
	switch {
	case a.kind == Err && b.kind == Err:
		return 0
	case a.kind == Err || b.kind == Err:
		if descending {
			c.stop(ReasonForm, "errors sorted downwards")
		}
		return cmp.Compare(btoi(a.kind == Err), btoi(b.kind == Err))
	case a.kind == Text && b.kind == Text:
		return c.textOrder(a.str, b.str)
	}
	return compareExact(a, b)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// textOrder orders texts. The order of letters beyond English, and of hyphens and
// apostrophes, is that of the language of the program: where these decide, the
// formula ends.
func (c *Call) textOrder(a, b string) int {
	order := compareText(a, b)
	if order == 0 {
		return 0
	}
	bare := strings.NewReplacer("-", "", "'", "")
	if x, y := bare.Replace(a), bare.Replace(b); compareText(x, y) != order && cmp.Compare(compareText(x, y), 0) != cmp.Compare(order, 0) {
		c.stop(ReasonLanguage, "the order of texts with hyphens depends on the language of the program")
	}
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y && (x >= utf8.RuneSelf || y >= utf8.RuneSelf) {
			c.stop(ReasonLanguage, "the order of letters beyond English depends on the language of the program")
		}
		if compareText(a[:n], b[:m]) != 0 {
			break
		}
		a, b = a[n:], b[m:]
	}
	return order
}

// direction reads 1 or -1.
func direction(v Value) (descending, ok bool) {
	return v.num == -1, v.kind == Number && (v.num == 1 || v.num == -1)
}

func sortFunc(c *Call, a []Value) Value {
	in, bad := c.ArrayOf(a[0])
	if bad.IsError() {
		return bad
	}
	columns := flag(a, 3, false)
	n, length := in.lines(columns)
	index, order := Num(1), Num(1)
	if len(a) > 1 && !a[1].Missing() {
		index = a[1]
	}
	if len(a) > 2 && !a[2].Missing() {
		order = a[2]
	}
	indexes, bad := c.ArrayOf(index)
	if bad.IsError() {
		return bad
	}
	orders, bad := c.ArrayOf(order)
	if bad.IsError() {
		return bad
	}
	if orders.Len() != 1 && orders.Len() != indexes.Len() || indexes.Len() > maxArguments {
		return Fail(ErrValue)
	}
	var keys []sortKey
	for i := range indexes.Len() {
		k := c.toNumber(indexes.Index(i))
		o := c.toNumber(orders.Index(min(i, orders.Len()-1)))
		descending, ok := direction(o)
		switch {
		case k.IsError():
			return k
		case o.IsError():
			return o
		case !ok || k.Int() < 1 || k.Int() > length:
			return Fail(ErrValue)
		}
		keys = append(keys, sortKey{func(line int) Value { return in.line(columns, line, k.Int()-1) }, descending})
	}
	return c.picked(in, columns, c.sortedLines(n, keys))
}

func sortBy(c *Call, a []Value) Value {
	in, bad := c.ArrayOf(a[0])
	if bad.IsError() {
		return bad
	}
	var keys []sortKey
	columns := false
	for i := 1; i < len(a); i += 2 {
		by, bad := c.ArrayOf(a[i])
		if bad.IsError() {
			return bad
		}
		across := by.rows == 1 && by.cols == in.cols && !(by.cols == 1 && by.rows == in.rows)
		if !across && (by.cols != 1 || by.rows != in.rows) || i > 1 && across != columns {
			return Fail(ErrValue)
		}
		columns = across
		descending := false
		if i+1 < len(a) && !a[i+1].Missing() {
			o := c.values(a[i+1])
			if o.kind == ArrayKind {
				c.stop(ReasonForm, "SORTBY with several directions for one array")
			}
			if o = c.toNumber(o); o.IsError() {
				return o
			}
			var ok bool
			if descending, ok = direction(o); !ok {
				return Fail(ErrValue)
			}
		}
		keys = append(keys, sortKey{by.Index, descending})
	}
	n, _ := in.lines(columns)
	return c.picked(in, columns, c.sortedLines(n, keys))
}
