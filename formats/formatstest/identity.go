package formatstest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// CorpusSameWhenUnchanged is SameWhenUnchanged for a sample of the real documents of
// a kind.
func CorpusSameWhenUnchanged(t *testing.T, kind string, seg formats.Segmenter, opt formats.SegmentOptions) {
	for _, path := range Sample(t, kind) {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		SameWhenUnchanged(t, seg, formats.FromBytes(filepath.Base(path), b), opt)
	}
}

// SameWhenUnchanged fails the test unless replacing every segment by itself
// leaves every part as it is, byte for byte.
func SameWhenUnchanged(t testing.TB, seg formats.Segmenter, src formats.Source, opt formats.SegmentOptions) {
	t.Helper()
	ctx := context.Background()
	segs, err := seg.Segments(ctx, src, opt)
	if err != nil {
		require.NotEmpty(t, formats.CodeOf(err), err)
		return
	}
	targets := map[string]string{}
	for _, s := range segs {
		require.NotContains(t, targets, s.ID, "two segments share an ID")
		targets[s.ID] = s.Text
	}
	var out bytes.Buffer
	require.NoError(t, seg.Replace(ctx, src, &out, targets, formats.ReplaceOptions{}))
	before, err := formats.ReadAll(src, 1<<30)
	require.NoError(t, err)
	if bytes.Equal(before, out.Bytes()) {
		return
	}
	if !bytes.HasPrefix(before, []byte("PK")) {
		require.Equal(t, string(before), out.String())
	}
	SameParts(t, before, out.Bytes())
}
