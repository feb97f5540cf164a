package formula

import (
	"iter"
	"slices"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
)

// Kind is the kind of a token.
type Kind uint8

const (
	Other      Kind = iota // operators, brackets, blanks
	Ref                    // [sheet!]A1, A1:B2, A:C, 3:9
	Function               // NAME before '('
	Name                   // a defined name, or TRUE, or a number
	Structured             // Table[…] as a whole
	String
	Error
	External // [1]Sheet!A1, a reference to another workbook
)

// Token is one token of a formula. Start, Body and End are offsets into its
// text.
type Token struct {
	Kind       Kind
	Start, End int
	Sheet      string      // Ref, Name: decoded sheet prefix
	LastSheet  string      // end of a 3-D span Sheet1:Sheet3
	Body       int         // offset after the sheet prefix
	From, To   cellref.End // Ref; To.Kind is NoEnd for a single one
}

// Range returns the range that a Ref names.
func (t *Token) Range() cellref.Range {
	b := t.To
	if b.Kind == cellref.NoEnd {
		b = t.From
	}
	r, _ := cellref.Between(t.From, b)
	return r
}

// MaxBytes is the most bytes that a formula may have (8,192 characters of up to
// four bytes). Longer ones are not read.
const MaxBytes = 4 * MaxLength

// Lex returns the tokens of a formula as a slice.
func Lex(f string) []Token { return slices.Collect(Tokens(f)) }

// Tokens splits the text of a formula (18.17, without its "="). A formula
// longer than MaxBytes has no tokens.
func Tokens(f string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		if len(f) <= MaxBytes {
			eachToken(f, yield)
		}
	}
}

func eachToken(f string, yield func(Token) bool) {
	for i := 0; i < len(f); {
		t := Token{Start: i, Body: i}
		switch c := f[i]; {
		case c == '"':
			t.Kind, t.End = String, QuotedEnd(f, i)
		case c == '#':
			t.Kind, t.End = Error, i+1
			for t.End < len(f) && (cellref.IsLetter(f[t.End]) || strings.IndexByte("/!?_0123456789", f[t.End]) >= 0) {
				t.End++
			}
		case c == '[':
			t.Kind, t.End = External, BracketEnd(f, i)
			for t.End < len(f) && (IdentByte(f[t.End]) || f[t.End] == '!') {
				t.End++
			}
		case c == '\'':
			t.End = QuotedEnd(f, i)
			if t.End < len(f) && f[t.End] == '!' {
				name := strings.ReplaceAll(f[i+1:t.End-1], "''", "'")
				t = lexPrefixed(f, t, name)
			}
		case IdentByte(c):
			t = lexIdent(f, t)
		default:
			t.End = i + 1
		}
		if !yield(t) {
			return
		}
		i = t.End
	}
}

// QuotedEnd returns the offset after the quoted text that begins at i. A
// doubled quote stands for one inside it.
func QuotedEnd(f string, i int) int {
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

// BracketEnd returns the offset after the ']' that closes the '[' at i. In a
// structured reference ' escapes the next character.
func BracketEnd(f string, i int) int {
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

// IdentByte reports whether c can be part of an identifier or reference.
func IdentByte(c byte) bool {
	return cellref.IsLetter(c) || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '$' || c == '\\' || c == '?' || c >= 0x80
}

// IdentEnd returns the end of the identifier that begins at i.
func IdentEnd(f string, i int) int {
	for i < len(f) && IdentByte(f[i]) {
		i++
	}
	return i
}

// lexIdent reads a token that begins with an identifier: a reference, function,
// name, sheet prefix or structured reference.
func lexIdent(f string, t Token) Token {
	i := t.Start
	j := IdentEnd(f, i)
	if j < len(f) {
		switch f[j] {
		case '!':
			t.End = j
			return lexPrefixed(f, t, f[i:j])
		case '(':
			t.Kind, t.End = Function, j
			return t
		case '[':
			t.Kind, t.End = Structured, BracketEnd(f, j)
			return t
		case ':':
			if k := IdentEnd(f, j+1); k < len(f) && f[k] == '!' {
				t.End = k
				return lexPrefixed(f, t, f[i:k])
			}
		}
	}
	return lexRef(f, t)
}

// lexPrefixed continues after a sheet name; t.End is the offset of its '!'.
func lexPrefixed(f string, t Token, sheet string) Token {
	if strings.HasPrefix(sheet, "[") || strings.Contains(sheet, "]") {
		t.Kind = External
		t.End = IdentEnd(f, t.End+1)
		return t
	}
	t.Sheet = sheet
	if a, b, ok := strings.Cut(sheet, ":"); ok {
		t.Sheet, t.LastSheet = a, b
	}
	t.Body = t.End + 1
	if t.Body < len(f) && f[t.Body] == '#' {
		t.Kind, t.End = Error, t.Body+1
		for t.End < len(f) && (cellref.IsLetter(f[t.End]) || f[t.End] == '!') {
			t.End++
		}
		return t
	}
	return lexRef(f, t)
}

// lexRef reads the reference or name at t.Body.
func lexRef(f string, t Token) Token {
	j := IdentEnd(f, t.Body)
	if j == t.Body {
		t.Kind, t.End = Other, max(j, t.Start+1)
		return t
	}
	a := cellref.ParseEnd(f[t.Body:j])
	if j < len(f) && f[j] == ':' && a.Kind != cellref.NoEnd {
		k := IdentEnd(f, j+1)
		if b := cellref.ParseEnd(f[j+1 : k]); b.Kind == a.Kind && (k >= len(f) || f[k] != '!' && f[k] != '(') {
			t.Kind, t.End, t.From, t.To = Ref, k, a, b
			return t
		}
	}
	t.End = j
	if a.Kind == cellref.CellEnd {
		t.Kind, t.From = Ref, a
		return t
	}
	t.Kind = Name
	return t
}

// Move moves the relative references of a formula by rows and columns, as the
// members of a shared formula do (18.3.1.40).
func Move(f string, dr, dc int) string {
	if dr == 0 && dc == 0 {
		return f
	}
	if now, ok := movePlain(f, dr, dc); ok {
		return now
	}
	var sb strings.Builder
	pos := 0
	for t := range Tokens(f) {
		if t.Kind != Ref {
			continue
		}
		sb.WriteString(f[pos:t.Body])
		pos = t.End
		a, okA := t.From.Move(dr, dc)
		s := a
		okB := true
		if t.To.Kind != cellref.NoEnd {
			var b string
			b, okB = t.To.Move(dr, dc)
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

// MaxLength is how many characters a formula may have in Excel.
const MaxLength = 8192
