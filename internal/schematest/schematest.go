// Package schematest checks in tests that a JSON Schema says what each member
// is.
package schematest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Walker looks at schemas, nested ones too, and collects what they lack.
type Walker struct {
	// Resolve returns the schema that a $ref names; nil where there are none.
	Resolve func(ref string) any
	// Open has the places where any value is allowed, each with its reason.
	Open map[string]string

	Lacks   []string // "place: what it lacks"
	Members int      // how many members were looked at

	used map[string]bool // entries of Open
	seen map[string]bool // refs
}

// Unused returns the entries of Open that no schema needed.
func (w *Walker) Unused() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(w.Open)), func(at string) bool { return w.used[at] })
}

func (w *Walker) lack(at, format string, args ...any) {
	w.Lacks = append(w.Lacks, at+": "+fmt.Sprintf(format, args...))
}

// Walk looks at a schema, decoded from JSON, at a place such as
// "Method.result.files[]".
func (w *Walker) Walk(at string, schema any) {
	if _, ok := w.Open[at]; ok {
		if w.used == nil {
			w.used = map[string]bool{}
		}
		w.used[at] = true
		return
	}
	s, ok := schema.(map[string]any)
	if !ok {
		w.lack(at, "any value is allowed")
		return
	}
	if ref, ok := s["$ref"].(string); ok {
		w.walkRef(at, ref)
		return
	}
	if not, ok := s["not"].(map[string]any); ok && len(not) == 0 {
		return // nothing is allowed
	}
	w.form(at, s)
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		w.Members++
		if w.description(properties[name]) == "" {
			w.lack(at+"."+name, "no description")
		}
		w.Walk(at+"."+name, properties[name])
	}
	if items, ok := s["items"]; ok {
		w.Walk(at+"[]", items)
	}
	if others, ok := s["additionalProperties"].(map[string]any); ok {
		w.Walk(at+"{}", others)
	}
	for _, word := range []string{"oneOf", "anyOf", "allOf"} {
		list, _ := s[word].([]any)
		for i, one := range list {
			w.Walk(fmt.Sprintf("%s|%d", at, i), one)
		}
	}
}

func (w *Walker) walkRef(at, ref string) {
	if w.seen[ref] {
		return
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[ref] = true
	if w.Resolve == nil {
		w.lack(at, "cannot resolve %s", ref)
		return
	}
	w.Walk(ref[strings.LastIndex(ref, "/")+1:], w.Resolve(ref))
}

// form checks that a schema has a type, an object members and a list items.
func (w *Walker) form(at string, s map[string]any) {
	typed := false
	for _, word := range []string{"type", "enum", "const", "oneOf", "anyOf", "allOf"} {
		typed = typed || s[word] != nil
	}
	if !typed {
		w.lack(at, "no type")
	}
	if has(s["type"], "array") && s["items"] == nil {
		w.lack(at, "a list without the type of its items")
	}
	if !has(s["type"], "object") || s["properties"] != nil {
		return
	}
	if others, ok := s["additionalProperties"].(map[string]any); !ok || len(others) == 0 {
		if empty, _ := others["not"].(map[string]any); empty == nil && s["additionalProperties"] != false {
			w.lack(at, "an object without members")
		}
	}
}

// has reports whether a schema's type is, or includes, a type.
func has(types any, name string) bool {
	list, ok := types.([]any)
	return types == name || ok && slices.Contains(list, any(name))
}

// description returns the description of a member, or of the schema that it
// refers to.
func (w *Walker) description(schema any) string {
	s, _ := schema.(map[string]any)
	text, _ := s["description"].(string)
	if ref, ok := s["$ref"].(string); ok && text == "" && w.Resolve != nil {
		return w.description(w.Resolve(ref))
	}
	return text
}
