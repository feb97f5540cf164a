package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/docpages"
)

var (
	declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	// A name is that of a test; with "…" or "*" behind it, the beginning of some.
	testName = regexp.MustCompile(`\b((?:Test|Fuzz|Benchmark)[A-Z]\w*)(…|\*)?`)
	codePath = regexp.MustCompile(`^(?:cmd|docs|engine|formats|internal|ipc|llm|packaging|testdata|workshop)/[\w./*-]+$`)
	// goTest finds the packages and the rest of a call of go test.
	goTest   = regexp.MustCompile(`go test ((?:[^|;\n]*? )??)(\./[\w./]+(?: \./[\w./]+)*)([^;\n\x60]*)`)
	selected = regexp.MustCompile(`-(run|bench|fuzz) ('[^']*'|[\w.^$/]+)`)
)

// TestNamedTests: each test, each file and each selection of tests (go test … -run X) that a
// page names is in the repository.
func TestNamedTests(t *testing.T) {
	tests := testsOf(t, "../..")
	paths, err := docpages.Find("../..")
	require.NoError(t, err)
	named, files, calls := 0, 0, 0
	for _, p := range paths {
		page, err := docpages.Read(p)
		require.NoError(t, err)
		name := strings.TrimPrefix(filepath.ToSlash(p), "../../")
		for i, line := range strings.Split(string(page.Source), "\n") {
			for _, m := range testName.FindAllStringSubmatch(line, -1) {
				named++
				if !tests.has(m[1], m[2] != "") {
					t.Errorf("%s:%d: there is no %s", name, i+1, m[0])
				}
			}
			for _, m := range goTest.FindAllStringSubmatch(line, -1) {
				calls++
				for _, call := range selected.FindAllStringSubmatch(m[1]+m[3], -1) {
					if want := strings.Trim(call[2], "'"); !tests.selects(t, call[1], want, strings.Fields(m[2])) {
						t.Errorf("%s:%d: -%s %s selects nothing in %s", name, i+1, call[1], want, m[2])
					}
				}
			}
		}
		for _, code := range page.Codes() {
			if !codePath.MatchString(code.Text) {
				continue
			}
			files++
			found, err := filepath.Glob(filepath.Join("../..", strings.ReplaceAll(code.Text, "NAME", "*")))
			require.NoError(t, err)
			if len(found) == 0 {
				t.Errorf("%s:%d: %s does not exist", name, code.Line, code.Text)
			}
		}
	}
	require.Greater(t, named, 1000)
	require.Greater(t, files, 150)
	require.Greater(t, calls, 40)
}

// repoTests are the names of tests by the folder of their package.
type repoTests map[string][]string

func testsOf(t *testing.T, root string) repoTests {
	found := repoTests{}
	require.NoError(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, "_test.go") {
			return nil
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(p))
		if err != nil {
			return err
		}
		for _, m := range declared.FindAllSubmatch(b, -1) {
			found[filepath.ToSlash(rel)] = append(found[filepath.ToSlash(rel)], string(m[1]))
		}
		return nil
	}))
	return found
}

// has reports whether there is a test of a name, or with begins one that begins so.
func (r repoTests) has(name string, begins bool) bool {
	for _, names := range r {
		if slices.Contains(names, name) || begins && slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, name) }) {
			return true
		}
	}
	return false
}

// selects reports whether the pattern of -run, -bench or -fuzz finds something in packages
// such as ./engine or ./formats/...; '^$' is meant to find nothing.
func (r repoTests) selects(t *testing.T, flag, pattern string, packages []string) bool {
	if pattern == "^$" || pattern == "." {
		return true
	}
	// Behind a slash is a part of a test.
	var tops []string
	for _, p := range strings.Split(pattern, "|") {
		top, _, _ := strings.Cut(p, "/")
		tops = append(tops, top)
	}
	want, err := regexp.Compile(strings.Join(tops, "|"))
	require.NoError(t, err)
	kinds := map[string]string{"run": "Test", "bench": "Benchmark", "fuzz": "Fuzz"}
	for dir, names := range r {
		in := slices.ContainsFunc(packages, func(p string) bool {
			p = strings.TrimPrefix(p, "./")
			if below, all := strings.CutSuffix(p, "..."); all {
				return strings.HasPrefix(dir+"/", path.Clean(below)+"/")
			}
			return dir == path.Clean(p)
		})
		if in && slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, kinds[flag]) && want.MatchString(n) }) {
			return true
		}
	}
	return false
}
