package main

import (
	"bytes"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"atelier/workshop/translate"
	"atelier/workshop/translate/translator"
)

// TR-07: the live line has files, tokens, cost, time left and segments, and
// fits a terminal; in a pipe there is a line for each finished file only.
func TestTR07Progress(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, translate.Price{In: 2, Out: 8})
	require.False(t, p.live)
	s := translate.Progress{Input: "a/b.docx", Output: "o/b.docx", Segments: 40, Done: 20, Files: 4, FilesDone: 1, Usage: translator.Usage{PromptTokens: 500_000, CompletionTokens: 100_000}}
	p.step(s)
	require.Empty(t, out.String())
	p.begun = time.Now().Add(-time.Minute)
	line := p.line(s, "b.docx", time.Now())
	for _, want := range []string{"1/4 files", "600k tokens", "1.80", "1m40s left", "b.docx 20/40"} {
		require.Contains(t, line, want)
	}
	require.LessOrEqual(t, utf8.RuneCountInString(p.line(s, "a very long name of a document that does not end.docx", time.Now())), 79)
	s.Status = translate.StatusOK
	p.step(s)
	require.Equal(t, "ok       b.docx (20 of 40 segments)\n", out.String())
}
