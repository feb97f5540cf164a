package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each direct dependency has its row in docs/decisions/0037-dependencies.md, and
// there is no row of another.
func TestDependenciesAreExplained(t *testing.T) {
	out, err := exec.Command("go", "mod", "edit", "-json", "../../go.mod").Output()
	require.NoError(t, err)
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	require.NoError(t, json.Unmarshal(out, &mod))
	var direct, rows []string
	for _, r := range mod.Require {
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	page, err := os.ReadFile("../../docs/decisions/0037-dependencies.md")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .+ \\| .+ \\|$").FindAllStringSubmatch(string(page), -1) {
		rows = append(rows, m[1])
	}
	require.ElementsMatch(t, direct, rows)
	require.Greater(t, len(rows), 20)
}
