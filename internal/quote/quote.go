// Package quote puts texts between quotation marks by the rules of several
// languages.
//
//	quote.Double(`a "b"`)  // `"a ""b"""`: SQL and FTS5 names, CSV fields, texts in spreadsheet formulas
//	quote.Single("it's")   // `'it''s'`: sheet names in spreadsheet formulas
//	quote.OneLine("a\nb")  // `"a\nb"`: a name that must not break its line
//	quote.Argument("a $b") // `'a $b'`: an argument of a command that is shown to be copied
package quote

import (
	"runtime"
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

// Argument returns s as an argument of a command line that a person copies: as it is
// where no character of it means something, between single quotation marks for a
// POSIX shell (XCU 2.2.2), between double ones for Windows' command prompt and
// PowerShell.
func Argument(s string) string { return argument(s, runtime.GOOS) }

func argument(s, system string) string {
	special := " \t'\"$&;|<>()*?[]`!~#"
	if system != "windows" {
		special += `\`
	}
	switch {
	case s != "" && !strings.ContainsAny(s, special):
		return s
	case system == "windows": // no path contains a quotation mark there
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
