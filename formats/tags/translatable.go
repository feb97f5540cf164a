package tags

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	onlyLink = regexp.MustCompile(`^(?i:(?:https?|ftp|file|mailto|tel):\S+|www\.\S+\.\S+|[^\s@]+@[^\s@]+\.[^\s@]+)$`)
	onlyCode = regexp.MustCompile(`^(?:\{[0-9A-Za-z_]*\}|%[sdvfq]|\$\{[^}]*\})$`)
)

// Translatable reports whether a text without tags is for people: it has a
// letter and is not only a link, an address or a placeholder.
func Translatable(text string) bool {
	text = strings.TrimSpace(text)
	return strings.ContainsFunc(text, unicode.IsLetter) && !onlyLink.MatchString(text) && !onlyCode.MatchString(text)
}
