package template

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Record is one row of the data: values are nil, bool, json.Number, string,
// []any and map[string]any.
type Record = map[string]any

// scope is the data that a part of a template sees: a record, and the items of
// the lists around it.
type scope struct {
	parent *scope
	list   string // name of the list that item is of; "" is a record
	item   any
	number int             // of the item, from 1
	group  map[string]bool // normal names that any of the items, or records, has
	strip  bool            // control tags without a partner are those of a row; they go
}

// normal makes names comparable: case, blanks and underscores do not count, since
// Word writes fields of "First name" as First_name.
func normal(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "_", "\u00a0", "_").Replace(strings.TrimSpace(name)))
}

func member(v any, name string) (any, bool) {
	m, ok := v.(Record)
	if !ok {
		return nil, false
	}
	if v, ok := m[name]; ok {
		return v, true
	}
	n := normal(name)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if normal(k) == n {
			return m[k], true
		}
	}
	return nil, false
}

// find returns the value of a name, which may be a path such as client.city.
func (s *scope) find(name string) (any, bool) {
	for at := s; at != nil; at = at.parent {
		if at.list != "" {
			switch normal(name) {
			case "this", ".":
				return at.item, true
			case "@number":
				return json.Number(strconv.Itoa(at.number)), true
			}
		}
		if v, ok := member(at.item, name); ok {
			return v, true
		}
		if head, rest, ok := strings.Cut(name, "."); ok {
			if at.list != "" && normal(head) == normal(at.list) {
				return path(at.item, rest)
			}
			if v, ok := member(at.item, head); ok {
				return path(v, rest)
			}
		}
	}
	return nil, false
}

func path(v any, name string) (any, bool) {
	for name != "" {
		if got, ok := member(v, name); ok {
			return got, true
		}
		head, rest, _ := strings.Cut(name, ".")
		got, ok := member(v, head)
		if !ok || rest == "" {
			return nil, false
		}
		v, name = got, rest
	}
	return v, true
}

// listOf returns the list that a path such as items.name goes through.
func (s *scope) listOf(name string) (list string, ok bool) {
	head, _, dotted := strings.Cut(name, ".")
	if !dotted {
		return s.listWith(name)
	}
	for at := s; at != nil; at = at.parent {
		if at.list != "" && normal(at.list) == normal(head) {
			return "", false
		}
	}
	v, _ := s.find(head)
	_, ok = v.([]any)
	return head, ok
}

// listWith returns the list whose items have a name that the record has not: the
// row of a table with merge fields of it repeats.
func (s *scope) listWith(name string) (list string, ok bool) {
	if _, here := s.find(name); here {
		return "", false
	}
	for at := s; at != nil; at = at.parent {
		m, _ := at.item.(Record)
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if items, isList := m[k].([]any); isList && len(items) > 0 {
				if _, has := path(items[0], name); has {
					return k, true
				}
			}
		}
	}
	return "", false
}

// each returns the scopes of a block that name repeats: one for each item of a
// list, one for an object, one or none for other values.
func (s *scope) each(name string) (scopes []*scope, ok bool) {
	v, ok := s.find(name)
	if !ok {
		return nil, s.absent(name)
	}
	list, isList := v.([]any)
	if !isList {
		if !truth(v) {
			return nil, true
		}
		if _, object := v.(Record); !object {
			return []*scope{{parent: s}}, true
		}
		list = []any{v}
	}
	group := groupOf(list)
	for i, item := range list {
		scopes = append(scopes, &scope{parent: s, list: name, item: item, number: i + 1, group: group})
	}
	return scopes, true
}

// groupOf returns the names that any item has.
func groupOf[T any](items []T) map[string]bool {
	out := map[string]bool{}
	for _, item := range items {
		if m, ok := any(item).(Record); ok {
			for k := range m {
				out[normal(k)] = true
			}
		}
	}
	return out
}

// absent reports whether a name that was not found is one that other items or
// records have: here its value is empty.
func (s *scope) absent(name string) bool {
	head, rest, dotted := strings.Cut(name, ".")
	for at := s; at != nil; at = at.parent {
		if at.group[normal(name)] || dotted && at.list != "" && normal(at.list) == normal(head) && at.group[normal(rest)] {
			return true
		}
	}
	return false
}

// truth reports whether a condition holds: false are nothing, false, 0, "", an
// empty list, and the words false and no.
func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case json.Number:
		f, err := v.Float64()
		return err != nil || f != 0
	case string:
		t := strings.ToLower(strings.TrimSpace(v))
		return t != "" && t != "false" && t != "no" && t != "0"
	case []any:
		return len(v) > 0
	}
	return true
}

// textOf writes a value without a filter.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return strings.ReplaceAll(v, "\r\n", "\n"), true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	case []any:
		var all []string
		for _, e := range v {
			t, ok := textOf(e)
			if _, nested := e.([]any); nested || !ok {
				return "", false
			}
			all = append(all, t)
		}
		return strings.Join(all, ", "), true
	}
	return "", false
}

// names collects the normal form of every name in the data, for the placeholders
// that count only where the data has them.
func names(records []Record) map[string]bool {
	known := map[string]bool{}
	var walk func(prefix string, v any, depth int)
	walk = func(prefix string, v any, depth int) {
		if depth > maxNesting {
			return
		}
		switch v := v.(type) {
		case Record:
			for k, e := range v {
				known[normal(k)] = true
				if prefix != "" {
					known[prefix+"."+normal(k)] = true
				}
				walk(normal(k), e, depth+1)
			}
		case []any:
			for _, e := range v {
				walk(prefix, e, depth+1)
			}
		}
	}
	for _, r := range records {
		walk("", r, 0)
	}
	return known
}

// common returns what all records have the same.
func common(records []Record) Record {
	out := Record{}
	for k, v := range records[0] {
		same := true
		want, _ := json.Marshal(v)
		for _, r := range records[1:] {
			got, _ := json.Marshal(r[k])
			if same = string(got) == string(want); !same {
				break
			}
		}
		if same {
			out[k] = v
		}
	}
	return out
}
