package all

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/html"
	"atelier/formats/localization"
	"atelier/formats/subtitles"
)

// Each extension that package all has a segmenter for has its row in the table
// of file types, as text; so a new text format cannot be forgotten there.
func TestSegmentersHaveFileTypes(t *testing.T) {
	exts := append(append(html.Extensions[:len(html.Extensions):len(html.Extensions)], subtitles.Extensions...), localization.Extensions()...)
	for _, ext := range exts {
		require.Equal(t, formats.KindText, formats.KindOfName("a"+ext), ext)
	}
	require.Greater(t, len(exts), 8)
}
