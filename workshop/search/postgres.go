package search

import (
	"fmt"
	"strings"

	"atelier/internal/lazyregexp"
)

// lackingFeature names the feature of PostgreSQL's advanced regular expressions (its
// manual, 9.7.3) that a pattern uses and RE2 lacks, and an alternative. It
// returns "" if there is none.
func lackingFeature(p string) string {
	if strings.HasPrefix(p, "***") {
		return lackingMessage("the director "+p[:min(4, len(p))], `leave it out, and escape ( ) [ ] { } . * + ? | ^ $ \ with \ for a literal text`)
	}
	for i := 0; i < len(p); i++ {
		var problem string
		switch p[i] {
		case '\\':
			problem = lackingEscape(p[i:])
			i += escapeLength(p[i:]) - 1
		case '[':
			n := bracketLength(p[i:])
			problem = lackingInBracket(p[i : i+n])
			i += n - 1
		case '(':
			problem = lackingGroup(p[i:])
		}
		if problem != "" {
			return problem
		}
	}
	return ""
}

func lackingMessage(construct, instead string) string {
	return fmt.Sprintf("the pattern has %s, which RE2 expressions lack: %s", construct, instead)
}

// escapeLength returns the length of the escape at the beginning of p; a \Q
// ends after its \E.
func escapeLength(p string) int {
	if strings.HasPrefix(p, `\Q`) {
		if n := strings.Index(p, `\E`); n > 0 {
			return n + 2
		}
		return len(p)
	}
	return min(2, len(p))
}

func lackingEscape(p string) string {
	if len(p) < 2 {
		return ""
	}
	switch c := p[1]; {
	case c >= '1' && c <= '9':
		return lackingMessage("the back-reference "+p[:2], `write out what the group may hold, such as (a…a|b…b) for (a|b)…\1, or search for the group and compare the lines`)
	case c == 'c' && len(p) > 2:
		return lackingMessage("the escape "+p[:3], fmt.Sprintf(`write \x%02x`, p[2]&0x1f))
	}
	return ""
}

// bracketLength returns the length of the bracket expression at the beginning
// of p.
func bracketLength(p string) int {
	i := 1
	if strings.HasPrefix(p[i:], "^") {
		i++
	}
	if strings.HasPrefix(p[i:], "]") {
		i++
	}
	for i < len(p) {
		switch {
		case p[i] == '\\':
			i += 2
			continue
		case p[i] == ']':
			return i + 1
		case p[i] == '[' && i+1 < len(p) && strings.IndexByte(":.=", p[i+1]) >= 0:
			if n := strings.Index(p[i+2:], p[i+1:i+2]+"]"); n >= 0 {
				i += n + 4
				continue
			}
		}
		i++
	}
	return len(p)
}

func lackingInBracket(p string) string {
	switch p {
	case "[[:<:]]":
		return lackingMessage("the word boundary "+p, `write \m, or \b`)
	case "[[:>:]]":
		return lackingMessage("the word boundary "+p, `write \M, or \b`)
	}
	for _, kind := range []struct{ mark, name string }{{".", "collating element"}, {"=", "equivalence class"}} {
		begin := strings.Index(p, "["+kind.mark)
		if begin < 1 {
			continue
		}
		if n := strings.Index(p[begin+2:], kind.mark+"]"); n > 0 {
			return lackingMessage(fmt.Sprintf("the %s %s", kind.name, p[begin:begin+n+4]), "write its characters themselves, such as [eéè]")
		}
	}
	return ""
}

// options are those of PostgreSQL that RE2 lacks, with what to write instead.
var options = map[rune]string{
	'b': `leave it out`, 'c': `set case_sensitive to true`, 'e': `leave it out`, 'n': `write (?m), and [^\n] for .`,
	'p': `write [^\n] for .`, 'q': `leave it out, and escape ( ) [ ] { } . * + ? | ^ $ \ with \`, 't': `leave it out`,
	'w': `write (?m)`, 'x': `leave it out, with the blanks and comments in the pattern`,
}

var embedded = lazyregexp.New(`^\(\?([a-zA-Z]+)\)`)

func lackingGroup(p string) string {
	for _, g := range []struct{ begin, name, instead string }{
		{"(?=", "the look-ahead (?=…)", `write what follows into the pattern: foobar for foo(?=bar)`},
		{"(?!", "the negative look-ahead (?!…)", `match what else may follow, such as foo([^b]|$) for foo(?!b), or search without it and leave lines out`},
		{"(?<=", "the look-behind (?<=…)", `write what comes before into the pattern: foobar for (?<=foo)bar`},
		{"(?<!", "the negative look-behind (?<!…)", `match what else may come before, such as (^|[^a])foo for (?<!a)foo, or search without it and leave lines out`},
		{"(?#", "the comment (?#…)", "leave it out"},
	} {
		if strings.HasPrefix(p, g.begin) {
			return lackingMessage(g.name, g.instead)
		}
	}
	if m := embedded.FindStringSubmatch(p); m != nil {
		for _, c := range m[1] {
			if instead := options[c]; instead != "" {
				return lackingMessage(fmt.Sprintf("the option %c in %s", c, m[0]), instead)
			}
		}
	}
	return ""
}
