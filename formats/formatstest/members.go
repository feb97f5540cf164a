package formatstest

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// MembersRead finds in the source of the package in the current folder which
// members of its argument struct each operation reads, by the operation's name.
// The operations are the calls there that return an ops.Op: their arguments are
// the name and the function, whose last parameter is the argument struct. A
// function that the struct, or one embedded in it, is handed on to counts as a
// part of the operation; an embedded struct that is handed on to another
// package counts as read as a whole.
//
// also are fields of other structs, such as "editing.rev", that are reported
// beside the members where an operation reads them.
func MembersRead(t *testing.T, also ...string) map[string][]string {
	t.Helper()
	m := load(t)
	m.also = also
	out := map[string][]string{}
	for _, row := range m.rows(t) {
		m.read, m.seen, m.args = map[string]bool{}, map[ast.Node]bool{}, map[types.Type]bool{}
		m.carry(row.args)
		m.follow(row.fn)
		out[row.name] = slices.Sorted(maps.Keys(m.read))
	}
	return out
}

// memberReader looks for selectors of argument structs through functions.
type memberReader struct {
	fset    *token.FileSet
	files   []*ast.File
	info    *types.Info
	named   map[*types.Func]*ast.FuncDecl
	escapes map[*ast.SelectorExpr]bool // selectors that another one continues from
	also    []string
	args    map[types.Type]bool // the argument struct of the present operation and those embedded in it
	read    map[string]bool
	seen    map[ast.Node]bool
}

// row is an operation of the package.
type row struct {
	name string
	fn   ast.Node
	args types.Type
}

// rows returns the operations that the package puts into its table.
func (m *memberReader) rows(t *testing.T) (out []row) {
	t.Helper()
	for _, f := range m.files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 || typeName(m.info.TypeOf(call)) != "Op" {
				return true
			}
			name := m.info.Types[call.Args[0]].Value
			if name == nil { // a function that makes rows
				return true
			}
			sig := m.info.TypeOf(call.Args[1]).(*types.Signature)
			r := row{name: constant.StringVal(name), args: sig.Params().At(sig.Params().Len() - 1).Type()}
			switch fn := ast.Unparen(call.Args[1]).(type) {
			case *ast.SelectorExpr:
				r.fn = m.named[m.info.Uses[fn.Sel].(*types.Func)]
			case *ast.Ident:
				r.fn = m.named[m.info.Uses[fn].(*types.Func)]
			default:
				r.fn = fn
			}
			require.NotNil(t, r.fn, "the source of %s", r.name)
			out = append(out, r)
			return true
		})
	}
	return out
}

// carry notes a struct whose fields are members, with those embedded in it.
func (m *memberReader) carry(t types.Type) {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || m.args[t] {
		return
	}
	m.args[t] = true
	for f := range s.Fields() {
		if f.Embedded() {
			m.carry(f.Type())
		}
	}
}

// load parses and checks the package without its tests.
func load(t *testing.T) *memberReader {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles", ".")
	list.Stderr = os.Stderr
	raw, err := list.Output()
	require.NoError(t, err, "go list")
	type listed struct {
		ImportPath, Export, Dir string
		GoFiles                 []string
	}
	var self listed // the last one
	exports := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(raw)); ; {
		var l listed
		if err := dec.Decode(&l); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
		exports[l.ImportPath], self = l.Export, l
	}
	m := &memberReader{fset: token.NewFileSet(), named: map[*types.Func]*ast.FuncDecl{}, escapes: map[*ast.SelectorExpr]bool{},
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
	for _, name := range self.GoFiles {
		f, err := parser.ParseFile(m.fset, filepath.Join(self.Dir, name), nil, 0)
		require.NoError(t, err)
		m.files = append(m.files, f)
	}
	conf := types.Config{Importer: importer.ForCompiler(m.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	_, err = conf.Check(self.ImportPath, m.fset, m.files, m.info)
	require.NoError(t, err)
	for _, f := range m.files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				m.named[m.info.Defs[fn.Name].(*types.Func)] = fn
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if inner, ok := ast.Unparen(s.X).(*ast.SelectorExpr); ok && m.info.Selections[s] != nil && m.info.Selections[s].Kind() == types.FieldVal {
					m.escapes[inner] = true
				}
			}
			return true
		})
	}
	return m
}

// follow notes what a function reads, and what the functions read that it hands
// an argument struct to.
func (m *memberReader) follow(fn ast.Node) {
	if m.seen[fn] {
		return
	}
	m.seen[fn] = true
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			m.selector(n)
			m.use(n.Sel)
		case *ast.Ident:
			m.use(n)
		}
		return true
	})
}

// use follows a function of the package that takes an argument struct.
func (m *memberReader) use(id *ast.Ident) {
	fn, ok := m.info.Uses[id].(*types.Func)
	if !ok || m.named[fn] == nil {
		return
	}
	sig := fn.Type().(*types.Signature)
	takes := sig.Recv() != nil && (m.carries(sig.Recv().Type()) || m.concerns(sig.Recv().Type()))
	for i := range sig.Params().Len() {
		takes = takes || m.carries(sig.Params().At(i).Type())
	}
	if takes {
		m.follow(m.named[fn])
	}
}

// concerns reports whether a type has one of the fields also asked for.
func (m *memberReader) concerns(t types.Type) bool {
	return slices.ContainsFunc(m.also, func(f string) bool { s, _, _ := strings.Cut(f, "."); return s == typeName(t) })
}

// carries reports whether a type is the operation's argument struct or one that
// is embedded in it.
func (m *memberReader) carries(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	return m.args[t]
}

func typeName(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// selector notes the member that a selector on an argument struct reads.
func (m *memberReader) selector(x *ast.SelectorExpr) {
	sel := m.info.Selections[x]
	if sel == nil {
		return
	}
	if f := typeName(sel.Recv()) + "." + x.Sel.Name; slices.Contains(m.also, f) {
		m.read[x.Sel.Name] = true
	}
	at := sel.Recv()
	for i, k := range sel.Index() {
		if p, ok := at.(*types.Pointer); ok {
			at = p.Elem()
		}
		s, ok := at.Underlying().(*types.Struct)
		if !ok || sel.Kind() != types.FieldVal && i == len(sel.Index())-1 {
			return // a method, which use follows
		}
		f := s.Field(k)
		if tag := reflect.StructTag(s.Tag(k)).Get("json"); tag != "" && m.carries(at) {
			m.note(tag)
			return
		}
		at = f.Type()
	}
	if m.carries(at) && !m.escapes[x] {
		m.all(at)
	}
}

// all notes every member of a struct.
func (m *memberReader) all(t types.Type) {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := range s.NumFields() {
		if tag := reflect.StructTag(s.Tag(i)).Get("json"); tag != "" {
			m.note(tag)
		} else if s.Field(i).Embedded() {
			m.all(s.Field(i).Type())
		}
	}
}

func (m *memberReader) note(tag string) {
	name, _, _ := strings.Cut(tag, ",")
	if name != "op" && name != "-" {
		m.read[name] = true
	}
}

// CheckMembers proves that each operation reads all members of its argument
// struct: takes lists those, read is what MembersRead found.
func CheckMembers(t *testing.T, names []string, takes func(op string) []string, read map[string][]string) {
	t.Helper()
	require.ElementsMatch(t, names, slices.Collect(maps.Keys(read)), "the operations found in the source")
	for op, members := range read {
		require.Subset(t, members, takes(op), "members of %s that it does not read", op)
	}
}
