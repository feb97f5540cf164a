package all

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// pictures lists those of a document of the corpus.
func pictures(t *testing.T, set *formats.Set, file string, sel formats.Selector) (out []formats.Picture, err error) {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	src := formats.FromBytes(filepath.Base(file), b)
	f := set.Kind(formats.Kind(strings.TrimPrefix(filepath.Ext(file), ".")))
	err = f.Pictures.Pictures(t.Context(), src, sel, func(p formats.Picture) error {
		out = append(out, p)
		return nil
	})
	return out, err
}

func places(list []formats.Picture) (out []string) {
	for _, p := range list {
		out = append(out, p.At+" "+p.Type)
	}
	return out
}

// Pictures have the addresses that other tools take, and what is selected is all that
// is given.
func TestPicturesOfDocuments(t *testing.T) {
	set := Formats(Options{CacheDir: formatstest.Cache})
	dir := formatstest.CorpusDir(t)
	if _, err := os.Stat(dir); err != nil {
		t.Skip("there is no corpus")
	}
	slide := 1
	for _, c := range []struct {
		file string
		sel  formats.Selector
		want []string
	}{
		{"docx/document_VariousPictures.docx", formats.Selector{}, []string{"p5 wmf", "p5 png", "p5 emf", "p5 emf", "p5 jpeg"}},
		{"docx/document_VariousPictures.docx", formats.Selector{Section: "p0-p4"}, nil},
		{"docx/cture_watermark_with_auto_scale_and_washout.docx", formats.Selector{}, []string{"h0.p0 jpeg", "h1.p0 jpeg", "h2.p0 jpeg"}},
		{"docx/document_Bug51170.docx", formats.Selector{}, []string{"h0.p0 pdf", "elsewhere in the file, part word/media/image2.png png"}},
		{"xlsx/TryToLoad_ExcelProducedWorkbookWithImages.xlsx", formats.Selector{}, []string{"Sheet1!A1:F23 jpg", "Sheet1!F1:K23 jpg", "Sheet1!L1:Q23 jpg"}},
		{"xlsx/TryToLoad_ExcelProducedWorkbookWithImages.xlsx", formats.Selector{Range: "K5:M9"}, []string{"Sheet1!F1:K23 jpg", "Sheet1!L1:Q23 jpg"}},
		{"xlsx/cr_tests_ocr_test_data_xlsx_multiple_images.xlsx", formats.Selector{Sheet: "Details"}, []string{"Details!A4 png"}},
		{"pptx/packages_markitdown_tests_test_files_test.pptx", formats.Selector{}, []string{"slide_index 1, shape_id 5 jpeg", "slide_index 5, shape_id 5 jpg"}},
		{"pptx/packages_markitdown_tests_test_files_test.pptx", formats.Selector{SlideIndex: &slide}, []string{"slide_index 1, shape_id 5 jpeg"}},
	} {
		got, err := pictures(t, set, filepath.Join(dir, filepath.FromSlash(c.file)), c.sel)
		require.NoError(t, err, c.file)
		require.Equal(t, c.want, places(got), c.file)
	}
	linked, err := pictures(t, set, filepath.Join(dir, "docx", "tests_data_docx_sources_docx_external_image.docx"), formats.Selector{})
	require.NoError(t, err)
	require.Len(t, linked, 1)
	require.Equal(t, []any{"p2", "https://example.com/image.png", true}, []any{linked[0].At, linked[0].Linked, linked[0].Open == nil})
}

// Every picture in a real document is given with a place, or the document has a typed
// error; a walk ends with its context and with an error of emit.
func TestPicturesOfTheCorpus(t *testing.T) {
	set := Formats(Options{CacheDir: formatstest.Cache})
	stop := errors.New("enough")
	for _, kind := range []string{"docx", "xlsx", "pptx"} {
		for _, file := range formatstest.Corpus(t, kind) {
			list, err := pictures(t, set, file, formats.Selector{})
			if err != nil {
				require.NotEmpty(t, formats.CodeOf(err), "%s: %v", file, err)
				continue
			}
			for _, p := range list {
				require.NotEmpty(t, p.At, "%s: %+v", file, p)
				require.True(t, (p.Open != nil) != (p.Linked != "" || p.Lost), "%s: %s", file, fmt.Sprint(p))
			}
			if len(list) == 0 {
				continue
			}
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			src := formats.FromBytes(filepath.Base(file), b)
			f := set.Kind(formats.Kind(kind))
			require.ErrorIs(t, f.Pictures.Pictures(t.Context(), src, formats.Selector{}, func(formats.Picture) error { return stop }), stop)
			done, cancel := context.WithCancel(t.Context())
			cancel()
			require.ErrorIs(t, f.Pictures.Pictures(done, src, formats.Selector{}, func(formats.Picture) error { return nil }), context.Canceled)
		}
	}
}
