package check

import (
	"atelier/internal/lazyregexp"
)

// field matches the content of a simple placeholder in braces: {0}, {},
// {name}, {user.name}, {0:N2}, {price!r}.
var field = lazyregexp.New(`^[\w.\[\]-]*(?:![rsa])?(?::[^{}\s]*)?$`)

// argument matches the head of an ICU message argument: {n, plural, …}.
var argument = lazyregexp.New(`^\s*(\w+)\s*,\s*(plural|select|selectordinal|number|date|time|spellout|ordinal|duration)\b`)

// takeBraces finds the placeholders in braces and blanks them out. Simple fields
// are blanked as a whole. Of an ICU message (ICU MessageFormat), the name and
// type of the argument must stay, while the texts of its branches are
// translated and are searched for placeholders too. Languages have different
// plural branches, so a placeholder in several branches counts once.
func takeBraces(b []byte) []string {
	w := bracer{b: b, closing: pairBraces(b), seen: map[string]bool{}}
	w.walk(0, len(b), 0)
	return w.out
}

// Limits: the length of a placeholder, the nesting of messages.
const (
	maxField  = 200
	maxLevels = 8
)

type bracer struct {
	b       []byte
	closing []int // for each opening brace its closing one, -1 if there is none
	out     []string
	seen    map[string]bool
}

func (w *bracer) walk(from, to, level int) {
	for i := from; i < to; i++ {
		if w.b[i] != '{' {
			continue
		}
		end := w.closing[i]
		if end < 0 {
			continue
		}
		body := w.b[i+1 : end]
		switch m := argument.FindSubmatch(body[:min(len(body), maxField)]); {
		case m != nil && level < maxLevels:
			w.addPlaceholder("{"+string(m[1])+", "+string(m[2])+",", true)
			head := i + 1 + len(m[0])
			w.walkBranches(head, end, level+1)
			blankOut(w.b[i:head])
			w.b[end] = 0
		case len(body) <= maxField && field.Match(body):
			w.addPlaceholder("{"+string(body)+"}", level > 0)
			blankOut(w.b[i : end+1])
		default:
			continue // ordinary braces in text; look inside
		}
		i = end
	}
}

func (w *bracer) addPlaceholder(s string, once bool) {
	if once && w.seen[s] {
		return
	}
	w.seen[s] = true
	w.out = append(w.out, s)
}

func blankOut(b []byte) {
	for i := range b {
		b[i] = 0
	}
}

// walkBranches walks the {texts} of an ICU argument and blanks their selectors.
func (w *bracer) walkBranches(from, to, level int) {
	start := from
	for i := from; i < to; i++ {
		if w.b[i] != '{' {
			continue
		}
		end := w.closing[i] // inside the argument's own braces, so it is closed
		blankOut(w.b[start:i])
		w.walk(i+1, end, level)
		w.b[i], w.b[end] = 0, 0
		i, start = end, end+1
	}
	blankOut(w.b[start:to])
}

// pairBraces pairs braces.
func pairBraces(b []byte) []int {
	out := make([]int, len(b))
	var open []int
	for i, c := range b {
		switch out[i] = -1; {
		case c == '{':
			open = append(open, i)
		case c == '}' && len(open) > 0:
			out[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return out
}
