// Package quote puts texts between quotation marks by the rules of several
// languages.
//
//	quote.Double(`a "b"`)  // `"a ""b"""`: SQL and FTS5 names, CSV fields, texts in spreadsheet formulas
//	quote.Single("it's")   // `'it''s'`: sheet names in spreadsheet formulas
//	quote.OneLine("a\nb")  // `"a\nb"`: a name that must not break its line
package quote

import (
	"strconv"
	"strings"
)

// Double returns s between double quotation marks and doubles those in s.
func Double(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// Single returns s between single quotation marks and doubles those in s.
func Single(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// OneLine returns s, as a Go string literal when it has characters that are not
// printable, such as line breaks.
func OneLine(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}
