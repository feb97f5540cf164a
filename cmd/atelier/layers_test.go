package main

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
)

// layers is the order of docs/decisions/0001-layers.md: a package imports
// only packages of the same or a later rank, and formats and llm import no
// other packages of this module.
var layers = []struct {
	prefix string
	rank   int
}{
	{"atelier/cmd", 0},
	{"atelier/ipc", 1},
	{"atelier/engine", 2},
	{"atelier/workshop/agent", 3},
	{"atelier/workshop/translate/check", 4}, // the tools refuse the same
	{"atelier/workshop/translate/terms", 4},
	{"atelier/workshop/translate", 3},
	{"atelier/workshop/review", 4},
	{"atelier/workshop/tools", 4},
	{"atelier/workshop", 5},
	{"atelier/llm", 6},
	{"atelier/formats", 7},
	{"atelier/testdata", 7},
	{"atelier/packaging", 7},              // no part of the program
	{"atelier/docs", 7},                   // the generator of the site
	{"atelier/internal/crashtest", 3},     // kills processes that work on a workbench
	{"atelier/internal/tasks", 3},         // runs the program, and LibreOffice on what it made
	{"atelier/internal/replica/owner", 2}, // opens workbenches
	{"atelier/internal", 8},
}

func rank(pkg string) int {
	for _, l := range layers {
		if pkg == l.prefix || strings.HasPrefix(pkg, l.prefix+"/") {
			return l.rank
		}
	}
	return -1
}

// TestImportsPointDown checks the import rule with go list.
func TestImportsPointDown(t *testing.T) {
	out, err := exec.Command(need.Program(t, "go", "Go"), "list", "-json=ImportPath,Imports", "atelier/...").Output()
	require.NoError(t, err)
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for dec.More() {
		var p struct {
			ImportPath string
			Imports    []string
		}
		require.NoError(t, dec.Decode(&p))
		from := rank(p.ImportPath)
		require.NotEqual(t, -1, from, "%s has no place in the layers", p.ImportPath)
		seen++
		for _, imp := range p.Imports {
			if to := rank(imp); to >= 0 {
				require.GreaterOrEqual(t, to, from, "%s must not import %s", p.ImportPath, imp)
				if from == rank("atelier/llm") && to != rank("atelier/internal") {
					require.Equal(t, from, to, "%s must not import %s: llm knows nothing else of ours but helpers", p.ImportPath, imp)
				}
			}
		}
	}
	require.Greater(t, seen, 10)
}
