package calc

import "strings"

// The prefixes that files use for variables of LET and LAMBDA, for parameters that a call
// may leave out, and for functions that are given in place of a LAMBDA.
const (
	variablePrefix = "_xlpm."
	optionalPrefix = "_xlop."
	givenPrefix    = "_xleta."
)

func hasPrefix(s, prefix string) bool {
	return len(s) > len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// bareParameter returns the name of a LAMBDA's or LET's variable without the
// prefix that files use.
func bareParameter(s string) string {
	for _, prefix := range []string{variablePrefix, optionalPrefix} {
		if hasPrefix(s, prefix) {
			return s[len(prefix):]
		}
	}
	return s
}

// givenFunction is a function that is given in place of a LAMBDA.
func givenFunction(name string) node {
	if fn := functions[name]; fn != nil {
		return &constNode{Value{kind: LambdaKind, obj: &object{lambda: &lambda{fn: fn}}}}
	}
	if reason := absentReason(name); reason != "" {
		return &unknownNode{ReasonFunction, "the function " + name + ": " + reason}
	}
	return &constNode{Fail(ErrName)}
}
