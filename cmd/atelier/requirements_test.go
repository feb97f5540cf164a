package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

var update = flag.Bool("update", false, "rewrite generated files")

// TestRequirementsTable generates docs/requirements.md with -update: for each
// number, the tests and scripts that name it. Without -update, it checks that
// no number has lost its tests.
func TestRequirementsTable(t *testing.T) {
	root := formatstest.Root(t)
	path := filepath.Join(root, "docs", "requirements.md")
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(string(have), "\n")
	known := map[string]bool{}
	for _, l := range lines {
		if id := requirementOf(l); id != "" {
			known[id] = true
		}
	}
	require.Greater(t, len(known), 300)
	proofs := proofsIn(t, root, known)
	for i, l := range lines {
		id := requirementOf(l)
		if id == "" {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(l, " |"), " | ")
		what := strings.TrimSuffix(strings.Join(cells[:3], " | "), " |")
		lines[i] = what + " | " + cell(proofs[id]) + " |"
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644))
		return
	}
	checkNamed(t, string(have), proofs)
	// A new test needs no new table at once; a number that lost its tests
	// does.
	for i, was := range strings.Split(string(have), "\n") {
		if id := requirementOf(was); id != "" && len(proofs[id]) == 0 && !strings.HasSuffix(was, "|  |") {
			t.Errorf("nothing proves %s any more; before: %s", id, lines[i])
		}
	}
}

// checkNamed checks the table itself: each named test exists, no requirement
// is cut short, and each statement of a source document that is not optional
// has a test.
func checkNamed(t *testing.T, table string, proofs map[string][]string) {
	there := map[string]bool{}
	for _, list := range proofs {
		for _, p := range list {
			there[p] = true
		}
	}
	for l := range strings.Lines(table) {
		id := requirementOf(l)
		if id == "" {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimSpace(l), " |"), " | ")
		for _, named := range proofNames.FindAllString(cells[len(cells)-1], -1) {
			require.True(t, there[named], "%s names %s, which is not there; run with -update", id, named)
		}
		require.NotRegexp(t, `(…|→|\(code)$`, cells[2], "%s is cut short", id)
		if fromSource.MatchString(cells[1]) && !strings.Contains(cells[1], "may") && !unproved[id] {
			require.NotEmpty(t, proofs[id], "%s is a statement of a source document, and no test names it", id)
		}
	}
}

// unproved are statements of a source document that no test can check.
var unproved = map[string]bool{}

var (
	proofNames = regexp.MustCompile("`[^`]+`( \\([^)]*\\))?")
	fromSource = regexp.MustCompile(`TUL-001|READ-URI|AGN-007|ADR-0010|TOOLS-API`)
)

var rowStart = regexp.MustCompile(`^\| ([A-Z]{1,2}\d{0,2}-\d{2}) \|`)

func requirementOf(line string) string {
	if m := rowStart.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

// cell lists at most three tests.
func cell(proofs []string) string {
	slices.Sort(proofs)
	proofs = slices.Compact(proofs)
	if n := len(proofs); n > 3 {
		return strings.Join(proofs[:3], ", ") + fmt.Sprintf(" and %d more", n-3)
	}
	return strings.Join(proofs, ", ")
}

// proofsIn searches every Go test, script and transcript for numbers.
func proofsIn(t *testing.T, root string, known map[string]bool) map[string][]string {
	proofs := map[string][]string{}
	note := func(text, by string) {
		for id := range numbersIn(text) {
			if known[id] {
				proofs[id] = append(proofs[id], by)
			}
		}
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && (d.Name() == ".git" || d.Name() == "_try") {
				return fs.SkipDir
			}
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		switch {
		case strings.HasSuffix(rel, "_test.go"):
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok || !regexp.MustCompile(`^(Test|Fuzz|Benchmark)`).MatchString(f.Name.Name) || f.Recv != nil {
					continue
				}
				start := f.Pos()
				if f.Doc != nil {
					start = f.Doc.Pos()
				}
				note(string(src[start-file.FileStart:f.End()-file.FileStart]), fmt.Sprintf("`%s` (%s)", f.Name.Name, filepath.ToSlash(filepath.Dir(rel))))
			}
		case strings.HasSuffix(rel, ".txtar"):
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			head, _, _ := strings.Cut(string(src), "\n-- ")
			note(head, "`"+rel+"`")
		}
		return nil
	})
	require.NoError(t, err)
	return proofs
}

var (
	number  = regexp.MustCompile(`\b([A-Z]{1,2}\d{0,2})-(\d{2})\b(?:…([A-Z]{1,2}\d{0,2})-(\d{2})\b)?`)
	inNames = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)(?:(B)(\d{1,2})(\d{2})|([A-Z]{1,2})(\d{2}))[A-Z_(]`)
)

// numbersIn finds B3-03, W-06…W-08, and the numbers in TestB303… and
// TestK06….
func numbersIn(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range number.FindAllStringSubmatch(text, -1) {
		from, _ := strconv.Atoi(m[2])
		to := from
		if m[3] == m[1] {
			to, _ = strconv.Atoi(m[4])
		}
		for n := from; n <= to; n++ {
			out[fmt.Sprintf("%s-%02d", m[1], n)] = true
		}
	}
	for _, m := range inNames.FindAllStringSubmatch(text, -1) {
		if m[1] != "" {
			out[m[1]+m[2]+"-"+m[3]] = true
		} else {
			out[m[4]+"-"+m[5]] = true
		}
	}
	return out
}

func TestNumbersIn(t *testing.T) {
	for text, want := range map[string][]string{
		"// W-06…W-08, W-21: words":      {"W-06", "W-07", "W-08", "W-21"},
		"func TestK06UndoToMessage(":     {"K-06"},
		"func TestB303Exists(":           {"B3-03"},
		"func TestB1502X(":               {"B15-02"},
		"func TestB05EditImports(":       {"B-05"},
		`{"B8-06", "insert", "UTF-8"}`:   {"B8-06"},
		"ISO-8859-15 and SHA-256, UTF-8": {},
	} {
		got := []string{}
		for id := range numbersIn(text) {
			got = append(got, id)
		}
		slices.Sort(got)
		require.Equal(t, want, got, text)
	}
}
