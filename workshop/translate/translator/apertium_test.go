package translator

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/internal/need"
)

func apertium(t testing.TB) *Apertium {
	t.Helper()
	need.Program(t, "apertium", "apertium and apertium-eng-spa")
	a, err := NewApertium(ctx)
	require.NoError(t, err)
	t.Cleanup(func() { a.Close() })
	if err := a.Check("en", "es"); err != nil {
		need.Absent(t, "English to Spanish of apertium ("+err.Error()+")", "apertium-eng-spa")
	}
	return a
}

// TR-09, TR-03, TR-04: real translations, with tags and what must stay.
func TestTR09Apertium(t *testing.T) {
	a := apertium(t)
	texts := []string{
		"The house has <1>red</1> windows.", "Mail info@example.com about {name} or see https://example.com/a?b=c now",
		"the big house", "A [b] c/d ^e$ @ * \\ ~ {x y}", "Line one\nLine two", "a &lt; b &amp; c", "<1/>", "The Acme Corp house",
		strings.Repeat("The man sees the house. ", 500),
	}
	b := Batch{From: "en-GB", To: "es-MX"}
	for i, s := range texts {
		b.Segments = append(b.Segments, Segment{Segment: formats.Segment{ID: fmt.Sprint(i), Text: s}})
	}
	b.Segments[7].Keep = []string{"Acme Corp"}
	got := make([]string, len(texts))
	_, err := a.Translate(ctx, b, func(id, target string) error {
		var i int
		fmt.Sscan(id, &i)
		got[i] = target
		return nil
	})
	require.NoError(t, err)
	for i, s := range texts {
		require.NoError(t, tags.Check(s, got[i]), got[i])
	}
	require.Contains(t, got[0], "casa")
	require.Contains(t, got[0], "<1>")
	for _, want := range []string{"info@example.com", "{name}", "https://example.com/a?b=c"} {
		require.Contains(t, got[1], want)
	}
	require.Equal(t, "la casa grande", got[2])
	for _, want := range []string{"[b]", "^e$", "@", "*", `\`, "~", "{x y}"} {
		require.Contains(t, got[3], want)
	}
	require.Equal(t, 1, strings.Count(got[4], "\n"))
	require.Contains(t, got[5], "&lt;")
	require.Equal(t, "<1/>", got[6])
	require.Contains(t, got[7], "Acme Corp")
	require.Greater(t, strings.Count(got[8], "casa"), 400)
	require.NotContains(t, strings.Join(got, ""), ".[]")
}

// One process serves many segments and many workers; one that dies is started
// anew and costs its segment only.
func TestApertiumPipelines(t *testing.T) {
	a := apertium(t)
	var g sync.WaitGroup
	for range 3 {
		g.Go(func() {
			n := 0
			b := Batch{From: "en", To: "es"}
			for i := range 50 {
				b.Segments = append(b.Segments, Segment{Segment: formats.Segment{ID: fmt.Sprint(i), Text: fmt.Sprintf("House %d", i)}})
			}
			_, err := a.Translate(ctx, b, func(id, target string) error {
				if target == "Casa "+id {
					n++
				}
				return nil
			})
			if err != nil || n != 50 {
				t.Errorf("%d of 50 translated: %v", n, err)
			}
		})
	}
	g.Wait()
	require.LessOrEqual(t, len(a.idle["eng-spa"]), 3)
	for _, p := range a.idle["eng-spa"] {
		p.cancel() // as if it had crashed
	}
	time.Sleep(50 * time.Millisecond)
	b := Batch{From: "en", To: "es"}
	for i := range 8 {
		b.Segments = append(b.Segments, Segment{Segment: formats.Segment{ID: fmt.Sprint(i), Text: "House"}})
	}
	n := 0
	_, err := a.Translate(ctx, b, func(string, string) error { n++; return nil })
	require.NoError(t, err)
	require.GreaterOrEqual(t, n, 5)
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = a.Translate(canceled, b, func(string, string) error { return nil })
	require.ErrorIs(t, err, context.Canceled)
}

func TestApertiumPairs(t *testing.T) {
	a := &Apertium{pairs: pairsOf("  eng-spa\n  spa-eng\n  spa-eng_US\n  en-ca\n  eng-spa-tagger\n  x\n")}
	require.Len(t, a.pairs, 4)
	for _, c := range [][3]string{{"en", "es", "eng-spa"}, {"es", "en", "spa-eng"}, {"es-MX", "en-US", "spa-eng_US"}, {"en-GB", "ca", "en-ca"}} {
		mode, err := a.mode(c[0], c[1])
		require.NoError(t, err)
		require.Equal(t, c[2], mode)
	}
	_, err := a.mode("de", "es")
	require.ErrorContains(t, err, "it has: English to Spanish, Spanish to English")
	_, err = a.mode("", "es")
	require.ErrorContains(t, err, "--from")
	t.Setenv("PATH", "")
	_, err = NewApertium(ctx)
	require.ErrorContains(t, err, "not installed")
}

// What is written for Apertium and read back unchanged is the same text.
func TestStreamRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := tags.Escape(rapid.StringMatching(`[a-z \[\]{}^$/\\@<>&*~%s\n.#+=]{0,30}`).Draw(t, "text"))
		text = "a" + strings.ReplaceAll(text, "  ", " ") + "<1>b</1><2/>"
		require.Equal(t, text, decode(text, encode(text, []string{"ab"})))
	})
}
