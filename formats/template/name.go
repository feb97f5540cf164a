package template

import (
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/internal/lazyregexp"
)

var nameField = lazyregexp.New(`\{\{?([^{}]+)\}\}?`)

// Name returns the path of the file for a record: {column} stands for its value,
// {#} for the number of the row. Characters that names of files cannot have become
// hyphens, so that a value cannot lead to another folder.
func Name(pattern string, r Record, number int) (string, error) {
	var err error
	out := nameField.ReplaceAllStringFunc(pattern, func(m string) string {
		name := strings.Trim(m, "{}")
		if name == "#" {
			return strconv.Itoa(number)
		}
		v, ok := scopeOf(r).find(name)
		text, written := textOf(v)
		text = strings.Trim(strings.Map(func(c rune) rune {
			if c < ' ' || strings.ContainsRune(`/\:*?"<>|`, c) {
				return '-'
			}
			return c
		}, text), " .")
		switch {
		case !ok || !written:
			err = formats.Errorf(formats.CodeInvalid, "the data has no column %s for the name of the file", name)
		case text == "":
			err = formats.Errorf(formats.CodeInvalid, "%s is empty, and the file needs a name; put another column or {#}, the number of the row, into it", name)
		}
		if rs := []rune(text); len(rs) > 80 {
			text = string(rs[:80])
		}
		return text
	})
	return out, err
}
