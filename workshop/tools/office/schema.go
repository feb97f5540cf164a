package office

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/formats"
	"atelier/formats/ops"
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
	groups := editor.Groups()
	var uses, rare, where []string
	for _, g := range groups {
		where = append(where, g.Name+" stands for "+g.Usage)
	}
	for _, n := range names {
		op.Enum = append(op.Enum, n)
		list := &uses
		if editor.Rare(n) {
			list = &rare
		}
		*list = append(*list, n+"("+ops.Grouped(editor.Usage(n), groups)+")")
	}
	op.Description = "with its members"
	if len(where) > 0 {
		op.Description += ", where " + strings.Join(where, "; ")
	}
	op.Description += ": " + strings.Join(uses, "; ")
	if len(rare) > 0 {
		op.Description += ops.Rarely + strings.Join(rare, "; ")
	}
	list := tool.Schema.Properties["operations"]
	list.Type, list.Items = "array", item
	return nil
}
