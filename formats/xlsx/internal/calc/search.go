package calc

import "atelier/formats/xlsx/internal/cellref"

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
		c.inOrder(v, order == -2)
		order = 1
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

// inOrder ends the formula of a binary search unless the values are in strict order:
// in others which one is found depends on how the program searches.
func (c *Call) inOrder(v vector, descending bool) {
	for i := 1; i < v.n; i++ {
		x, y := v.at(i-1), v.at(i)
		if descending {
			x, y = y, x
		}
		if x.kind != y.kind || x.kind == Err || x.blank() || compareExact(x, y) >= 0 {
			c.stop(ReasonForm, "%s with a binary search in values that are not in order, or equal", c.Func.Name)
		}
	}
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
