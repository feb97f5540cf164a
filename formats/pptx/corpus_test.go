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
		var adds []string
		for _, layout := range []string{"title_and_content", "title_only", "section_header"} {
			adds = append(adds, fmt.Sprintf(`{"op":"add_slide","layout":%q,"title":"Neu & <alt>","body":"eins\n\tzwei"}`, layout))
		}
		added := edit(t, file, adds...)
		made, _, err := openDeck(ctx, source(added))
		require.NoError(t, err)
		require.Len(t, made.slides, n+3)
		except := []string{d.main, relsOf(d.main), "[Content_Types].xml"}
		for i := n; i < n+3; i++ {
			require.Contains(t, readSlide(t, added, i), "Neu & <alt>")
			require.Contains(t, readSlide(t, added, i), "eins\n\tzwei")
			except = append(except, made.slides[i].part, relsOf(made.slides[i].part))
		}
		formatstest.SameParts(t, file, added, except...)
		validate(t, path, added)

		appended := edit(t, file, fmt.Sprintf(`{"op":"append_bullets","slide_index":%d,"bullets":["vier"," fünf"]}`, n-1))
		require.Contains(t, readSlide(t, appended, n-1), "vier\n")
		formatstest.SameParts(t, file, appended, last)

		set := edit(t, appended, fmt.Sprintf(`{"op":"set_slide_text","index":%d,"title":"Neu","body":"eins\n\tzwei\nvier"}`, n-1))
		require.Contains(t, readSlide(t, set, n-1), "Neu")
		require.Contains(t, readSlide(t, set, n-1), "eins\n\tzwei\nvier")
		formatstest.SameParts(t, file, set, last)
		validate(t, path, set)
	})
}

// Every op on some real decks opens in LibreOffice.
func TestCorpusOpensInLibreOffice(t *testing.T) {
	if testing.Short() {
		t.Skip("LibreOffice is slow: left out with -short")
	}
	for i, path := range formatstest.Sample(t, "pptx") {
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
