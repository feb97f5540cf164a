package docs_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// F-05: no call of path, filepath or os takes a docPath: it is a key, not a
// path. What is one is told by its name.
func TestF05Opaque(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	files := 0
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		for _, call := range taken(f) {
			t.Errorf("%s: %s", name, call)
		}
		return nil
	}))
	assert.Greater(t, files, 300)

	f, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
		func _() { path.Base(string(a.DocPath)); filepath.Clean(docPath); os.Open(name); path.Join(dir, string(doc)); path.Join("doc", documents) }`, 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"path.Base(string(a.DocPath))", "filepath.Clean(docPath)", "path.Join(dir, string(doc))"}, taken(f), "the check bites")
}

var docPath = regexp.MustCompile(`(?i)doc_?path|\bdoc\b`)

// taken are the calls that take a docPath.
func taken(f *ast.File) []string {
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := fun.X.(*ast.Ident)
		if !ok || pkg.Name != "path" && pkg.Name != "filepath" && pkg.Name != "os" {
			return true
		}
		for _, a := range call.Args {
			switch a.(type) {
			case *ast.BasicLit, *ast.FuncLit:
				continue
			}
			if docPath.MatchString(text(a)) {
				out = append(out, text(call))
				break
			}
		}
		return true
	})
	return out
}

func text(n ast.Node) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, token.NewFileSet(), n)
	return b.String()
}
