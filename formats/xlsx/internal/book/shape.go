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
func RelativeForm(f string, row, col int) string { return string(AppendRelativeForm(nil, f, row, col)) }

// AppendRelativeForm appends what RelativeForm returns to b.
func AppendRelativeForm(b []byte, f string, row, col int) []byte {
	start, pos := len(b), 0
	plain := formula.EachPlainRef(f, func(from, to int, first, last cellref.End) {
		b = appendRelativeEnd(append(b, f[pos:from]...), first, row, col)
		if strings.IndexByte(f[from:to], ':') >= 0 {
			b = appendRelativeEnd(append(b, ':'), last, row, col)
		}
		pos = to
	})
	if plain {
		return append(b, f[pos:]...)
	}
	return appendTokensForm(b[:start], f, row, col)
}

// appendTokensForm is AppendRelativeForm for any formula.
func appendTokensForm(b []byte, f string, row, col int) []byte {
	pos := 0
	for t := range formula.Tokens(f) {
		if t.Kind != formula.Ref {
			continue
		}
		b = append(b, f[pos:t.Body]...)
		if b = appendRelativeEnd(b, t.From, row, col); t.To.Kind != cellref.NoEnd {
			b = appendRelativeEnd(append(b, ':'), t.To, row, col)
		}
		pos = t.End
	}
	return append(b, f[pos:]...)
}

func appendRelativeEnd(b []byte, a cellref.End, row, col int) []byte {
	if a.Kind != cellref.ColumnEnd {
		b = appendRelativeIndex(append(b, 'R'), a.Row, row, a.AbsRow)
	}
	if a.Kind != cellref.RowEnd {
		b = appendRelativeIndex(append(b, 'C'), a.Col, col, a.AbsCol)
	}
	return b
}

// appendRelativeIndex writes a row or column as R1C1 notation does.
func appendRelativeIndex(b []byte, i, from int, absolute bool) []byte {
	if absolute {
		return strconv.AppendInt(b, int64(i), 10)
	}
	return append(strconv.AppendInt(append(b, '['), int64(i-from), 10), ']')
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
