package ops

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"atelier/internal/lazyregexp"
	"atelier/internal/lenient"
)

// Op is a row of a table. S is what the operations of the table work on.
type Op[S any] struct {
	name   string
	args   reflect.Type
	read   func() *members // the tags of args, read once
	decode func(raw []byte) (any, error)
	run    func(on S, ctx context.Context, args any) error
	rare   bool
}

// Rarely stands before the rare operations in the description of a tool.
const Rarely = "; less often: "

// Rare marks operations of which models are told the names only, until they ask for
// more: what few tasks need costs every request little.
func Rare[S any](op Op[S]) Op[S] {
	op.rare = true
	return op
}

// members is what the tags of an argument struct say. They are read when they are first
// asked for: those of all operations take milliseconds, which a start does not wait for.
type members struct {
	list  []member
	usage string
}

// member is a member that an operation takes.
type member struct {
	name  string
	typ   reflect.Type
	field reflect.StructField
}

// hidden reports whether the operation takes the member only to refuse it.
func (m member) hidden() bool { return m.field.Tag.Get("usage") == "-" }

// Define returns the row of an operation. A is its argument struct. The first question
// about its members panics when the tags of the struct contradict each other.
func Define[S, A any](name string, run func(on S, ctx context.Context, args A) error) Op[S] {
	op := Op[S]{name: name, args: reflect.TypeFor[A]()}
	op.decode = func(raw []byte) (any, error) {
		var args A
		err := DecodeNumbers(raw, &args)
		return args, err
	}
	op.run = func(on S, ctx context.Context, args any) error { return run(on, ctx, args.(A)) }
	op.read = sync.OnceValue(func() *members { return membersOf(op.args) })
	return op
}

// takes lists the members of the operation, those that it only refuses too.
func (o *Op[S]) takes() []member { return o.read().list }

// membersOf reads the tags of an argument struct.
func membersOf(args reflect.Type) *members {
	var m members
	for _, f := range lenient.Members(args) {
		one := member{lenient.MemberName(f), f.Type, f}
		if strings.EqualFold(one.name, "op") {
			panic("ops: op is no member of " + args.String())
		}
		m.list = append(m.list, one)
	}
	m.usage = usageOf(args, m.list)
	return &m
}

// member finds a member by its name; nil when the operation does not take it.
// Like encoding/json it ignores case.
func (o *Op[S]) member(name string) *member {
	takes := o.takes()
	for i := range takes {
		if strings.EqualFold(takes[i].name, name) {
			return &takes[i]
		}
	}
	return nil
}

// aside is a remark in a usage.
var aside = lazyregexp.New(`\([^)]*\)`)

// usageOf joins the usages of the members to a line.
func usageOf(args reflect.Type, takes []member) string {
	var line strings.Builder
	others, of := membersAs(args)
	for _, m := range takes {
		if m.hidden() || slices.Contains(others, m.name) {
			continue
		}
		use := m.field.Tag.Get("usage")
		if use == "" {
			use = m.name + "?"
		}
		words := strings.FieldsFunc(aside.ReplaceAllString(use, ""), func(r rune) bool { return strings.ContainsRune(" ;?", r) })
		if len(words) > 1 && words[0] == "or" {
			words = words[1:]
		}
		if !slices.Equal(words, []string{m.name}) {
			panic(fmt.Sprintf("ops: the usage of %s in %s is %q", m.name, args, use))
		}
		switch {
		case line.Len() == 0 || use[0] == ';':
		case strings.HasPrefix(use, "or "):
			line.WriteString(" ")
		default:
			line.WriteString(", ")
		}
		line.WriteString(use)
	}
	if f, ok := args.FieldByName("_"); ok && len(takes) == 0 {
		return f.Tag.Get("usage")
	}
	if of != "" {
		line.WriteString(" (and members of " + of + ")")
	}
	return line.String()
}

// membersAs returns the members of an embedded struct whose tag as names the
// operation that explains them.
func membersAs(args reflect.Type) (names []string, of string) {
	for i := range args.NumField() {
		f := args.Field(i)
		if as := f.Tag.Get("as"); f.Anonymous && as != "" {
			for _, m := range lenient.Members(f.Type) {
				names = append(names, lenient.MemberName(m))
			}
			of = as
		}
	}
	return names, of
}

// Table is the operations of a format's editor. S is what they work on.
type Table[S any] struct {
	ops    []Op[S]
	byName map[string]*Op[S]
	args   func() reflect.Type // with the members of all operations
}

// NewTable returns a table of operations, in the order in which a reader should
// learn them. It panics when a name occurs twice, and Zero when operations give one
// member two types.
func NewTable[S any](ops ...Op[S]) *Table[S] {
	t := &Table[S]{ops: ops, byName: map[string]*Op[S]{}}
	for i := range ops {
		if t.byName[ops[i].name] != nil {
			panic("ops: " + ops[i].name + " is in the table twice")
		}
		t.byName[ops[i].name] = &ops[i]
	}
	t.args = sync.OnceValue(func() reflect.Type { return unionOf(ops) })
	return t
}

// Names lists the operations in the order of the table.
func (t *Table[S]) Names() []string {
	names := make([]string, len(t.ops))
	for i, op := range t.ops {
		names[i] = op.name
	}
	return names
}

// Usage is the line that says which members an operation takes, "" when the
// table has no such operation.
func (t *Table[S]) Usage(op string) string {
	if o := t.byName[op]; o != nil {
		return o.read().usage
	}
	return ""
}

// Rare reports whether models are told only the name of an operation until they ask.
func (t *Table[S]) Rare(op string) bool {
	o := t.byName[op]
	return o != nil && o.rare
}

// Takes lists the members that an operation takes, op aside.
func (t *Table[S]) Takes(op string) []string {
	o := t.byName[op]
	if o == nil {
		return nil
	}
	var names []string
	for _, m := range o.takes() {
		if !m.hidden() {
			names = append(names, m.name)
		}
	}
	return names
}

// Args is the argument struct of an operation, nil when the table has no such
// operation.
func (t *Table[S]) Args(op string) reflect.Type {
	if o := t.byName[op]; o != nil {
		return o.args
	}
	return nil
}

// Zero is the zero value of a struct with the members of all operations, for a
// JSON Schema.
func (t *Table[S]) Zero() any { return reflect.Zero(t.args()).Interface() }
