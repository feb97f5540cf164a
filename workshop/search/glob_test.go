package search

import (
	"runtime"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/workshop"
)

func globbed(t *testing.T, v workshop.View, dir string, patterns ...string) string {
	t.Helper()
	got, err := Glob(ctx, v, GlobOptions{Patterns: patterns, Dir: workshop.Path(dir)})
	require.NoError(t, err)
	return strings.Join(paths(got), " ")
}

// B10-02, B10-03, B10-06, C-17…C-19.
func TestGlob(t *testing.T) {
	files := map[string]string{}
	for _, p := range []string{"main.rs", "src/lib.rs", "src/deep/er/x.rs", "test_a.rs", "a_test_b.rs", "README.md", "docs/a.md", "a/file.txt", "a/b/file.txt", "file.txt",
		".git/x.rs", ".hidden.rs", "src/.secret/y.rs", "we[i]rd.md", "é.md"} {
		files[p] = p
	}
	both(t, view(t, files), func(t *testing.T, v workshop.View) {
		for _, c := range []struct{ dir, pattern, want string }{
			{"", "*.rs", "a_test_b.rs main.rs src/deep/er/x.rs src/lib.rs test_a.rs"},
			{"src", "*.rs", "src/deep/er/x.rs src/lib.rs"},
			{"", "test_*.rs", "test_a.rs"},
			{"", "**/*.md", "README.md docs/a.md we[i]rd.md é.md"},
			{"", "/src/**/*.rs", "src/deep/er/x.rs src/lib.rs"},
			{"docs", "/src/**/*.rs", "src/deep/er/x.rs src/lib.rs"},
			{"", "src/*.rs", "src/lib.rs"},
			{"", "*/file.txt", "a/file.txt"},
			{"", "{docs,src/deep}/**", "docs docs/a.md src/deep src/deep/er src/deep/er/x.rs"},
			{"", "docs/**", "docs docs/a.md"},
			{"docs", "/src/deep/**", "src/deep src/deep/er src/deep/er/x.rs"},
			{"", "?.md", "docs/a.md é.md"},
			{"", `we\[i\]rd.md`, "we[i]rd.md"},
			{"", "[!a-z]*.md", "README.md é.md"},
			{"", "src", "src"},
			{"", ".*.rs", ".hidden.rs"},
			{"", ".git/*", ".git/x.rs"},
			{".git", "*.rs", ".git/x.rs"},
			{"", "src/.*/*.rs", "src/.secret/y.rs"},
			{"nowhere", "*.rs", ""},
			{"main.rs", "*", ""},
			{"", "nothing*", ""},
			{"", "src//lib.rs", "src/lib.rs"},
			{"", "./src/lib.rs", "src/lib.rs"},
			{"", "{a,b", "!"}, {"", "[a", "!"}, {"", "..", "!"}, {"", "../*", "!"}, {"", "{a/..,b}/c", "!"}, {"", " ", "!"}, {"", "", "!"},
			{"", strings.Repeat("{a,b}", 11), "!"}, {"", strings.Repeat("*", maxPattern+1), "!"}, {"", strings.Repeat("a/", 4999), "!"},
		} {
			if c.want == "!" {
				_, err := Glob(ctx, v, GlobOptions{Patterns: []string{c.pattern}, Dir: workshop.Path(c.dir)})
				requireInvalid(t, err, "pattern")
				continue
			}
			require.Equal(t, c.want, globbed(t, v, c.dir, c.pattern), "%q in %q", c.pattern, c.dir)
		}
		require.Equal(t, "README.md docs/a.md main.rs", globbed(t, v, "", "docs/*", "ma*.rs", "README.md", "main.rs"), "each once (B10-01)")
		_, err := Glob(ctx, v, GlobOptions{})
		requireInvalid(t, err, "pattern")
	})
}

// B10-02: walking with states gives the same result as matching every path
// with doublestar.
func TestGlobEqualsMatchingEveryPath(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "b", "ab", "*", "?", "a*", "*b", "**", "[ab]", "{a,b}", "{a/b,b}", "*a*"})
	name := rapid.SampledFrom([]string{"a", "b", "ab", "ba", "c"})
	rapid.Check(t, func(rt *rapid.T) {
		files := memory{}
		for range rapid.IntRange(1, 12).Draw(rt, "n") {
			p := strings.Join(rapid.SliceOfN(name, 1, 4).Draw(rt, "path"), "/") + ".f"
			files[p] = ""
		}
		pattern := strings.Join(rapid.SliceOfN(part, 1, 4).Draw(rt, "pattern"), "/")
		if rapid.Bool().Draw(rt, "ext") {
			pattern += ".f"
		}
		if !strings.Contains(pattern, "/") {
			pattern = "/" + pattern
		}
		got, err := Glob(ctx, files, GlobOptions{Patterns: []string{pattern}})
		require.NoError(rt, err)
		have := map[string]bool{}
		for _, e := range got {
			require.False(rt, have[string(e.Path)], "once")
			have[string(e.Path)] = true
		}
		all := map[string]bool{}
		for p := range files {
			for i := range p {
				if p[i] == '/' {
					all[p[:i]] = true
				}
			}
			all[p] = true
		}
		for p := range all {
			// a/** also matches a; doublestar does so only if a has no
			// wildcard.
			want, rest := false, strings.TrimPrefix(pattern, "/")
			for again := true; again && !want; rest, again = strings.CutSuffix(rest, "/**") {
				var err error
				want, err = doublestar.Match(rest, p)
				require.NoError(rt, err)
			}
			require.Equal(rt, want, have[p], "%q against %q", pattern, p)
		}
	})
}

// B12-01…B12-05, C-27.
func TestFind(t *testing.T) {
	mark := `\` // which is an ordinary character of names, but on Windows
	if runtime.GOOS == "windows" {
		mark = "^"
	}
	files := map[string]string{"big.bin": strings.Repeat("x", 1<<20), "a/one.txt": "1", "a/b/two.txt": "22", "a/b/{x}.txt": "333", ".dot": "", "b" + mark + "s.txt": "4"}
	both(t, view(t, files), func(t *testing.T, v workshop.View) {
		find := func(opt FindOptions) string {
			got, err := Find(ctx, v, opt)
			require.NoError(t, err)
			return strings.Join(paths(got), " ")
		}
		size := func(n int64) *int64 { return &n }
		require.Equal(t, ".dot a b"+mark+"s.txt big.bin", find(FindOptions{}))
		require.Equal(t, ".dot a a/b a/b/two.txt a/b/{x}.txt a/one.txt b"+mark+"s.txt big.bin", find(FindOptions{Recursive: true}))
		require.Equal(t, "a/b/two.txt a/one.txt", find(FindOptions{Name: "*o*.txt", Recursive: true}))
		require.Equal(t, "a/b/{x}.txt", find(FindOptions{Name: "{x}*", Recursive: true}))
		require.Equal(t, "b"+mark+"s.txt", find(FindOptions{Name: "b" + mark + "s.???", Recursive: true}))
		require.Equal(t, "a/b/two.txt", find(FindOptions{Name: "[!o]wo*", Dir: "a", Recursive: true}))
		require.Equal(t, "a a/b", find(FindOptions{Folders: true, Recursive: true}))
		require.Equal(t, "a/one.txt", find(FindOptions{Files: true, Dir: "a"}))
		require.Equal(t, "", find(FindOptions{MinSize: size(1 << 20), Recursive: true}), "strictly larger")
		require.Equal(t, "big.bin", find(FindOptions{MinSize: size(1<<20 - 1), Recursive: true}))
		require.Equal(t, ".dot a/one.txt b"+mark+"s.txt", find(FindOptions{MaxSize: size(2), Recursive: true}))
		require.Equal(t, ".dot a", find(FindOptions{Limit: 2, Recursive: true}))
		require.Equal(t, "a/b/two.txt", find(FindOptions{Recursive: true, Keep: func(e workshop.Entry) bool { return e.Size == 2 }}))
		_, err := Find(ctx, v, FindOptions{Dir: "nope"})
		require.True(t, workshop.IsFault(err, workshop.NotFound))
		require.EqualError(t, err, "Base path not found: /nope")
		_, err = Find(ctx, v, FindOptions{Dir: "a/one.txt"})
		requireInvalid(t, err, "path")
		require.EqualError(t, err, "Base path is not a directory: /a/one.txt")
		for _, name := range []string{"[", "a/b", strings.Repeat("a", maxPattern+1)} {
			_, err = Find(ctx, v, FindOptions{Name: name})
			requireInvalid(t, err, "name")
		}
	})
}
