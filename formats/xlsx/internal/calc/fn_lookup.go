package calc

import (
	"math"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
)

func init() {
	register(
		Func{Name: "VLOOKUP", Min: 3, Max: 4, Args: "v a n b", Call: tableLookup(false)},
		Func{Name: "HLOOKUP", Min: 3, Max: 4, Args: "v a n b", Call: tableLookup(true)},
		Func{Name: "LOOKUP", Min: 2, Max: 3, Args: "v A A", Call: lookupFunc},
		Func{Name: "MATCH", Min: 2, Max: 3, Args: "v a n", Call: matchFunc},
		Func{Name: "XMATCH", Min: 2, Max: 4, Args: "v a n? n?", Call: xmatchFunc},
		Func{Name: "XLOOKUP", Min: 3, Max: 6, Args: "v a a a n? n?", Call: xlookupFunc},
		Func{Name: "INDEX", Min: 2, Max: 4, Args: "A n n n", Call: indexFunc},
		Func{Name: "CHOOSE", Min: 2, Max: -1, Lazy: true, Call: chooseFunc},
		Func{Name: "TRANSPOSE", Min: 1, Max: 1, Args: "A", Call: transpose},
	)
}

// lookFor finds a value in a vector. It returns the place counted from 0, -1 where
// it is not found. How says what counts: 0 the value itself with wildcards, -2
// the value itself, 1 else the next smaller, -1 else the next larger; the last two
// for values in any order.
func lookFor(v vector, x Value, how int) int {
	if x.kind == Empty {
		x = Value{kind: Number}
	}
	var p *pattern
	if x.kind == Text && how == 0 {
		if p = v.e.newPattern(x.str); p.literal(x.str) {
			p = nil
		}
	}
	if p == nil && (how == 0 || how == -2) && v.array == nil && v.vertical {
		if rows, ok := v.e.rowsWith(v.area, x); ok {
			return v.among(rows, x)
		}
	}
	at, best := -1, Value{}
	v.each(func(i int, y Value) bool {
		if y.kind != x.kind {
			return true
		}
		order := 0
		if p != nil {
			if p.matches(y.str) {
				at = i
			}
			return at < 0
		}
		if order = compareExact(y, x); order == 0 {
			at = i
			return false
		}
		if how == 1 && order < 0 && (at < 0 || compareExact(y, best) > 0) || how == -1 && order > 0 && (at < 0 || compareExact(y, best) < 0) {
			at, best = i, y
		}
		return true
	})
	return at
}

// among returns the first of some places of a column that has a value, -1 when none
// has.
func (v vector) among(rows []indexEntry, x Value) int {
	for _, r := range rows {
		if y := v.at(int(r.row) - v.area.R1); y.kind == x.kind && compareExact(y, x) == 0 {
			return int(r.row) - v.area.R1
		}
	}
	return -1
}

// lastUpTo finds by bisection the last place of a sorted vector that is not behind
// x: not larger, or with descending not smaller. Of equal values met it takes the
// last of the run. Values of other types are passed over. It returns -1 where all
// are behind x. In vectors that are not sorted it finds what Excel finds.
func lastUpTo(v vector, x Value, descending bool) int {
	if x.kind == Empty {
		x = Value{kind: Number}
	}
	order := func(i int) (int, bool) {
		y := v.at(i)
		if y.kind != x.kind {
			return 0, false
		}
		if descending {
			return compareExact(x, y), true
		}
		return compareExact(y, x), true
	}
	low, high := -1, v.used()
	for high-low > 1 {
		mid := low + (high-low)/2
		at := mid
		c, ok := order(at)
		for !ok && at < high-1 {
			at++
			c, ok = order(at)
		}
		switch {
		case !ok || c > 0 && at == high-1:
			high = mid
		case c == 0:
			for at+1 < high {
				if c, ok = order(at + 1); !ok || c != 0 {
					break
				}
				at++
			}
			return at
		case c > 0:
			high = at
		default:
			low = at
		}
	}
	for low >= 0 {
		if _, ok := order(low); ok {
			break
		}
		low--
	}
	return low
}

// used returns how many places there are up to the last that may have a value.
func (v vector) used() int {
	if v.array != nil {
		return v.n
	}
	u := v.e.book.sheets[v.area.Sheet].grid.used
	switch {
	case u.Empty():
		return 0
	case v.vertical:
		return min(v.n, max(u.R2-v.area.R1+1, 0))
	}
	return min(v.n, max(u.C2-v.area.C1+1, 0))
}

// block is a range or array of which rows and columns are taken.
type block struct {
	rows, cols int
	area       Area
	array      *Array
}

// blockOf returns an argument as a block.
func (c *Call) blockOf(v Value) (block, Value) {
	if v.kind == RefKind && len(v.Ref()) == 1 {
		a := v.Ref()[0]
		return block{a.rows(), a.cols(), a, nil}, Value{}
	}
	a, bad := c.ArrayOf(v)
	if bad.IsError() {
		return block{}, bad
	}
	return block{a.rows, a.cols, Area{}, a}, Value{}
}

// part returns some rows and columns of a block, from the given ones counted from
// 0: a reference of a range.
func (c *Call) part(b block, row, col, rows, cols int) Value {
	if b.array == nil {
		r := cellref.Block(b.area.R1+row, b.area.C1+col, b.area.R1+row+rows-1, b.area.C1+col+cols-1)
		return refTo(Area{b.area.Sheet, r})
	}
	if rows == 1 && cols == 1 {
		return b.array.At(row, col)
	}
	out := c.newTall(rows, cols, max(b.array.held()-row, 0))
	for i := range out.data {
		out.data[i] = b.array.At(row+i/cols, col+i%cols)
	}
	out.rest = b.array.rest
	return arrayValue(out)
}

// tableLookup is VLOOKUP, or HLOOKUP when across.
func tableLookup(across bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		if a[1].kind != RefKind && a[1].kind != ArrayKind {
			if a[1].kind == Err {
				return a[1]
			}
			return Fail(ErrValue)
		}
		b, bad := c.blockOf(a[1])
		if bad.IsError() {
			return bad
		}
		k := a[2].Int()
		first, size := c.part(b, 0, 0, b.rows, 1), b.cols
		if across {
			first, size = c.part(b, 0, 0, 1, b.cols), b.rows
		}
		if k < 1 {
			return Fail(ErrValue)
		}
		if k > size {
			return Fail(ErrRef)
		}
		v, _ := c.vectorOf(first)
		at := -1
		if len(a) == 4 && !a[3].Bool() {
			at = lookFor(v, a[0], 0)
		} else {
			at = lastUpTo(v, a[0], false)
		}
		switch {
		case at < 0:
			return Fail(ErrNA)
		case across:
			return c.first(c.part(b, k-1, at, 1, 1))
		}
		return c.first(c.part(b, at, k-1, 1, 1))
	}
}

func lookupFunc(c *Call, a []Value) Value {
	b, bad := c.blockOf(a[1])
	if bad.IsError() {
		return bad
	}
	along, result := c.part(b, 0, 0, b.rows, 1), c.part(b, 0, b.cols-1, b.rows, 1)
	if b.cols > b.rows {
		along, result = c.part(b, 0, 0, 1, b.cols), c.part(b, b.rows-1, 0, 1, b.cols)
	}
	if len(a) == 3 {
		if b.rows > 1 && b.cols > 1 {
			return Fail(ErrNA)
		}
		result = a[2]
	}
	v, _ := c.vectorOf(along)
	at := lastUpTo(v, a[0], false)
	if at < 0 {
		return Fail(ErrNA)
	}
	if result.kind == Err {
		return result
	}
	out, ok := c.vectorOf(result)
	if !ok {
		return Fail(ErrRef)
	}
	if at >= out.n && result.kind != RefKind {
		return Fail(ErrNA)
	}
	return out.at(at) // a range of results is as long as that of the values
}

func matchFunc(c *Call, a []Value) Value {
	if a[1].kind == Err {
		return a[1]
	}
	v, ok := c.vectorOf(a[1])
	if !ok || a[1].kind != RefKind && a[1].kind != ArrayKind {
		return Fail(ErrNA)
	}
	how := 1.0
	if len(a) == 3 {
		how = a[2].num
	}
	at := -1
	switch {
	case how == 0:
		at = lookFor(v, a[0], 0)
	case how > 0:
		at = lastUpTo(v, a[0], false)
	default:
		at = matchDescending(v, a[0])
	}
	if at < 0 {
		return Fail(ErrNA)
	}
	return Num(float64(at + 1))
}

// matchDescending is MATCH with -1. Which of equal values it finds is not known.
func matchDescending(v vector, x Value) int {
	at := lastUpTo(v, x, true)
	if at > 0 && compareExact(v.at(at), v.at(at-1)) == 0 {
		v.e.stop(ReasonForm, "MATCH in descending values of which some are equal")
	}
	return at
}

// xfind is the search of XMATCH and XLOOKUP.
func (c *Call) xfind(x, in Value, how, order int) (at int, v vector, bad Value) {
	if in.kind == Err {
		return -1, v, in
	}
	v, ok := c.vectorOf(in)
	if !ok {
		return -1, v, Fail(ErrValue)
	}
	if order == 2 || order == -2 {
		c.stop(ReasonForm, "%s with a binary search", c.Func.Name)
	}
	kind := -2
	switch how {
	case 2:
		kind = 0
	case 1:
		kind = -1
	case -1:
		kind = 1
	case 0:
	default:
		return -1, v, Fail(ErrValue)
	}
	if x.kind == Empty && how == 0 {
		return c.findBlank(v, order), v, Value{}
	}
	if order != -1 {
		return lookFor(v, x, kind), v, Value{}
	}
	if at = lookFor(c.reversed(v), x, kind); at >= 0 {
		at = v.n - 1 - at
	}
	return at, v, Value{}
}

// findBlank finds the first empty place, or the last.
func (c *Call) findBlank(v vector, order int) int {
	for i := range v.n {
		k := i
		if order == -1 {
			k = v.n - 1 - i
		}
		if v.at(k).kind == Empty {
			return k
		}
	}
	return -1
}

// reversed returns the values of a vector from the last to the first.
func (c *Call) reversed(v vector) vector {
	out := c.NewArray(v.n, 1)
	v.each(func(i int, x Value) bool {
		out.data[v.n-1-i] = x
		return true
	})
	return vector{e: c.Evaluator, n: v.n, array: out, vertical: true}
}

// optional returns a whole-number argument that may be left out.
func optional(a []Value, i, otherwise int) int {
	if i < len(a) && !a[i].Missing() {
		return a[i].Int()
	}
	return otherwise
}

func xmatchFunc(c *Call, a []Value) Value {
	order := optional(a, 3, 1)
	at, _, bad := c.xfind(a[0], a[1], optional(a, 2, 0), order)
	if bad.IsError() {
		return bad
	}
	if at < 0 {
		return Fail(ErrNA)
	}
	return Num(float64(at + 1))
}

func xlookupFunc(c *Call, a []Value) Value {
	order := optional(a, 5, 1)
	at, v, bad := c.xfind(a[0], a[1], optional(a, 4, 0), order)
	if bad.IsError() {
		return bad
	}
	b, bad := c.blockOf(a[2])
	if bad.IsError() {
		return bad
	}
	down := v.vertical || v.n == 1 && b.rows == 1 && b.cols != 1
	if v.n == 1 {
		down = b.rows == 1
	}
	if down && b.rows != v.n || !down && b.cols != v.n {
		return Fail(ErrValue)
	}
	switch {
	case at < 0 && len(a) > 3 && !a[3].Missing():
		return a[3]
	case at < 0:
		return Fail(ErrNA)
	case down:
		return c.part(b, at, 0, 1, b.cols)
	}
	return c.part(b, 0, at, b.rows, 1)
}

func indexFunc(c *Call, a []Value) Value {
	v := a[0]
	if v.kind == RefKind {
		k := optional(a, 3, 1)
		if k < 1 || k > len(v.Ref()) {
			return Fail(ErrRef)
		}
		v = refTo(v.Ref()[k-1])
	}
	b, bad := c.blockOf(v)
	if bad.IsError() {
		return bad
	}
	row, col := optional(a, 1, 0), 0
	switch {
	case len(a) > 2:
		col = a[2].Int()
	case b.rows == 1 && b.cols > 1:
		row, col = 1, row
		if col == 0 {
			row = 0
		}
	case b.cols == 1:
		col = 1
	}
	if row < 0 || col < 0 {
		return Fail(ErrValue)
	}
	if row > b.rows || col > b.cols {
		return Fail(ErrRef)
	}
	switch {
	case row == 0 && col == 0:
		return v
	case row == 0:
		return c.part(b, 0, col-1, b.rows, 1)
	case col == 0:
		return c.part(b, row-1, 0, 1, b.cols)
	}
	return c.part(b, row-1, col-1, 1, 1)
}

func chooseFunc(c *Call, _ []Value) Value {
	x := c.decider(0)
	if x.kind == ArrayKind {
		return c.lift(append([]Value{x}, c.otherValues(1)...), func(a []Value) Value {
			k := c.toNumber(a[0])
			if k.kind == Err {
				return k
			}
			if i := k.Int(); i >= 1 && i < len(a) {
				return a[i]
			}
			return Fail(ErrValue)
		})
	}
	k := c.toNumber(x)
	if k.kind == Err {
		return k
	}
	if i := k.Int(); i >= 1 && i < c.N() {
		return c.chosen(i)
	}
	return Fail(ErrValue)
}

// otherValues calculates the arguments from i on.
func (c *Call) otherValues(i int) []Value {
	var out []Value
	for ; i < c.N(); i++ {
		out = append(out, c.values(c.chosen(i)))
	}
	return out
}

func transpose(c *Call, a []Value) Value {
	in, bad := c.ArrayOf(a[0])
	if bad.IsError() {
		return bad
	}
	out := c.NewArray(in.cols, in.rows)
	for i := range out.data {
		out.data[i] = in.At(i%in.rows, i/in.rows)
	}
	return arrayValue(out)
}

// addressText reads a text such as Sheet!A1:B2 as a reference.
func (c *Call) addressText(text string) Value {
	text = strings.TrimSpace(text)
	root, err := (&parser{text: text, row: 1, col: 1, book: c.book, wraps: true}).whole()
	if err != nil {
		return Fail(ErrRef)
	}
	switch n := root.(type) {
	case *refNode:
		// The address is as written, not relative to the formula.
		at := c.at
		c.at.Row, c.at.Col = 1, 1
		v := c.reference(n)
		c.at = at
		return v
	case *tableNode:
		return c.structured(n)
	case *nameNode:
		if c.book.definition(n, c.at.Sheet) == nil && c.book.tables[n.low] == nil {
			return Fail(ErrRef)
		}
		saved := c.env
		c.env = nil
		v := c.name(n)
		if c.env = saved; v.kind == RefKind {
			return v
		}
	case *unknownNode:
		if n.code == ReasonExternal {
			c.stop(n.code, "%s", n.text)
		}
	}
	return Fail(ErrRef)
}

// limit is a number as a count of rows or columns; far ones are outside every
// sheet.
func limit(x float64) int { return int(math.Trunc(min(max(x, -1<<22), 1<<22))) }
