package xlsx

import (
	"strings"
)

// callArgs splits the arguments of the call whose bracket is at open; none
// when it does not end.
func callArgs(text string, open int) []string {
	if open >= len(text) || text[open] != '(' {
		return nil
	}
	var args []string
	depth, from := 0, open+1
	rest := text[open:]
	for t := range formulaTokens(rest) {
		if t.kind != fOther {
			continue
		}
		switch at := open + t.start; rest[t.start] {
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

// unquote is the text of a string in a formula.
func unquote(s string) string {
	if len(s) < 2 {
		return ""
	}
	return strings.ReplaceAll(s[1:len(s)-1], `""`, `"`)
}

// bareFunction is the name of a function without the prefixes of the file.
func bareFunction(name string) string {
	for _, p := range []string{"_xlfn.", "_xlws.", "_xll."} {
		if len(name) > len(p) && strings.EqualFold(name[:len(p)], p) {
			name = name[len(p):]
		}
	}
	return name
}

// codeFunctions take texts that are codes, addresses or names for programs.
var codeFunctions = map[string]bool{"TEXT": true, "INDIRECT": true, "CELL": true, "INFO": true, "DATEDIF": true, "CONVERT": true, "RTD": true, "WEBSERVICE": true, "FILTERXML": true,
	"DATEVALUE": true, "TIMEVALUE": true, "NUMBERVALUE": true, "CALL": true, "REGISTER.ID": true, "SQL.REQUEST": true, "EUROCONVERT": true,
	"CUBEMEMBER": true, "CUBEVALUE": true, "CUBESET": true, "CUBERANKEDMEMBER": true, "CUBEMEMBERPROPERTY": true, "CUBEKPIMEMBER": true}

// callStack knows the function in whose arguments a token stands.
type callStack struct {
	next string
	open []string
}

func (s *callStack) see(f string, t ftok) {
	switch {
	case t.kind == fFunc:
		s.next = strings.ToUpper(strings.TrimPrefix(f[t.start:t.end], "_xlfn."))
		return
	case t.kind == fOther && f[t.start] == '(':
		s.open = append(s.open, s.next)
	case t.kind == fOther && f[t.start] == ')' && len(s.open) > 0:
		s.open = s.open[:len(s.open)-1]
	}
	s.next = ""
}

// address reports whether a text names cells.
func (s *callStack) address() bool {
	return len(s.open) > 0 && (s.open[len(s.open)-1] == "INDIRECT" || s.open[len(s.open)-1] == "HYPERLINK")
}

func (s *callStack) code() bool {
	return len(s.open) > 0 && codeFunctions[s.open[len(s.open)-1]]
}
