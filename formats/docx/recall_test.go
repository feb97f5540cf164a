package docx

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// TR-02: every visible text of every real document is in a segment, and gone
// when each segment was replaced.
func TestTR02Recall(t *testing.T) {
	r := formatstest.NewRecall("docx", formatstest.DocxScan, Format().Segmenter)
	for i, path := range formatstest.Corpus(t, "docx") {
		if testing.Short() && i%6 != 0 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) { r.Document(t, path) })
	}
	r.Report(t)
}

// TR-03: each text put back as it was leaves each byte of each part.
func TestTR03SameTextSameBytes(t *testing.T) {
	for i, path := range formatstest.Corpus(t, "docx") {
		if testing.Short() && i%6 != 0 {
			continue
		}
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		formatstest.SameWhenUnchanged(t, Format().Segmenter, formats.FromBytes(filepath.Base(path), b), formats.SegmentOptions{})
	}
}
