package docx

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest/bombs"
	"atelier/internal/cputime"
)

const everyDigit = `{"op":"replace_text","search":"[0-9]","replace":"y","regex":true}`

// the matches of a long paragraph are tracked in one pass over it.
func TestX18TrackedReplacementOfManyHits(t *testing.T) {
	src := withBody(t, `<w:p><w:r><w:t xml:space="preserve">`+strings.Repeat("1 ", 30_000)+`</w:t></w:r></w:p>`)
	from := cputime.Used()
	b, rep, err := applyWith(t, src, formats.ApplyOptions{TrackChanges: true}, everyDigit)
	require.NoError(t, err)
	require.Equal(t, 30_000, rep.Ops[0].Hits)
	require.NotEmpty(t, b)
	require.Less(t, cputime.Used()-from, 40*time.Second) // over a minute when each hit copies the paragraph
}

// more tracked changes, or formatted pieces of one paragraph, than can be
// held are refused in words.
func TestX18TooManyPieces(t *testing.T) {
	src := withBody(t, `<w:p><w:r><w:t>`+strings.Repeat("1", 50_001)+`</w:t></w:r></w:p>`)
	bold := `{"op":"format_text","search":"[0-9]","regex":true,"bold":true}`
	for _, tc := range []struct {
		op, want string
		tracked  bool
	}{
		{everyDigit, "more than 50000 places were found, which is too many to record", true},
		{bold, "more than 50000 places were found in one paragraph", false},
		{bold, "more than 50000 places were found in one paragraph", true},
	} {
		_, _, err := applyWith(t, src, formats.ApplyOptions{TrackChanges: tc.tracked}, tc.op)
		require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err))
		require.ErrorContains(t, err, tc.want)
	}
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

// looks counts how often a context is looked at.
type looks struct {
	context.Context
	n int
}

func (l *looks) Err() error { l.n++; return l.Context.Err() }

// the loop over what the first match may be, and the outline, look at their
// context as they go.
func TestX18LoopsLookAtTheirContext(t *testing.T) {
	src := withBody(t, `<w:p><w:r><w:t>`+strings.Repeat("a", 50_000)+`</w:t></w:r></w:p>`)
	ctx := &looks{Context: context.Background()}
	_, err := Format().Editor.Apply(ctx, src, io.Discard, []json.RawMessage{json.RawMessage(`{"op":"add_hyperlink","search":"b*","regex":true,"url":"https://example.com"}`)}, formats.ApplyOptions{})
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))
	require.Greater(t, ctx.n, 50_000, "once a match")

	var body strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&body, `<w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:r><w:t>%d</w:t></w:r></w:p>`, uint32(i+1)*2654435761)
	}
	src = withBody(t, body.String())
	ctx = &looks{Context: context.Background()}
	_, err = Format().Mapper.Map(ctx, src, formats.MapOptions{Detail: true})
	require.NoError(t, err)
	require.Greater(t, ctx.n, 200)
}

// the comparison of styles looks at its context as it goes.
func TestX18StylesLookAtTheirContext(t *testing.T) {
	good := bombs.Good(t, ".docx")
	var sb strings.Builder
	for i := range 6400 {
		fmt.Fprintf(&sb, `<w:style w:type="paragraph" w:styleId="S%d"><w:name w:val="s %d"/></w:style>`, i, i)
	}
	many := bombs.Rezipped(t, good, map[string]string{"word/styles.xml": `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">` + sb.String() + `</w:styles>`})
	l := &looks{Context: t.Context()}
	_, err := Format().Differ.Diff(l, formats.FromBytes("a.docx", good), formats.FromBytes("b.docx", many), formats.DiffOptions{})
	require.NoError(t, err)
	few := &looks{Context: t.Context()}
	_, err = Format().Differ.Diff(few, formats.FromBytes("a.docx", good), formats.FromBytes("b.docx", good), formats.DiffOptions{})
	require.NoError(t, err)
	require.Greater(t, l.n, few.n+90)
}
