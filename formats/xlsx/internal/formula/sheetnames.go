package formula

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/internal/quote"
)

// SheetPrefix returns a sheet name as the prefix of a reference, with its '!'.
func SheetPrefix(name string) string {
	if PlainName(name) {
		return name + "!"
	}
	return QuoteSheet(name) + "!"
}

// PlainName reports whether a sheet name needs no quotes in a reference: it has
// letters, digits, '_' and '.', and does not look like a number, a cell or TRUE
// (18.17.2).
func PlainName(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	if !unicode.IsLetter(first) && first != '_' {
		return false
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.' {
			return false
		}
	}
	up := strings.ToUpper(s)
	if slices.Contains([]string{"TRUE", "FALSE"}, up) || cellref.ParseEnd(s).Kind == cellref.CellEnd {
		return false
	}
	// R1C1 forms: R, C, RC, R5, C7, R1C1.
	rest := strings.TrimLeft(strings.TrimPrefix(up, "R"), "0123456789")
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "C"), "0123456789")
	return rest != ""
}

// QuoteSheet returns a sheet name in quotes.
func QuoteSheet(s string) string { return quote.Single(s) }
