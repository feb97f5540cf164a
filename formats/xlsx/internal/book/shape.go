package book

import (
	"hash/maphash"
	"strconv"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// HashSeed is the seed of all hashes of cells and formulas in this process.
var HashSeed = maphash.MakeSeed()

// RelativeForm writes a formula so that formulas alike in two cells are the same.
func RelativeForm(f string, row, col int) string {
	var sb strings.Builder
	pos := 0
	put := func(a cellref.End) {
		if a.Kind != cellref.ColumnEnd {
			sb.WriteString("R" + relativeIndex(a.Row, row, a.AbsRow))
		}
		if a.Kind != cellref.RowEnd {
			sb.WriteString("C" + relativeIndex(a.Col, col, a.AbsCol))
		}
	}
	for t := range formula.Tokens(f) {
		if t.Kind != formula.Ref {
			continue
		}
		sb.WriteString(f[pos:t.Body])
		if put(t.From); t.To.Kind != cellref.NoEnd {
			sb.WriteByte(':')
			put(t.To)
		}
		pos = t.End
	}
	sb.WriteString(f[pos:])
	return sb.String()
}

// relativeIndex writes a row or column as R1C1 notation does.
func relativeIndex(i, from int, absolute bool) string {
	if absolute {
		return strconv.Itoa(i)
	}
	return "[" + strconv.Itoa(i-from) + "]"
}

// AppendShape appends a formula without the cells and sheets it refers to, which
// change when lines come and go and sheets are renamed.
func AppendShape(b []byte, f string) []byte {
	for i := 0; i < len(f); {
		switch c := f[i]; {
		case strings.HasPrefix(f[i:], "#REF!"): // what a reference becomes when its cells go
			i += len("#REF!")
		case c == '\'':
			if i = formula.QuotedEnd(f, i); i < len(f) && f[i] == '!' {
				i++
			}
		case formula.IdentByte(c):
			j := formula.IdentEnd(f, i)
			switch {
			case j < len(f) && f[j] == '!':
				j++
			case !cellLike(f[i:j]):
				b = append(b, f[i:j]...)
			}
			i = j
		default:
			b = append(b, c)
			i++
		}
	}
	return b
}

// cellLike reports whether an identifier has the form of A1, $A$1 or 12.
func cellLike(s string) bool {
	i := 0
	for i < len(s) && (cellref.IsLetter(s[i]) || s[i] == '$') {
		i++
	}
	if i > 5 || i == len(s) {
		return false
	}
	for ; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
