package ops

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// described is a text that describes a member, with the operations that share
// it.
type described struct {
	text string
	ops  []string
}

// unionOf makes a struct with the members of all operations.
func unionOf[S any](ops []Op[S]) reflect.Type {
	fields := []reflect.StructField{{Name: "Op", Type: reflect.TypeFor[string](), Tag: `json:"op" jsonschema:"the operation"`}}
	at := map[string]int{}
	texts := map[string][]described{}
	for _, op := range ops {
		others, _ := membersAs(op.args)
		for _, m := range op.takes() {
			if m.hidden() {
				continue
			}
			i, ok := at[m.name]
			if !ok {
				i, at[m.name] = len(fields), len(fields)
				fields = append(fields, reflect.StructField{Name: fmt.Sprintf("M%d", i), Type: pointed(m.typ)})
			}
			if fields[i].Type != pointed(m.typ) {
				panic(fmt.Sprintf("ops: %s is %s in %s and %s elsewhere", m.name, pointed(m.typ), op.args, fields[i].Type))
			}
			if slices.Contains(others, m.name) {
				continue // the operation that explains them is named in the usage line
			}
			texts[m.name] = share(texts[m.name], m.field.Tag.Get("jsonschema"), op.name)
		}
	}
	for name, i := range at {
		fields[i].Tag = reflect.StructTag(fmt.Sprintf(`json:"%s,omitempty"`, name))
		if text := describe(texts[name]); text != "" {
			fields[i].Tag += reflect.StructTag(fmt.Sprintf(` jsonschema:%q`, text))
		}
	}
	return reflect.StructOf(fields)
}

// pointed is the type that a pointer points to, else the type itself.
func pointed(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// share adds an operation to those that share a text.
func share(list []described, text, op string) []described {
	if text == "" {
		return list
	}
	for i := range list {
		if list[i].text == text {
			list[i].ops = append(list[i].ops, op)
			return list
		}
	}
	return append(list, described{text, []string{op}})
}

// describe joins the texts of a member, that of most operations first.
func describe(list []described) string {
	slices.SortStableFunc(list, func(a, b described) int { return cmp.Compare(len(b.ops), len(a.ops)) })
	texts := make([]string, len(list))
	for i, d := range list {
		texts[i] = strings.ReplaceAll(d.text, "{ops}", strings.Join(d.ops, ", "))
	}
	return strings.Join(texts, "; ")
}
