package xlsx

import (
	"bytes"
	"encoding/json"
	"go/ast"
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
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// membersRead finds in the source of the package in the current folder which
// members of its struct Operation each operation reads: handlers are the
// functions that carry them out, by the names of the operations. A function
// that an operation is handed on to counts as a part of the handler, an
// embedded struct that is handed on as a whole as all of its members.
//
// also are fields of other structs, such as "editing.rev", that are reported
// beside the members where a handler reads them.
func membersRead(t *testing.T, handlers map[string]any, also ...string) map[string][]string {
	t.Helper()
	m := loadPackage(t)
	m.also = also
	out := map[string][]string{}
	for op, fn := range handlers {
		m.read, m.seen = map[string]bool{}, map[ast.Node]bool{}
		m.follow(m.declared(t, fn))
		out[op] = slices.Sorted(maps.Keys(m.read))
	}
	return out
}

// memberReader looks for selectors of Operation through functions.
type memberReader struct {
	fset      *token.FileSet
	files     []*ast.File
	info      *types.Info
	operation *types.Struct
	named     map[*types.Func]*ast.FuncDecl
	escapes   map[*ast.SelectorExpr]bool // selectors that another one goes on from
	also      []string
	read      map[string]bool
	seen      map[ast.Node]bool
}

// loadPackage parses and checks the package without its tests.
func loadPackage(t *testing.T) *memberReader {
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
		info: &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
	for _, name := range self.GoFiles {
		f, err := parser.ParseFile(m.fset, filepath.Join(self.Dir, name), nil, 0)
		require.NoError(t, err)
		m.files = append(m.files, f)
	}
	conf := types.Config{Importer: importer.ForCompiler(m.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	pkg, err := conf.Check(self.ImportPath, m.fset, m.files, m.info)
	require.NoError(t, err)
	m.operation = pkg.Scope().Lookup("Operation").Type().Underlying().(*types.Struct)
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

// declared is the source of a function value: it begins where the function does.
func (m *memberReader) declared(t *testing.T, fn any) ast.Node {
	t.Helper()
	f := runtime.FuncForPC(reflect.ValueOf(fn).Pointer())
	file, line := f.FileLine(f.Entry())
	var found ast.Node
	for _, src := range m.files {
		if filepath.Base(m.fset.Position(src.Pos()).Filename) != filepath.Base(file) {
			continue
		}
		ast.Inspect(src, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				if m.fset.Position(n.Pos()).Line == line {
					found = n
				}
			}
			return true
		})
	}
	require.NotNil(t, found, "the source of %s (%s:%d)", f.Name(), file, line)
	return found
}

// follow notes what a function reads, and what those read that it hands an
// operation to.
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

// use follows a function of the package that takes an operation.
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

// carries reports whether a type is Operation or a struct that embeds it.
func (m *memberReader) carries(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if typeName(t) == "Operation" {
		return true
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Embedded() && typeName(f.Type()) == "Operation" {
			return true
		}
	}
	return false
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

// selector notes the member that a selector on an operation reads.
func (m *memberReader) selector(x *ast.SelectorExpr) {
	sel := m.info.Selections[x]
	if sel == nil {
		return
	}
	if f := typeName(sel.Recv()) + "." + x.Sel.Name; slices.Contains(m.also, f) {
		m.read[x.Sel.Name] = true
	}
	if !m.carries(sel.Recv()) {
		if inner, ok := ast.Unparen(x.X).(*ast.SelectorExpr); ok && m.embedded(inner) != nil && sel.Kind() == types.FieldVal {
			m.leaf(sel, m.embedded(inner))
		}
		return
	}
	st := sel.Recv()
	if p, ok := st.(*types.Pointer); ok {
		st = p.Elem()
	}
	within := st.Underlying() == m.operation
	path := sel.Index()
	for i, k := range path {
		s, ok := st.Underlying().(*types.Struct)
		if !ok || i == len(path)-1 && sel.Kind() != types.FieldVal {
			return
		}
		f, tag := s.Field(k), reflect.StructTag(s.Tag(k)).Get("json")
		if within && tag != "" {
			m.note(tag)
			return
		}
		within = within || typeName(f.Type()) == "Operation"
		last := i == len(path)-1
		promoted := i == len(path)-2 && sel.Kind() == types.MethodVal
		if within && typeName(f.Type()) != "Operation" && promoted {
			m.method(sel.Obj().(*types.Func))
			return
		}
		if within && typeName(f.Type()) != "Operation" && last && !m.escapes[x] {
			m.all(f.Type())
			return
		}
		st = f.Type()
		if p, ok := st.(*types.Pointer); ok {
			st = p.Elem()
		}
	}
}

// method notes what a method of an embedded struct reads of it.
func (m *memberReader) method(fn *types.Func) {
	on := typeName(fn.Signature().Recv().Type())
	ast.Inspect(m.named[fn], func(n ast.Node) bool {
		x, ok := n.(*ast.SelectorExpr)
		if !ok || m.info.Selections[x] == nil || typeName(m.info.Selections[x].Recv()) != on {
			return true
		}
		if s, ok := fn.Signature().Recv().Type().Underlying().(*types.Struct); ok && m.info.Selections[x].Kind() == types.FieldVal {
			m.leaf(m.info.Selections[x], s)
		}
		return true
	})
}

// embedded is the struct that a selector such as op.Font names, nil when it is
// none of the operation's.
func (m *memberReader) embedded(x *ast.SelectorExpr) *types.Struct {
	sel := m.info.Selections[x]
	if sel == nil || sel.Kind() != types.FieldVal || !m.carries(sel.Recv()) {
		return nil
	}
	v, ok := sel.Obj().(*types.Var)
	if !ok || !v.Embedded() || typeName(v.Type()) == "Operation" {
		return nil
	}
	s, _ := v.Type().Underlying().(*types.Struct)
	return s
}

// leaf notes the member that a selector on an embedded struct reads.
func (m *memberReader) leaf(sel *types.Selection, s *types.Struct) {
	for _, k := range sel.Index() {
		tag := reflect.StructTag(s.Tag(k)).Get("json")
		if tag != "" {
			m.note(tag)
			return
		}
		inner, ok := s.Field(k).Type().Underlying().(*types.Struct)
		if !ok {
			return
		}
		s = inner
	}
	m.all(s)
}

// all notes every member of a struct.
func (m *memberReader) all(t types.Type) {
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

// checkMembers proves that each operation reads exactly the members that its
// line names: takes gives those, refused are members that an operation reads
// only to refuse them, by its name.
func checkMembers(t *testing.T, takes func(op string) []string, read map[string][]string, refused map[string][]string) {
	t.Helper()
	require.NotEmpty(t, read)
	for op, members := range read {
		named := takes(op)
		for _, m := range named {
			require.Contains(t, members, m, "the line of %s names %s, which the operation does not read", op, m)
		}
		for _, m := range members {
			if !slices.Contains(refused[op], m) {
				require.Contains(t, named, m, "%s reads %s, which its line does not name", op, m)
			}
		}
	}
}
