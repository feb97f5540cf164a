package search

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"atelier/workshop"
)

// maxPattern limits a pattern in bytes.
const maxPattern = 10_000

// matcher decides which lines of a text match.
type matcher struct {
	re      *regexp.Regexp
	filter  filter // where a match is possible; nil: anywhere
	certain bool   // every hit of the filter is a match
}

// Compile compiles a pattern as Grep does: RE2 with \m \M \y \Y (C-23).
func Compile(pattern string, caseSensitive bool) (*regexp.Regexp, error) {
	m, err := compilePattern(pattern, caseSensitive)
	if err != nil {
		return nil, err
	}
	return m.re, nil
}

// compilePattern compiles an RE2 pattern with PostgreSQL escapes (C-23).
func compilePattern(pattern string, caseSensitive bool) (*matcher, error) {
	switch {
	case pattern == "":
		return nil, workshop.Faultf(workshop.Invalid, "Pattern cannot be empty").OnField("pattern")
	case len(pattern) > maxPattern:
		return nil, workshop.Faultf(workshop.Invalid, "the pattern has %d bytes; %d is the most", len(pattern), maxPattern).OnField("pattern")
	}
	if problem := lackingFeature(pattern); problem != "" {
		return nil, workshop.Faultf(workshop.Invalid, "%s", problem).OnField("pattern")
	}
	p := postgresEscapes(pattern)
	if _, err := syntax.Parse(p, syntax.Perl); err != nil { // before (?i) gets into the message
		f := workshop.Faultf(workshop.Invalid, "the pattern is not a valid regular expression: %w", err).OnField("pattern")
		f.Hint = `RE2 syntax: no back-references or look-around; escape ( ) [ ] { } . * + ? | ^ $ \ with \ to search for them`
		return nil, f
	}
	if !caseSensitive {
		p = "(?i)" + p
	}
	re, err := regexp.Compile(p)
	if err != nil {
		return nil, workshop.Faultf(workshop.Invalid, "the pattern is not a valid regular expression: %w", err).OnField("pattern")
	}
	tree, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return nil, workshop.Faultf(workshop.Invalid, "the pattern is not a valid regular expression: %w", err).OnField("pattern")
	}
	m := &matcher{re: re}
	m.filter, m.certain = filterOf(tree)
	return m, nil
}

// postgresEscapes translates the escapes of PostgreSQL's regular expressions
// (9.7.3.3) to RE2: \m, \M and \y to \b, \Y to \B, \Z to \z, and \e, \uXXXX
// and \UXXXXXXXX to \x.
func postgresEscapes(p string) string {
	if !strings.Contains(p, `\`) {
		return p
	}
	var sb strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] != '\\' || i+1 == len(p) {
			sb.WriteByte(p[i])
			continue
		}
		i++
		switch p[i] {
		case 'm', 'M', 'y':
			sb.WriteString(`\b`)
		case 'Y':
			sb.WriteString(`\B`)
		case 'Z':
			sb.WriteString(`\z`)
		case 'e':
			sb.WriteString(`\x1b`)
		case 'u', 'U':
			n := map[byte]int{'u': 4, 'U': 8}[p[i]]
			if digits := p[i+1:]; len(digits) >= n && isHex(digits[:n]) {
				sb.WriteString(`\x{` + digits[:n] + `}`)
				i += n
				continue
			}
			sb.WriteString(p[i-1 : i+1])
		case 'Q': // literal up to \E
			end := len(p)
			if n := strings.Index(p[i:], `\E`); n >= 0 {
				end = i + n
			}
			sb.WriteString(`\` + p[i:end])
			i = end - 1
		default:
			sb.WriteString(p[i-1 : i+1])
		}
	}
	return sb.String()
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// pathFilter is a compiled path_pattern (B9-04); nil matches every path.
type pathFilter struct {
	parts    []string // the text between the wildcards, in lower case
	contains bool     // no wildcard: anywhere in the path
}

func compilePathPattern(pattern string) (*pathFilter, error) {
	if pattern == "" {
		return nil, nil
	}
	if hasDotDot(pattern) {
		return nil, workshop.Faultf(workshop.Invalid, "path_pattern cannot contain ..").OnField("path_pattern")
	}
	parts := strings.Split(strings.ToLower(strings.ReplaceAll(pattern, "%", "*")), "*")
	return &pathFilter{parts: parts, contains: len(parts) == 1}, nil
}

// MatchPath reports whether a path_pattern (B9-04) matches a path.
func MatchPath(pattern string, p workshop.Path) bool {
	f, err := compilePathPattern(pattern)
	return err == nil && f.match(p)
}

// match reports whether the path matches, with or without its leading "/".
func (f *pathFilter) match(p workshop.Path) bool {
	if f == nil {
		return true
	}
	full := "/" + strings.ToLower(string(p))
	if f.contains {
		return strings.Contains(full, f.parts[0])
	}
	return matchesParts(full, f.parts) || matchesParts(full[1:], f.parts)
}

// matchesParts matches s against parts with any run of characters between them.
func matchesParts(s string, parts []string) bool {
	last := len(parts) - 1
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	for _, part := range parts[1:last] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return strings.HasSuffix(s, parts[last])
}
