package translate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// TR-07: words as translators count them.
func TestTR07Words(t *testing.T) {
	for text, want := range map[string][2]int{
		"":                               {0, 0},
		"One <1>two</1> three.":          {3, 14},
		"H<1>el</1>lo":                   {1, 5},
		"a – b":                          {2, 5},
		"日本語 text":                       {4, 8},
		"1,234.56 €":                     {1, 10},
		"don't e-mail me &amp; them":     {4, 22},
		"line\nbreak\u00a0and\ttab <2/>": {4, 19},
	} {
		words, chars := count(text)
		require.Equal(t, want, [2]int{words, chars}, "%q", text)
	}
	require.Less(t, tokens("The quick brown fox"), 6)
	require.Greater(t, tokens("日本語の文章"), 5)
}

func TestLanguages(t *testing.T) {
	for in, want := range map[string]string{"es": "es", "ES": "es", "pt-br": "pt-BR", "zh_TW": "zh-TW", "Spanish": "es", " German ": "de", "ar-XB": "ar-XB", "en-XA": "en-XA", "zh-Hant": "zh-Hant"} {
		got, err := Language(in)
		require.NoError(t, err, in)
		require.Equal(t, want, got, in)
	}
	for _, in := range []string{"", "klingonish", "xx", "es es", "../x", "q"} {
		_, err := Language(in)
		require.Error(t, err, in)
	}
	got, err := languages([]string{"es", "Spanish", "ES", "de"})
	require.NoError(t, err)
	require.Equal(t, []string{"es", "de"}, got)
}

// TR-05: equal text under another limit is another.
func TestKeys(t *testing.T) {
	a := formats.Segment{ID: "1", Text: "x", Place: "here"}
	b := formats.Segment{ID: "2", Text: "x", Place: "there"}
	require.Equal(t, keyOf(a), keyOf(b))
	b.MaxLength = 31
	require.NotEqual(t, keyOf(a), keyOf(b))
}

// TR-07: a dry run counts what a job would ask for, exactly, and leaves nothing.
func TestTR07DryRunCountsWhatIsAsked(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "Uno dos\n\nTres\n\nTres\n", "b.txt": "Tres\n\nCuatro cinco seis\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	m := &answers{next: func(_ int, segs []formats.Segment) []translation {
		var ts []translation
		for _, s := range segs {
			ts = append(ts, translation{s.ID, "T " + s.Text})
		}
		return ts
	}}
	opt := options(t, m)
	opt.Jobs, opt.DryRun, opt.Price = 1, true, Price{In: 1e6, Out: 1e6}
	rep, err := Run(ctx, opt, []string{dir})
	require.NoError(t, err)
	require.Zero(t, m.calls.Load())
	require.NoDirExists(t, opt.Out)
	require.Equal(t, StatusPlanned, rep.Files[0].Status)
	require.Equal(t, 3, rep.Total.AskSegments)
	require.Equal(t, 6, rep.Total.AskWords)
	require.Equal(t, 2, rep.Total.Repetitions)
	require.InDelta(t, rep.Total.EstimatedPrompt+rep.Total.EstimatedCompletion, rep.Total.Cost, 1e-6)
	opt.DryRun = false
	real, err := Run(ctx, opt, []string{dir})
	require.NoError(t, err)
	require.Equal(t, rep.Total.Repetitions, real.Total.Repetitions)
	require.Equal(t, rep.Total.Words, real.Total.Words)
	require.Equal(t, 5, real.Total.Translated)
	opt.DryRun = true
	rep, err = Run(ctx, opt, []string{dir})
	require.NoError(t, err)
	require.Equal(t, StatusSkipped, rep.Files[0].Status)
	require.Zero(t, rep.Total.AskSegments)
}
