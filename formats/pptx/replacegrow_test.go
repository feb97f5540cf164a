package pptx

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
)

// A replacement that is known not to need more room makes no text higher by measure.
func TestTextsThatDoNotGrow(t *testing.T) {
	skipped := 0
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"the ", "word", "a", "longer words ", "  ", "終わり", "x\n"})
		body := strings.Join(rapid.SliceOfN(word, 1, 60).Draw(t, "words"), "")
		var made bytes.Buffer
		_, err := editor{}.Apply(ctx, nil, &made, ops(fmt.Sprintf(`{"op":"add_slide","title":"T","body":%q}`, "- "+body)), formats.ApplyOptions{})
		if err != nil {
			t.Skip(err)
		}
		search := rapid.SampledFrom([]string{"the", "word", "a", " ", "終", "longer words"}).Draw(t, "search")
		to := rapid.SampledFrom([]string{"THE", "b", "", "a b", "wide words in it", "わ", "b\nc", "  "}).Draw(t, "replace")
		src := formats.FromBytes("deck.pptx", made.Bytes())
		var out bytes.Buffer
		_, err = editor{}.Apply(ctx, src, &out, ops(fmt.Sprintf(`{"op":"replace_text","search":%q,"replace":%q}`, search, to)), formats.ApplyOptions{})
		require.NoError(t, err)
		need := func(file []byte) map[string]float64 {
			d, _, err := openDeck(ctx, formats.FromBytes("deck.pptx", file))
			require.NoError(t, err)
			tr, err := d.tree(ctx, d.slides[0].part)
			require.NoError(t, err)
			m, err := d.measuring(ctx, tr)
			require.NoError(t, err)
			heights := map[string]float64{}
			for _, s := range shapes(tr.spTree(), shown) {
				if f, ok := m.frame(s, onSlide); ok && s.body != nil {
					heights[s.cnv.Value("id")] = m.measure(s, f).need
				}
			}
			return heights
		}
		was, now := need(made.Bytes()), need(out.Bytes())
		if letters(to) > letters(search) || strings.TrimSpace(to) == "" || strings.TrimSpace(search) == "" || strings.Contains(to, "\n") {
			return
		}
		skipped++
		for id, n := range now {
			require.LessOrEqual(t, n, was[id], "%q to %q in %q", search, to, body)
		}
	})
	require.Positive(t, skipped)
}

// Texts that need more room after a replacement are still told.
func TestReplacementsThatGrowAreTold(t *testing.T) {
	var made bytes.Buffer
	body := strings.Repeat("the words of a body\n", 9)
	_, err := editor{}.Apply(ctx, nil, &made, ops(fmt.Sprintf(`{"op":"add_slide","title":"T","body":%q}`, body)), formats.ApplyOptions{})
	require.NoError(t, err)
	src := formats.FromBytes("deck.pptx", made.Bytes())
	for to, want := range map[string]int{"THE": 0, "a": 0, strings.Repeat("many more words ", 12): 1} {
		rep, err := editor{}.Apply(ctx, src, &bytes.Buffer{}, ops(fmt.Sprintf(`{"op":"replace_text","search":"the","replace":%q}`, to)), formats.ApplyOptions{})
		require.NoError(t, err)
		n := 0
		for _, w := range rep.Ops[0].Warnings {
			if strings.Contains(w, "may not fit") {
				n++
			}
		}
		require.Equal(t, want, n, to)
	}
}
