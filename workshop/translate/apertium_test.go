package translate

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/formats/tags"
	"atelier/internal/campaign"
	"atelier/internal/need"
	"atelier/workshop/translate/check"
	"atelier/workshop/translate/translator"
)

// shareOf is how many of a text's words are among the commonest of a language.
func shareOf(text string, common ...string) (share float64, words int) {
	n := 0
	for _, w := range strings.Fields(strings.ToLower(tags.Plain(text))) {
		words++
		for _, c := range common {
			if w == c {
				n++
			}
		}
	}
	return float64(n) / float64(max(words, 1)), words
}

var (
	english = []string{"the", "of", "and", "to", "in", "is", "a", "that", "for", "with"}
	spanish = []string{"el", "la", "los", "las", "de", "y", "en", "es", "un", "una", "que", "para", "con", "del", "al"}
)

// TR-09, TR-03, TR-12: the corpus's English documents into Spanish by a real
// translator, through the whole job: nothing fails, next to nothing is left or
// repaired, and what comes out is Spanish in valid files.
func TestTR09ApertiumCorpus(t *testing.T) {
	campaign.Slow(t)
	if testing.Short() {
		t.Skip("the corpus is slow: left out with -short")
	}
	need.Program(t, "apertium", "apertium and apertium-eng-spa")
	eng, err := translator.NewApertium(ctx)
	require.NoError(t, err)
	defer eng.Close()
	if err := eng.Check("en", "es"); err != nil {
		need.Absent(t, "English to Spanish of apertium ("+err.Error()+")", "apertium-eng-spa")
	}
	opt := options(t, nil)
	opt.Engine, opt.From, opt.To = eng, "en", []string{"es"}
	var in []string
	for _, kind := range []string{"docx", "pptx"} {
		for i, path := range formatstest.Corpus(t, kind) {
			if !campaign.Small() || uint64(i)%4 == campaign.Seed()%4 {
				in = append(in, path)
			}
		}
	}
	share := 1
	if campaign.Small() {
		share = 20
	}
	rep, err := Run(ctx, opt, in)
	require.NoError(t, err)
	kinds := map[check.Code]int{}
	checked := 0
	for i, f := range rep.Files {
		require.NotEqual(t, StatusFailed, f.Status, "%s: %s", f.Input, f.Error)
		for _, fl := range f.Flags {
			kinds[fl.Code]++
		}
		if i%10 == 0 && f.Translated > 0 {
			formatstest.Validate(t, f.Output, f.Input)
			checked++
		}
	}
	require.Greater(t, checked, 5/share)
	require.Greater(t, rep.Total.Segments, 4000/share)
	require.LessOrEqual(t, rep.Total.Left, rep.Total.Segments/100)
	require.LessOrEqual(t, kinds[Repaired], rep.Total.Segments/100)

	l, err := OpenLedger(ctx, filepath.Join(opt.Out, LedgerName))
	require.NoError(t, err)
	defer l.Close()
	records, err := l.Records(ctx)
	require.NoError(t, err)
	require.Len(t, records, len(rep.Files))
	docs := 0
	for _, r := range records {
		var src, dst strings.Builder
		for row, err := range l.Rows(ctx, r) {
			require.NoError(t, err)
			require.NoError(t, tags.Check(row.Text, row.Target), "%s %s", r.Input, row.Place)
			src.WriteString(row.Text + "\n")
			dst.WriteString(row.Target + "\n")
		}
		if en, n := shareOf(src.String(), english...); n < 50 || en < 0.15 {
			continue // not English, or too little to tell
		}
		docs++
		es, _ := shareOf(dst.String(), spanish...)
		en, _ := shareOf(dst.String(), english...)
		require.Greater(t, es, 0.1, r.Input)
		require.Less(t, en, es, r.Input)
	}
	require.Greater(t, docs, 10/share)
	t.Logf("%d files, %d of them English prose; %d segments, %d words, %d left; flags %v", len(rep.Files), docs, rep.Total.Segments, rep.Total.Words, rep.Total.Left, kinds)
}
