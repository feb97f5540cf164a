package docx

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

const languageBody = `<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:jc w:val="left"/></w:pPr><w:r><w:rPr><w:b/><w:sz w:val="40"/><w:lang w:val="en-US" w:bidi="he-IL"/></w:rPr><w:t>Title</w:t></w:r></w:p>` +
	`<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid><w:gridCol w:w="4000"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:tcW w:w="4000" w:type="dxa"/></w:tcPr><w:p><w:r><w:t>Cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>` +
	`<w:p><w:r><w:t>12</w:t></w:r></w:p>`

// localized returns the body after every segment was given the target "x" with
// the language tag.
func localized(t *testing.T, body, tag string) (main, settings string, file []byte) {
	src := withBody(t, body)
	segs, err := Format().Segmenter.Segments(ctx, src, formats.SegmentOptions{})
	require.NoError(t, err)
	targets := map[string]string{}
	for _, s := range segs {
		targets[s.ID] = "x" + s.Text
	}
	var out bytes.Buffer
	require.NoError(t, Format().Segmenter.Replace(ctx, src, &out, targets, formats.ReplaceOptions{Language: tag}))
	parts := formatstest.Parts(t, out.Bytes())
	_, main, _ = strings.Cut(string(parts[blankMain]), "<w:body>")
	main, _, _ = strings.Cut(main, "</w:body>")
	return main, string(parts["word/settings.xml"]), out.Bytes()
}

// TR-11: the theme of a new document names no font for such scripts, so runs
// do. A target from right to left has its runs, paragraphs, tables and
// sections so, with bold and size in complex script too; what has no target
// stays as it is.
func TestTR11RightToLeft(t *testing.T) {
	main, settings, file := localized(t, languageBody, "ar")
	require.Equal(t, `<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:bidi/><w:jc w:val="left"/><w:rPr><w:rtl/></w:rPr></w:pPr>`+
		`<w:r><w:rPr><w:rFonts w:hint="cs" w:cs="Arial"/><w:b/><w:bCs/><w:sz w:val="40"/><w:szCs w:val="40"/><w:rtl/><w:lang w:val="en-US" w:bidi="ar-EG"/></w:rPr><w:t>xTitle</w:t></w:r></w:p>`+
		`<w:tbl><w:tblPr><w:bidiVisual/><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid><w:gridCol w:w="4000"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:tcW w:w="4000" w:type="dxa"/></w:tcPr>`+
		`<w:p><w:pPr><w:bidi/><w:rPr><w:rtl/></w:rPr></w:pPr><w:r><w:rPr><w:rFonts w:hint="cs" w:cs="Arial"/><w:rtl/><w:lang w:bidi="ar-EG"/></w:rPr><w:t>xCell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`+
		`<w:p><w:r><w:t>12</w:t></w:r></w:p><w:sectPr><w:bidi/></w:sectPr>`, main)
	require.Contains(t, settings, `bidi="ar-EG"`)
	formatstest.Validate(t, formatstest.Write(t, "ar.docx", file), "")

	// And back: what was from right to left is so no more.
	back, _, _ := localized(t, strings.TrimSuffix(main, `<w:sectPr><w:bidi/></w:sectPr>`), "en")
	for _, gone := range []string{"<w:bidi/>", "<w:rtl/>", "<w:bidiVisual/>"} {
		require.Equal(t, 0, strings.Count(strings.ReplaceAll(back, "<w:rPr><w:rtl/></w:rPr></w:pPr>", ""), gone), back)
	}
}

// TR-11: East Asian and Latin targets say their language in its slot.
func TestTR11Slots(t *testing.T) {
	main, settings, file := localized(t, languageBody, "ja")
	require.Contains(t, main, `<w:rPr><w:rFonts w:hint="eastAsia" w:eastAsia="MS Mincho"/><w:lang w:eastAsia="ja-JP"/></w:rPr><w:t>xCell</w:t>`)
	require.NotContains(t, main, "bidi/")
	require.Contains(t, settings, `eastAsia="ja-JP"`)
	formatstest.Validate(t, formatstest.Write(t, "ja.docx", file), "")
	main, _, file = localized(t, languageBody, "es")
	require.Contains(t, main, `<w:rPr><w:b/><w:sz w:val="40"/><w:lang w:val="es-ES" w:bidi="he-IL"/></w:rPr><w:t>xTitle</w:t>`)
	require.Contains(t, main, `<w:p><w:r><w:t>12</w:t></w:r></w:p>`)
	formatstest.Validate(t, formatstest.Write(t, "es.docx", file), "")
}
