package check

import (
	"regexp"
	"strings"
)

// field is what stands between the braces of a simple placeholder: {0}, {},
// {name}, {user.name}, {0:N2}, {price!r}.
var field = regexp.MustCompile(`^[\w.\[\]-]*(?:![rsa])?(?::[^{}\s]*)?$`)

// argument is the head of an ICU message argument: {n, plural, …}.
var argument = regexp.MustCompile(`^\s*(\w+)\s*,\s*(plural|select|selectordinal|number|date|time|spellout|ordinal|duration)\b`)

// braces finds the placeholders in braces and blanks them out: simple fields
// whole; of an ICU message (ICU MessageFormat) its argument's name and type,
// which stay, while the texts of its branches are translated and are looked
// into. Languages have different plural branches, so what stands in several
// branches counts once.
func braces(b []byte) []string {
	var out []string
	seen := map[string]bool{}
	var walk func(from, to, depth int)
	walk = func(from, to, depth int) {
		for i := from; i < to; i++ {
			if b[i] != '{' {
				continue
			}
			end := closing(b[:to], i)
			if end < 0 {
				return
			}
			body := string(b[i+1 : end])
			switch m := argument.FindStringSubmatch(body); {
			case m != nil && depth < 8:
				add(&out, seen, "{"+m[1]+", "+m[2]+",", true)
				head := i + 1 + strings.Index(body, m[0]) + len(m[0])
				branches(b, head, end, func(from, to int) { walk(from, to, depth+1) })
				blank(b[i:head])
				b[end] = 0
			case field.MatchString(body):
				add(&out, seen, "{"+body+"}", depth > 0)
				blank(b[i : end+1])
			default:
				continue // braces of prose; look inside
			}
			i = end
		}
	}
	walk(0, len(b), 0)
	return out
}

func add(out *[]string, seen map[string]bool, s string, once bool) {
	if once && seen[s] {
		return
	}
	seen[s] = true
	*out = append(*out, s)
}

func blank(b []byte) {
	for i := range b {
		b[i] = 0
	}
}

// branches walks the {texts} of an ICU argument and blanks their selectors.
func branches(b []byte, from, to int, walk func(from, to int)) {
	start := from
	for i := from; i < to; i++ {
		if b[i] != '{' {
			continue
		}
		end := closing(b[:to], i)
		if end < 0 {
			return
		}
		blank(b[start:i])
		walk(i+1, end)
		b[i], b[end] = 0, 0
		i, start = end, end+1
	}
	blank(b[start:to])
}

// closing is the brace that closes the one at i, -1 when none does.
func closing(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
