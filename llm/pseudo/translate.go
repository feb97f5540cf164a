package pseudo

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/internal/lazyregexp"
)

// Translate returns the pseudo-translation of a segment's text: accented
// letters, brackets around it so that cut or joined text shows, and filling to
// about 1.3 times its length so that tight layouts show. Blanks at the ends
// stay outside. Inline tags, entities, placeholders, numbers, URLs and e-mail
// addresses are kept, and text without a letter is returned as it is, as is
// text that is a pseudo-translation already.
func Translate(text string) string {
	return fill(text, 0)
}

// Within is Translate for a place that holds at most max characters, tags not
// counted; 0 means no limit. It gives up the filling first, then the brackets,
// then the translation.
func Within(text string, max int) string {
	if out := fill(text, max); fits(out, max) {
		return out
	}
	return Plain(text)
}

// Plain returns the pseudo-translation without brackets and filling: as many
// characters as the text has.
func Plain(text string) string {
	if isPseudo(text) {
		return text
	}
	return accent(text)
}

// expansion is the length of a translation over that of its source, less one;
// English into German or French grows by about as much.
const expansion = 0.3

func fill(text string, max int) string {
	core := strings.TrimSpace(text)
	if isPseudo(core) || !translatable(core) {
		return text
	}
	n := visible(core)
	extra := int(expansion * float64(n))
	if max > 0 {
		extra = min(extra, max-n)
	}
	i := strings.Index(text, core)
	return text[:i] + "[" + accent(core) + tildes(extra-2) + "]" + text[i+len(core):]
}

// tildes are broken into words, so that long filling can wrap on a page.
func tildes(n int) string {
	const word = 12
	var sb strings.Builder
	for ; n > word; n -= word + 1 {
		sb.WriteString(strings.Repeat("~", word) + " ")
	}
	return sb.String() + strings.Repeat("~", max(n, 0))
}

func fits(text string, max int) bool {
	return max <= 0 || visible(text) <= max
}

// visible counts the characters a reader sees: inline tags are none, an entity
// is one.
func visible(text string) int {
	if !strings.ContainsAny(text, "<&") {
		return utf8.RuneCountInString(text)
	}
	return utf8.RuneCountInString(notVisible.ReplaceAllStringFunc(text, func(m string) string {
		if m[0] == '&' {
			return "&"
		}
		return ""
	}))
}

var notVisible = lazyregexp.New(`</?[1-9][0-9]*/?>|&(?:lt|gt|amp|quot);`)

// isPseudo recognises our own work, so that a second run changes nothing.
func isPseudo(text string) bool {
	s := strings.TrimSpace(text)
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return false
	}
	return accent(s) == s && translatable(s)
}

// translatable reports whether there is a letter outside what is kept.
func translatable(text string) bool {
	last := 0
	for _, m := range keptIn(text) {
		if strings.ContainsFunc(text[last:m[0]], unicode.IsLetter) {
			return true
		}
		last = m[1]
	}
	return strings.ContainsFunc(text[last:], unicode.IsLetter)
}

// kept matches what a translation must leave alone.
var kept = lazyregexp.New(strings.Join([]string{
	`</?\d{1,9} ?/?>`, // inline tags
	`&(?:[a-zA-Z]{2,8}|#\d{1,7}|#x[0-9a-fA-F]{1,6});`, // entities
	"`[^`]*`",       // code in Markdown
	`\$?\{[^{}]*\}`, // {0} {name} ${x}, inner part of {{x}}
	`\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\s*,|\b(?:zero|one|two|few|many|other)\s*\{`, // ICU messages
	`%[A-Za-z_][\w.]+%`, // %name%
	`%\([A-Za-z_]\w*\)[#0+ -]*\d*(?:\.\d+)?[a-zA-Z]`,       // %(name)s
	`%(?:\d+\$)?[#0+-]*\d*(?:\.\d+)?l{0,2}[sdifgeuxXcq@v]`, // %s %5.2f %1$s %ld
	`(?i:https?|ftp|file|mailto):[^\s<>"]+`,                // URLs
	`(?i:www)\.[^\s<>"]+`,
	`\b[A-Za-z]:\\[^\s<>"|*?]*|\B(?:\.{1,2}|~)?/(?:[\w.-]+/)+[\w.-]*\w|\b[\w-]+\.(?:docx?|xlsx?|xlsm|pptx?|pdf|csv|tsv|json|xml|html?|txt|md|ya?ml|png|jpe?g|gif|svg|zip|exe|dll|sh|bat|py|js|go|java|sql|ini|cfg|conf|log)\b`, // files
	`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`, // e-mail addresses
	`[\p{L}\p{M}_]*\p{N}[\p{L}\p{M}\p{N}_]*`,                 // numbers, and codes such as Q3 or H2O
}, "|"))

func accent(text string) string {
	return letters(text, func(r rune) rune {
		if r < utf8.RuneSelf && accentsASCII[r] != 0 {
			return accentsASCII[r]
		}
		return r
	})
}

// letters writes every letter of a text another way; what is kept stays.
func letters(text string, other func(rune) rune) string {
	var sb strings.Builder
	sb.Grow(len(text) + len(text)/2)
	last := 0
	for _, m := range keptIn(text) {
		sb.WriteString(strings.Map(other, text[last:m[0]]))
		sb.WriteString(text[m[0]:m[1]])
		last = m[1]
	}
	sb.WriteString(strings.Map(other, text[last:]))
	return sb.String()
}

const (
	plainLetters  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	accentLetters = "ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴΧÝŽåƀçðéƒĝĥîĵķļḿñöþǫŕšţûṽŵχýž"
)

// accents maps a letter to its accented form.
var (
	accents      = map[rune]rune{}
	accentsASCII [utf8.RuneSelf]rune // the same
)

func init() {
	to := []rune(accentLetters)
	for i, r := range plainLetters {
		accents[r], accentsASCII[r] = to[i], to[i]
	}
}
