package formula

import "strings"

// The prefixes of names in files: of a parameter that a call of a LAMBDA may leave out,
// where it is declared, and of a function that is given in place of a LAMBDA.
const (
	optionalPrefix = "_xlop."
	givenPrefix    = "_xleta."
)

// optionalName reports whether an argument of LAMBDA is a name in brackets, which a call
// may leave out.
func optionalName(f string) bool {
	return len(f) > 2 && f[0] == '[' && f[len(f)-1] == ']' && bareName(f[1:len(f)-1])
}

// shownOptional writes _xlop.x as [x].
func shownOptional(f string) string {
	if !strings.Contains(f, optionalPrefix) {
		return f
	}
	var sb strings.Builder
	pos := 0
	for t := range Tokens(f) {
		if name, ok := strings.CutPrefix(f[t.Start:t.End], optionalPrefix); ok && t.Kind == Name {
			sb.WriteString(f[pos:t.Start] + "[" + name + "]")
			pos = t.End
		}
	}
	return sb.String() + f[pos:]
}

// takesLambda is the place of the argument that is a LAMBDA, -1 for the last one.
var takesLambda = map[string]int{"MAP": -1, "BYROW": -1, "BYCOL": -1, "REDUCE": -1, "SCAN": -1, "MAKEARRAY": -1, "GROUPBY": 2, "PIVOTBY": 3}

// openCall is a bracket in a formula and how many arguments are before the present one.
type openCall struct {
	function string
	args     int
}

// givenFunctions returns where the names of functions begin that are given in place of a
// LAMBDA, as in BYROW(A1:C9,SUM).
func givenFunctions(f string) map[int]bool {
	var out map[int]bool
	var open []openCall
	name := Token{Start: -1} // a function's name alone in the present argument
	called, before := "", ""
	for t := range Tokens(f) {
		text := f[t.Start:t.End]
		if strings.TrimSpace(text) == "" {
			continue
		}
		if name.Start >= 0 && (text == ")" || text == ",") {
			c := open[len(open)-1]
			if at, ok := takesLambda[c.function]; ok && (at < 0 && text == ")" || at == c.args) {
				if out == nil {
					out = map[int]bool{}
				}
				out[name.Start] = true
			}
		}
		name.Start = -1
		switch {
		case t.Kind == Name && t.Sheet == "" && before == "," && len(open) > 0 && Known(text):
			name = t
		case t.Kind != Other:
		case text == "(" || text == "{":
			open = append(open, openCall{function: called})
		case (text == ")" || text == "}") && len(open) > 0:
			open = open[:len(open)-1]
		case text == "," && len(open) > 0:
			open[len(open)-1].args++
		}
		if called = ""; t.Kind == Function {
			called = strings.ToUpper(BareFunction(text))
		}
		before = text
	}
	return out
}
