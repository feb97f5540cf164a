package xlsx

import (
	"iter"
	"slices"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
)

type fkind uint8

const (
	fOther  fkind = iota
	fRef          // [sheet!]A1, A1:B2, A:C, 3:9
	fFunc         // NAME before '('
	fName         // a defined name, or TRUE, or a number
	fStruct       // Table[…]: the whole
	fString
	fError
	fExternal // [1]Sheet!A1 prefix and what follows
)

// ftok is one token of a formula by offset.
type ftok struct {
	kind       fkind
	start, end int
	sheet      string      // fRef, fName: decoded sheet prefix
	sheetTo    string      // end of a 3-D span Sheet1:Sheet3
	body       int         // offset behind the prefix
	a, b       cellref.End // fRef; b.kind is noAtom for a single one
}

// rect is the block an fRef names.
func (t *ftok) rect() cellref.Range {
	b := t.b
	if b.Kind == cellref.NoEnd {
		b = t.a
	}
	r, _ := cellref.Between(t.a, b)
	return r
}

// maxLex is the most bytes that a formula may have (8,192 characters of up to
// four); longer ones are not looked into.
const maxLex = 4 * maxFormula

// lexFormula is formulaTokens as a list.
func lexFormula(f string) []ftok { return slices.Collect(formulaTokens(f)) }

// formulaTokens splits the text of a formula (18.17, without its '='); one that
// is too long for a formula has no tokens.
func formulaTokens(f string) iter.Seq[ftok] {
	return func(yield func(ftok) bool) {
		if len(f) <= maxLex {
			eachToken(f, yield)
		}
	}
}

func eachToken(f string, yield func(ftok) bool) {
	for i := 0; i < len(f); {
		t := ftok{start: i, body: i}
		switch c := f[i]; {
		case c == '"':
			t.kind, t.end = fString, quotedEnd(f, i)
		case c == '#':
			t.kind, t.end = fError, i+1
			for t.end < len(f) && (cellref.IsLetter(f[t.end]) || strings.IndexByte("/!?_0123456789", f[t.end]) >= 0) {
				t.end++
			}
		case c == '[':
			t.kind, t.end = fExternal, bracketEnd(f, i)
			if j := t.end; j < len(f) && (identByte(f[j]) || f[j] == '!') {
				for j < len(f) && (identByte(f[j]) || f[j] == '!') {
					j++
				}
				t.end = j
			}
		case c == '\'':
			t.end = quotedEnd(f, i)
			if t.end < len(f) && f[t.end] == '!' {
				name := strings.ReplaceAll(f[i+1:t.end-1], "''", "'")
				t = lexPrefixed(f, t, name)
			}
		case identByte(c):
			t = lexIdent(f, t)
		default:
			t.end = i + 1
		}
		if !yield(t) {
			return
		}
		i = t.end
	}
}

func quotedEnd(f string, i int) int {
	q := f[i]
	for j := i + 1; j < len(f); j++ {
		if f[j] == q {
			if j+1 < len(f) && f[j+1] == q {
				j++
				continue
			}
			return j + 1
		}
	}
	return len(f)
}

// bracketEnd is the offset behind the ']' that closes the '[' at i. In a
// structured reference ' escapes the next character.
func bracketEnd(f string, i int) int {
	depth := 0
	for j := i; j < len(f); j++ {
		switch f[j] {
		case '\'':
			j++
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return len(f)
}

func identByte(c byte) bool {
	return cellref.IsLetter(c) || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '$' || c == '\\' || c == '?' || c >= 0x80
}

func identEnd(f string, i int) int {
	for i < len(f) && identByte(f[i]) {
		i++
	}
	return i
}

// lexIdent reads what begins with an identifier: a reference, a function, a
// name, a sheet prefix or a structured reference.
func lexIdent(f string, t ftok) ftok {
	i := t.start
	j := identEnd(f, i)
	if j < len(f) {
		switch f[j] {
		case '!':
			t.end = j
			return lexPrefixed(f, t, f[i:j])
		case '(':
			t.kind, t.end = fFunc, j
			return t
		case '[':
			t.kind, t.end = fStruct, bracketEnd(f, j)
			return t
		case ':':
			if k := identEnd(f, j+1); k < len(f) && f[k] == '!' {
				t.end = k
				return lexPrefixed(f, t, f[i:k])
			}
		}
	}
	return lexRef(f, t)
}

// lexPrefixed reads on behind a sheet name; t.end is the offset of its '!'.
func lexPrefixed(f string, t ftok, sheet string) ftok {
	if strings.HasPrefix(sheet, "[") || strings.Contains(sheet, "]") {
		t.kind = fExternal
		t.end = identEnd(f, t.end+1)
		return t
	}
	t.sheet = sheet
	if a, b, ok := strings.Cut(sheet, ":"); ok {
		t.sheet, t.sheetTo = a, b
	}
	t.body = t.end + 1
	if t.body < len(f) && f[t.body] == '#' {
		t.kind, t.end = fError, t.body+1
		for t.end < len(f) && (cellref.IsLetter(f[t.end]) || f[t.end] == '!') {
			t.end++
		}
		return t
	}
	return lexRef(f, t)
}

// lexRef reads the reference or name at t.body.
func lexRef(f string, t ftok) ftok {
	j := identEnd(f, t.body)
	if j == t.body {
		t.kind, t.end = fOther, max(j, t.start+1)
		return t
	}
	a := cellref.ParseEnd(f[t.body:j])
	if j < len(f) && f[j] == ':' && a.Kind != cellref.NoEnd {
		k := identEnd(f, j+1)
		if b := cellref.ParseEnd(f[j+1 : k]); b.Kind == a.Kind && (k >= len(f) || f[k] != '!' && f[k] != '(') {
			t.kind, t.end, t.a, t.b = fRef, k, a, b
			return t
		}
	}
	t.end = j
	if a.Kind == cellref.CellEnd {
		t.kind, t.a = fRef, a
		return t
	}
	t.kind = fName
	return t
}

// shiftFormula moves the relative references of a formula by rows and columns,
// as those of a shared formula are (18.3.1.40).
func shiftFormula(f string, dr, dc int) string {
	if dr == 0 && dc == 0 {
		return f
	}
	var sb strings.Builder
	pos := 0
	for t := range formulaTokens(f) {
		if t.kind != fRef {
			continue
		}
		sb.WriteString(f[pos:t.body])
		pos = t.end
		a, okA := t.a.Move(dr, dc)
		s := a
		okB := true
		if t.b.Kind != cellref.NoEnd {
			var b string
			b, okB = t.b.Move(dr, dc)
			s += ":" + b
		}
		if !okA || !okB {
			s = "#REF!"
		}
		sb.WriteString(s)
	}
	sb.WriteString(f[pos:])
	return sb.String()
}

// maxFormula is how many characters a formula may have (Excel's limit).
const maxFormula = 8192
