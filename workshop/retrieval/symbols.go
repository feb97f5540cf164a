package retrieval

import (
	"strings"

	"atelier/internal/lazyregexp"
)

// definition is a pattern for the start of a function or a type. Group 1 is
// its name.
type definition struct {
	kind string // "method" or "class"
	re   *lazyregexp.Regexp
}

// definitions covers families of languages by the shape of a line: words that
// start a definition, and C's form of a name before parentheses with a body
// after them. Finding passages does not need real parsers.
var definitions = []definition{
	{"method", lazyregexp.New(`^func\s+(?:\([^)]*\)\s*)?([\pL_][\w\pL]*)`)},                                                                                                           // Go
	{"method", lazyregexp.New(`^\s*(?:[\w(]+\)?\s+){0,4}(?:def|fn|fun|sub|function\*?|proc)\s+(?:self\.)?([\pL_$][\w\pL$?!]*)`)},                                                      // Python, Ruby, Rust, Kotlin, JavaScript, Perl, PHP
	{"method", lazyregexp.New(`^\s*(?:export\s+)?(?:const|let|var)\s+([\pL_$][\w$]*)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::\s*[\w<>\[\]| ]+)?=>|[\w$]+\s*=>)`)}, // JavaScript
	{"class", lazyregexp.New(`^\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|sealed|partial|data|open|pub(?:\([^)]*\))?|unsafe)\s+)*(?:class|interface|struct|enum|trait|module|record|object|protocol|namespace)\s+([\pL_$][\w\pL$.:]*)`)},
	{"class", lazyregexp.New(`^type\s+([\pL_]\w*)\b`)},                                    // Go
	{"class", lazyregexp.New(`^\s*impl(?:<[^>]*>)?\s+(?:[\w:<>]+\s+for\s+)?([\pL_]\w*)`)}, // Rust
	{"class", lazyregexp.New(`(?i)^\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+)?(?:table|view|function|procedure|trigger|index)\s+(?:if\s+not\s+exists\s+)?["\x60]?([\w.]+)`)}, // SQL
	{"method", lazyregexp.New(`^\s*(?:[\w<>\[\],.*&:~?@]+\s+)*[*&]?~?([\pL_$][\w$]*)\s*\([^;]*\)?\s*(?:const|override|noexcept|throws\s+[\w., ]+|:\s*[\w<>\[\]| ]+)?\s*\{?\s*$`)},       // C, C++, Java, C#, methods of JavaScript classes
}

// notNames are words that also fit C's form of a definition.
var notNames = wordSet("if for while switch catch return else do new sizeof throw await typeof delete match loop with using lock when unless until elif and or not in case assert print super this self require import")

// maxLineLooked limits the part of a line that is searched for a definition.
const maxLineLooked = 300

// symbols returns the lines that start functions and types. A symbol starts
// with the comments and decorators directly above it.
func symbols(lines lines) []mark {
	var out []mark
	for i, l := range lines.all() {
		kind, name := definitionAt(lines, i, l)
		if name == "" {
			continue
		}
		at := i
		floor := 0
		if n := len(out); n > 0 {
			floor = out[n-1].line + 1
		}
		for at > floor && belongsBelow(lines.at(at-1)) {
			at--
		}
		out = append(out, mark{at, kind, name})
	}
	return out
}

func definitionAt(lines lines, i int, l string) (kind, name string) {
	if len(l) > maxLineLooked || strings.TrimSpace(l) == "" || belongsBelow(l) {
		return "", ""
	}
	for k, d := range definitions {
		m := d.re.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if k == len(definitions)-1 && !hasBody(lines, i) || notNames[m[1]] {
			continue
		}
		return d.kind, m[1]
	}
	return "", ""
}

// hasBody reports whether a body in braces follows the line. This distinguishes
// a definition from a call.
func hasBody(lines lines, i int) bool {
	if l := strings.TrimSpace(lines.at(i)); strings.HasSuffix(l, "{") {
		return !strings.Contains(l, "=") || strings.Index(l, "=") > strings.IndexByte(l, '(')
	}
	return i+1 < lines.count() && strings.TrimSpace(lines.at(i+1)) == "{"
}

// belongsBelow reports whether a line is a comment or decorator that belongs to the
// line below.
func belongsBelow(l string) bool {
	t := strings.TrimSpace(l)
	for _, p := range []string{"//", "/*", "*", "# ", "#[", "@", "--", ";;", `"""`, "[<"} {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	return false
}
