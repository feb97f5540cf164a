package memory

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/workshop"
)

func imported(t testing.TB, m *Memory, text string) Counts {
	n, err := m.ImportTMX(context.Background(), strings.NewReader(text))
	require.NoError(t, err)
	return n
}

const tmxHead = `<tmx version="1.4"><header srclang="%s"/><body>`

// TestImport (TR-05): languages, dates, and which units are skipped.
func TestImport(t *testing.T) {
	m := open(t)
	n := imported(t, m, fmt.Sprintf(tmxHead, "en")+`
<tu changeid="ann" changedate="20200131T120000Z"><tuv xml:lang="de-DE"><seg>Haus</seg></tuv><tuv xml:lang="EN-GB"><seg>house</seg></tuv><tuv xml:lang="es"><seg>casa</seg></tuv></tu>
<tu srclang="*all*"><tuv xml:lang="fr"><seg>un</seg></tuv><tuv xml:lang="it"><seg>uno</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>alone</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>empty</seg></tuv><tuv xml:lang="es"><seg/></tuv></tu>
<tu><tuv xml:lang="en"><seg>a<bpt i="1"/>b<bpt i="2"/>c<ept i="1"/>d<ept i="2"/></seg></tuv><tuv xml:lang="es"><seg>x</seg></tuv></tu>
</body></tmx>`)
	require.Equal(t, Counts{Units: 5, Entries: 5, Skipped: 2, Untagged: 1}, n)
	require.Contains(t, n.String(), "5 units, 5 entries, 2 units skipped")
	found, err := m.Exact(context.Background(), Pair{"en", "de"}, "", []string{"house"})
	require.NoError(t, err)
	require.Equal(t, Entry{Pair: Pair{"en-gb", "de-de"}, Source: "house", Target: "Haus", Origin: Imported, By: "ann", Changed: time.Date(2020, 1, 31, 12, 0, 0, 0, time.UTC)}, found["house"])
	require.Equal(t, "casa", exact(t, m, enES, "", "house"))
	require.Empty(t, exact(t, m, Pair{"de", "es"}, "", "Haus"), "the file's source language only")
	require.Equal(t, "uno", exact(t, m, Pair{"fr", "it"}, "", "un"))
	require.Equal(t, "un", exact(t, m, Pair{"it", "fr"}, "", "uno"))
	require.Equal(t, "x", exact(t, m, enES, "", "abcd"))
	again := imported(t, m, fmt.Sprintf(tmxHead, "en")+`<tu><tuv xml:lang="en"><seg>house</seg></tuv><tuv xml:lang="es"><seg>la casa</seg></tuv></tu></body></tmx>`)
	require.Equal(t, 1, again.Entries)
	require.Equal(t, "la casa", exact(t, m, enES, "", "house"), "without a date it is new")

	_, err = m.ImportTMX(context.Background(), strings.NewReader(fmt.Sprintf(tmxHead, "en")+"<tu><tuv xml:lang='en'><seg>kept</seg></tuv><tuv xml:lang='es'><seg>guardado</seg></tuv></tu>\n<tu><tuv>"))
	require.True(t, workshop.IsFault(err, workshop.Invalid))
	require.ErrorContains(t, err, "line 2: <tuv> names no language")
	require.Equal(t, "guardado", exact(t, m, enES, "", "kept"), "what was read stays")
}

// TestTMXRoundTrip (TR-05): after export and import the memory is the same.
func TestTMXRoundTrip(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	count := 0
	rapid.Check(t, func(t *rapid.T) {
		count++
		a, err := Open(ctx, filepath.Join(dir, fmt.Sprint(count, "a.db")))
		require.NoError(t, err)
		defer a.Close()
		b, err := Open(ctx, filepath.Join(dir, fmt.Sprint(count, "b.db")))
		require.NoError(t, err)
		defer b.Close()
		text := rapid.SampledFrom([]string{"Yes", "<3>Yes</3> <1/>", "a &lt; b &amp; c\n\r d", " blanks ", "合同", "<1>x<2>y</2></1>"})
		for i := range rapid.IntRange(1, 8).Draw(t, "n") {
			e := Entry{Pair: Pair{rapid.SampledFrom([]string{"", "en", "en-us"}).Draw(t, "from"), rapid.SampledFrom([]string{"es", "zh-tw"}).Draw(t, "to")},
				Source: text.Draw(t, "s"), Origin: rapid.SampledFrom(origins[1:]).Draw(t, "o"), By: rapid.SampledFrom([]string{"", "Ann <a@b>"}).Draw(t, "by"),
				Document: "a & b.docx", Place: "p. 1", Changed: time.UnixMilli(1e12 + int64(i)*500).UTC()}
			e.Target = rapid.SampledFrom([]string{"", "Sí ", "\t"}).Draw(t, "t") + e.Source
			if e.Origin == Machine {
				e.Recipe = "gpt\n\"formal\""
			}
			put(t, a, e)
		}
		var first, second bytes.Buffer
		n, err := a.ExportTMX(ctx, &first, ExportOptions{Machine: true})
		require.NoError(t, err)
		counts, err := b.ImportTMX(ctx, bytes.NewReader(first.Bytes()))
		require.NoError(t, err)
		require.Equal(t, Counts{Units: n, Entries: n}, counts)
		_, err = b.ExportTMX(ctx, &second, ExportOptions{Machine: true})
		require.NoError(t, err)
		require.Equal(t, first.String(), second.String())
	})
}

// TestExportNarrowed: one pair, and machine entries only on request.
func TestExportNarrowed(t *testing.T) {
	m := open(t)
	var es []Entry
	for i := range 1200 { // more than a page
		es = append(es, Entry{Pair: Pair{"en", []string{"es", "de"}[i%2]}, Source: fmt.Sprint("s", i), Target: "t", Origin: origins[1+i%3], Recipe: "r"})
	}
	put(t, m, es...)
	for want, opt := range map[int]ExportOptions{
		1200: {Machine: true},
		800:  {},
		400:  {Pair: Pair{"", "es"}},
		600:  {Pair: Pair{"en", "de"}, Machine: true},
		0:    {Pair: Pair{"fr", "de"}},
	} {
		n, err := m.ExportTMX(context.Background(), io.Discard, opt)
		require.NoError(t, err)
		require.Equal(t, want, n, "%+v", opt)
	}
}
