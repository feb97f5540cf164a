package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// D-01: the page has exactly the exit codes of the program. The script
// exit_codes.txtar produces each.
func TestExitCodesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/command_line.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(page), "| code | means |\n|---|---|\n")
	require.True(t, ok)
	var want strings.Builder
	var codes []int
	for _, c := range exitCodes() {
		fmt.Fprintf(&want, "| %d | %s |\n", c.code, c.means)
		codes = append(codes, c.code)
	}
	require.Equal(t, want.String(), table)
	require.ElementsMatch(t, codes, declaredExits(t))
}

// declaredExits returns the values of all constants whose names begin with
// exit. os.Exit is called with no other number.
func declaredExits(t *testing.T) (codes []int) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		codes = append(codes, exitsOf(t, f)...)
	}
	return codes
}

func exitsOf(t *testing.T, f *ast.File) (codes []int) {
	t.Helper()
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if lit := (*ast.BasicLit)(nil); strings.HasPrefix(name.Name, "exit") && i < len(n.Values) {
					lit, _ = n.Values[i].(*ast.BasicLit)
					require.NotNil(t, lit, name.Name)
					code, err := strconv.Atoi(lit.Value)
					require.NoError(t, err)
					codes = append(codes, code)
				}
			}
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Exit" {
				_, isLit := n.Args[0].(*ast.BasicLit)
				require.False(t, isLit, "os.Exit with a number")
			}
		}
		return true
	})
	return codes
}
