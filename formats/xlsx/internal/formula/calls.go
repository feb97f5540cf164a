package formula

import (
	"strings"
)

// Arguments splits the arguments of the call whose bracket is at open. It
// returns nil when the call does not end.
func Arguments(text string, open int) []string {
	if open >= len(text) || text[open] != '(' {
		return nil
	}
	var args []string
	depth, from := 0, open+1
	rest := text[open:]
	for t := range Tokens(rest) {
		if t.Kind != Other {
			continue
		}
		switch at := open + t.Start; rest[t.Start] {
		case '(', '{':
			depth++
		case ')', '}':
			if depth--; depth == 0 {
				return append(args, strings.TrimSpace(text[from:at]))
			}
		case ',':
			if depth == 1 {
				args = append(args, strings.TrimSpace(text[from:at]))
				from = at + 1
			}
		}
	}
	return nil
}

// Unquote returns the text of a string literal.
func Unquote(s string) string {
	if len(s) < 2 {
		return ""
	}
	return strings.ReplaceAll(s[1:len(s)-1], `""`, `"`)
}

// BareFunction returns the name of a function without the prefixes that files
// use.
func BareFunction(name string) string {
	for _, p := range []string{"_xlfn.", "_xlws.", "_xll."} {
		if len(name) > len(p) && strings.EqualFold(name[:len(p)], p) {
			name = name[len(p):]
		}
	}
	return name
}

// codeFunctions take texts that are codes, addresses or names for programs,
// which a translation must not change.
var codeFunctions = map[string]bool{"TEXT": true, "INDIRECT": true, "CELL": true, "INFO": true, "DATEDIF": true, "CONVERT": true, "RTD": true, "WEBSERVICE": true, "FILTERXML": true,
	"DATEVALUE": true, "TIMEVALUE": true, "NUMBERVALUE": true, "CALL": true, "REGISTER.ID": true, "SQL.REQUEST": true, "EUROCONVERT": true,
	"CUBEMEMBER": true, "CUBEVALUE": true, "CUBESET": true, "CUBERANKEDMEMBER": true, "CUBEMEMBERPROPERTY": true, "CUBEKPIMEMBER": true}

// callStack tracks the function in whose arguments a token is.
type callStack struct {
	next string
	open []string
}

// see takes the next token.
func (s *callStack) see(f string, t Token) {
	switch {
	case t.Kind == Function:
		s.next = strings.ToUpper(strings.TrimPrefix(f[t.Start:t.End], "_xlfn."))
		return
	case t.Kind == Other && f[t.Start] == '(':
		s.open = append(s.open, s.next)
	case t.Kind == Other && f[t.Start] == ')' && len(s.open) > 0:
		s.open = s.open[:len(s.open)-1]
	}
	s.next = ""
}

// address reports whether a text at this point is an address.
func (s *callStack) address() bool {
	return len(s.open) > 0 && (s.open[len(s.open)-1] == "INDIRECT" || s.open[len(s.open)-1] == "HYPERLINK")
}

// code reports whether a text at this point is a code and not words.
func (s *callStack) code() bool {
	return len(s.open) > 0 && codeFunctions[s.open[len(s.open)-1]]
}
