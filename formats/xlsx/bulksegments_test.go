package xlsx

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// TestBulkSegments: segments one by one are those of the list, and targets in their
// order make the same workbook as targets by name, also with names of sheets.
func TestBulkSegments(t *testing.T) {
	bulk := Format().Segmenter.(formats.BulkSegmenter)
	replaced := 0
	for _, path := range formatstest.Corpus(t, "xlsx") {
		if st, err := os.Stat(path); err != nil || st.Size() > 200_000 {
			continue
		}
		src, err := formats.OpenFile(path)
		require.NoError(t, err)
		defer src.Close()
		opt := formats.SegmentOptions{SheetNames: len(path)%2 == 0}
		want, err := bulk.Segments(t.Context(), src, opt)
		var got []formats.Segment
		eachErr := bulk.EachSegment(t.Context(), src, opt, func(s formats.Segment) error { got = append(got, s); return nil })
		if err != nil {
			require.EqualError(t, eachErr, err.Error())
			continue
		}
		require.NoError(t, eachErr)
		require.Equal(t, len(want), len(got), path)
		targets := map[string]string{}
		for i, s := range want {
			require.Equal(t, s, got[i])
			if target := formatstest.Cipher(s.Text); i%3 != 0 && (s.MaxLength == 0 || len(target) <= s.MaxLength) {
				targets[s.ID] = target
			}
		}
		var named, ordered bytes.Buffer
		ropt := formats.ReplaceOptions{Language: "ar", Calculate: true}
		err = bulk.Replace(t.Context(), src, &named, targets, ropt)
		eachErr = bulk.ReplaceEach(t.Context(), src, &ordered, func(yield func(string, string) bool) {
			for _, s := range got {
				if target, ok := targets[s.ID]; ok && !yield(s.ID, target) {
					return
				}
			}
		}, ropt)
		if err != nil {
			require.EqualError(t, eachErr, err.Error())
			continue
		}
		require.NoError(t, eachErr)
		require.True(t, bytes.Equal(named.Bytes(), ordered.Bytes()), filepath.Base(path))
		replaced++
	}
	require.Greater(t, replaced, 20)
}

// TestBulkSegmentsUnknown: a target for which there is no segment is refused.
func TestBulkSegmentsUnknown(t *testing.T) {
	src, err := formats.OpenFile(filepath.Join(formatstest.Root(t), "testdata", "documents", "sales.xlsx"))
	require.NoError(t, err)
	defer src.Close()
	var out bytes.Buffer
	err = Format().Segmenter.(formats.BulkSegmenter).ReplaceEach(t.Context(), src, &out, func(yield func(string, string) bool) { yield("sst:99999", "x") }, formats.ReplaceOptions{})
	require.ErrorContains(t, err, "there is no segment")
	require.Zero(t, out.Len())
}
