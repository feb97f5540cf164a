package xlsx

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// TR-02: every visible text of every real workbook is in a segment, and gone
// when each segment was replaced; names of sheets as an option.
func TestTR02Recall(t *testing.T) {
	r := formatstest.NewRecall("xlsx", formatstest.XlsxNamesScan, segmenter{})
	r.Options.SheetNames = true
	for i, path := range formatstest.Corpus(t, "xlsx") {
		if testing.Short() && i%6 != 0 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) { r.Document(t, path) })
	}
	r.Report(t)
}

// TR-03: each text put back as it was leaves each byte of each part.
func TestTR03SameTextSameBytes(t *testing.T) {
	for i, path := range formatstest.Corpus(t, "xlsx") {
		if testing.Short() && i%6 != 0 {
			continue
		}
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		formatstest.SameWhenUnchanged(t, segmenter{}, formats.FromBytes(filepath.Base(path), b), formats.SegmentOptions{SheetNames: true})
	}
}

// TR-02, TR-12: what LibreOffice shows of a translated workbook has no word of
// the original left, and the workbook no schema error that the original lacks.
func TestTR02NothingLeftInLibreOffice(t *testing.T) {
	formatstest.OfficeShowsTranslation(t, "xlsx", formatstest.Corpus(t, "xlsx"), formatstest.XlsxScan, segmenter{},
		func(s formats.Segment) string { return formatstest.Cipher(s.Text) }, formats.ReplaceOptions{Language: "ar-XB"})
}
