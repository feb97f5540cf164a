package ops

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/internal/lenient"
)

// Keyed is a map member that knows its keys, so that a report of an ignored
// member can name the key that sets it.
type Keyed interface{ Keys() []string }

// Ignored lists the members of an operation that it does not take, and the
// members of objects within it that these objects do not have. It returns
// nothing for what is no operation of the table.
func (t *Table[S]) Ignored(raw json.RawMessage) []formats.Ignored {
	var head struct {
		Op string `json:"op"`
	}
	if flat, err := Flatten(raw); err == nil {
		raw = flat
	}
	if json.Unmarshal(raw, &head) != nil || t.byName[head.Op] == nil {
		return nil
	}
	return t.byName[head.Op].ignored(raw)
}

func (o *Op[S]) ignored(raw json.RawMessage) []formats.Ignored {
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		return nil
	}
	var out []formats.Ignored
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if string(given[name]) == "null" || strings.EqualFold(name, "op") {
			continue
		}
		m := o.member(name)
		if m == nil {
			m = o.formerly(name)
		}
		if m == nil {
			out = append(out, formats.Ignored{Name: name, SetIn: o.elsewhere(name)})
			continue
		}
		for _, inner := range lenient.Unknown(given[name], m.typ) {
			out = append(out, o.within(*m, m.name+"."+inner))
		}
	}
	return out
}

// formerly is the member that once had that name, nil when there is none.
func (o *Op[S]) formerly(name string) *member {
	takes := o.takes()
	for i := range takes {
		if old := takes[i].field.Tag.Get("old"); old != "" && strings.EqualFold(old, name) {
			return &takes[i]
		}
	}
	return nil
}

// within is an ignored member of an object within a member.
func (o *Op[S]) within(m member, path string) formats.Ignored {
	i := strings.LastIndexByte(path, '.')
	ig := formats.Ignored{Name: path[i+1:], In: path[:i]}
	_, rest, _ := strings.Cut(ig.In, ".")
	t := elem(m.typ)
	for name := range strings.SplitSeq(rest, ".") {
		if t == nil || t.Kind() != reflect.Struct {
			break
		}
		for _, f := range lenient.Members(t) {
			if lenient.MemberName(f) == name {
				t = elem(f.Type)
				break
			}
		}
	}
	ig.SetIn = inside(ig.In, t, ig.Name)
	return ig
}

// elem is the type of the objects of a member.
func elem(t reflect.Type) reflect.Type {
	for t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer) {
		t = t.Elem()
	}
	return t
}

// elsewhere is where an operation takes what a caller calls name: as a member
// such as font_size for size, or within one; "" when nowhere.
func (o *Op[S]) elsewhere(name string) string {
	for _, m := range o.takes() {
		if strings.HasSuffix(m.name, "_"+name) {
			return m.name
		}
	}
	for _, m := range o.takes() {
		if at := inside(m.name, m.typ, name); at != "" {
			return at
		}
	}
	return ""
}

// inside looks for a member of that name in the objects of a member.
func inside(path string, t reflect.Type, name string) string {
	t = elem(t)
	if t == nil {
		return ""
	}
	if keyed, ok := reflect.Zero(t).Interface().(Keyed); ok {
		for _, key := range keyed.Keys() {
			if key == name || strings.HasSuffix(key, "_"+name) {
				return path + "." + key
			}
		}
	}
	if t.Kind() != reflect.Struct {
		return ""
	}
	for _, f := range lenient.Members(t) {
		switch member := lenient.MemberName(f); {
		case member == name:
			return path
		case strings.HasSuffix(member, "_"+name):
			return path + "." + member
		}
	}
	for _, f := range lenient.Members(t) {
		if at := inside(path+"."+lenient.MemberName(f), f.Type, name); at != "" {
			return at
		}
	}
	return ""
}
