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
}

func (t token) is(word string) bool {
	return !t.quoted && (t.kind == 'w' || t.kind == 'p') && strings.EqualFold(t.text, word)
}

// lex splits SQL; false when something in it is not understood.
func lex(sql string) (out []token, ok bool) {
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case strings.HasPrefix(sql[i:], "--"):
			n := strings.IndexByte(sql[i:], '\n')
			if n < 0 {
				return out, true
			}
			i += n
		case c == '\'' || c == '"' || c == '`':
			text, n := quoted(sql[i:], c)
			if n == 0 {
				return nil, false
			}
			if t := (token{'w', text, true}); c == '\'' {
				t.kind = 's'
				out = append(out, t)
			} else {
				out = append(out, t)
			}
			i += n
		case c == '[':
			n := strings.IndexByte(sql[i:], ']')
			if n < 0 {
				return nil, false
			}
			out = append(out, token{'w', sql[i+1 : i+n], true})
			i += n + 1
		case word(c) && !digit(c):
			j := i
			for j < len(sql) && word(sql[j]) {
				j++
			}
			out = append(out, token{kind: 'w', text: sql[i:j]})
			i = j
		case digit(c):
			j := i
			for j < len(sql) && (word(sql[j]) || sql[j] == '.') {
				j++
			}
			out = append(out, token{kind: 'n', text: sql[i:j]})
			i = j
		default:
			n := 1
			for _, op := range []string{"<=", ">=", "<>", "!=", "=="} {
				if strings.HasPrefix(sql[i:], op) {
					n = 2
				}
			}
			if n == 1 && !strings.ContainsRune("(),*=<>;-", rune(c)) {
				return nil, false
			}
			out = append(out, token{kind: 'p', text: sql[i : i+n]})
			i += n
		}
	}
	return out, true
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
