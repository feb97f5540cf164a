package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"atelier/internal/need"
)

// overstruck matches what is printed twice to be bold.
var overstruck = regexp.MustCompile(".\b")

// Each command that help shows has its page, with all its flags, and groff has nothing
// to say of any.
func TestManPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	require.NoError(t, exec.Command(program(t), "docs", "man", dir, "--date", "2026-11-27").Run())
	pages := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		b, err := os.ReadFile(filepath.Join(dir, manName(c)+".1"))
		require.NoError(t, err)
		pages++
		page := string(b)
		require.Contains(t, page, `1 2026-11-27 "atelier `)
		require.Contains(t, page, roff(c.Short))
		for _, sub := range subcommands(c) {
			require.Contains(t, page, `\fB`+roff(manName(sub))+`\fR(1)`)
			walk(sub)
		}
		if c.Flags().Lookup("json") != nil {
			require.Contains(t, page, `\fB\-\-json\fR`, c.CommandPath())
		}
	}
	walk(newRoot(&settings{}))
	files, err := filepath.Glob(filepath.Join(dir, "*.1"))
	require.NoError(t, err)
	require.Len(t, files, pages+5, "completion and its four shells too")
	_, err = os.Stat(filepath.Join(dir, "atelier-docs.1"))
	require.ErrorIs(t, err, os.ErrNotExist, "hidden commands have none")

	out, err := exec.Command(program(t), "docs", "man", dir).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "no day such as")

	groff := need.Program(t, "groff", "groff")
	out, err = exec.Command(groff, append([]string{"-man", "-Tutf8", "-ww", "-z"}, files...)...).CombinedOutput()
	require.NoError(t, err)
	require.Empty(t, string(out))
	out, err = exec.Command(groff, "-man", "-Tutf8", "-P-c", filepath.Join(dir, "atelier-run.1")).Output()
	require.NoError(t, err)
	for _, words := range []string{"ATELIER-RUN(1)", "--allow-egress", "atelier run "} {
		require.Contains(t, overstruck.ReplaceAllString(string(out), ""), words)
	}
}

func TestRoff(t *testing.T) {
	require.Equal(t, "\\&.SH\na\\eb \\-\\-x \\(aq", roff(".SH\na\\b --x '"))
	require.Equal(t, `a\[u2026]`, roff("a…"))
}
