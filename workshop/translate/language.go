package translate

import (
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"atelier/workshop"
)

// Language makes a language code of what a person gives: a BCP 47 tag in any
// case (es, pt-br, zh_TW), or a language's English name. An unknown one is
// refused, since a typing error would be paid for.
func Language(s string) (string, error) {
	s = strings.TrimSpace(s)
	if tag, err := language.Parse(s); err == nil && tag != language.Und {
		if display.English.Tags().Name(tag) != "" {
			return tag.String(), nil
		}
	}
	for _, tag := range display.Supported.Tags() {
		if strings.EqualFold(display.English.Tags().Name(tag), s) {
			return tag.String(), nil
		}
	}
	return "", workshop.Faultf(workshop.Invalid, "unknown language %q: give a code such as es, de or pt-BR", s)
}

// languages are codes of what a person gives, each once.
func languages(list []string) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		code, err := Language(s)
		if err != nil {
			return nil, err
		}
		if !seen[code] {
			out = append(out, code)
		}
		seen[code] = true
	}
	return out, nil
}
