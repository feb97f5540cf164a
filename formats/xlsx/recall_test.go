package xlsx

import (
	"testing"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// TR-02: every visible text of every real workbook is in a segment, and gone
// when each segment was replaced; names of sheets as an option.
func TestTR02Recall(t *testing.T) {
	r := formatstest.NewRecall("xlsx", formatstest.XlsxNamesScan, segmenter{})
	r.Options.SheetNames = true
	r.Corpus(t, "xlsx")
}

// TR-03: each text put back as it was leaves each byte of each part.
func TestTR03SameTextSameBytes(t *testing.T) {
	formatstest.CorpusSameWhenUnchanged(t, "xlsx", segmenter{}, formats.SegmentOptions{SheetNames: true})
}

// TR-02, TR-12: what LibreOffice shows of a translated workbook has no word of
// the original left, and the workbook no schema error that the original lacks.
func TestTR02NothingLeftInLibreOffice(t *testing.T) {
	formatstest.OfficeShowsTranslation(t, "xlsx", formatstest.Sample(t, "xlsx"), formatstest.XlsxScan, segmenter{},
		func(s formats.Segment) string { return formatstest.Cipher(s.Text) }, formats.ReplaceOptions{Language: "ar-XB"})
}
