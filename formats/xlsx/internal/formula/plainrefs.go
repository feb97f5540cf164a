package formula

import "atelier/formats/xlsx/internal/cellref"

// PlainRefs appends what a formula reads to list, where that can be told without its
// tokens: it consists of cells and ranges of the same sheet, numbers, texts, operators and
// functions that read their arguments only. ok is false for every other formula.
func PlainRefs(list []cellref.Range, f string) (_ []cellref.Range, ok bool) {
	if len(f) == 0 || len(f) > MaxBytes {
		return list, false
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
		end, number := plainIdent(f, i)
		if end == i {
			return list, false
		}
		next := byte(0)
		if end < len(f) {
			next = f[end]
		}
		switch {
		case next == '(':
			if makesReferences(f[i:end]) {
				return list, false
			}
		case endsNoRange(next) && next != ':' || number && next == ':':
			return list, false
		case !number:
			a := cellref.ParseEnd(f[i:end])
			b := a
			if next == ':' {
				from := end + 1
				if end, number = plainIdent(f, from); number || end < len(f) && endsNoRange(f[end]) {
					return list, false
				}
				b = cellref.ParseEnd(f[from:end])
			}
			if a.Kind != cellref.CellEnd || b.Kind != cellref.CellEnd {
				return list, false
			}
			r, _ := cellref.Between(a, b)
			list = append(list, r)
		}
		i = end
	}
	return list, true
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
