package brief

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	formatops "atelier/formats/ops"
	"atelier/llm"
	"atelier/workshop"
)

// op is an operation of a tool that takes several: its name, and its name with
// its members as the whole description has them.
type op struct{ name, text string }

// group is a name for members that operations take together, with what it stands for in
// a usage line.
type group struct{ name, usage string }

// operationSet is what a tool says of its operations.
type operationSet struct {
	where  string // ", where FONT stands for …" or ""
	groups []group
	lines  string // the usage lines as the tool has them
	rare   string // those of rare operations
}

// operationsOf reads the operations of a tool; nil when it has none. The description of
// the member op lists them: "with its members, where FONT stands for bold?, italic?:
// set_cells(sheet, cells); …; less often: copy_styles(from); …".
func operationsOf(s *schema) *operationSet {
	all := s.Properties["operations"]
	if all == nil || all.Items == nil || all.Items.Properties["op"] == nil {
		return nil
	}
	head, lines, ok := strings.Cut(all.Items.Properties["op"].Description, ": ")
	if !ok {
		return nil
	}
	set := &operationSet{}
	set.lines, set.rare, _ = strings.Cut(lines, formatops.Rarely)
	if _, where, ok := strings.Cut(head, ", where "); ok {
		set.where = ", where " + where
		for _, g := range strings.Split(where, "; ") {
			name, usage, _ := strings.Cut(g, " stands for ")
			set.groups = append(set.groups, group{name, usage})
		}
	}
	return set
}

// list returns the operations with all their members.
func (set *operationSet) list() []op { return append(set.read(set.lines), set.read(set.rare)...) }

// read returns the operations of usage lines, with groups of members written out.
func (set *operationSet) read(text string) []op {
	for _, g := range set.groups {
		text = strings.ReplaceAll(text, g.name, g.usage)
	}
	return split(text)
}

// operations returns those of a tool with all their members; nil when it has none.
func operations(s *schema) []op {
	if set := operationsOf(s); set != nil {
		return set.list()
	}
	return nil
}

// split reads "a(b, c); d(e)".
func split(text string) []op {
	var out []op
	depth, from := 0, 0
	add := func(to int) {
		one := strings.TrimSpace(text[from:to])
		if name, _, ok := strings.Cut(one, "("); ok {
			out = append(out, op{name, one})
		}
		from = to + 1
	}
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ';' && depth == 0:
			add(i)
		}
	}
	add(len(text))
	return out
}

// members returns the properties of items that the operation names.
func (o op) members(items *schema) []string {
	var out []string
	words := strings.FieldsFunc(strings.TrimPrefix(o.text, o.name), func(c rune) bool { return c != '_' && (c < '0' || c > 'z' || c > '9' && c < 'a') })
	for _, w := range words {
		if items.Properties[w] != nil && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// describe says all that t takes, or what the named operations of it do.
func describe(t llm.Tool, names []string) (string, *workshop.Fault) {
	var s schema
	if err := json.Unmarshal(t.Function.Parameters, &s); err != nil {
		return "", workshop.Faultf(workshop.Internal, "the schema of %s cannot be read", t.Function.Name)
	}
	ops := operations(&s)
	var sb strings.Builder
	fmt.Fprintf(&sb, "%s: %s\n", t.Function.Name, t.Function.Description)
	if ops == nil {
		sb.Write(t.Function.Parameters)
		return sb.String(), nil
	}
	items := s.Properties["operations"].Items
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if p := s.Properties[name]; name != "operations" && len(names) == 0 {
			fmt.Fprintf(&sb, "%s (%v): %s\n", name, p.Type, p.Description)
		}
	}
	members := map[string]bool{}
	found := 0
	for _, o := range ops {
		if len(names) > 0 && !slices.Contains(names, o.name) {
			continue
		}
		found++
		fmt.Fprintf(&sb, "- %s\n", o.text)
		for _, m := range o.members(items) {
			members[m] = true
		}
	}
	if found < len(names) {
		var all []string
		for _, o := range ops {
			all = append(all, o.name)
		}
		return "", workshop.Unknownf("no such operation of %s among %s; there are %s", t.Function.Name, strings.Join(names, ", "), strings.Join(all, ", ")).OnField("ops")
	}
	if len(names) == 0 {
		sb.WriteString("What the members mean: ask with ops.\n")
		return sb.String(), nil
	}
	for _, m := range slices.Sorted(maps.Keys(members)) {
		b, err := json.Marshal(items.Properties[m])
		if err == nil && m != "op" {
			fmt.Fprintf(&sb, "%s %s\n", m, b)
		}
	}
	return sb.String(), nil
}
