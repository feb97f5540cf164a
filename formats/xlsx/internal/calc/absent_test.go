package calc

import (
	goflag "flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/formula"
)

var update = goflag.Bool("update", false, "write the list of functions in docs/formats.md anew")

// Each function of Excel is calculated or listed with the reason why not, and none is
// both.
func TestAbsentFunctions(t *testing.T) {
	listed := map[string]bool{}
	for _, a := range AbsentFunctions() {
		for _, name := range a.Names {
			require.True(t, formula.Known(name), name)
			require.False(t, listed[name], name)
			listed[name] = true
			require.True(t, functions[name] == nil, name)
		}
	}
	seen := 0
	for _, file := range []string{"functions.go", "stored.go"} {
		text, err := os.ReadFile(filepath.Join("..", "formula", file))
		require.NoError(t, err)
		for _, name := range regexp.MustCompile(`[A-Z][A-Z0-9.]+`).FindAllString(string(text), -1) {
			if !formula.Known(name) || name == "SINGLE" || name == "ANCHORARRAY" {
				continue // the last two are operators
			}
			seen++
			require.True(t, functions[name] != nil || listed[name], name)
		}
	}
	require.Greater(t, seen, 500)
	checkFormulas(t, sheetOf(), `INFO("system")`, `?function`, `GETPIVOTDATA("a",B1)`, `?function`)
}

// The documentation lists the functions as they are.
func TestListOfFunctions(t *testing.T) {
	path := filepath.Join(formatstest.Root(t), "docs", "formats.md")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	const end = "<!-- end of functions -->"
	before, rest, ok := strings.Cut(string(text), "<!-- functions: ")
	require.True(t, ok)
	note, rest, _ := strings.Cut(rest, "\n")
	have, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := functionTable()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(before+"<!-- functions: "+note+"\n"+want+end+after), 0o644))
		return
	}
	require.Equal(t, want, have, "run with -update")
}

func functionTable() string {
	var sb strings.Builder
	known := Functions()
	fmt.Fprintf(&sb, "%d functions are calculated: %s.\n\n", len(known), strings.Join(known, ", "))
	sb.WriteString("Not calculated, so that formulas with them keep or lose their values as described above:\n\n| functions | reason |\n|---|---|\n")
	for _, a := range AbsentFunctions() {
		fmt.Fprintf(&sb, "| %s | %s |\n", strings.Join(a.Names, ", "), a.Reason)
	}
	return sb.String()
}
