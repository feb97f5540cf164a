package ops

import (
	"reflect"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/internal/lenient"
)

// Groups lists the members that operations share under one name, the longest
// lists first. An embedded argument struct is a group if its first field has a tag
// such as group:"FONT". The usage lines name all members; Grouped puts the names of groups into one.
func (t *Table[S]) Groups() []formats.MemberGroup {
	var groups []formats.MemberGroup
	for _, op := range t.ops {
		groups = groupsIn(op.args, groups)
	}
	slices.SortStableFunc(groups, func(a, b formats.MemberGroup) int { return len(b.Usage) - len(a.Usage) })
	return groups
}

// groupsIn adds the groups embedded in a struct.
func groupsIn(args reflect.Type, groups []formats.MemberGroup) []formats.MemberGroup {
	for i := range args.NumField() {
		f := args.Field(i)
		if !f.Anonymous || f.Type.Kind() != reflect.Struct {
			continue
		}
		if name := groupOf(f.Type); name != "" {
			if slices.ContainsFunc(groups, func(g formats.MemberGroup) bool { return g.Name == name }) {
				continue
			}
			var takes []member
			for _, m := range lenient.Members(f.Type) {
				takes = append(takes, member{lenient.MemberName(m), m.Type, m})
			}
			groups = append(groups, formats.MemberGroup{Name: name, Usage: usageOf(f.Type, takes)})
		}
		groups = groupsIn(f.Type, groups)
	}
	return groups
}

// Grouped returns a usage line with the names of groups in the place of their
// members.
func Grouped(usage string, groups []formats.MemberGroup) string {
	for _, g := range groups {
		usage = strings.ReplaceAll(usage, g.Usage, g.Name)
	}
	return usage
}

// groupOf returns the name of the group that a struct is, "" when it is none.
func groupOf(t reflect.Type) string {
	if t.NumField() == 0 {
		return ""
	}
	return t.Field(0).Tag.Get("group")
}
