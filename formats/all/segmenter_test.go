package all

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// Every segmenter keeps the promises of package formats, on our own documents
// and on real ones (TR-01, TR-03).
func TestSegmenters(t *testing.T) {
	check := func(t *testing.T, path string, singly int) int {
		src, err := formats.OpenFile(path)
		require.NoError(t, err)
		defer src.Close()
		f, err := set.Detect(t.Context(), src)
		require.NoError(t, err)
		return formatstest.CheckSegmenter(t, f.Segmenter, src, formatstest.SegmenterOptions{Seed: campaign.Seed(), Singly: singly,
			Bilingual: slices.Contains([]string{".po", ".xlf"}, filepath.Ext(path))})
	}
	for _, folder := range []string{"documents", "texts"} {
		dir := filepath.Join(formatstest.Root(t), "testdata", folder)
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range files {
			t.Run(e.Name(), func(t *testing.T) {
				require.Positive(t, check(t, filepath.Join(dir, e.Name()), 10))
			})
		}
	}
	small := map[string]string{
		"a.txt":        "One line\n\nAnother <line> & more\n",
		"a.vtt":        "WEBVTT\n\n00:01.000 --> 00:02.000\n<i>Hello</i> there\n",
		"a.xlf":        "<xliff version=\"1.2\"><file source-language=\"en\" target-language=\"de\"><body><trans-unit id=\"1\"><source>A <g id=\"1\">word</g></source></trans-unit></body></file></xliff>",
		"a.json":       "{\"title\": \"Hello there\", \"n\": 1, \"list\": [\"Some words\"]}",
		"a.properties": "title = Hello there\nother: Some words\n",
		"a.tsv":        "Name\tNote\nOlive oil\tGood and green\n",
	}
	for name, text := range small {
		t.Run(name, func(t *testing.T) {
			require.Positive(t, check(t, formatstest.Write(t, name, []byte(text)), 3))
		})
	}
	for _, kind := range []string{"docx", "xlsx", "pptx"} {
		t.Run("corpus "+kind, func(t *testing.T) {
			for i, path := range formatstest.Corpus(t, kind) {
				if campaign.Skips(t, i, 4) {
					continue
				}
				if st, err := os.Stat(path); err != nil || st.Size() > 2<<20 {
					continue // the whole is listed many times
				}
				src, err := formats.OpenFile(path)
				require.NoError(t, err)
				f, err := set.Detect(t.Context(), src)
				require.NoError(t, err)
				_, err = f.Segmenter.Segments(t.Context(), src, formats.SegmentOptions{})
				src.Close()
				if err != nil {
					require.NotEmpty(t, formats.CodeOf(err), path)
					continue
				}
				check(t, path, 3)
			}
		})
	}
}
