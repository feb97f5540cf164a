package pptx

import (
	"testing"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// TR-02: every visible text of every real deck is in a segment, and gone when
// each segment was replaced.
func TestTR02Recall(t *testing.T) {
	r := formatstest.NewRecall("pptx", formatstest.PptxScan, segmenter{})
	r.Corpus(t, "pptx")
}

// TR-02: masters and layouts are an option, and then found whole.
func TestTR02RecallWithMasters(t *testing.T) {
	r := formatstest.NewRecall("pptx with masters", formatstest.PptxMasterScan, segmenter{})
	r.Options.Masters = true
	r.Corpus(t, "pptx")
}

// TR-03: each text put back as it was leaves each byte of each part.
func TestTR03SameTextSameBytes(t *testing.T) {
	formatstest.CorpusSameWhenUnchanged(t, "pptx", segmenter{}, formats.SegmentOptions{Masters: true})
}

// TR-02, TR-12: what LibreOffice shows of a translated deck has no word of the
// original left, and the deck no schema error that the original lacks.
func TestTR02NothingLeftInLibreOffice(t *testing.T) {
	formatstest.OfficeShowsTranslation(t, "pptx", formatstest.Sample(t, "pptx"), formatstest.PptxScan, segmenter{},
		func(s formats.Segment) string { return formatstest.Cipher(s.Text) }, formats.ReplaceOptions{Language: "ar-XB"})
}
