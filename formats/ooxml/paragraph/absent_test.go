package paragraph

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/ooxml/xmlscan"
)

// hasMatch reports whether a search has a match in a paragraph of doc.
func hasMatch(t *testing.T, f *Finder, doc []byte) bool {
	list, err := Parse(doc, Drawing)
	require.NoError(t, err)
	for _, p := range list {
		ranges, err := f.Ranges(context.Background(), p.Text(), "x")
		require.NoError(t, err)
		if len(ranges) > 0 {
			return true
		}
	}
	return false
}

func absentPart(body string) []byte {
	return []byte(`<p:sld xmlns:p="p" xmlns:a="` + Drawing.space + `"><a:p>` + body + `</a:p></p:sld>`)
}

func aRun(text string) string { return "<a:r><a:t>" + text + "</a:t></a:r>" }

func TestAbsentSeesEveryForm(t *testing.T) {
	for name, c := range map[string]struct {
		search Search
		body   string
	}{
		"one run":                  {Search{Text: "Sales"}, aRun("all sales")},
		"two runs":                 {Search{Text: "sales"}, aRun("all SA") + aRun("Les now")},
		"a run for each letter":    {Search{Text: "sales"}, aRun("s") + aRun("a") + aRun("l") + aRun("e") + aRun("s")},
		"an empty run between":     {Search{Text: "sales"}, aRun("sal") + aRun("") + aRun("es")},
		"a field between":          {Search{Text: "sales"}, aRun("sal") + `<a:fld id="{1}" type="slidenum"><a:t>7</a:t></a:fld>` + aRun("es")},
		"a reference":              {Search{Text: "R&D costs"}, aRun("R&amp;D costs")},
		"a reference at the split": {Search{Text: "D costs"}, aRun("R&amp;D") + aRun(" costs")},
		"a number of a letter":     {Search{Text: "sales"}, aRun("&#115;ales")},
		"in hexadecimal":           {Search{Text: "sales"}, aRun("s&#x61;les")},
		"CDATA":                    {Search{Text: "sales"}, aRun("<![CDATA[sa]]>les")},
		"a comment between":        {Search{Text: "sales"}, aRun("sa<!-- c -->les")},
		"a long s":                 {Search{Text: "sales"}, aRun("ſales")},
		"the sign of Kelvin":       {Search{Text: "kelvin"}, aRun("\u212aelvin")},
		"letters beyond ASCII":     {Search{Text: "Übersicht"}, aRun("ü") + aRun("BERSI") + aRun("cht")},
		"no ASCII":                 {Search{Text: "Ü"}, aRun("ü")},
		"a break":                  {Search{Text: "a\nb"}, aRun("a") + "<a:br/>" + aRun("b")},
		"an expression":            {Search{Text: "s.les", Regex: true}, aRun("sales")},
		"whole words":              {Search{Text: "sales", WholeWord: true}, aRun("the sales")},
		"as spelled":               {Search{Text: "Sales", MatchCase: true}, aRun("Sa") + aRun("les")},
		"behind an attribute":      {Search{Text: "sales"}, `<a:r><a:rPr x="a > b"/><a:t>sales</a:t></a:r>`},
	} {
		f, err := c.search.Finder()
		require.NoError(t, err)
		doc := absentPart(c.body)
		require.True(t, hasMatch(t, f, doc), name)
		require.False(t, f.Absent(doc), name)
	}
}

func TestAbsentSkipsOtherParts(t *testing.T) {
	for _, c := range []struct {
		search Search
		body   string
	}{
		{Search{Text: "costs"}, aRun("all sales") + aRun("now")},
		{Search{Text: "Sales", MatchCase: true}, aRun("all sales")},
		{Search{Text: "Übersicht"}, aRun("Zusammenfassung")},
	} {
		f, err := c.search.Finder()
		require.NoError(t, err)
		require.True(t, f.Absent(absentPart(c.body)))
	}
}

// Random texts, split and written in random ways: none that is found is absent.
func TestAbsentNeverHidesAMatch(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	letters := []rune("aabbkKsSſ\u212aÜü &<\n1")
	text := func(n int) string {
		out := make([]rune, 1+rnd.IntN(n))
		for i := range out {
			out[i] = letters[rnd.IntN(len(letters))]
		}
		return string(out)
	}
	written := func(s string) string {
		var sb strings.Builder
		for _, r := range s {
			switch k := rnd.IntN(12); {
			case r == '\n':
				sb.WriteString("</a:t></a:r><a:br/><a:r><a:t>")
				continue
			case k == 0:
				sb.WriteString("</a:t></a:r><a:r><a:rPr b=\"1\"/><a:t>")
			case k == 1:
				fmt.Fprintf(&sb, "&#%d;", r)
				continue
			case k == 2:
				sb.WriteString("<!--a-->")
			case k == 3 && r != '<' && r != '&':
				fmt.Fprintf(&sb, "<![CDATA[%c]]>", r)
				continue
			}
			sb.WriteString(xmlscan.Escape(string(r)))
		}
		return aRun(sb.String())
	}
	hits, skipped := 0, 0
	for range 30_000 {
		search := Search{Text: text(3), MatchCase: rnd.IntN(2) == 0, WholeWord: rnd.IntN(4) == 0}
		f, err := search.Finder()
		require.NoError(t, err)
		doc := absentPart(written(text(12)))
		has, absent := hasMatch(t, f, doc), f.Absent(doc)
		require.False(t, has && absent, "%+v in %s", search, doc)
		if has {
			hits++
		} else if absent {
			skipped++
		}
	}
	require.Greater(t, hits, 3000)
	require.Greater(t, skipped, 3000)
}
