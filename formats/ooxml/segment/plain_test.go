package segment

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// A part of a presentation read for its paragraphs only has the same ones as otherwise, in
// the same order, each in a fallback or not.
func TestCorpusPlainParts(t *testing.T) {
	plain, other := 0, 0
	for name, doc := range formatstest.SampleParts(t, 4<<20) {
		if !bytes.Contains(doc, []byte("presentationml")) {
			continue
		}
		opt := Options{ID: func(s Series, n int, _ string) string { return fmt.Sprint(s, n) }}
		full, err := Scan(context.Background(), doc, opt)
		if err != nil {
			continue
		}
		opt.PlainOnly = true
		got, err := Scan(context.Background(), doc, opt)
		require.NoError(t, err, name)
		if isPlain(doc) {
			plain++
		} else {
			other++
		}
		list := func(p *Part) (out []string) {
			for _, u := range p.Texts {
				require.False(t, u.Series == Value && isPlain(doc), name)
				if u.Para != nil {
					out = append(out, fmt.Sprint(u.Index, u.Para.Start, u.Para.Text(), u.Fallback))
				}
			}
			return out
		}
		require.Equal(t, list(full), list(got), name)
	}
	formatstest.Report(t, "%d parts are plain, %d are not", plain, other)
	require.NotZero(t, plain)
}
