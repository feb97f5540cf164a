package xlsx

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats/xlsx/internal/cellref"
)

// sheetPrefix is a sheet name as it leads a reference, with its '!'.
func sheetPrefix(name string) string {
	if plainName(name) {
		return name + "!"
	}
	return quoteSheet(name) + "!"
}

// plainName reports whether a sheet name can lead a reference without quotes:
// letters, digits, '_' and '.', not like a number, a cell or TRUE (18.17.2).
func plainName(s string) bool {
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

func quoteSheet(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
