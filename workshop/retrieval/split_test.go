package retrieval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/workshop/doctext"
)

func TestSymbols(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"a.go":   {"package a\n\n// Doc.\nfunc (s *S) Run(x int) {\n\tif x > 0 {\n\t\tcall(x)\n\t}\n}\n\ntype S struct{}\n", "method:Run@3 class:S@10"},
		"a.py":   {"import os\n\n@decorated\nasync def go(a, b):\n    return call(a)\n\nclass Foo(Bar):\n    def method(self):\n        pass\n", "method:go@3 class:Foo@7 method:method@8"},
		"a.rs":   {"use x;\n#[test]\npub(crate) async fn work<T>(t: T) -> u8 {\n    match t {\n    }\n}\nimpl<T> Trait for Thing {\n    fn inner() {}\n}\npub struct P;\n", "method:work@2 class:Thing@7 method:inner@8 class:P@10"},
		"a.ts":   {"export default async function load(x: string) {\n}\nexport const go = async (a) => {\n};\nclass A {\n  render(x) {\n    if (x) {\n    }\n  }\n}\n", "method:load@1 method:go@3 class:A@5 method:render@6"},
		"a.java": {"package a;\n/** Doc. */\npublic final class A {\n    @Override\n    public List<String> names(int n) throws IOException {\n        return call(n);\n    }\n}\n", "class:A@2 method:names@4"},
		"a.cs":   {"namespace N {\n  public class C\n  {\n    public async Task<int> GetAsync(int id)\n    {\n      var x = Call(id);\n    }\n  }\n}\n", "class:N@1 class:C@2 method:GetAsync@4"},
		"a.c":    {"#include <x.h>\nstatic int *find(const char *s)\n{\n  while (s) {\n  }\n  other(s);\n}\n", "method:find@2"},
		"a.rb":   {"module M\n  def self.call!(x)\n  end\nend\n", "class:M@1 method:call!@2"},
		"a.sql":  {"-- people\nCREATE TABLE IF NOT EXISTS people (id int);\nselect 1;\n", "class:people@1"},
	} {
		var got []string
		for _, m := range symbols(linesOf(c.src)) {
			got = append(got, fmt.Sprintf("%s:%s@%d", m.kind, m.name, m.line+1))
		}
		require.Equal(t, c.want, strings.Join(got, " "), name)
	}
}

func TestHeadings(t *testing.T) {
	text := "intro\n# One #\n```\n# not a heading\n```\n## Two\n    # code\n#no\n"
	var got []string
	for _, p := range split("a.md", doctext.Doc{Text: text + strings.Repeat("x\n", 100)}) {
		got = append(got, fmt.Sprintf("%s@%d-%d", p.place, p.start, p.end))
	}
	require.Equal(t, "lines:1-1@1-1 section:One@2-5 section:Two@6-65 section:Two~2@66-108", strings.Join(got, " "))
}

func TestSheetPlaces(t *testing.T) {
	var sb strings.Builder
	sb.WriteString("Sheet: Sales!x\n")
	for i := 2; i <= 90; i++ {
		fmt.Fprintf(&sb, "B%d: name, see A99: , AA%d: 1\n", i, i)
	}
	d := doctext.Doc{Text: sb.String(), Parts: []doctext.Part{{Kind: "sheet", Name: "Sales!x", Start: 1, End: 90}}}
	ps := split("a.xlsx", d)
	require.Equal(t, "sheet:Sales!x!B2:AA60", ps[0].place)
	require.Equal(t, "sheet:Sales!x!B61:AA90", ps[1].place)
}

// Every word of a text is in some piece, for all kinds of lines.
func TestSplitLosesNothing(t *testing.T) {
	line := rapid.OneOf(rapid.SampledFrom([]string{"", " ", "# Heading", "func F() {", "}", "```", "text é", strings.Repeat("long words ", 700), strings.Repeat("é", 4000)}), rapid.String())
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOfN(line, 0, 150).Draw(rt, "lines")
		d := doctext.Doc{Text: strings.ReplaceAll(strings.Join(lines, "\n"), "\r", " ")}
		name := rapid.SampledFrom([]string{"a.md", "a.go", "a.txt", "a"}).Draw(rt, "name")
		var all strings.Builder
		for _, p := range split(name, d) {
			require.GreaterOrEqual(rt, p.start, 1)
			require.GreaterOrEqual(rt, p.end, p.start)
			all.WriteString(p.text)
		}
		strip := func(s string) string { return strings.Join(strings.Fields(s), "") }
		require.Equal(rt, strip(d.Text), strip(all.String()))
	})
}

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"parseHTTPRequest2 and read_file": "parse HTTP Request2 and read file|parseHTTPRequest2",
		"McDonald's iPhone":               "Mc Donald s i Phone|McDonald iPhone",
		"日本語 text":                        "日 本 語 text|",
		"ÉcoleNormale":                    "École Normale|ÉcoleNormale",
		"HTML":                            "HTML|", "Señor": "Señor|", "": "|", "---": "|",
	} {
		split, whole := indexText(in)
		require.Equal(t, want, split+"|"+whole)
	}
}

// linesOf gives the same lines as cutting the text at line ends.
func TestLinesOf(t *testing.T) {
	for _, text := range []string{"", "a", "\n", "a\n", "\n\nb", "a\nbc\n\nd"} {
		ls, want := linesOf(text), strings.Split(text, "\n")
		require.Equal(t, len(want), ls.count())
		for i, l := range ls.all() {
			require.Equal(t, want[i], l)
			require.Equal(t, strings.Join(want[i:], "\n"), ls.between(i, len(want)))
		}
	}
}
