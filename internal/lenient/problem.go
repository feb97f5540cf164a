package lenient

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Problem says what is wrong with a JSON value that could not be read, without
// Go's own words.
func Problem(err error) string {
	var te *json.UnmarshalTypeError
	if !errors.As(err, &te) {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	what := fmt.Sprintf("expected %s, got %s", TypeName(te.Type), te.Value)
	// Structs within structs stand in the path by the names of their types.
	names := slices.DeleteFunc(strings.Split(te.Field, "."), func(n string) bool { return n == "" || n[0] >= 'A' && n[0] <= 'Z' })
	if len(names) > 0 {
		what = strings.Join(names, ".") + ": " + what
	}
	return what
}
