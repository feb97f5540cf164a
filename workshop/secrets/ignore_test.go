package secrets

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"atelier/internal/need"

	"github.com/stretchr/testify/require"
)

// The list has the same meaning as in git: random patterns over a tree of
// files, compared with git check-ignore.
func TestIgnoreAsGit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("git for Windows matches paths with other rules of case")
	}
	git := need.Program(t, "git", "git")
	dir := t.TempDir()
	require.NoError(t, exec.Command(git, "init", "-q", dir).Run())
	var files []string
	names := []string{"a", "b", "a.txt", "b.txt", "ab", "a b", "#a", "!a", "a]", "a-b", "A", ".a", "a*"}
	folders := []string{"", "a/", "b/", "a/b/", "a/a/", "b/a/b/", "ab/a.txt/"}
	for _, d := range folders {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "x", d), 0o700))
	}
	for _, d := range folders {
		for _, n := range names {
			p := d + n
			if os.WriteFile(filepath.Join(dir, "x", p), nil, 0o600) == nil { // else a folder has that name
				files = append(files, p)
			}
		}
	}
	pieces := []string{"a", "b", "*", "**", "/", "/", "?", ".txt", "[ab]", "[!a]", "[^b]", "[a-b]", "[[:alpha:]]", "[]a]", `\*`, `\ `, " ", "-", "[", "]", "ab", "#", "!", `\#`, `\!`, `\`, "***", "/**/", "**/", "/**"}
	rnd := rand.New(rand.NewPCG(12, 41))
	checked, ignored := 0, 0
	for range 400 {
		var lines []string
		for range 1 + rnd.IntN(4) {
			var sb strings.Builder
			if rnd.IntN(5) == 0 {
				sb.WriteString("!")
			}
			for range 1 + rnd.IntN(4) {
				sb.WriteString(pieces[rnd.IntN(len(pieces))])
			}
			lines = append(lines, sb.String())
		}
		text := strings.Join(lines, []string{"\n", "\r\n"}[rnd.IntN(2)])
		require.NoError(t, os.WriteFile(filepath.Join(dir, "x", ".gitignore"), []byte(text+"\n"), 0o600))
		cmd := exec.Command(git, "-c", "core.ignorecase=false", "check-ignore", "--no-index", "--stdin", "-z", "-v", "-n")
		cmd.Dir, cmd.Stdin = filepath.Join(dir, "x"), strings.NewReader(strings.Join(files, "\x00")+"\x00")
		out, _ := cmd.Output() // exit status 1 if nothing is ignored
		fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		require.Len(t, fields, 4*len(files), text)
		ig := list(t, text)
		for i, p := range files {
			require.Equal(t, p, fields[4*i+3])
			want := fields[4*i] != "" && !strings.HasPrefix(fields[4*i+2], "!")
			_, _, got := ig.match(p, false)
			require.Equal(t, want, got, "%q and %q: git says %q", text, p, fields[4*i+2])
			checked++
			if want {
				ignored++
			}
		}
	}
	require.Greater(t, ignored, checked/50, "the patterns ignore something")
	t.Logf("%d paths, %d ignored", checked, ignored)
}

func TestIgnoreRules(t *testing.T) {
	ig := list(t, "\ufeff# salaries\r\nsalaries/\r\n*.kdb\n!open.kdb\n/top.txt\ndocs/**/draft-?.md\nunclosed[\n")
	for p, want := range map[string]bool{"salaries/2026.xlsx": true, "hr/salaries/a/b.txt": true, "salaries": false, "x.kdb": true, "open.kdb": false,
		"top.txt": true, "a/top.txt": false, "docs/draft-1.md": true, "docs/a/b/draft-2.md": true, "docs/draft-10.md": false, "unclosed[": false} {
		_, _, got := ig.match(p, false)
		require.Equal(t, want, got, p)
	}
	r, n, ok := ig.match("hr/salaries/a/b.txt", false)
	require.True(t, ok)
	require.Equal(t, []any{"salaries/", 2, 2}, []any{r.text, r.line, n})
}

func list(t *testing.T, text string) *Ignore {
	t.Helper()
	ig, err := ParseIgnore(text)
	require.NoError(t, err)
	return ig
}

// No list takes long, because it may come with a folder from a stranger. A
// list beyond the limits is refused, because only part of it would apply.
func TestIgnoreIsBounded(t *testing.T) {
	line := strings.Repeat("*a", 30) + "b\n"
	begun := time.Now()
	ig := list(t, strings.Repeat(line, mostRules))
	ig.match(strings.Repeat("a", 250), false)
	require.Less(t, time.Since(begun), 10*time.Second)
	_, err := ParseIgnore(strings.Repeat("x\n", mostRules+1))
	require.ErrorContains(t, err, "more than 2000 patterns")
	_, err = ParseIgnore("a\n" + strings.Repeat("x", longRule+1))
	require.ErrorContains(t, err, "line 2")
}
