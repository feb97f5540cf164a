package lenient

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Problem describes why a JSON value could not be decoded, without the
// wording of Go's errors.
func Problem(err error) string {
	var te *json.UnmarshalTypeError
	if !errors.As(err, &te) {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	what := fmt.Sprintf("expected %s, got %s", TypeName(te.Type), te.Value)
	// Embedded structs appear in the path by the names of their types, which have
	// a capital letter; names of members have none.
	names := slices.DeleteFunc(strings.Split(te.Field, "."), func(n string) bool { return n == "" || strings.ToLower(n) != n })
	if len(names) > 0 {
		what = strings.Join(names, ".") + ": " + what
	}
	return what
}
