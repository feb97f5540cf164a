package agent

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// W-21: a model converts a file to a new one of the draft, which is no source: what it was made of
// is one.
func TestModelConverts(t *testing.T) {
	r := newRig(t, map[string]string{"a.md": "# Pears\n\n- ripe\n"})
	m := play(calls("convert", `{"path":"a.md","format":"docx"}`), calls("read_file", `{"path":"a.docx"}`), calls("convert", `{"path":"a.md","format":"docx"}`), says("Done."))
	res, err := r.run(m, "Make a document of a.md.")
	require.NoError(t, err)
	require.True(t, res.HasDraft)
	got := r.results()
	require.Regexp(t, `^Made a.docx \([0-9]+ bytes\) from a.md$`, got[0])
	require.Equal(t, "Pears\n• ripe", got[1])
	require.Contains(t, got[2], "a.docx exists already")
	require.NoFileExists(t, r.root+"/a.docx")
	for _, rec := range r.records() {
		switch {
		case rec.ToolName == "convert" && *rec.Success:
			require.Contains(t, fmt.Sprint(rec.Metadata["sources"]), "a.md")
		case rec.ToolName == "read_file":
			require.NotContains(t, fmt.Sprint(rec.Metadata["sources"]), "a.docx")
		}
	}
}
