package docx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// A read says what the document has there that its text does not show; beside
// the text, which stays as it is.
func TestReadSaysWhatItLeavesOut(t *testing.T) {
	src, _ := edited(t, made(t, sample), `{"op":"add_comment","at":"p2","text":"why?"}`, `{"op":"set_header","text":"top"}`,
		`{"op":"replace_text","search":"deep","replace":"low","track_changes":true}`, `{"op":"add_image","path":"a.png"}`)
	for _, c := range []struct {
		section string
		include []string
		want    []string
	}{
		{"", nil, []string{`not shown: 2 tracked changes, read as if accepted (include "changes"), 1 headers and footers (include "headers"), 1 comments (include "comments"), 1 pictures`}},
		{"", []string{"all"}, []string{"not shown: 1 pictures"}},
		{"The Title", nil, []string{`not shown: 1 comments (include "comments")`}},
		{"Terms", nil, nil},
		{"Sub", []string{"changes"}, []string{"not shown: 1 pictures"}},
		{"p5-p6", nil, []string{`not shown: 2 tracked changes, read as if accepted (include "changes")`}},
	} {
		text, err := Format().Reader.Read(ctx, src, formats.Selector{Section: c.section, Include: c.include})
		require.NoError(t, err)
		require.Equal(t, c.want, text.Notes, c.section)
		require.NotContains(t, text.Text, "not shown")
	}
	text, err := Format().Reader.Read(ctx, made(t, sample), formats.Selector{})
	require.NoError(t, err)
	require.Empty(t, text.Notes)
}
