package docx

import (
	"bytes"
	"strings"
	"testing"

	other "github.com/nguyenthenguyen/docx"
	"github.com/stretchr/testify/require"
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
