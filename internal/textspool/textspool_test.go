package textspool

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSpool: records of any length come back, in order and in no order, also while
// others are put, from memory and from the file.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := &Spool{Dir: dir}
		defer s.Close()
		var want [][3]string
		var at []int64
		scale := rapid.SampledFrom([]int{10, 10_000, 700_000}).Draw(t, "scale")
		read := func(i int) int64 {
			var got [3]string
			next, err := s.Get(at[i], got[:])
			require.NoError(t, err)
			require.True(t, want[i] == got, "record %d", i)
			return next
		}
		for i := range rapid.IntRange(1, 25).Draw(t, "records") {
			r := [3]string{fmt.Sprint(i), strings.Repeat("é", rapid.IntRange(0, scale).Draw(t, "n")), "end"}
			place, err := s.Put(r[:]...)
			require.NoError(t, err)
			want, at = append(want, r), append(at, place)
			read(rapid.IntRange(0, i).Draw(t, "at"))
		}
		next := int64(0)
		for i := range want {
			require.Equal(t, at[i], next)
			next = read(i)
		}
		require.Equal(t, s.Size(), next)
		var got [3]string
		_, err := s.Get(next, got[:])
		require.Error(t, err)
	})
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
