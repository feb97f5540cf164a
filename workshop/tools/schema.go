package tools

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/internal/lenient"
)

// SchemaOf makes the JSON Schema of an argument struct, plain enough for every
// model endpoint: no references, no null types.
func SchemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[lenient.Int]():     {Type: "integer"},
		reflect.TypeFor[lenient.Bool]():    {Type: "boolean"},
		reflect.TypeFor[lenient.Float]():   {Type: "number"},
		reflect.TypeFor[lenient.Text]():    {Type: "string"},
		reflect.TypeFor[json.RawMessage](): {}, // any value
	}})
	if err != nil {
		return nil, err
	}
	plain(s)
	return s, nil
}

// ResultSchema makes the JSON Schema of a result struct, in which lists that are always
// there may be null. No type is a list of types, which not every client takes.
func ResultSchema(t reflect.Type) (*jsonschema.Schema, error) {
	// With a description, since clients do not take true for a schema.
	anything := &jsonschema.Schema{Description: "any JSON value"}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): anything, reflect.TypeFor[any](): anything}})
	if err != nil {
		return nil, err
	}
	return oneType(s, true), nil
}

// oneType replaces lists of types below a schema by alternatives of one type each. null
// is dropped where maybeNull is false: a member that may be absent is never null.
func oneType(s *jsonschema.Schema, maybeNull bool) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	for name, p := range s.Properties {
		s.Properties[name] = oneType(p, slices.Contains(s.Required, name))
	}
	s.Items, s.AdditionalProperties = oneType(s.Items, true), oneType(s.AdditionalProperties, true)
	if len(s.Types) == 0 {
		return s
	}
	null := slices.Contains(s.Types, "null")
	plain(s)
	if !null || !maybeNull {
		return s
	}
	out := &jsonschema.Schema{Description: s.Description, AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
	s.Description = ""
	return out
}

// ResultSchema returns the schema of the results in the catalogue, nil where they are text
// or have several forms. No member is required and others may come, since a result says
// which arguments were ignored, and a long one is given in part.
func (b Binding) ResultSchema() (*jsonschema.Schema, error) {
	if b.gives == nil {
		return nil, nil
	}
	s, err := ResultSchema(b.gives)
	if err == nil {
		s.Required, s.AdditionalProperties = nil, nil
	}
	return s, err
}

// plain drops "null" from type lists: null means absent for us, but not
// every endpoint accepts a list of types.
func plain(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) > 0 {
		var keep []string
		for _, t := range s.Types {
			if t != "null" {
				keep = append(keep, t)
			}
		}
		if len(keep) == 1 {
			s.Type, s.Types = keep[0], nil
		} else {
			s.Types = keep
		}
	}
	for _, p := range s.Properties {
		plain(p)
		asObject(p)
	}
	plain(s.Items)
	asObject(s.Items)
	if s.AdditionalProperties != nil && !isFalse(s.AdditionalProperties) {
		plain(s.AdditionalProperties)
	}
}

// asObject gives a schema that allows anything a description: without a keyword
// it would be written as true, and llama.cpp refuses every request with a tool
// whose schema holds a boolean ("schema must be an object").
func asObject(s *jsonschema.Schema) {
	if s != nil && reflect.DeepEqual(*s, jsonschema.Schema{}) {
		s.Description = "any value"
	}
}

// isFalse recognises the schema that allows nothing, {"not":{}}.
func isFalse(s *jsonschema.Schema) bool { return s.Not != nil }
