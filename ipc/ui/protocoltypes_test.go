package ui

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"atelier/engine"
)

var update = flag.Bool("update", false, "rewrite types/protocol.d.ts")

// TestProtocolTypes: types/protocol.d.ts, with which tsc checks the page, has the
// methods and notifications of docs/openrpc.json.
func TestProtocolTypes(t *testing.T) {
	b, err := os.ReadFile("../../docs/openrpc.json")
	require.NoError(t, err)
	have, err := protocolTypes(b)
	require.NoError(t, err)
	const file = "types/protocol.d.ts"
	if *update {
		require.NoError(t, os.WriteFile(file, have, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(have), "%s is out of date: go test ./ipc/ui -run ProtocolTypes -update", file)
	for _, m := range engine.Methods() {
		require.Contains(t, string(have), "\n\t"+m.Name+": {\n", "docs/openrpc.json is out of date")
	}
}

// TestTypeOf: each kind of schema becomes the type of its values.
func TestTypeOf(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string"}`:                  `string`,
		`{"type":"integer"}`:                 `number`,
		`{"type":["null","boolean"]}`:        `boolean | null`,
		`{"type":["number","string"]}`:       `number | string`,
		`{"type":"string","enum":["a","b"]}`: `"a" | "b"`,
		`{"type":"integer","enum":[1,2]}`:    `1 | 2`,
		`{}`:                                 `any`,
		`true`:                               `any`,
		`{"type":"object"}`:                  `{ [name: string]: any }`,
		`{"type":"array","items":{}}`:        `any[]`,
		`{"type":"array"}`:                   `any[]`,
		`{"type":["null","array"],"items":{"type":["number","string"]}}`:                                                 `(number | string)[] | null`,
		`{"type":"array","items":{"type":["null","object"],"properties":{"a":{}}}}`:                                      "({\n\ta?: any;\n} | null)[]",
		`{"type":"object","additionalProperties":{"type":"integer"}}`:                                                    `{ [name: string]: number }`,
		`{"type":"object","properties":{"a-b":{"type":"string"}},"required":["a-b"],"additionalProperties":false}`:       "{\n\t\"a-b\": string;\n}",
		`{"type":"object","properties":{"a":{"type":"string","description":"one */ two"}},"additionalProperties":false}`: "{\n\t/** one * / two */\n\ta?: string;\n}",
	} {
		var s jsonschema.Schema
		require.NoError(t, json.Unmarshal([]byte(schema), &s), schema)
		require.Equal(t, want, typeOf(&s, ""), schema)
	}
}

// protocolTypes makes TypeScript declarations from an OpenRPC document: the params
// and the result of each method, and the params of each notification.
func protocolTypes(openRPC []byte) ([]byte, error) {
	var doc struct {
		Methods []struct {
			Name, Summary string
			Params        []struct {
				Name, Description string
				Required          bool
				Schema            *jsonschema.Schema
			}
			Result struct{ Schema *jsonschema.Schema }
		}
		Notes []struct {
			Name, Summary string
			Params        *jsonschema.Schema
		} `json:"x-notifications"`
	}
	if err := json.Unmarshal(openRPC, &doc); err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("// Made from docs/openrpc.json by: go test ./ipc/ui -run ProtocolTypes -update\n\n/** The methods, by name. */\nexport interface Methods {\n")
	for _, m := range doc.Methods {
		params := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
		for _, p := range m.Params {
			params.Properties[p.Name] = p.Schema
			params.PropertyOrder = append(params.PropertyOrder, p.Name)
			if p.Required {
				params.Required = append(params.Required, p.Name)
			}
		}
		fmt.Fprintf(&b, "%s\t%s: {\n\t\tparams: %s;\n\t\tresult: %s;\n\t};\n", comment(m.Summary, "\t"), m.Name, objectOf(params, "\t\t"), typeOf(m.Result.Schema, "\t\t"))
	}
	b.WriteString("}\n\n/** The params of notifications, by name. Each has the members of Stamp besides. */\nexport interface Notifications {\n")
	for _, n := range doc.Notes {
		fmt.Fprintf(&b, "%s\t%s: %s & Stamp;\n", comment(n.Summary, "\t"), n.Name, typeOf(n.Params, "\t"))
	}
	b.WriteString("}\n\nexport interface Stamp {\n\t/** counts the workbench's notifications on this connection */\n\tseq?: number;\n\t/** what EventsResume takes */\n\tposition?: number;\n}\n")
	return []byte(b.String()), nil
}

// typeOf returns the TypeScript type of a schema's values. indent is that of the
// line in which it is.
func typeOf(s *jsonschema.Schema, indent string) string {
	return strings.Join(alternatives(s, indent), " | ")
}

// alternatives returns the types of which a schema's values have one.
func alternatives(s *jsonschema.Schema, indent string) (all []string) {
	if s == nil {
		return []string{"any"}
	}
	if s.Enum != nil {
		for _, v := range s.Enum {
			b, _ := json.Marshal(v) // it came from JSON
			all = append(all, string(b))
		}
		return all
	}
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	if len(types) == 0 {
		return []string{"any"}
	}
	for _, name := range types {
		switch name {
		case "integer":
			all = append(all, "number")
		case "array":
			item := alternatives(s.Items, indent)
			if len(item) > 1 {
				item[0], item[len(item)-1] = "("+item[0], item[len(item)-1]+")"
			}
			all = append(all, strings.Join(item, " | ")+"[]")
		case "object":
			all = append(all, objectOf(s, indent))
		case "null": // below
		default:
			all = append(all, name)
		}
	}
	if slices.Contains(types, "null") {
		all = append(all, "null")
	}
	return all
}

var plainName = regexp.MustCompile(`^[A-Za-z_]\w*$`)

func objectOf(s *jsonschema.Schema, indent string) string {
	if len(s.Properties) == 0 {
		switch {
		case s.Type == "object" && s.Properties != nil:
			return "{}"
		case s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil:
			return "{ [name: string]: " + typeOf(s.AdditionalProperties, indent) + " }"
		case s.AdditionalProperties != nil:
			return "{}"
		}
		return "{ [name: string]: any }"
	}
	order := s.PropertyOrder
	if order == nil {
		for name := range s.Properties {
			order = append(order, name)
		}
		slices.Sort(order)
	}
	var b strings.Builder
	b.WriteString("{\n")
	for _, name := range order {
		p := s.Properties[name]
		b.WriteString(comment(p.Description, indent+"\t"))
		shown, optional := name, "?"
		if !plainName.MatchString(name) {
			shown = fmt.Sprintf("%q", name)
		}
		if slices.Contains(s.Required, name) {
			optional = ""
		}
		fmt.Fprintf(&b, "%s\t%s%s: %s;\n", indent, shown, optional, typeOf(p, indent+"\t"))
	}
	b.WriteString(indent + "}")
	return b.String()
}

func comment(text, indent string) string {
	if text == "" {
		return ""
	}
	return indent + "/** " + strings.ReplaceAll(strings.ReplaceAll(text, "*/", "* /"), "\n", " ") + " */\n"
}
