package check

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawMarked makes texts of what the expressions look for, and of near misses.
func drawMarked(t *rapid.T) string {
	pieces := []string{"a", "B", "é", "ſ", "\u212a", "1", "٣", "_", " ", "\n", "\u00a0", ".", "..", ",", ";", ":", "-", "–", "/", "\\", "\\\\", "C:\\", "%", "$", "(", ")", "{", "}", "{0}", "<", ">", "%>", "s", "d",
		"`", "'", "@", "+", "www", "WWW.", "http://", "mailto:", "x.md", "notes.docx", "¿", "¡", "。", "、", "，", "؟", "،", "\x00", "\xff", "\xe3", "here", "Here's", "the", " your", " translation", "translation", "I", " am", " sorry", "i'm", "’m",
		"can", "not", "Note: this", "sure", "okay", ", ", "aquí", " está la traducción", "claro", "voici la traduction", "hier ist die übersetzung", "AS AN AI"}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "text"), "")
}

// TestMarks: where the scan of the text says that an expression cannot match, it does
// not match.
func TestMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawMarked(t)
		m := marksIn(s)
		require.True(t, m.code || !code.MatchString(s), "code: %q", s)
		require.True(t, m.address || !address.MatchString(s), "address: %q", s)
		require.True(t, m.holder || !holder.MatchString(s), "holder: %q", s)
		require.True(t, m.path || !path.MatchString(s), "path: %q", s)
		require.True(t, mayRemark(s) || !remarks.MatchString(s), "remarks: %q", s)
		require.True(t, mayDouble(s) || !doubled.MatchString(s), "doubled: %q", s)
		plain, named := numbersIn(s)
		require.True(t, hasDigit(s) || len(plain)+len(named) == 0, "numbers: %q", s)
		require.True(t, strings.ContainsAny(s, "-−–") || !negative.MatchString(s), "negative: %q", s)
	})
}

// TestMarksMatch: texts that the expressions match, so that the scan must let them pass.
func TestMarksMatch(t *testing.T) {
	for s, may := range map[string]struct{ matches, passes bool }{
		"a `b` c":                 {code.MatchString("a `b` c"), marksIn("a `b` c").code},
		"see WWW.example.org":     {address.MatchString("see WWW.example.org"), marksIn("see WWW.example.org").address},
		"a.b@c.de":                {address.MatchString("a.b@c.de"), marksIn("a.b@c.de").address},
		"tel:/5":                  {address.MatchString("tel:/5"), marksIn("tel:/5").address},
		"<%= x %>":                {holder.MatchString("<%= x %>"), marksIn("<%= x %>").holder},
		"%-5.2f":                  {holder.MatchString("%-5.2f"), marksIn("%-5.2f").holder},
		"${a}":                    {holder.MatchString("${a}"), marksIn("${a}").holder},
		`D:\a`:                    {path.MatchString(`D:\a`), marksIn(`D:\a`).path},
		`\\host\a`:                {path.MatchString(`\\host\a`), marksIn(`\\host\a`).path},
		"/a/b":                    {path.MatchString("/a/b"), marksIn("/a/b").path},
		"- c-.md":                 {path.MatchString("- c-.md"), marksIn("- c-.md").path},
		"ſure, x":                 {remarks.MatchString("ſure, x"), mayRemark("ſure, x")},
		" «I’m unable":            {remarks.MatchString(" «I’m unable"), mayRemark(" «I’m unable")},
		"AQUÍ está tu traducción": {remarks.MatchString("AQUÍ está tu traducción"), mayRemark("AQUÍ está tu traducción")},
		"a : ; b":                 {doubled.MatchString("a : ; b"), mayDouble("a : ; b")},
		"¡¿qué":                   {doubled.MatchString("¡¿qué"), mayDouble("¡¿qué")},
		"a，，b":                    {doubled.MatchString("a，，b"), mayDouble("a，，b")},
		"a؟؟":                     {doubled.MatchString("a؟؟"), mayDouble("a؟؟")},
	} {
		require.True(t, may.matches, s)
		require.True(t, may.passes, s)
	}
}
