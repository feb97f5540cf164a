package catalogue

import "github.com/google/jsonschema-go/jsonschema"

// asString says in a schema that a member is a string: for members that are
// decoded by hand, so that the catalogue can word what is wrong with them.
func asString(s *jsonschema.Schema, member string) {
	s.Properties[member] = &jsonschema.Schema{Type: "string", Description: s.Properties[member].Description}
}

// minimum says in a schema the least value of a member.
func minimum(s *jsonschema.Schema, member string, least float64) {
	s.Properties[member].Minimum = &least
}
