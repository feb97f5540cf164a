package pptx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// W-33, X-16: every real deck maps and reads, and each slide it has is there.
func TestCorpusReads(t *testing.T) {
	corpus(t, func(t *testing.T, path string, file []byte) {
		m := mapOf(t, file)
		require.Positive(t, m.SlideCount)
		require.Len(t, m.Slides, m.SlideCount)
		all, err := reader{}.Read(ctx, source(file), formats.Selector{})
		require.NoError(t, err)
		for i := range m.Slides {
			one := readSlide(t, file, i)
			require.True(t, strings.HasPrefix(one, fmt.Sprintf("# Slide %d", i+1)), one)
			require.Contains(t, all.Text, one)
		}
	})
}

// DESIGN 4: Apply without operations gives the same bytes.
func TestCorpusNoOpsIsIdentity(t *testing.T) {
	corpus(t, func(t *testing.T, path string, file []byte) {
		require.Equal(t, file, edit(t, file))
	})
}

// each operation on each real deck does what it says, changes no
// other part and adds no schema error.
func TestCorpusOperations(t *testing.T) {
	corpus(t, func(t *testing.T, path string, file []byte) {
		n := mapOf(t, file).SlideCount
		d, _, err := openDeck(ctx, source(file))
		require.NoError(t, err)
		last := d.slides[n-1].part
		for _, layout := range []string{"title_and_content", "title_only", "section_header"} {
			added := edit(t, file, fmt.Sprintf(`{"op":"add_slide","layout":%q,"title":"Neu & <alt>","body":"eins\n\tzwei"}`, layout))
			require.Equal(t, n+1, mapOf(t, added).SlideCount)
			text := readSlide(t, added, n)
			require.Contains(t, text, "Neu & <alt>")
			require.Contains(t, text, "eins\n\tzwei")
			made, _, err := openDeck(ctx, source(added))
			require.NoError(t, err)
			new := made.slides[n].part
			formatstest.SameParts(t, file, added, new, relsOf(new), d.main, relsOf(d.main), "[Content_Types].xml")
			validate(t, path, added)
		}
		set := edit(t, file, fmt.Sprintf(`{"op":"set_slide_text","index":%d,"title":"Neu","body":"eins\n\tzwei\ndrei"}`, n-1))
		require.Contains(t, readSlide(t, set, n-1), "Neu")
		require.Contains(t, readSlide(t, set, n-1), "eins\n\tzwei\ndrei")
		formatstest.SameParts(t, file, set, last)
		validate(t, path, set)

		appended := edit(t, file, fmt.Sprintf(`{"op":"append_bullets","slide_index":%d,"bullets":["vier"," fünf"]}`, n-1))
		require.Contains(t, readSlide(t, appended, n-1), "vier\n")
		formatstest.SameParts(t, file, appended, last)
		validate(t, path, appended)
	})
}

// Every op on some real decks opens in LibreOffice.
func TestCorpusOpensInLibreOffice(t *testing.T) {
	if testing.Short() {
		t.Skip("LibreOffice is slow: left out with -short")
	}
	for i, path := range formatstest.Corpus(t, "pptx") {
		if i%10 != 5 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			file, err := os.ReadFile(path)
			require.NoError(t, err)
			out := edit(t, file, `{"op":"set_slide_text","index":0,"title":"Neu","body":"eins\n\tzwei"}`, `{"op":"append_bullets","index":0,"bullets":["drei"]}`, `{"op":"add_slide","title":"Ende","body":"letzte"}`)
			targets := map[string]string{}
			for _, s := range segments(t, out) {
				targets[s.ID] = pseudo(s.Text)
			}
			formatstest.LibreOfficeOpens(t, formatstest.Write(t, "edited.pptx", retext(t, out, targets)))
		})
	}
}

// validate fails on a schema error that the file at path lacks.
func validate(t *testing.T, path string, made []byte) {
	t.Helper()
	formatstest.Validate(t, formatstest.Write(t, "made.pptx", made), path)
}

func relsOf(part string) string {
	dir, base := filepath.Split(part)
	return dir + "_rels/" + base + ".rels"
}
