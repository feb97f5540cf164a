package pseudo

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/tags"
)

func TestTranslate(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Translated text", "[Ţŕåñšļåţéð ţéχţ~~]"},
		{"", ""},
		{"   ", "   "},
		{"42", "42"},
		{"12.5 %", "12.5 %"},
		{"<1/>", "<1/>"},
		{"A", "[Å]"},
		{"  hello\n", "  [ĥéļļö]\n"},
		{"Click <1>here</1> to open <2/>page 3.", "[Çļîçķ <1>ĥéŕé</1> ţö öþéñ <2/>þåĝé 3.~~~~~]"},
		{"a &lt;b&gt; &amp; c", "[å &lt;ƀ&gt; &amp; ç]"},
		{"{0} of {total} in ${place}", "{0} öƒ {total} îñ ${place}"},
		{"Hello %s, %1$s has %.2f%% of %(n)d", "%s, %1$s ĥåš %.2f%% öƒ %(n)d"},
		{"See https://example.com/a?b=c&amp;d now", "https://example.com/a?b=c&amp;d ñöŵ"},
		{"Mail max.muster@example.co.uk today", "max.muster@example.co.uk ţöðåý"},
		{"Use `go build` here", "`go build` ĥéŕé"},
		{"Sales in Q3 2026: H2O", "[Šåļéš îñ Q3 2026: H2O"},
		{"100% sure", "100% šûŕé"},
		{"Привет", "[Привет]"},
		{"日本語", "[日本語]"},
	} {
		got := Translate(c.in)
		require.Contains(t, got, c.want, "of %q", c.in)
		require.Equal(t, got, Translate(got), "a second pass over %q changes it", c.in)
		require.NoError(t, tags.Check(c.in, got))
	}
}

func TestTranslateGrowsByAboutThirtyPercent(t *testing.T) {
	in := strings.Repeat("word ", 100) + "end"
	n, m := utf8.RuneCountInString(in), utf8.RuneCountInString(Translate(in))
	require.InDelta(t, 1.3, float64(m)/float64(n), 0.01)
	for _, w := range strings.Fields(Translate(in)) {
		require.LessOrEqual(t, strings.Count(w, "~"), 12, "filling must be able to wrap")
	}
}

func TestWithinKeepsTheLimit(t *testing.T) {
	require.Equal(t, "[Ţŕåñšļåţéð ţéχţ~~]", Within("Translated text", 0))
	require.Equal(t, "[Ţŕåñšļåţéð ţéχţ~]", Within("Translated text", 18))
	require.Equal(t, "[Ţŕåñšļåţéð ţéχţ]", Within("Translated text", 17))
	require.Equal(t, "Ţŕåñšļåţéð ţéχţ", Within("Translated text", 16))
	require.Equal(t, "Ţŕåñšļåţéð ţéχţ", Within("Translated text", 3), "never shorter than the text itself")
	require.Equal(t, "[Ţŕåñšļåţéð <1>ţéχţ</1>]", Within("Translated <1>text</1>", 17), "tags do not count")
}

// segment draws a text such as a document holds: words, tags that nest,
// placeholders, addresses.
func drawSegment(t *rapid.T) (text string, keep []string) {
	pieces := []string{"{0}", "{name}", "${x}", "%s", "%d", "%1$s", "%.2f", "https://example.com/a-b?q=1", "me@example.org", "&lt;", "&amp;", "3.14", "2026", "Q3"}
	var sb strings.Builder
	tag := 0
	for range rapid.IntRange(1, 12).Draw(t, "pieces") {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			tag++
			w := tags.Escape(rapid.StringMatching(`[a-zäöé ]{0,8}`).Draw(t, "inner"))
			s := fmt.Sprintf("<%d>%s</%d>", tag, w, tag)
			sb.WriteString(s)
			keep = append(keep, fmt.Sprintf("<%d>", tag), fmt.Sprintf("</%d>", tag))
		case 1:
			tag++
			sb.WriteString(fmt.Sprintf("<%d/>", tag))
			keep = append(keep, fmt.Sprintf("<%d/>", tag))
		case 2:
			p := rapid.SampledFrom(pieces).Draw(t, "kept")
			sb.WriteString(" " + p + " ")
			keep = append(keep, p)
		default:
			sb.WriteString(rapid.StringMatching(`[A-Za-zäöüß ,.!?-]{1,12}`).Draw(t, "words"))
		}
	}
	return sb.String(), keep
}

func TestTagsAndPlaceholdersSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, keep := drawSegment(t)
		max := rapid.IntRange(0, 60).Draw(t, "max")
		for _, out := range []string{Translate(in), Within(in, max), Plain(in)} {
			if err := tags.Check(in, out); err != nil {
				t.Fatalf("%q → %q: %v", in, out, err)
			}
			for _, k := range keep {
				if strings.Count(out, k) != strings.Count(in, k) {
					t.Fatalf("%q → %q: %s was changed", in, out, k)
				}
			}
		}
	})
}

func TestAnyTextSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.String().Draw(t, "text")
		out := Translate(in)
		if !utf8.ValidString(out) {
			t.Fatalf("%q → %q is not UTF-8", in, out)
		}
		if again := Translate(out); again != out {
			t.Fatalf("%q → %q → %q", in, out, again)
		}
		if (tags.Check(in, in) == nil) != (tags.Check(in, out) == nil) {
			t.Fatalf("%q → %q: tags differ", in, out)
		}
		if p := Plain(in); utf8.RuneCountInString(p) != utf8.RuneCountInString(in) {
			t.Fatalf("%q → %q is not as long", in, p)
		}
	})
}

func FuzzTranslate(f *testing.F) {
	f.Add("Click <1>here</1> {0}")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		if out := Translate(s); Translate(out) != out {
			t.Fatalf("%q → %q is not stable", s, out)
		}
	})
}

func BenchmarkTranslate(b *testing.B) {
	s := "Click <1>here</1> to open https://example.com and pay {amount} to max@example.org before 2026-11-21."
	for b.Loop() {
		Translate(s)
	}
}
