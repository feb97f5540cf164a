package docx

import (
	"testing"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/llm/pseudo"
)

// TR-02, TR-12: LibreOffice opens the translation of each real document and
// shows nothing of the original; no new schema error.
func TestTR12OfficeShowsTranslation(t *testing.T) {
	formatstest.OfficeShowsTranslation(t, "docx", formatstest.Corpus(t, "docx"), formatstest.DocxScan, Format().Segmenter,
		func(s formats.Segment) string { return pseudo.Within(s.Text, s.MaxLength) }, formats.ReplaceOptions{})
}
