package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// retired are the retired words of docs/glossary.md. They may not be part of
// an identifier either.
var retired = []string{"purse", "deeds?", "clutter", "torture", "tongue", "needy", "seams?", "spotters?", "untie", "weave[rs]?", "weaving", "desks?"}

// protocolWords are uses of retired words in a public protocol.
var protocolWords = regexp.MustCompile(`WorkbenchGetClutter|WorkbenchClutterChanged`)

// TestRetiredWords searches every file of the project for the retired words
// of docs/glossary.md.
func TestRetiredWords(t *testing.T) {
	camel := regexp.MustCompile(`([a-z0-9])([A-Z])`)
	word := regexp.MustCompile(`(?i)\b(` + strings.Join(retired, "|") + `)\b`)
	read := 0
	require.NoError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" && path != "../../testdata" || d.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(path); ext != ".go" && ext != ".md" || strings.HasSuffix(path, "words_test.go") || strings.HasSuffix(path, "glossary.md") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		for i, line := range strings.Split(string(b), "\n") {
			line = camel.ReplaceAllString(protocolWords.ReplaceAllString(line, ""), "$1 $2")
			line = strings.ReplaceAll(line, "_", " ")
			if m := word.FindString(line); m != "" {
				t.Errorf("%s:%d: %q is retired; docs/glossary.md has the word to use", path, i+1, m)
			}
		}
		return nil
	}))
	require.Greater(t, read, 500)
}
