package docx

import (
	"testing"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
	"atelier/llm/pseudo"
)

// TR-02, TR-11, TR-12: LibreOffice opens the translation of each real document
// into one of three kinds of language and shows nothing of the original; no new
// schema error.
func TestTR12OfficeShowsTranslation(t *testing.T) {
	campaign.Slow(t)
	byLanguage := map[string][]string{}
	for i, path := range formatstest.Sample(t, "docx") {
		tag := []string{"es", "ar", "ja"}[i%3]
		byLanguage[tag] = append(byLanguage[tag], path)
	}
	for tag, paths := range byLanguage {
		t.Run(tag, func(t *testing.T) {
			formatstest.OfficeShowsTranslation(t, "docx", paths, formatstest.DocxScan, Format().Segmenter,
				func(s formats.Segment) string { return pseudo.Within(s.Text, s.MaxLength) }, formats.ReplaceOptions{Language: tag})
		})
	}
}
