package page

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"iter"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	nethtml "golang.org/x/net/html"
	"pgregory.net/rapid"

	"atelier/internal/textsafe"
	"atelier/workshop/translate/check"
)

func stream(rows ...Row) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func write(t testing.TB, r Report) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, r))
	return b.String()
}

// TR-06: the page shows what a person should look at: figures, every flag,
// and texts with their tags as chips, right to left for such languages.
func TestTR06Page(t *testing.T) {
	s := write(t, Report{
		Title: "contracts", Made: time.Date(2026, 3, 1, 9, 5, 0, 0, time.UTC), Engine: "gpt-5", Figures: []Figure{{"Words", "12,400"}},
		Files: []File{
			{Input: "a.docx", Output: "out/a.docx", From: "en", To: "ar", Status: "flagged", Segments: 2, Words: 1234567, Kinds: map[string]int{"number": 1, "new kind": 2}, Rows: stream(
				Row{Place: "paragraph 1", Part: "body", Source: "Pay <1>3</1> &lt;b&gt; <2/>", Target: "<1>x</1> <2/>", Origin: "memory", Flags: []Flag{{"number", "the number 3 is missing"}}},
				Row{Place: "paragraph 2", Source: "<script>alert(1)</script>\u202e"},
			)},
			{Input: "b.docx", To: "ar", Status: "failed", Error: "b.docx is encrypted"},
			{Input: "c.txt", To: "ar", Status: "ok", Warnings: []string{"written as UTF-8"}},
		},
	})
	for _, want := range []string{
		"3 documents", "3 things to look at", "1 failed", "1,234,567", "12,400", "b.docx is encrypted", "written as UTF-8",
		`Pay <span class="chip">1</span>3<span class="chip">/1</span> &lt;b&gt; <span class="chip">2/</span>`,
		`dir="rtl" lang="ar"`, "the number 3 is missing", "from the memory", "left in the source language", "&lt;script&gt;alert(1)&lt;/script&gt;⟦U+202E⟧",
		`id="show-number"`, `id="show-other"`, `class="seg k-number flagged"`,
	} {
		require.True(t, strings.Contains(s, want), want)
	}
	require.NotContains(t, s, "<script>alert")
	require.NotContains(t, s, `id="show-term"`, "only kinds that occur are offered")
}

// Every kind of flag from the checks has a filter and a name.
func TestKindsOfChecks(t *testing.T) {
	for _, c := range []check.Code{check.Empty, check.Tags, check.Placeholder, check.Address, check.Verbatim, check.Protected, check.Length, check.Number, check.NumberOrder,
		check.Glossary, check.Forbidden, check.Blanks, check.Untranslated, check.Script, check.Chatter, check.Punctuation, check.Ratio, check.Control} {
		require.Equal(t, string(c), classOf(string(c)))
	}
}

// TR-06: the page is bounded: it has all rows with flags, the others up to
// the limit, and the number of the rest.
func TestTR06PageIsBounded(t *testing.T) {
	var rows []Row
	for i := range 1000 {
		r := Row{Place: fmt.Sprint("p", i), Source: "s", Target: "t"}
		if i%100 == 99 {
			r.Flags = []Flag{{"number", "n"}}
		}
		rows = append(rows, r)
	}
	f := File{Input: "a", To: "es", Kinds: map[string]int{"number": 10}, Rows: stream(rows...)}
	s := write(t, Report{Files: []File{f, f, f}, Limits: Limits{File: 50, All: 120}})
	require.Equal(t, 120+30, strings.Count(s, `<tr class="seg`))
	require.Equal(t, 30, strings.Count(s, ` flagged"`))
	require.Equal(t, 2, strings.Count(s, "940 more segments without remarks"))
	require.Equal(t, 1, strings.Count(s, "970 more segments without remarks"))
	long := write(t, Report{Files: []File{{Input: "a", To: "es", Rows: stream(Row{Source: strings.Repeat("word ", 100_000), Target: "x"})}}})
	require.Less(t, len(long), 40_000)
	require.Contains(t, long, "495,000 more characters")
}

// What the program itself writes.
const (
	ourElements   = " html head meta title style body a header div h1 h2 bdi p strong label input select option span main section table thead tbody tr th td ul li details summary dl dt dd form fieldset legend footer script "
	ourAttributes = " lang charset http-equiv content name class href id hidden type role aria-live aria-label aria-labelledby aria-hidden tabindex scope open dir for autocomplete spellcheck value checked "
)

// TR-06: text of documents, languages and messages never become markup.
func TestTR06EscapesAnything(t *testing.T) {
	evil := rapid.StringOf(rapid.SampledFrom([]rune(`<>"'&;/!-=()scriptonal{}` + "`\n\x00\u202e")))
	rapid.Check(t, func(t *rapid.T) {
		e := func(name string) string { return "<evil " + evil.Draw(t, name) }
		f := File{Input: e("input"), Output: e("output"), From: e("from"), To: e("to"), Status: e("status"), Error: e("error"), Warnings: []string{e("warning")},
			Kinds: map[string]int{e("code"): 1}, Rows: stream(
				Row{Place: e("place"), Part: e("part"), Source: e("source"), Target: e("target"), Flags: []Flag{{e("code"), e("message")}}}, Row{Source: e("left")})}
		var b bytes.Buffer
		require.NoError(t, Write(&b, Report{Title: e("title"), Version: e("version"), Engine: e("engine"), Figures: []Figure{{e("figure"), e("value")}}, Files: []File{f, {To: "x"}}}))
		require.NotContains(t, b.String(), "<evil")
		doc, err := nethtml.Parse(&b)
		require.NoError(t, err)
		elements := map[string]int{}
		for n := range doc.Descendants() {
			require.NotEqual(t, nethtml.CommentNode, n.Type, n.Data)
			if n.Type != nethtml.ElementNode {
				continue
			}
			elements[n.Data]++
			require.Contains(t, ourElements, " "+n.Data+" ")
			for _, a := range n.Attr {
				require.Contains(t, ourAttributes, " "+a.Key+" ", n.Data)
			}
		}
		require.Equal(t, map[string]int{"script": 1, "section": 3, "td": 2*7 + 2*2}, map[string]int{"script": elements["script"], "section": elements["section"], "td": elements["td"]})
	})
}

// An error of the rows is returned with the name of the file.
func TestErrorOfRows(t *testing.T) {
	err := Write(&bytes.Buffer{}, Report{Files: []File{{Input: "a.docx", Rows: func(yield func(Row, error) bool) { yield(Row{}, errors.New("disk")) }}}})
	require.EqualError(t, err, "the segments of a.docx cannot be read: disk")
}

// Text of a document is shown literally.
func TestTextIsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		var b bytes.Buffer
		require.NoError(t, Write(&b, Report{Files: []File{{Input: "a", To: "es", Rows: stream(Row{Place: "p" + s, Target: "x", Source: "y"})}}}))
		require.Contains(t, html.UnescapeString(b.String()), html.UnescapeString(html.EscapeString("p"+textsafe.Text(s))))
		require.False(t, strings.ContainsFunc(b.String(), func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }))
	})
}
