package tags

import (
	"strings"
	"unicode"

	"atelier/internal/lazyregexp"
)

var (
	onlyLink = lazyregexp.New(`^(?i:(?:https?|ftp|file|mailto|tel):\S+|www\.\S+\.\S+|[^\s@]+@[^\s@]+\.[^\s@]+)$`)
	onlyCode = lazyregexp.New(`^(?:\{[0-9A-Za-z_]*\}|%[sdvfq]|\$\{[^}]*\})$`)
)

// Translatable reports whether a text without tags is for people: it has a
// letter and is not only a link, an address or a placeholder.
func Translatable(text string) bool {
	text = strings.TrimSpace(text)
	return strings.ContainsFunc(text, unicode.IsLetter) && !onlyLink.MatchString(text) && !onlyCode.MatchString(text)
}
