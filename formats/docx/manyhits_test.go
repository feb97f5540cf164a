package docx

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

const everyDigit = `{"op":"replace_text","search":"[0-9]","replace":"y","regex":true}`

// the matches of a long paragraph are tracked in one pass over it.
func TestX18TrackedReplacementOfManyHits(t *testing.T) {
	src := withBody(t, `<w:p><w:r><w:t xml:space="preserve">`+strings.Repeat("1 ", 30_000)+`</w:t></w:r></w:p>`)
	from := time.Now()
	b, rep, err := applyWith(t, src, formats.ApplyOptions{TrackChanges: true}, everyDigit)
	require.NoError(t, err)
	require.Equal(t, 30_000, rep.Ops[0].Hits)
	require.NotEmpty(t, b)
	require.Less(t, time.Since(from), 20*time.Second) // over a minute when each hit copies the paragraph
}

// more tracked changes than can be held are refused in words.
func TestX18TooManyTrackedChanges(t *testing.T) {
	src := withBody(t, `<w:p><w:r><w:t>`+strings.Repeat("1", 200_001)+`</w:t></w:r></w:p>`)
	_, _, err := applyWith(t, src, formats.ApplyOptions{TrackChanges: true}, everyDigit)
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err))
	require.ErrorContains(t, err, "more than 200000 places were found")
}

// an expression that reads the rest of the text for each match ends when
// its time is up.
func TestX18ReplacementLooksAtItsContext(t *testing.T) {
	src := withBody(t, `<w:p><w:r><w:t>`+strings.Repeat("a ", 300_000)+`</w:t></w:r></w:p>`)
	ctx, stop := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer stop()
	from := time.Now()
	_, err := Format().Editor.Apply(ctx, src, io.Discard, []json.RawMessage{json.RawMessage(`{"op":"replace_text","search":"a(?:.*b)?","replace":"c","regex":true}`)}, formats.ApplyOptions{TrackChanges: true})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(from), 3*time.Second)
}
