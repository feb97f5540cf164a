package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSecurityNamesTests: each test that SECURITY.md names is in the file that it
// names, and each row of its tables names one.
func TestSecurityNamesTests(t *testing.T) {
	b, err := os.ReadFile("../../SECURITY.md")
	require.NoError(t, err)
	group := regexp.MustCompile("((?:`Test\\w+`(?:, )?)+) \\(`([\\w/.]+_test\\.go)`\\)")
	name := regexp.MustCompile("`(Test\\w+)`")
	tests := 0
	for line := range strings.Lines(string(b)) {
		found := group.FindAllStringSubmatch(line, -1)
		if strings.HasPrefix(line, "| ") && !strings.HasSuffix(line, "| test |\n") {
			require.NotEmpty(t, found, "no test: %s", line)
		}
		named := 0
		for _, m := range found {
			source, err := os.ReadFile("../../" + m[2])
			require.NoError(t, err)
			for _, n := range name.FindAllStringSubmatch(m[1], -1) {
				named++
				require.Contains(t, string(source), "func "+n[1]+"(", m[2])
			}
		}
		tests += named
		if named > 0 {
			require.Len(t, name.FindAllString(line, -1), named, "a test without its file: %s", line)
		}
	}
	require.Greater(t, tests, 30)
}
