package translator

import (
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// LanguageName is what a person or model is told for a language code, such as
// "Brazilian Portuguese" for pt-BR; what is no code is given as it is.
func LanguageName(code string) string {
	tag, err := language.Parse(code)
	if err != nil {
		return code
	}
	if n := display.English.Tags().Name(tag); n != "" {
		return n
	}
	return code
}
