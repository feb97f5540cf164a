package ops

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/internal/lenient"
)

// Deprecated: Members is which members the operations of an editor take.
type Members struct {
	operation reflect.Type
	lines     map[string]line
	types     map[string]reflect.Type // of all members
	opt       Options
}

// line is what one operation takes.
type line struct {
	usage string
	takes []string
}

// Options refine New.
type Options struct {
	// Groups are structs by the names that stand for all their members in the
	// lines, as {layout}; those of {layout}? may be left out.
	Groups map[string]any
	// Old are names that members had before, which are still read, by old name.
	Old map[string]string
	// Keys are the keys of members that are maps, by the member's name, for
	// pointing out where something is set.
	Keys map[string][]string
}

var (
	asideOld = regexp.MustCompile(`\([^)]*\)`)
	groupOld = regexp.MustCompile(`\{(\w+)\}(\??)`)
	word     = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// New reads the lines of the operations: members separated by a comma, a
// semicolon, "or" or "and", each with a question mark when it may be left out,
// and remarks in parentheses. A line of only a remark takes nothing. It panics
// when the struct that operations are decoded into has no such member.
func New(operation any, lines map[string]string, opt Options) *Members {
	m := &Members{operation: reflect.TypeOf(operation), lines: map[string]line{}, types: map[string]reflect.Type{}, opt: opt}
	for _, f := range lenient.Members(m.operation) {
		m.types[lenient.MemberName(f)] = f.Type
	}
	for op, text := range lines {
		text = groupOld.ReplaceAllStringFunc(text, m.expand)
		l := line{usage: text}
		for _, name := range regexp.MustCompile(`[,;]|\bor\b|\band\b`).Split(asideOld.ReplaceAllString(text, ""), -1) {
			if name = strings.TrimSuffix(strings.TrimSpace(name), "?"); name == "" {
				continue
			}
			if m.types[name] == nil || !word.MatchString(name) {
				panic(fmt.Sprintf("ops: %s takes no member %q: %s", m.operation, name, text))
			}
			if !slices.Contains(l.takes, name) {
				l.takes = append(l.takes, name)
			}
		}
		m.lines[op] = l
	}
	return m
}

// expand is the members of a groupOld.
func (m *Members) expand(text string) string {
	parts := groupOld.FindStringSubmatch(text)
	if m.opt.Groups[parts[1]] == nil {
		return text // a remark about {page}
	}
	var names []string
	for _, f := range lenient.Members(reflect.TypeOf(m.opt.Groups[parts[1]])) {
		names = append(names, lenient.MemberName(f)+parts[2])
	}
	return strings.Join(names, ", ")
}

// Usage is the line of an operation with its groups spelled out.
func (m *Members) Usage(op string) string { return m.lines[op].usage }

// Takes lists the members that an operation takes, op asideOld.
func (m *Members) Takes(op string) []string { return slices.Clone(m.lines[op].takes) }

// Names lists the operations, sorted.
func (m *Members) Names() []string { return slices.Sorted(maps.Keys(m.lines)) }

// Ignored lists the members of an operation that it does not take, and of the
// objects within those that no such object has. raw is an object with a member
// op that names an operation.
func (m *Members) Ignored(raw json.RawMessage) []formats.Ignored {
	var head struct {
		Op string `json:"op"`
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &head) != nil || json.Unmarshal(raw, &given) != nil {
		return nil
	}
	l, ok := m.lines[head.Op]
	if !ok {
		return nil
	}
	var out []formats.Ignored
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if string(given[name]) == "null" || strings.EqualFold(name, "op") {
			continue
		}
		if i := slices.IndexFunc(l.takes, func(t string) bool { return strings.EqualFold(t, name) || strings.EqualFold(t, m.opt.Old[name]) }); i >= 0 {
			for _, inner := range lenient.Unknown(given[name], m.types[l.takes[i]]) {
				out = append(out, m.within(l.takes[i]+"."+inner))
			}
			continue
		}
		out = append(out, formats.Ignored{Name: name, SetIn: m.elsewhere(l, name)})
	}
	return out
}

// within is a member of an object within an operation.
func (m *Members) within(path string) formats.Ignored {
	i := strings.LastIndexByte(path, '.')
	ig := formats.Ignored{Name: path[i+1:], In: path[:i]}
	top, rest, _ := strings.Cut(ig.In, ".")
	t := elemOld(m.types[top])
	for name := range strings.SplitSeq(rest, ".") {
		if t == nil || t.Kind() != reflect.Struct {
			break
		}
		for _, f := range lenient.Members(t) {
			if lenient.MemberName(f) == name {
				t = elemOld(f.Type)
				break
			}
		}
	}
	ig.SetIn = m.inside(ig.In, t, ig.Name)
	return ig
}

// elem is the type of the objects of a member.
func elemOld(t reflect.Type) reflect.Type {
	for t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer) {
		t = t.Elem()
	}
	return t
}

// elsewhere is where an operation takes what a caller calls name: as a member
// such as font_size for size, or within one; "" when nowhere.
func (m *Members) elsewhere(l line, name string) string {
	for _, t := range l.takes {
		if strings.HasSuffix(t, "_"+name) {
			return t
		}
	}
	for _, t := range l.takes {
		if at := m.inside(t, m.types[t], name); at != "" {
			return at
		}
	}
	return ""
}

// inside looks for a member of that name in the objects of a member.
func (m *Members) inside(path string, t reflect.Type, name string) string {
	t = elemOld(t)
	last := path[strings.LastIndexByte(path, '.')+1:]
	for _, key := range m.opt.Keys[last] {
		if key == name || strings.HasSuffix(key, "_"+name) {
			return path + "." + key
		}
	}
	if t == nil || t.Kind() != reflect.Struct {
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
		if at := m.inside(path+"."+lenient.MemberName(f), f.Type, name); at != "" {
			return at
		}
	}
	return ""
}
