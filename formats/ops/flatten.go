package ops

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"atelier/formats"
)

// More is the member of an operation in which its other members may stand as well:
//
//	{"op":"add_pivot","args":{"source":"A1:C9"}} is {"op":"add_pivot","source":"A1:C9"}
//
// The schema that a model gets names it instead of the members of rare operations: some
// endpoints let models write only members that the schema has.
const More = "args"

// Flatten puts the members in More beside it. What is no such operation stays as it is;
// a member that is given in both places is an error.
func Flatten(raw json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(raw, []byte(`"`+More+`"`)) {
		return raw, nil
	}
	var given, more map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil || json.Unmarshal(given[More], &more) != nil {
		return raw, nil
	}
	delete(given, More)
	for _, name := range slices.Sorted(maps.Keys(more)) {
		if at, there := key(given, name); there {
			return raw, formats.Errorf(formats.CodeInvalid, "%s is given twice, in %s and beside it", at, More)
		}
		given[name] = more[name]
	}
	out, err := json.Marshal(given)
	if err != nil {
		return raw, nil
	}
	return out, nil
}
