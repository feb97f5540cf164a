package book

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/seekflate"
)

// marks has a mark of 8 MiB for each number, in order.
func marks(numbers ...int) (out []streamMark) {
	for i, n := range numbers {
		out = append(out, streamMark{n: n, off: int64(i)*indexStep + 10, at: seekflate.Mark{Offset: int64(i) * indexStep}})
	}
	return out
}

func TestPlaceBeforeAnItem(t *testing.T) {
	var none *streamIndex
	require.Nil(t, none.before(5))
	ix := &streamIndex{Marks: marks(10, 20, 30)}
	for n, want := range map[int]int{9: 0, 10: 10, 11: 10, 19: 10, 20: 20, 29: 20, 30: 30, 1000: 30} {
		m := ix.before(n)
		if want == 0 {
			require.Nil(t, m, n)
			continue
		}
		require.Equal(t, want, m.n, n)
	}
}

// A mark belongs to the first item that begins behind it.
func TestNotesOfItems(t *testing.T) {
	ix := &indexer{pending: []seekflate.Mark{{Offset: 100}, {Offset: 150}, {Offset: 300}}}
	ix.note(1, 0)
	ix.note(2, 99)
	require.Empty(t, ix.fresh)
	ix.note(3, 200) // behind two marks: the earlier one will do
	ix.note(4, 299)
	ix.note(6, 300)
	require.Equal(t, []streamMark{{3, 200, seekflate.Mark{Offset: 100}}, {6, 300, seekflate.Mark{Offset: 300}}}, ix.fresh)
	require.False(t, ix.bad)
	ix.note(6, 400)
	require.True(t, ix.bad, "twice the same row")
	var off *indexer
	off.note(1, 1) // a part that is not indexed
	off.keep(nil)
}

func TestKeptIndexes(t *testing.T) {
	t.Cleanup(PartIndex.Clear)
	kept := func(key string) []int {
		ix, ok := PartIndex.Get(key)
		if !ok {
			return nil
		}
		var out []int
		for _, m := range ix.Marks {
			out = append(out, m.n)
		}
		return out
	}
	keep := func(ix *indexer, shared map[int]SharedFormula) []int {
		PartIndex.Clear()
		ix.key = "k"
		ix.keep(shared)
		return kept("k")
	}
	require.Equal(t, []int{10, 20}, keep(&indexer{fresh: marks(10, 20)}, nil))
	require.Nil(t, keep(&indexer{}, nil), "nothing was learnt")
	require.Nil(t, keep(&indexer{fresh: marks(10), bad: true}, nil), "rows against the order")
	many := map[int]SharedFormula{}
	for i := range maxShared + 1 {
		many[i] = SharedFormula{}
	}
	require.Nil(t, keep(&indexer{fresh: marks(10)}, many))

	old := &streamIndex{Marks: marks(10, 20)}
	further := marks(10, 20, 30)[2:]
	require.Equal(t, []int{10, 20, 30}, keep(&indexer{old: old, fresh: further}, nil))
	require.Len(t, old.Marks, 2, "an index does not change once it is in the cache")
	near := streamMark{n: 21, at: seekflate.Mark{Offset: indexStep + indexStep/2 - 1}}
	require.Nil(t, keep(&indexer{old: old, fresh: []streamMark{near}}, nil), "too near to the one before")
	require.Nil(t, keep(&indexer{old: old, fresh: marks(5, 6, 7)[1:2]}, nil), "before the last one")

	var list []int
	for i := range maxMarks + 5 {
		list = append(list, i+1)
	}
	require.Len(t, keep(&indexer{fresh: marks(list...)}, nil), maxMarks)

	shared := map[int]SharedFormula{1: {Text: "A1", Row: 5}, 2: {Text: "B1", Row: 20}}
	keep(&indexer{fresh: marks(10, 20)}, shared)
	shared[3] = SharedFormula{}
	ix, _ := PartIndex.Get("k")
	require.Len(t, ix.shared, 2, "a separate copy")
	d := &Display{}
	d.resume(ix.shared, 20)
	require.Equal(t, map[int]SharedFormula{1: {Text: "A1", Row: 5}}, d.Shared, "the masters before the row")
	require.Equal(t, 2, d.noted)
	var none *Display
	none.resume(ix.shared, 20)
}

func TestCellLike(t *testing.T) {
	for s, want := range map[string]bool{"A1": true, "$A$1": true, "$XFD$1": true, "AAAAA1": true, "XFD1048576": true, "12": true, "1": true, "A": false, "$A": false, "ABCDEF1": false, "A1B": false, "Rate": false, "1e5": false, "": false} {
		require.Equal(t, want, cellLike(s), s)
	}
}

func TestUTF16Documents(t *testing.T) {
	for doc, want := range map[string]bool{"<w>x": false, "\xff\xfe<\x00": true, "\xfe\xff\x00<": true, "<\x00w\x00": true, "\x00<\x00w": true, "\xef\xbb\xbf<": false, "<\x00": false} {
		require.Equal(t, want, utf16Doc([]byte(doc)), fmt.Sprintf("%q", doc))
	}
}
