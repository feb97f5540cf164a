package secrets

import (
	"regexp"
	"runtime"
	"strings"
	"sync"

	"atelier/workshop"
)

// Ignore is a list of patterns in gitignore syntax. Matching takes time
// linear in the length of a path for all patterns.
type Ignore struct{ rules []rule }

type rule struct {
	text     string // as written in the list
	line     int    // 1-based
	negated  bool
	dirOnly  bool
	anchored bool // it is for the whole path, else for a name in any folder
	re       *regexp.Regexp
}

// Limits of a list.
const (
	mostRules = 2000
	longRule  = 1000 // bytes
)

// ParseIgnore parses a list. As in git, an invalid pattern matches nothing. A
// list beyond the limits is an Invalid fault, because a part of it would
// withhold less than the person wants.
func ParseIgnore(text string) (*Ignore, error) {
	ig := &Ignore{}
	for i, l := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
		if len(l) > longRule {
			return nil, workshop.Faultf(workshop.Invalid, "%s: line %d has %d bytes; %d is the most", workshop.IgnoreFile, i+1, len(l), longRule)
		}
		r, ok := parseRule(strings.TrimSuffix(l, "\r"))
		if !ok {
			continue
		}
		if r.line = i + 1; len(ig.rules) == mostRules {
			return nil, workshop.Faultf(workshop.Invalid, "%s has more than %d patterns", workshop.IgnoreFile, mostRules)
		}
		ig.rules = append(ig.rules, r)
	}
	return ig, nil
}

// parsed is the last parsed list, because most calls parse the same list
// again.
var parsed struct {
	sync.Mutex
	text string
	list *Ignore
}

func parseList(text string) (*Ignore, error) {
	parsed.Lock()
	defer parsed.Unlock()
	if parsed.list != nil && parsed.text == text {
		return parsed.list, nil
	}
	ig, err := ParseIgnore(text)
	if err == nil {
		parsed.text, parsed.list = text, ig
	}
	return ig, err
}

func parseRule(s string) (rule, bool) {
	if strings.HasPrefix(s, "#") {
		return rule{}, false
	}
	s = trimBlanks(s)
	r := rule{text: s}
	if rest, ok := strings.CutPrefix(s, "!"); ok {
		r.negated, s = true, rest
	}
	if rest, ok := strings.CutSuffix(s, "/"); ok {
		r.dirOnly, s = true, rest
	}
	if s == "" {
		return rule{}, false
	}
	r.anchored = strings.Contains(s, "/")
	s = strings.TrimPrefix(s, "/")
	expr, ok := patternExpression(s, r.anchored)
	if !ok {
		return rule{}, false
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		expr = "(?i)" + expr // names that differ only in case are the same file there
	}
	re, err := regexp.Compile(expr)
	r.re = re
	return r, err == nil
}

// trimBlanks removes trailing spaces, except one after a backslash.
func trimBlanks(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			end = i + 1
		case s[i] != ' ':
			end = i + 1
		}
	}
	return s[:end]
}

// patternExpression converts a pattern to a regular expression.
func patternExpression(s string, anchored bool) (string, bool) {
	var sb strings.Builder
	sb.WriteString(`(?s)\A`)
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '*':
			n := 1
			for i+n < len(s) && s[i+n] == '*' {
				n++
			}
			// Git compares the part before the first wildcard separately.
			begins, ends := i == 0 || s[i-1] == '/' || !strings.ContainsAny(s[:i], `*?[\`), i+n == len(s)
			switch {
			case anchored && n > 1 && begins && ends:
				sb.WriteString(`.*`)
			case anchored && n > 1 && begins && s[i+n] == '/':
				sb.WriteString(`(?:.*/)?`)
				n++
			case anchored && n > 1 && begins && strings.HasPrefix(s[i+n:], `\/`):
				sb.WriteString(`(?:.*/)?`)
				n += 2
			default:
				sb.WriteString(`[^/]*`)
			}
			i += n
		case '?':
			sb.WriteString(`[^/]`)
			i++
		case '[':
			set, n, ok := bracketExpression(s[i:])
			if !ok {
				return "", false
			}
			sb.WriteString(set)
			i += n
		case '\\':
			if i++; i == len(s) {
				return "", false
			}
			fallthrough
		default:
			n := runeLen(s[i:])
			sb.WriteString(regexp.QuoteMeta(s[i : i+n]))
			i += n
		}
	}
	sb.WriteString(`\z`)
	return sb.String(), true
}

// match reports whether a path is ignored, by which rule, and how many of its
// segments the rule covers: the path itself or a folder above it.
func (ig *Ignore) match(p string, isDir bool) (r rule, segments int, ok bool) {
	if len(ig.rules) == 0 || p == "" {
		return rule{}, 0, false
	}
	begin := 0
	for n := 1; ; n++ {
		end, last := len(p), true
		if i := strings.IndexByte(p[begin:], '/'); i >= 0 {
			end, last = begin+i, false
		}
		if r, ok := ig.last(p[:end], p[begin:end], !last || isDir); ok && !r.negated {
			return r, n, true // a file in an ignored folder cannot be included again
		}
		if last {
			return rule{}, 0, false
		}
		begin = end + 1
	}
}

// last returns the last rule that matches a path.
func (ig *Ignore) last(p, name string, dir bool) (rule, bool) {
	for i := len(ig.rules) - 1; i >= 0; i-- {
		r := ig.rules[i]
		if r.dirOnly && !dir {
			continue
		}
		at := name
		if r.anchored {
			at = p
		}
		if r.re.MatchString(at) {
			return r, true
		}
	}
	return rule{}, false
}
