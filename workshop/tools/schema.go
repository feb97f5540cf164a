package tools

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/formats"
	"atelier/formats/loose"
)

// schemaFor makes the JSON Schema of an argument struct, plain enough for
// every model endpoint: no references, no null types.
func schemaFor[A any]() (*jsonschema.Schema, error) { return schemaOf(reflect.TypeFor[A]()) }

func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[loose.Int]():   {Type: "integer"},
		reflect.TypeFor[loose.Bool]():  {Type: "boolean"},
		reflect.TypeFor[loose.Float](): {Type: "number"},
	}})
	if err != nil {
		return nil, err
	}
	plain(s)
	return s, nil
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
	}
	plain(s.Items)
	if s.AdditionalProperties != nil && !isFalse(s.AdditionalProperties) {
		plain(s.AdditionalProperties)
	}
}

// isFalse recognises the schema that allows nothing, {"not":{}}.
func isFalse(s *jsonschema.Schema) bool { return s.Not != nil }

// operationsSchema puts the schema of one operation, made from the editor's
// struct, into the tool's argument schema (W-44, W-45).
func operationsSchema(tool *Tool, editor formats.Editor) error {
	zero, names := editor.Operation()
	item, err := schemaOf(reflect.TypeOf(zero))
	if err != nil {
		return err
	}
	item.Required = []string{"op"}
	op := item.Properties["op"]
	if op == nil {
		op = &jsonschema.Schema{}
		item.Properties["op"] = op
	}
	op.Type, op.Types = "string", nil
	var uses []string
	for _, n := range names {
		op.Enum = append(op.Enum, n)
		uses = append(uses, n+"("+editor.Usage(n)+")")
	}
	op.Description = "with its members: " + strings.Join(uses, "; ")
	list := tool.Schema.Properties["operations"]
	list.Type, list.Items = "array", item
	return nil
}
