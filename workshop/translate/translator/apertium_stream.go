package translator

import (
	"regexp"
	"strings"
	"unicode"

	"atelier/formats/tags"
	"atelier/internal/lazyregexp"
)

// Apertium's stream format: words with the characters below escaped by a
// backslash, and superblanks [ … ], which are carried over as they are. Tags,
// line breaks and what must not be translated go as superblanks.
//
// The text ends in ".[]", as its own de-formatters write it, so that a heading
// is a sentence too.
const sentenceEnd = ".[]"

var (
	wordEscaper  = strings.NewReplacer(streamEscapes(`\[]{}^$/@<>*~#+=`)...)
	blankEscaper = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`)
	// verbatim matches placeholders, addresses and names of files, and what may not
	// stand in words: line breaks and tabs, the joint of compound words.
	verbatim = lazyregexp.New(`\$?\{[^{}\s]*\}|%(?:\(\w+\)|\d+\$)?[-+#0]*\d*(?:\.\d+)?l{0,2}[sdifgeuxXcq@v]\b|(?i:https?|ftp|mailto):[^\s<>"]+|www\.[^\s<>"]+|[A-Za-z]:\\[\w\\.-]+|[\w-]+\.(?:docx?|xlsx?|pptx?|pdf|xml|html?|json|csv|txt|md|jpe?g|png|gif|svg|emf|wmf|zip|exe|py|js|go|com|org|net)\b|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|~+|[\n\r\t\x00\x{2028}\x{2029}]+`)
	tagBlank = lazyregexp.New(`^(?:</?\d{1,9}>|<\d{1,9}/>)$`)
)

func streamEscapes(chars string) []string {
	var out []string
	for _, r := range chars {
		out = append(out, string(r), `\`+string(r))
	}
	return out
}

// encode writes a text with inline tags in the stream format.
func encode(text string, keep []string) string {
	protect := verbatim.Regexp()
	if len(keep) > 0 {
		var alt []string
		for _, k := range keep {
			alt = append(alt, regexp.QuoteMeta(k))
		}
		protect = regexp.MustCompile(strings.Join(alt, "|") + "|" + verbatim.String())
	}
	var sb strings.Builder
	for _, t := range tags.Parse(text) {
		if t.Kind != tags.Text {
			sb.WriteString("[" + tags.String([]tags.Token{t}) + "]")
			continue
		}
		last := 0
		for _, m := range protect.FindAllStringIndex(t.Text, -1) {
			sb.WriteString(wordEscaper.Replace(t.Text[last:m[0]]))
			sb.WriteString("[" + blankEscaper.Replace(strings.ReplaceAll(t.Text[m[0]:m[1]], "\x00", "")) + "]")
			last = m[1]
		}
		sb.WriteString(wordEscaper.Replace(t.Text[last:]))
	}
	return sb.String() + sentenceEnd
}

// decode reads a translation back as a text with inline tags.
func decode(source, out string) string {
	out = strings.TrimSuffix(out, sentenceEnd)
	var sb strings.Builder
	text := func(s string) { sb.WriteString(tags.Escape(s)) }
	r := []rune(out)
	for i := 0; i < len(r); i++ {
		switch {
		case r[i] == '\\' && i+1 < len(r):
			i++
			text(string(r[i]))
		case r[i] == '[':
			var blank []rune
			for i++; i < len(r) && r[i] != ']'; i++ {
				if r[i] == '\\' && i+1 < len(r) {
					i++
				}
				blank = append(blank, r[i])
			}
			if s := string(blank); tagBlank.MatchString(s) {
				sb.WriteString(s)
			} else {
				text(s)
			}
		default:
			text(string(r[i]))
		}
	}
	return tidy(source, sb.String())
}

// tidy takes out what the transfer rules leave behind: doubled blanks that the
// source does not have, and a capital in the first place where it has none.
func tidy(source, target string) string {
	if !strings.Contains(source, "  ") {
		for strings.Contains(target, "  ") {
			target = strings.ReplaceAll(target, "  ", " ")
		}
	}
	if first, ok := firstLetter(source); ok && unicode.IsLower(first) {
		tokens := tags.Parse(target)
		for i, t := range tokens {
			at := strings.IndexFunc(t.Text, unicode.IsLetter)
			if t.Kind != tags.Text || at < 0 {
				continue
			}
			r := []rune(t.Text[at:])
			if len(r) == 1 || !unicode.IsUpper(r[1]) {
				r[0] = unicode.ToLower(r[0])
			}
			tokens[i].Text = t.Text[:at] + string(r)
			return tags.String(tokens)
		}
	}
	return target
}

func firstLetter(text string) (rune, bool) {
	for _, r := range tags.Plain(text) {
		if unicode.IsLetter(r) {
			return r, true
		}
	}
	return 0, false
}
