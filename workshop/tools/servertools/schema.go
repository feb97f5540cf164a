package servertools

import (
	"encoding/json"

	"atelier/internal/textclip"
)

// atTop are the members of a schema that endpoints refuse at its top, with the whole
// request: they choose between objects there, or are about the document.
var atTop = []string{"oneOf", "anyOf", "allOf", "not", "enum", "if", "then", "else", "dependentSchemas", "$schema", "$id", "$comment"}

// telling are those of them that a model has to know.
var telling = map[string]bool{"oneOf": true, "anyOf": true, "allOf": true, "not": true, "dependentSchemas": true}

// restMost is how much of what is left out is told in words.
const restMost = 600 // bytes

// offered returns the schema of a tool as endpoints take it: an object with properties
// and no choice between schemas at its top. rest is what was left out, JSON, for the
// description; the server checks arguments by its whole schema.
func offered(schema json.RawMessage) (_ json.RawMessage, rest string) {
	members := map[string]json.RawMessage{}
	if json.Unmarshal(schema, &members) != nil {
		return json.RawMessage(`{"type":"object","properties":{}}`), ""
	}
	left := map[string]json.RawMessage{}
	changed := false
	for _, name := range atTop {
		if v, ok := members[name]; ok {
			delete(members, name)
			changed = true
			if telling[name] {
				left[name] = v
			}
		}
	}
	if _, ok := members["properties"]; !ok {
		members["properties"], changed = json.RawMessage(`{}`), true
	}
	if string(members["type"]) != `"object"` {
		members["type"], changed = json.RawMessage(`"object"`), true
	}
	if !changed {
		return schema, ""
	}
	b, err := json.Marshal(members)
	if err != nil {
		return schema, ""
	}
	if len(left) > 0 {
		if r, err := json.Marshal(left); err == nil {
			rest = textclip.HeadBytes(string(r), restMost)
		}
	}
	return b, rest
}
