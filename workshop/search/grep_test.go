package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/workshop"
)

// naive is the reference for Grep: every file, every line, one after another.
func naive(files map[string]string, opt GrepOptions) ([]Match, error) {
	p := opt.Pattern
	if !opt.CaseSensitive {
		p = "(?i)" + p
	}
	re, err := regexp.Compile(p)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var out []Match
	for _, name := range names {
		text := files[name]
		if strings.Contains(text[:min(len(text), 8192)], "\x00") {
			continue
		}
		lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		shown := make([]string, len(lines))
		for i, l := range lines {
			if i < len(lines)-1 || strings.HasSuffix(text, "\n") {
				l = strings.TrimSuffix(l, "\r")
			}
			lines[i] = l
			shown[i] = strings.ToValidUTF8(l, "\uFFFD")
		}
		for i, l := range lines {
			if re.MatchString(l) {
				m := Match{Path: workshop.Path(name), Line: i + 1, Text: shown[i]}
				if opt.Before > 0 && i > 0 {
					m.Before = shown[max(0, i-opt.Before):i]
				}
				if opt.After > 0 && i+1 < len(lines) {
					m.After = shown[i+1 : min(len(lines), i+1+opt.After)]
				}
				out = append(out, m)
			}
		}
	}
	if opt.Limit > 0 && len(out) > opt.Limit {
		out = out[:opt.Limit]
	}
	return out, nil
}

// awkward has text that is hard to search: case folding beyond ASCII, invalid
// UTF-8, both kinds of line ends.
var awkward = []string{"a", "b", "k", "K", "\u212a", "s", "ſ", "ß", "é", "É", "É", "я", "Я", "1", "9", " ", ".", "\t", "\n", "\r\n", "\n\n", "\r", "\xff", "\xe2\x84", "\ufffd", "word", "WORD", "ſt", "İ", "ı"}

func awkwardText(rt *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(awkward), 0, 60).Draw(rt, label), "")
}

var patternParts = []string{"a", "b", "k", "s", "ß", "é", "я", "word", "st", "1", "9", " ", ".", `\.`, ".*", "a+", "k?", "(a|k)", "(word|я|é)", "[as]", "[^a]", `\d`, `\w`, `\s`, `\b`, `\B`, "^", "$", "(?:s|k){2}", "a{2,3}", "(?-i:k)", "(?i:s)", "[0-9]+", `\pL`, "|", "(b)", `[\x{212a}]`, "\ufffd", `\n`, `\r`, "(?s:.)", "(?m:^a)", "()", "k{0,2}"}

// B9-02…B9-06: Grep gives the same result as reading every file line by line.
func TestGrepEqualsNaiveReading(t *testing.T) {
	names := []string{"a", "a-b", "a/b", "a.txt", "z/y/x.md", "z/y.md", "é.txt", "Z"}
	rapid.Check(t, func(rt *rapid.T) {
		files := map[string]string{}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names[1:]), 1, 5, rapid.ID[string]).Draw(rt, "files") {
			files[name] = awkwardText(rt, "text")
		}
		var pattern string
		for pattern == "" {
			pattern = strings.Join(rapid.SliceOfN(rapid.SampledFrom(patternParts), 1, 5).Draw(rt, "pattern"), "")
		}
		opt := GrepOptions{Pattern: pattern, CaseSensitive: rapid.Bool().Draw(rt, "case"), Limit: rapid.IntRange(0, 4).Draw(rt, "limit"),
			Before: rapid.IntRange(0, 2).Draw(rt, "before"), After: rapid.IntRange(0, 2).Draw(rt, "after")}
		want, err := naive(files, opt)
		if err != nil {
			rt.Skip("not a pattern")
		}
		got, err := Grep(ctx, memory(files), opt)
		require.NoError(rt, err)
		require.Equal(rt, len(want), len(got.Matches), "%q %+v %+v", pattern, want, got.Matches)
		for i := range want {
			require.Equal(rt, want[i], got.Matches[i])
		}
	})
}

// FuzzPattern: no pattern or text makes the filter miss a line, panic or
// hang.
func FuzzPattern(f *testing.F) {
	for _, p := range patternParts {
		f.Add(p, "a k\nWORD s\u212a\r\n9", true)
	}
	f.Add(`(?i)x\Qa\mb\Ec`, "xA\\Mbc", false)
	f.Fuzz(func(t *testing.T, pattern, text string, caseSensitive bool) {
		if strings.ContainsAny(pattern, `\`) && postgresEscapes(pattern) != pattern || pattern == "" || len(pattern) > 200 {
			if _, err := compilePattern(pattern, caseSensitive); err != nil && !workshop.IsFault(err, workshop.Invalid) {
				t.Fatal(err)
			}
			return
		}
		files := map[string]string{"f": text}
		opt := GrepOptions{Pattern: pattern, CaseSensitive: caseSensitive}
		got, err := Grep(ctx, memory(files), opt)
		want, nerr := naive(files, opt)
		if (err == nil) != (nerr == nil) {
			t.Fatalf("%q: %v, %v", pattern, err, nerr)
		}
		if err == nil && fmt.Sprint(want) != fmt.Sprint(got.Matches) {
			t.Fatalf("%q in %q: want %+v, have %+v", pattern, text, want, got.Matches)
		}
	})
}

// A-11, B9-03: lines across the blocks of a long text are searched as one
// text.
func TestGrepAcrossBlocks(t *testing.T) {
	var sb strings.Builder
	sb.WriteString("\ufefffirst needle\r\n")
	for i := 0; sb.Len() < 5*block/2; i++ {
		fmt.Fprintf(&sb, "line %d of a long file\n", i)
	}
	mid := strings.Count(sb.String(), "\n") + 1
	sb.WriteString(strings.Repeat("long ", 3*block/5) + "needle" + strings.Repeat(" tail", block/5) + "\nafter\n")
	sb.WriteString("last needle")
	files := map[string]string{"big.txt": sb.String()}
	both(t, view(t, files), func(t *testing.T, v workshop.View) {
		for _, pattern := range []string{"needle", "ne+dle", "NEEDLE", `[n]e{2}dle`} {
			got, err := Grep(ctx, v, GrepOptions{Pattern: pattern, Before: 1, After: 1})
			require.NoError(t, err)
			require.Len(t, got.Matches, 3)
			first, long, last := got.Matches[0], got.Matches[1], got.Matches[2]
			require.Equal(t, Match{Path: "big.txt", Line: 1, Text: "first needle", After: []string{"line 0 of a long file"}}, first)
			require.Equal(t, mid, long.Line)
			require.True(t, long.Cut)
			require.Contains(t, long.Text, "needle", "the part around the match is shown")
			require.LessOrEqual(t, len(long.Text), MaxLine+2*len("…"))
			require.Equal(t, []string{"after"}, long.After)
			require.Equal(t, Match{Path: "big.txt", Line: mid + 2, Text: "last needle", Before: []string{"after"}}, last)
		}
		got, err := Grep(ctx, v, GrepOptions{Pattern: "^first"})
		require.NoError(t, err)
		require.Len(t, got.Matches, 1, "a byte order mark is no text")
	})
}

// A line longer than any buffer is searched in parts and is one match.
func TestGrepEndlessLine(t *testing.T) {
	files := map[string]string{"x.txt": strings.Repeat("needle ", maxBlock/4) + "\nneedle\n"}
	got, err := Grep(ctx, view(t, files), GrepOptions{Pattern: "needle"})
	require.NoError(t, err)
	require.Len(t, got.Matches, 2)
	require.Equal(t, []int{1, 2}, []int{got.Matches[0].Line, got.Matches[1].Line})
}

// C-23: the word boundaries of PostgreSQL work; the error names what RE2
// lacks.
func TestGrepPostgresEscapes(t *testing.T) {
	v := view(t, map[string]string{"f": "cat\nconcat\ncatalog\na\\mb\n"})
	for pattern, want := range map[string][]int{`\mcat\M`: {1}, `\ycat\y`: {1}, `\mcat`: {1, 3}, `cat\M`: {1, 2}, `\Ycat`: {2}, `\\m`: {4}, `\Q\m\E`: {4}, `a\Q\m`: {4}} {
		got, err := Grep(ctx, v, GrepOptions{Pattern: pattern})
		require.NoError(t, err, pattern)
		var lines []int
		for _, m := range got.Matches {
			lines = append(lines, m.Line)
		}
		require.Equal(t, want, lines, pattern)
	}
	for _, pattern := range []string{"", "(", `(a)\1`, `(?=a)`, `(?<!a)b`, "a{2000}", "[z-a]", strings.Repeat("a", maxPattern+1), strings.Repeat("(", 5000)} {
		_, err := Grep(ctx, v, GrepOptions{Pattern: pattern})
		requireInvalid(t, err, "pattern")
		require.NotContains(t, err.Error(), "(?i)", "only what was given is named")
	}
}

// B9-04: the rules of path_pattern.
func TestGrepPathPattern(t *testing.T) {
	files := map[string]string{}
	for _, p := range []string{"src/lib.rs", "src/deep/x.RS", "main.rs", "docs/src/a.md", "a_b.txt", "aXb.txt", "100%.txt"} {
		files[p] = "hit\n"
	}
	v := view(t, files)
	for pattern, want := range map[string]string{
		"src/*": "src/deep/x.RS src/lib.rs", "/src/*": "src/deep/x.RS src/lib.rs", "%.rs": "main.rs src/deep/x.RS src/lib.rs", "*.rs": "main.rs src/deep/x.RS src/lib.rs",
		"SRC": "docs/src/a.md src/deep/x.RS src/lib.rs", "a_b": "a_b.txt", "*": "100%.txt aXb.txt a_b.txt docs/src/a.md main.rs src/deep/x.RS src/lib.rs",
		"src/*/x.rs": "src/deep/x.RS", "src/lib.rs*lib.rs": "", "/": "100%.txt aXb.txt a_b.txt docs/src/a.md main.rs src/deep/x.RS src/lib.rs", "": "100%.txt aXb.txt a_b.txt docs/src/a.md main.rs src/deep/x.RS src/lib.rs",
	} {
		got, err := Grep(ctx, v, GrepOptions{Pattern: "hit", PathPattern: pattern})
		require.NoError(t, err)
		var ps []string
		for _, m := range got.Matches {
			ps = append(ps, string(m.Path))
		}
		require.Equal(t, want, strings.Join(ps, " "), "%q", pattern)
	}
	for _, pattern := range []string{"..", "../x", "a/../b", "a/.."} {
		_, err := Grep(ctx, v, GrepOptions{Pattern: "hit", PathPattern: pattern})
		requireInvalid(t, err, "path_pattern")
	}
}

// B9-05: the draft is searched, deleted files are not; binary files, links
// and pictures are skipped; an unreadable file is reported.
func TestGrepLatestTextOfAllFiles(t *testing.T) {
	wb, dir := bench(t, map[string]string{"keep.txt": "old hit", "gone.txt": "hit", "changed.txt": "hit", "bin.dat": "hit\x00", "late.dat": strings.Repeat("x", 9000) + "\x00\nhit"})
	v := wb.DraftView(workshop.Cause{})
	require.NoError(t, v.Remove(ctx, "gone.txt"))
	put(t, v, "changed.txt", "nothing")
	put(t, v, "new/x.txt", "a hit")
	out := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(out, []byte("hit"), 0o600))
	_ = os.Symlink(out, filepath.Join(dir, "link.txt"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "outside.txt"), []byte("a hit from outside"), 0o600))
	both(t, v, func(t *testing.T, v workshop.View) {
		got, err := Grep(ctx, v, GrepOptions{Pattern: "hit"})
		require.NoError(t, err)
		var ps []string
		for _, m := range got.Matches {
			ps = append(ps, string(m.Path))
		}
		require.Equal(t, []string{"keep.txt", "late.dat", "new/x.txt", "outside.txt"}, ps)
	})
	if runtime.GOOS != "windows" && os.Geteuid() != 0 {
		require.NoError(t, os.Chmod(filepath.Join(dir, "keep.txt"), 0))
		got, err := Grep(ctx, v, GrepOptions{Pattern: "hit"})
		require.NoError(t, err)
		require.Len(t, got.Matches, 3)
		require.Len(t, got.Skipped, 1)
	}
}

// B9-06, B9-05: a limit counts in path order even in parallel, and an
// unreadable file does not end the search.
func TestGrepLimitAndFailures(t *testing.T) {
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("d%d/f%d.txt", i%7, i)] = strings.Repeat(fmt.Sprintf("hit %d\n", i), 3)
	}
	m := memory(files)
	all, err := Grep(ctx, m, GrepOptions{Pattern: "hit"})
	require.NoError(t, err)
	require.Len(t, all.Matches, 1200)
	require.False(t, all.Limited)
	require.Equal(t, 400, all.Files)
	for _, limit := range []int{1, 2, 50, 100, 1199} {
		got, err := Grep(ctx, m, GrepOptions{Pattern: "hit", Limit: limit})
		require.NoError(t, err)
		require.True(t, got.Limited)
		require.Equal(t, all.Matches[:limit], got.Matches)
	}
	files["d3/broken.docx"] = "-"
	got, err := Grep(ctx, m, GrepOptions{Pattern: "hit", Extract: func(context.Context, formats.Source) (string, error) {
		return "", errors.New("the file is damaged")
	}})
	require.NoError(t, err)
	require.Equal(t, all.Matches, got.Matches)
	require.Equal(t, []Skipped{{"d3/broken.docx", "the file is damaged"}}, got.Skipped)
}

// Without a limit the result is bounded, says so, and is the same each time.
func TestGrepBoundsItsResult(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("f%03d", i)] = strings.Repeat(strings.Repeat("x", 1000)+"\n", 300)
	}
	var first int
	for range 2 {
		got, err := Grep(ctx, memory(files), GrepOptions{Pattern: "x"})
		require.NoError(t, err)
		require.True(t, got.Limited)
		size := 0
		for _, m := range got.Matches {
			size += m.size()
		}
		require.LessOrEqual(t, size, MaxMatchBytes)
		require.Greater(t, size, MaxMatchBytes-5000)
		if first == 0 {
			first = len(got.Matches)
		}
		require.Equal(t, first, len(got.Matches))
	}
}

// A search that exceeds its time returns everything up to a path.
func TestGrepBudget(t *testing.T) {
	files := map[string]string{}
	for i := range 500 {
		files[fmt.Sprintf("d%d/f%03d.txt", i%7, i)] = "hit\n"
	}
	files["d3/slow.docx"] = "-"
	asked := make(chan struct{})
	extract := func(ctx context.Context, _ formats.Source) (string, error) {
		close(asked)
		<-ctx.Done()
		return "", ctx.Err()
	}
	got, err := Grep(ctx, memory(files), GrepOptions{Pattern: "hit", Budget: time.Second, Extract: extract})
	require.NoError(t, err)
	<-asked
	require.True(t, got.Late)
	require.False(t, got.Limited)
	require.Equal(t, workshop.Path("d6/f496.txt"), got.Last, "others are searched meanwhile")
	require.Equal(t, []Skipped{{"d3/slow.docx", "the time of the call was over before it was searched"}}, got.Skipped)
	delete(files, "d3/slow.docx")
	all, err := Grep(ctx, memory(files), GrepOptions{Pattern: "hit", Budget: time.Hour})
	require.NoError(t, err)
	require.False(t, all.Late)
	require.Len(t, all.Matches, 500)
	var want []Match
	for _, m := range all.Matches {
		if m.Path <= got.Last {
			want = append(want, m)
		}
	}
	require.Equal(t, want, got.Matches)
}

// A cancelled search ends with its context's error.
func TestGrepCancelled(t *testing.T) {
	c, cancel := context.WithCancel(ctx)
	cancel()
	_, err := Grep(c, view(t, map[string]string{"a": "x", "d/b": "x"}), GrepOptions{Pattern: "x"})
	require.ErrorIs(t, err, context.Canceled)
}

// B9-05: office and PDF files are searched by their text and its line
// numbers; UTF-16 is text too.
func TestGrepExtractedText(t *testing.T) {
	v := view(t, map[string]string{"a.docx": "PK", "b.txt": "hit", "c.pdf": "%PDF-", "d.txt": "\xff\xfeh\x00i\x00t\x00", "e.png": "\x89PNG\x00"})
	extract := func(_ context.Context, src formats.Source) (string, error) {
		return "title\nhit of " + src.Name() + "\n", nil
	}
	both(t, v, func(t *testing.T, v workshop.View) {
		got, err := Grep(ctx, v, GrepOptions{Pattern: "hit", Extract: extract, Before: 1})
		require.NoError(t, err)
		require.Equal(t, []Match{
			{Path: "a.docx", Line: 2, Text: "hit of a.docx", Before: []string{"title"}, Extracted: true},
			{Path: "b.txt", Line: 1, Text: "hit"},
			{Path: "c.pdf", Line: 2, Text: "hit of c.pdf", Before: []string{"title"}, Extracted: true},
			{Path: "d.txt", Line: 2, Text: "hit of d.txt", Before: []string{"title"}, Extracted: true},
		}, got.Matches)
		got, err = Grep(ctx, v, GrepOptions{Pattern: "hit"})
		require.NoError(t, err)
		require.Len(t, got.Matches, 1)
	})
}

// required finds the literals of every match.
func TestRequiredLiterals(t *testing.T) {
	for pattern, want := range map[string]string{
		"abc": "abc!", "a.c": "a", "foo.*barbaz": "barbaz", "(abc)": "abc!", "(abc)+": "abc", "abc|de": "abc,de!", "a*": "", "x*yz": "yz", "(ab){3}": "ab",
		"a{3}": "aaa", "": "", "(a|b*)c": "c", "foo(bar|baz)?": "foo", "one|two|three|four|five|six|seven|eight|nine": "",
	} {
		m, err := compilePattern(pattern, true)
		if pattern == "" {
			requireInvalid(t, err, "pattern")
			continue
		}
		require.NoError(t, err)
		var got []string
		switch f := m.filter.(type) {
		case plain:
			got = []string{string(f.lit)}
		case anyOf:
			for _, p := range f {
				got = append(got, string(p.(plain).lit))
			}
		}
		s := strings.Join(got, ",")
		if m.certain {
			s += "!"
		}
		require.Equal(t, want, s, "%q", pattern)
	}
}

func TestShortenKeepsCharacters(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		line := strings.Repeat(awkwardText(rt, "text")+"é", 1+rapid.IntRange(0, 400).Draw(rt, "times"))
		around := rapid.IntRange(0, len(line)-1).Draw(rt, "around")
		got, cut := shortenLine([]byte(line), around)
		require.True(rt, utf8.ValidString(got))
		require.Equal(rt, len(line) > MaxLine, cut)
		if cut {
			require.LessOrEqual(rt, len(strings.ReplaceAll(got, "\ufffd", "?")), MaxLine+6)
		}
	})
}

// Names match too, files are chosen by folder and name, and what has no text is told.
func TestGrepNamesAndChoice(t *testing.T) {
	files := map[string]string{"hit.txt": "a hit", "a/hit/x.md": "hit", "a/hits.png": "hit\x00", "a/b/hit.dat": "\x00", "ab/hit.md": "hit", "large.txt": strings.Repeat("\xe9t\xe9 hit\n", maxEncoded/8+1)}
	both(t, view(t, files), func(t *testing.T, v workshop.View) {
		run := func(opt GrepOptions) (names, matches, skipped []string) {
			opt.Pattern, opt.Names, opt.Unread = "hit", true, true
			opt.Extract = func(context.Context, formats.Source) (string, error) { return "", nil }
			opt.Limit = 10
			res, err := Grep(ctx, v, opt)
			require.NoError(t, err)
			for _, it := range res.Names {
				names = append(names, string(it.Path))
			}
			for _, m := range res.Matches {
				if m.Path != "large.txt" {
					matches = append(matches, string(m.Path))
				}
			}
			for _, s := range res.Skipped {
				skipped = append(skipped, string(s.Path)+": "+s.Reason)
			}
			return
		}
		names, matches, skipped := run(GrepOptions{})
		require.Equal(t, []string{"a/b/hit.dat", "a/hit", "a/hits.png", "ab/hit.md", "hit.txt"}, names)
		require.Equal(t, []string{"a/hit/x.md", "ab/hit.md", "hit.txt"}, matches)
		require.Equal(t, []string{"a/b/hit.dat: it is a binary file", "a/hits.png: images have no text to search", "large.txt: it is not in UTF-8 and too large to convert: only text without accents is found in it"}, skipped)
		names, matches, _ = run(GrepOptions{Dir: "a"})
		require.Equal(t, []string{"a/b/hit.dat", "a/hit", "a/hits.png"}, names)
		require.Equal(t, []string{"a/hit/x.md"}, matches)
		names, matches, skipped = run(GrepOptions{Dir: "a", Keep: func(it workshop.Item) bool { return strings.HasSuffix(it.Name, ".md") }})
		require.Empty(t, names)
		require.Equal(t, []string{"a/hit/x.md"}, matches)
		require.Empty(t, skipped)
		names, matches, _ = run(GrepOptions{PathPattern: "*.md"})
		require.Equal(t, []string{"ab/hit.md"}, names)
		require.Equal(t, []string{"a/hit/x.md", "ab/hit.md"}, matches)
		_, err := Grep(ctx, v, GrepOptions{Pattern: "hit", Dir: "none"})
		require.True(t, workshop.IsFault(err, workshop.NotFound), "%v", err)
	})
}

// A search that has read as many bytes as it may ends at the same file each time, and says
// so; one that ends with them is complete.
func TestGrepMostBytes(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d%d/f%03d.txt", i%3, i)] = "hit4\n"
	}
	files["d0/g.docx"] = "12345"
	extract := func(context.Context, formats.Source) (string, error) { return "hit of a document\n", nil }
	for range 5 {
		got, err := Grep(ctx, memory(files), GrepOptions{Pattern: "hit", MostBytes: 700, Extract: extract})
		require.NoError(t, err)
		require.True(t, got.Spent)
		require.False(t, got.Late)
		require.Equal(t, workshop.Path("d1/f094.txt"), got.Last) // 101 files and a document of 5 bytes, to the end of 32 files
		require.Len(t, got.Matches, 101+32)
	}
	all := int64(300*5 + 5*DocumentWeight)
	got, err := Grep(ctx, memory(files), GrepOptions{Pattern: "hit", MostBytes: all, Extract: extract})
	require.NoError(t, err)
	require.False(t, got.Spent)
	require.Len(t, got.Matches, 301)
	got, err = Grep(ctx, memory(files), GrepOptions{Pattern: "hit", MostBytes: 1, Limit: 3, Extract: extract})
	require.NoError(t, err)
	require.True(t, got.Limited)
	require.False(t, got.Spent)
}
