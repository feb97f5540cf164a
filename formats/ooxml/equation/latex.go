package equation

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLaTeX is how many bytes FromLaTeX takes.
const MaxLaTeX = 10_000

// token is a piece of LaTeX: a command with its name, or one character.
type token struct {
	command bool
	text    string // name of the command, or the character; "\\" of a new line is the command "\\"
	raw     bool   // a character that is written with a backslash: it stands for itself
	match   int    // of a bracket: the token that closes it; 0 for none
	pos     int    // in the text
}

func (t token) is(char string) bool    { return !t.command && !t.raw && t.text == char }
func (t token) named(name string) bool { return t.command && t.text == name }

// name returns how a token is written.
func (t token) name() string {
	if t.command {
		return `\` + t.text
	}
	return t.text
}

// withoutDollars returns an equation without what marks one in a text.
func withoutDollars(s string) string {
	s = strings.TrimSpace(s)
	for _, m := range [][2]string{{"$$", "$$"}, {"$", "$"}, {`\[`, `\]`}, {`\(`, `\)`}} {
		if len(s) >= len(m[0])+len(m[1]) && strings.HasPrefix(s, m[0]) && strings.HasSuffix(s, m[1]) {
			return strings.TrimSpace(s[len(m[0]) : len(s)-len(m[1])])
		}
	}
	return s
}

// tokens splits LaTeX; white space between tokens is dropped but for that in the
// arguments of \text.
func tokens(s string) []token {
	var out []token
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == '\\':
			j := i + 1
			for j < len(s) && (s[j] >= 'a' && s[j] <= 'z' || s[j] >= 'A' && s[j] <= 'Z') {
				j++
			}
			if j == i+1 { // a command of one character
				_, m := utf8.DecodeRuneInString(s[j:])
				j += m
				name := s[i+1 : j]
				out = append(out, token{command: !strings.Contains("{}#$%&_^", name) || name == "", text: name, raw: true, pos: i})
				i = j
				continue
			}
			name := s[i+1 : j]
			out = append(out, token{command: true, text: name, pos: i})
			i = j
			if styles[name].text || name == "operatorname" || name == "begin" || name == "end" {
				if j < len(s) && s[j] == '*' {
					j++
				}
				out, i = verbatim(out, s, j)
			}
		case c == '%': // a comment
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case unicode.IsSpace(c):
			i += n
		default:
			out = append(out, token{text: s[i : i+n], pos: i})
			i += n
		}
	}
	matchBrackets(out)
	return out
}

// verbatim adds the argument of a command at i as one token between braces.
func verbatim(out []token, s string, i int) ([]token, int) {
	j := i
	for j < len(s) && s[j] == ' ' {
		j++
	}
	if j == len(s) || s[j] != '{' {
		return out, i
	}
	depth := 0
	for k := j; k < len(s); k++ {
		switch s[k] {
		case '\\':
			k++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				inner := strings.NewReplacer(`\{`, "{", `\}`, "}", `\$`, "$", `\%`, "%", `\&`, "&", `\_`, "_", `\#`, "#", `\backslash `, `\`, `\ `, " ").Replace(s[j+1 : k])
				return append(out, token{text: "{", pos: j}, token{text: inner, raw: true, pos: j + 1}, token{text: "}", pos: k}), k + 1
			}
		}
	}
	return out, i
}

// matchBrackets finds the closing one of (, [ and | in the same group and cell.
func matchBrackets(ts []token) {
	var open []int // tokens; -1 is the edge of a group
	edge := func() {
		for len(open) > 0 && open[len(open)-1] >= 0 {
			open = open[:len(open)-1]
		}
	}
	topIs := func(char string) bool {
		n := len(open)
		return n > 0 && open[n-1] >= 0 && ts[open[n-1]].is(char)
	}
	closed := -1 // the last | that closes
	for i, t := range ts {
		behind := i > 0 && (ts[i-1].endsOperand() || closed == i-1)
		switch {
		case t.is("{") || t.named("left") || t.named("begin"):
			open = append(open, -1)
		case t.is("}") || t.named("right") || t.named("end"):
			if edge(); len(open) > 0 {
				open = open[:len(open)-1]
			}
		case t.is("&") || t.named(`\`):
			edge()
		case t.is("|") && topIs("|") && behind:
			ts[open[len(open)-1]].match = i
			open, closed = open[:len(open)-1], i
		case t.is("(") || t.is("[") || t.is("|") && !behind:
			open = append(open, i)
		case t.is(")") || t.is("]"):
			for topIs("|") {
				open = open[:len(open)-1]
			}
			n := len(open)
			if n == 0 || open[n-1] < 0 {
				continue
			}
			if ts[open[n-1]].is(map[string]string{")": "(", "]": "["}[t.text]) {
				ts[open[n-1]].match = i
			}
			open = open[:n-1]
		}
	}
}

// endsOperand reports whether what is before a | is something that it can close,
// or stand between: |x| is a pair, a|b is none.
func (t token) endsOperand() bool {
	if t.command {
		s, ok := symbols[t.text]
		return ok && s.class == ordinary
	}
	r, _ := utf8.DecodeRuneInString(t.text)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.Contains(")]}'!", t.text) || t.raw
}

// atom is one piece of an equation: text of one look, or a structure.
type atom struct {
	text string
	look look
	xml  string
	kind class
	fn   string // a function: XML of its name, whose argument follows
	nary string // a large operator: the character
	lim  bool   // of fn: scripts are limits
}

// parser reads tokens.
type parser struct {
	names Names
	ts    []token
	i     int
	depth int
	err   error
}

// fail keeps the first error.
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

func (p *parser) more() bool { return p.err == nil && p.i < len(p.ts) }

// peek returns the present token; the zero token at the end.
func (p *parser) peek() token {
	if p.more() {
		return p.ts[p.i]
	}
	return token{}
}

// enter counts a level of structures.
func (p *parser) enter() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail("the equation has more than %d structures in each other", maxDepth)
	}
	return func() { p.depth-- }
}

// list reads atoms up to a token that stop accepts, or to the token with index
// end.
func (p *parser) list(stop func(token) bool, end int) string {
	defer p.enter()()
	return p.join(p.atoms(stop, end))
}

func (p *parser) atoms(stop func(token) bool, end int) []atom {
	var out []atom
	for p.more() && p.i < end && !stop(p.ts[p.i]) {
		if a, ok := p.scripted(stop, end); ok {
			out = append(out, a)
		}
	}
	return out
}

// join writes atoms; text of one look is one run.
func (p *parser) join(list []atom) string {
	var sb strings.Builder
	for i := 0; i < len(list); i++ {
		a := list[i]
		if a.xml != "" {
			sb.WriteString(a.xml)
			continue
		}
		for i+1 < len(list) && list[i+1].xml == "" && list[i+1].look == a.look {
			i++
			a.text += list[i].text
		}
		if a.text != "" {
			sb.WriteString(p.names.run(a.text, a.look))
		}
	}
	return sb.String()
}

// group reads an argument: a group in braces, or one token.
func (p *parser) group(of string) string {
	defer p.enter()()
	switch t := p.peek(); {
	case !p.more():
		p.fail(`an argument is missing behind %s at the end`, of)
		return ""
	case t.is("{"):
		p.i++
		xml := p.list(func(t token) bool { return t.is("}") }, len(p.ts))
		p.close(of)
		return xml
	case t.is("}") || t.is("&") || t.named(`\`) || t.named("right") || t.named("end"):
		p.fail("an argument is missing behind %s", of)
		return ""
	}
	a, _ := p.atom(func(token) bool { return false }, len(p.ts))
	return p.join([]atom{p.alone(a)})
}

// close takes a closing brace.
func (p *parser) close(of string) {
	if p.err == nil && !p.peek().is("}") {
		p.fail("a } is missing behind %s", of)
	}
	p.i++
}

// plain reads an argument that is a word, such as the name of an environment.
func (p *parser) plain(of string) string {
	if !p.peek().is("{") {
		p.fail("%s needs an argument in braces", of)
		return ""
	}
	p.i++
	var sb strings.Builder
	for p.more() && !p.peek().is("}") {
		sb.WriteString(p.peek().text)
		p.i++
	}
	p.close(of)
	return sb.String()
}

// FromLaTeX returns the XML of an m:oMath for LaTeX, which may stand between
// dollars. It knows scripts, fractions, roots, sums and integrals, functions,
// brackets, matrices and cases, accents, text, the looks of letters, and the
// names of characters. Its errors say what it does not know.
func FromLaTeX(latex string, names Names) (string, error) {
	if len(latex) > MaxLaTeX {
		return "", fmt.Errorf("the equation has %d bytes; at most %d are taken", len(latex), MaxLaTeX)
	}
	if !utf8.ValidString(latex) || strings.ContainsFunc(latex, func(r rune) bool { return r < ' ' && !unicode.IsSpace(r) || r == utf8.RuneError }) {
		return "", fmt.Errorf("the equation has characters that no document can hold")
	}
	p := &parser{names: names, ts: tokens(withoutDollars(latex))}
	if len(p.ts) == 0 {
		return "", fmt.Errorf("the equation is empty")
	}
	xml := p.topLevel()
	if p.err == nil && p.more() {
		p.fail("%s at character %d closes nothing", p.peek().name(), p.peek().pos+1)
	}
	if p.err != nil {
		return "", p.err
	}
	m := names.Math
	return "<" + m + "oMath" + names.Declaration() + ">" + xml + "</" + m + "oMath>", nil
}

// topLevel reads the whole; lines below each other become an equation array.
func (p *parser) topLevel() string {
	stop := func(t token) bool {
		return t.is("}") || t.named("right") || t.named("end") || t.named(`\`)
	}
	first := p.list(stop, len(p.ts))
	if !p.peek().named(`\`) {
		return first
	}
	rows := []string{first}
	for p.more() && p.peek().named(`\`) {
		p.newLine()
		if !p.more() {
			break
		}
		rows = append(rows, p.list(stop, len(p.ts)))
	}
	return p.names.stack(rows)
}

// newLine takes a \\ with the space that may be given behind it.
func (p *parser) newLine() {
	p.i++
	if t := p.peek(); t.is("[") && t.match > 0 {
		p.i = t.match + 1
	}
}
