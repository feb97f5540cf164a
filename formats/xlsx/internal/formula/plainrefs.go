package formula

import (
	"strings"

	"atelier/formats/xlsx/internal/cellref"
)

// PlainRefs appends what a formula reads to list, where that can be told without its
// tokens: it consists of cells and ranges of the same sheet, numbers, texts, operators and
// functions that read their arguments only. ok is false for every other formula.
func PlainRefs(list []cellref.Range, f string) (_ []cellref.Range, ok bool) {
	ok = eachPlainRef(f, func(_, _ int, a, b cellref.End) bool {
		r, _ := cellref.Between(a, b)
		list = append(list, r)
		return true
	})
	return list, ok
}

// EachPlainRef calls visit for each cell and range of a formula that is as PlainRefs says,
// with where it is in f; b is a where it is one cell. It returns false for another
// formula, perhaps after some calls.
func EachPlainRef(f string, visit func(from, to int, a, b cellref.End)) bool {
	return eachPlainRef(f, func(from, to int, a, b cellref.End) bool { visit(from, to, a, b); return true })
}

// eachPlainRef calls visit for each cell (a, of which b is a copy) and range of a formula
// that is as PlainRefs says, with where it is in f. It returns false for another formula,
// perhaps after some calls, and where visit does. A reference is written as End.String
// writes its ends.
func eachPlainRef(f string, visit func(from, to int, a, b cellref.End) bool) bool {
	if len(f) == 0 || len(f) > MaxBytes {
		return false
	}
	for i := 0; i < len(f); {
		switch c := f[i]; c {
		case '+', '-', '*', '/', '^', '&', '=', '<', '>', '(', ')', ',', ' ', '%':
			i++
			continue
		case '"':
			i = QuotedEnd(f, i)
			continue
		}
		if end, a := plainCell(f, i); end > 0 {
			if !visit(i, end, a, a) {
				return false
			}
			i = end
			continue
		}
		end, number := plainIdent(f, i)
		if end == i {
			return false
		}
		next := byte(0)
		if end < len(f) {
			next = f[end]
		}
		switch {
		case next == '(':
			if makesReferences(f[i:end]) {
				return false
			}
		case endsNoRange(next) && next != ':' || number && next == ':':
			return false
		case !number:
			a := cellref.ParseEnd(f[i:end])
			b := a
			if next == ':' {
				from := end + 1
				if end, number = plainIdent(f, from); number || end < len(f) && endsNoRange(f[end]) {
					return false
				}
				b = cellref.ParseEnd(f[from:end])
			}
			if a.Kind != cellref.CellEnd || b.Kind != cellref.CellEnd {
				return false
			}
			if !visit(i, end, a, b) {
				return false
			}
		}
		i = end
	}
	return true
}

// plainCell reads the cell at i, in front of an operator or the end; end is 0 where there
// is something else.
func plainCell(f string, i int) (end int, a cellref.End) {
	if f[i] == '$' {
		a.AbsCol = true
		i++
	}
	from := i
	for ; i < len(f) && f[i] >= 'A' && f[i] <= 'Z'; i++ {
		if i-from == 3 {
			return 0, a
		}
		a.Col = a.Col*26 + int(f[i]-'A') + 1
	}
	if i == from || i == len(f) || a.Col > cellref.MaxCol {
		return 0, a
	}
	if f[i] == '$' {
		a.AbsRow = true
		i++
	}
	from = i
	for ; i < len(f) && f[i] >= '0' && f[i] <= '9'; i++ {
		if i-from == 7 {
			return 0, a
		}
		a.Row = a.Row*10 + int(f[i]-'0')
	}
	if i == from || f[from] == '0' || a.Row > cellref.MaxRow {
		return 0, a
	}
	if i < len(f) {
		switch f[i] {
		case '+', '-', '*', '/', '^', '&', '=', '<', '>', ')', ',', ' ', '%':
		default:
			return 0, a
		}
	}
	a.Kind = cellref.CellEnd
	return i, a
}

// endsNoRange reports whether c, behind what looks like the end of a range, makes it a
// part of something else.
func endsNoRange(c byte) bool {
	return c == '!' || c == '[' || c == '(' || c == ':' || IdentByte(c)
}

// plainIdent returns the end of the upper-case letters, digits, dollars and points that
// begin at i, and whether they are a number.
func plainIdent(f string, i int) (end int, number bool) {
	number = true
	for ; i < len(f); i++ {
		switch c := f[i]; {
		case c >= '0' && c <= '9' || c == '.':
		case c >= 'A' && c <= 'Z' || c == '$':
			number = false
		default:
			return i, number
		}
	}
	return i, number
}

// makesReferences reports whether a function reads more than its arguments say.
func makesReferences(name string) bool {
	switch name {
	case "INDIRECT", "OFFSET", "GETPIVOTDATA":
		return true
	}
	return false
}

// plain is Formula where rows are inserted or deleted and the formula is a plain one that
// loses no cell; ok is false for every other.
func (rw *Rewriter) plain(f string, p Place) (now string, changed, resized, ok bool) {
	sh := rw.Shift
	if sh == nil || sh.Cols || sh.Moves() || p.Keep || p.Sheet != rw.Sheet || len(rw.Names)+len(rw.Deleted)+len(rw.Tables) > 0 || rw.Texts != nil {
		return "", false, false, false
	}
	b, pos := rw.buf[:0], 0
	simple := sh.Inserts() && len(sh.More) == 0
	ok = eachPlainRef(f, func(from, to int, x, y cellref.End) bool {
		if simple && x == y && x.Row+sh.Count <= cellref.MaxRow && strings.IndexByte(f[from:to], ':') < 0 {
			if x.Row < sh.At {
				return true
			}
			b = append(b, f[pos:from]...)
			x.Row += sh.Count
			b = x.Append(b)
			pos, changed = to, true
			return true
		}
		r1, r2, ok := sh.Span(min(x.Row, y.Row), max(x.Row, y.Row))
		if !ok {
			return false
		}
		if x.Row > y.Row {
			r1, r2 = r2, r1
		}
		if r1 == x.Row && r2 == y.Row {
			return true
		}
		resized = resized || r2-r1 != y.Row-x.Row
		b = append(b, f[pos:from]...)
		single := strings.IndexByte(f[from:to], ':') < 0
		x.Row, y.Row = r1, r2
		if b = x.Append(b); !single {
			b = y.Append(append(b, ':'))
		}
		pos, changed = to, true
		return true
	})
	rw.buf = b
	switch {
	case !ok:
		return "", false, false, false
	case !changed:
		return f, false, false, true
	}
	rw.buf = append(b, f[pos:]...)
	return string(rw.buf), true, resized, true
}

// movePlain is Move of a plain formula that stays within the sheet; ok is false for every
// other.
func movePlain(f string, dr, dc int) (now string, ok bool) {
	var room [128]byte
	b, pos := room[:0], 0
	ok = eachPlainRef(f, func(from, to int, x, y cellref.End) bool {
		x, okX := x.Moved(dr, dc)
		y, okY := y.Moved(dr, dc)
		if !okX || !okY {
			return false
		}
		b = x.Append(append(b, f[pos:from]...))
		if strings.IndexByte(f[from:to], ':') >= 0 {
			b = y.Append(append(b, ':'))
		}
		pos = to
		return true
	})
	if !ok {
		return "", false
	}
	return string(append(b, f[pos:]...)), true
}
