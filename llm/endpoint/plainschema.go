package endpoint

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"atelier/internal/lazyregexp"
)

// A plain schema goes no deeper and has no more parts: references may go in
// circles.
const (
	maxSchemaDepth = 12
	maxSchemaParts = 4000
)

// PlainSchema returns a JSON Schema in the few keywords that every endpoint knows:
// type (one), description, properties, required, items, enum of strings. What is
// left out narrows nothing for the tool itself, which checks its arguments
// anyhow; numbers a model should keep to stand in the description.
func PlainSchema(schema json.RawMessage) json.RawMessage {
	var v any
	if json.Unmarshal(schema, &v) != nil {
		return schema
	}
	root, _ := v.(map[string]any)
	b, err := json.Marshal((&flattening{root: root, left: maxSchemaParts}).plain(root, 0))
	if err != nil {
		return schema
	}
	return b
}

type flattening struct {
	root map[string]any
	left int // parts
}

func (f *flattening) plain(s map[string]any, depth int) map[string]any {
	s = Resolve(s, f.root)
	f.left--
	out := map[string]any{}
	kind := TypeOf(s)
	out["type"] = kind
	if d, ok := s["description"].(string); ok && d != "" {
		out["description"] = d
	}
	if depth >= maxSchemaDepth || f.left <= 0 {
		if kind == "array" {
			out["items"] = map[string]any{"type": "string"}
		}
		return out
	}
	switch kind {
	case "object":
		props := f.plainProperties(s, depth+1)
		out["properties"] = props
		if req := requiredOf(s, props); len(req) > 0 {
			out["required"] = req
		}
	case "array":
		items, _ := s["items"].(map[string]any)
		out["items"] = f.plain(items, depth+1)
	case "string":
		if list := texts(asList(s["enum"])); len(list) > 0 {
			out["enum"] = list
		}
	}
	return out
}

func (f *flattening) plainProperties(s map[string]any, depth int) map[string]any {
	props := map[string]any{}
	for _, name := range sortedKeys(s["properties"]) {
		if p, ok := s["properties"].(map[string]any)[name].(map[string]any); ok {
			props[name] = f.plain(p, depth)
		} else {
			props[name] = map[string]any{"type": "string"}
		}
	}
	return props
}

// texts returns the values of a list that are texts, without empty ones.
func texts(list []any) []any {
	var out []any
	for _, e := range list {
		if t, ok := e.(string); ok && t != "" {
			out = append(out, t)
		}
	}
	return out
}

// Resolve follows references into the schema and takes the first alternative
// that is not null; of several objects it takes the properties of all.
func Resolve(s, root map[string]any) map[string]any {
	for range maxSchemaDepth {
		ref, ok := s["$ref"].(string)
		if !ok {
			break
		}
		s = lookUp(root, ref)
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		list := asList(s[key])
		if len(list) == 0 {
			continue
		}
		merged := maps.Clone(s)
		delete(merged, key)
		alts := alternatives(list, root)
		for _, alt := range alts {
			merge(merged, alt, key == "allOf" || len(alts) == 1)
		}
		s = merged
	}
	return s
}

// alternatives returns the schemas of a list, without those for null.
func alternatives(list []any, root map[string]any) []map[string]any {
	var alts []map[string]any
	for _, e := range list {
		alt, _ := e.(map[string]any)
		if ref, ok := alt["$ref"].(string); ok {
			alt = lookUp(root, ref)
		}
		if TypeOf(alt) != "null" {
			alts = append(alts, alt)
		}
	}
	return alts
}

// merge adds alt to into; needed says that what alt requires is required.
func merge(into, alt map[string]any, needed bool) {
	props, _ := alt["properties"].(map[string]any)
	have, _ := into["properties"].(map[string]any)
	if props != nil {
		next := map[string]any{}
		for k, v := range have {
			next[k] = v
		}
		for k, v := range props {
			if next[k] == nil {
				next[k] = v
			}
		}
		into["properties"] = next
	}
	for k, v := range alt {
		if _, ok := into[k]; !ok && (k != "required" || needed) {
			into[k] = v
		}
	}
}

func lookUp(root map[string]any, ref string) map[string]any {
	at := root
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at, _ = at[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)].(map[string]any)
	}
	return at
}

// TypeOf returns the one type of a schema that says several or none.
func TypeOf(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, e := range t {
			if n, ok := e.(string); ok && n != "null" {
				return n
			}
		}
		return "null"
	}
	switch {
	case s["properties"] != nil || s["additionalProperties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return "string"
}

func requiredOf(s map[string]any, props map[string]any) []string {
	var out []string
	for _, e := range asList(s["required"]) {
		if n, ok := e.(string); ok && props[n] != nil && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func asList(v any) []any {
	l, _ := v.([]any)
	return l
}

func sortedKeys(v any) []string {
	m, _ := v.(map[string]any)
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// RefusedSchemas are the words of endpoints that do not know all of JSON Schema, lower case:
// Gemini; llama.cpp; OpenAI; Moonshot; vLLM's xgrammar; Anthropic; Groq
var RefusedSchemas = lazyregexp.New(`(function_declarations|functiondeclarations|input_schema|tools[.\[]).{0,200}(cannot find field|cannot start list|only allowed for|should be non-empty|not supported|unknown name)|unknown name .{0,80}function_declarations|json schema conversion failed|unrecognized schema|` +
	`json schema error at|failed to parse grammar|failed to initialize samplers|invalid schema for function|not a valid moonshot flavored json schema|(not supported by|unsupported by|error compiling|compile).{0,40}(xgrammar|grammar|schema)|invalid json schema|schema (is|was) (invalid|too complex)|` +
	`too many states for serving|does not support oneof, allof,? or anyof|json schema is invalid`)
