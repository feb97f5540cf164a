package office

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/formats"
	"atelier/workshop/tools"
)

// operationsSchema inserts the schema of one operation, generated from the
// editor's struct, into the tool's argument schema (W-44, W-45).
func operationsSchema(tool *tools.Tool, editor formats.Editor) error {
	zero, names := editor.Operation()
	item, err := tools.SchemaOf(reflect.TypeOf(zero))
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
