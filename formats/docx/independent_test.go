package docx

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	other "github.com/nguyenthenguyen/docx"
	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// A17: a reader that is not ours finds what our edits wrote, in the body and
// over runs.
func TestIndependentReader(t *testing.T) {
	src := made(t, sample, `{"op":"append_paragraph","text":"the <end> & more"}`)
	b, _, err := apply(t, src, `{"op":"replace_text","search":"intro","replace":"Einleitung"}`)
	require.NoError(t, err)
	r, err := other.ReadDocxFromMemory(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	defer r.Close()
	content := r.Editable().GetContent()
	require.Contains(t, content, "Einleitung")
	require.NotContains(t, content, "intro")
	require.Contains(t, content, "the &lt;end&gt; &amp; more")
	require.Equal(t, 1, strings.Count(content, "The Title"))
}

// Why that reader stays in tests (decision 48): it looks in the XML as it is,
// where the text of many paragraphs is split over runs.
func TestIndependentReaderMissesSplitText(t *testing.T) {
	whole, missed := 0, 0
	for _, path := range formatstest.Corpus(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		text, err := Format().Reader.Read(context.Background(), formats.FromBytes("a.docx", b), formats.Selector{})
		if err != nil {
			continue
		}
		r, err := other.ReadDocxFromMemory(bytes.NewReader(b), int64(len(b)))
		require.NoError(t, err)
		content := r.Editable().GetContent()
		require.NoError(t, r.Close())
		for line := range strings.Lines(text.Text) {
			line = strings.TrimSpace(line)
			if len(line) < 20 || strings.ContainsAny(line, "<>&|#*`[]\t{}\"'") {
				continue // it is written otherwise in XML or by our reader
			}
			whole++
			if !strings.Contains(content, line) {
				missed++
			}
		}
	}
	t.Logf("%d of %d paragraphs are not in one piece", missed, whole)
	require.Greater(t, missed*5, whole)
}
