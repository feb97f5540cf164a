package column

import "strings"

// token is a piece of SQL; kind is one of
//
//	w  a word or a quoted name, in text as it stands for
//	s  a string
//	n  a number
//	p  anything else, such as "<="
type token struct {
	kind   byte
	text   string
	quoted bool // a name in quotes is not a keyword
	at     int  // where it begins in the question
	end    int
}

func (t token) is(word string) bool {
	return !t.quoted && (t.kind == 'w' || t.kind == 'p') && strings.EqualFold(t.text, word)
}

// lex splits SQL; false when something in it is not understood.
func lex(sql string) (out []token, ok bool) {
	for i := 0; i < len(sql); {
		if n := lexBlank(sql[i:]); n > 0 {
			i += n
			continue
		}
		t, n, ok := lexToken(sql[i:])
		if !ok {
			return nil, false
		}
		t.at, t.end = i, i+n
		out = append(out, t)
		i += n
	}
	return out, true
}

// lexBlank returns the length of a blank or comment at the beginning of s.
func lexBlank(s string) int {
	switch c := s[0]; {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		return 1
	case strings.HasPrefix(s, "--"):
		if n := strings.IndexByte(s, '\n'); n >= 0 {
			return n
		}
		return len(s)
	}
	return 0
}

// lexToken returns the token at the beginning of s and its length; false when
// there is none.
func lexToken(s string) (t token, n int, ok bool) {
	switch c := s[0]; {
	case c == '\'' || c == '"' || c == '`':
		t = token{kind: 'w', quoted: true}
		if c == '\'' {
			t.kind = 's'
		}
		t.text, n = quoted(s, c)
		return t, n, n > 0
	case c == '[':
		n = strings.IndexByte(s, ']')
		if n < 0 {
			return t, 0, false
		}
		return token{kind: 'w', text: s[1:n], quoted: true}, n + 1, true
	case digit(c):
		for n < len(s) && (word(s[n]) || s[n] == '.') {
			n++
		}
		return token{kind: 'n', text: s[:n]}, n, true
	case word(c):
		for n < len(s) && word(s[n]) {
			n++
		}
		return token{kind: 'w', text: s[:n]}, n, true
	}
	n = operator(s)
	return token{kind: 'p', text: s[:n]}, n, n > 0
}

// operator returns the length of the operator or mark at the beginning of s, 0
// when there is none.
func operator(s string) int {
	for _, op := range []string{"<=", ">=", "<>", "!=", "==", "||"} {
		if strings.HasPrefix(s, op) {
			return 2
		}
	}
	if strings.IndexByte("(),*=<>;-.+/%", s[0]) >= 0 {
		return 1
	}
	return 0
}

// quoted reads a text in quotes, in which a doubled quote stands for one; n is
// 0 when it has no end.
func quoted(s string, q byte) (text string, n int) {
	for i := 1; i < len(s); i++ {
		if s[i] != q {
			continue
		}
		if i+1 < len(s) && s[i+1] == q {
			i++
			continue
		}
		return strings.ReplaceAll(s[1:i], string([]byte{q, q}), string(q)), i + 1
	}
	return "", 0
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func word(c byte) bool {
	return c == '_' || digit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
