package docx

import (
	"testing"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// TR-02: every visible text of every real document is in a segment, and gone
// when each segment was replaced.
func TestTR02Recall(t *testing.T) {
	r := formatstest.NewRecall("docx", formatstest.DocxScan, Format().Segmenter)
	r.Corpus(t, "docx")
}

// TR-03: each text put back as it was leaves each byte of each part.
func TestTR03SameTextSameBytes(t *testing.T) {
	formatstest.CorpusSameWhenUnchanged(t, "docx", Format().Segmenter, formats.SegmentOptions{})
}
