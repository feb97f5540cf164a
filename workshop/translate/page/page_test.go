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
		`dir="rtl" lang="ar"`, "the number 3 is missing", "from the memory", "left in the source language", "&lt;script&gt;alert(1)&lt;/script&gt;⟦U&#43;202E⟧",
		`id="show-number"`, `id="show-other"`, `class="seg k-number flagged"`,
	} {
		require.True(t, strings.Contains(s, want), want)
	}
	require.NotContains(t, s, "<script>alert")
	require.NotContains(t, s, `id="show-term"`, "only kinds that occur are offered")
	require.NotContains(t, s, "ZgotmplZ")
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
