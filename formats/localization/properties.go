package localization

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/formats/text"
)

// findProperties returns a unit for each value that is language, by the format
// of java.util.Properties.load. Comments and keys stay.
func findProperties(ctx context.Context, d text.Document) (text.Found, error) {
	f := text.Found{Escape: escapeJava}
	ascii := !strings.ContainsFunc(d.Text, func(r rune) bool { return r >= utf8.RuneSelf })
	seen := map[string]int{}
	line := 0
	for pos := 0; pos < len(d.Text); {
		if line%1024 == 0 && ctx.Err() != nil {
			return f, ctx.Err()
		}
		line++
		first := line
		start, end := pos, lineEnd(d.Text, pos)
		pos = end + 1
		lead := strings.TrimLeft(d.Text[start:end], " \t\f")
		if lead == "" || lead[0] == '#' || lead[0] == '!' || lead[0] == '\r' {
			continue
		}
		for endsInBackslash(d.Text[start:end]) && pos <= len(d.Text) && end < len(d.Text) {
			line++
			end = lineEnd(d.Text, pos)
			pos = end + 1
		}
		if end > start && d.Text[end-1] == '\r' {
			end--
		}
		key, at := propertyKey(d.Text[start:end])
		value := unescapeJava(d.Text[start+at : end])
		_, core, _ := splitEdges(value)
		if isTechnical(key) || !text.Translatable(core) || symbolic.MatchString(core) || !utf8.ValidString(core) {
			continue
		}
		id := key
		if seen[key]++; seen[key] > 1 {
			id = fmt.Sprintf("%s#%d", key, seen[key])
		}
		u := text.Unit{Segment: formats.Segment{ID: id, Text: tags.Escape(core), Place: fmt.Sprintf("line %d, %s", first, key), Part: "message"}, Start: start + at, End: end}
		u.Write = func(target string, _ func(start, end int) string) (string, error) {
			t := strings.TrimSpace(tags.Plain(target))
			if t == "" {
				return "", errEmpty
			}
			lead, _, tail := splitEdges(value)
			return writeJava(lead+t+tail, ascii), nil
		}
		f.Units = append(f.Units, u)
		if len(f.Units) > maxUnits {
			return f, tooMany(d.Name)
		}
	}
	return f, nil
}

func lineEnd(s string, pos int) int {
	if i := strings.IndexByte(s[pos:], '\n'); i >= 0 {
		return pos + i
	}
	return len(s)
}

// endsInBackslash reports whether a line ends in an odd number of backslashes.
func endsInBackslash(s string) bool {
	s = strings.TrimSuffix(s, "\r")
	return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1
}

// propertyKey returns a line's key, and where its value begins.
func propertyKey(s string) (key string, at int) {
	i := len(s) - len(strings.TrimLeft(s, " \t\f"))
	from := i
	for i < len(s) && !strings.ContainsRune("=: \t\f", rune(s[i])) {
		if s[i] == '\\' {
			i++
		}
		i++
	}
	i = min(i, len(s))
	key = s[from:i]
	skip := func() {
		for i < len(s) && strings.IndexByte(" \t\f", s[i]) >= 0 {
			i++
		}
	}
	skip()
	if i < len(s) && (s[i] == '=' || s[i] == ':') {
		i++
		skip()
	}
	return key, i
}

func unescapeJava(s string) string {
	var sb strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			sb.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			sb.WriteByte('\n')
		case 't':
			sb.WriteByte('\t')
		case 'r':
			sb.WriteByte('\r')
		case 'f':
			sb.WriteByte('\f')
		case 'u':
			r, n := unicodeEscape(s[i-1:])
			sb.WriteRune(r)
			i += n - 2
		case '\r', '\n': // a logical line continues after the blanks of the next
			for i+1 < len(s) && strings.IndexByte(" \t\f\n", s[i+1]) >= 0 {
				i++
			}
		default:
			sb.WriteByte(s[i])
		}
	}
	return sb.String()
}

// unicodeEscape reads \uXXXX, or two of them that are one character.
func unicodeEscape(s string) (rune, int) {
	unit := func(s string) (rune, bool) {
		if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(s[2:6], 16, 16)
		return rune(n), err == nil
	}
	r, ok := unit(s)
	if !ok {
		return 'u', 2
	}
	if low, ok := unit(s[6:]); ok && utf16.IsSurrogate(r) {
		if c := utf16.DecodeRune(r, low); c != utf8.RuneError {
			return c, 12
		}
	}
	return r, 6
}

func escapeJava(r rune) string {
	if a, b := utf16.EncodeRune(r); a != utf8.RuneError {
		return fmt.Sprintf(`\u%04x\u%04x`, a, b)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// writeJava writes a value; ascii: with \u escapes for all beyond ASCII.
func writeJava(s string, ascii bool) string {
	var sb strings.Builder
	for i, r := range s {
		switch {
		case r == '\\':
			sb.WriteString(`\\`)
		case r == '\n':
			sb.WriteString(`\n`)
		case r == '\r':
			sb.WriteString(`\r`)
		case r == '\t':
			sb.WriteString(`\t`)
		case r == '\f':
			sb.WriteString(`\f`)
		case r == ' ' && i == 0:
			sb.WriteString(`\ `)
		case r >= utf8.RuneSelf && ascii:
			sb.WriteString(escapeJava(r))
		default:
			sb.WriteRune(r)
		}
	}
	return sb.String()
}
