package template

import (
	"strings"

	"atelier/internal/lazyregexp"
)

type tokenKind int

const (
	valueToken tokenKind = iota
	ifToken
	unlessToken
	eachToken
	elseToken
	endToken
)

// token is a placeholder in a text, by byte offset.
type token struct {
	kind       tokenKind
	start, end int
	name       string
	filters    string // after the first |
	raw        string
	firm       bool // it is a placeholder whether or not the data has the name
	mustache   bool // {{#name}}: a list repeats, another value is a condition
}

func (t token) opens() bool { return t.kind == ifToken || t.kind == unlessToken || t.kind == eachToken }

var placeholder = lazyregexp.New(`\{\{[ \t]*([^{}\n]{1,200}?)[ \t]*\}\}|\$\{([^{}\n]{1,100})\}|«([^«»\n]{1,100})»|\[\[([^\[\]\n]{1,100})\]\]|\[([^\[\]\n]{1,100})\]|\{([^{}\n]{1,100})\}`)

// tokens lists the placeholders of a text.
func (f *filler) tokens(text string) []token {
	if !strings.ContainsAny(text, "{«[") {
		return nil
	}
	var out []token
	for _, m := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		t := token{start: m[0], end: m[1], raw: text[m[0]:m[1]]}
		if m[2] >= 0 {
			t.control(text[m[2]:m[3]])
		} else {
			for g := 4; g < len(m); g += 2 {
				if m[g] >= 0 {
					t.name, t.filters, _ = strings.Cut(text[m[g]:m[g+1]], "|")
					t.name, t.firm = strings.TrimSpace(t.name), g <= 6
				}
			}
		}
		if t.kind == valueToken && !t.firm && !f.known[normal(t.name)] {
			continue
		}
		out = append(out, t)
	}
	return out
}

// control reads what is between {{ and }}.
func (t *token) control(in string) {
	t.firm = true
	in = strings.TrimSpace(in)
	word, rest, _ := strings.Cut(in, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case (word == "#if" || word == "if") && rest != "":
		t.kind, t.name = ifToken, rest
	case (word == "#unless" || word == "unless") && rest != "":
		t.kind, t.name = unlessToken, rest
	case (word == "#each" || word == "each" || word == "#for") && rest != "":
		t.kind, t.name = eachToken, rest
	case in == "else" || in == "#else" || in == "^":
		t.kind = elseToken
	case strings.HasPrefix(in, "/") || in == "end" || in == "endif":
		t.kind, t.name = endToken, strings.TrimSpace(strings.TrimPrefix(in, "/"))
	case strings.HasPrefix(in, "#") && len(in) > 1:
		t.kind, t.name, t.mustache = eachToken, strings.TrimSpace(in[1:]), true
	case strings.HasPrefix(in, "^"):
		t.kind, t.name = unlessToken, strings.TrimSpace(in[1:])
	default:
		t.name, t.filters, _ = strings.Cut(in, "|")
		t.name = strings.TrimSpace(t.name)
	}
}

// partner finds, among tokens, the end of the block that tokens[i] opens and its
// else; -1 where there is none.
func partner(list []token, i int) (otherwise, end int) {
	depth := 0
	otherwise = -1
	for k := i; k < len(list); k++ {
		switch {
		case list[k].opens():
			depth++
		case list[k].kind == elseToken && depth == 1 && otherwise < 0:
			otherwise = k
		case list[k].kind == endToken:
			if depth--; depth == 0 {
				return otherwise, k
			}
		}
	}
	return -1, -1
}

// condition evaluates an expression: a name, !name, not name, name == "text" or
// name != "text". ok is false where the data has no such name.
func (s *scope) condition(expr string) (holds, ok bool) {
	expr = strings.TrimSpace(straight.Replace(expr))
	for _, op := range []string{"!=", "=="} {
		if l, r, found := strings.Cut(expr, op); found {
			l = strings.TrimSpace(l)
			v, ok := s.find(l)
			ok = ok || s.absent(l)
			text, _ := textOf(v)
			want := strings.Trim(strings.TrimSpace(r), `"'`)
			return (text == want) == (op == "=="), ok
		}
	}
	name, negated := strings.CutPrefix(expr, "!")
	if !negated {
		name, negated = strings.CutPrefix(expr, "not ")
	}
	name = strings.TrimSpace(name)
	v, ok := s.find(name)
	return truth(v) != negated, ok || s.absent(name)
}

// straight undoes the typographic quotes that Word makes.
var straight = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "‘", "'", "’", "'")
