package cellref

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// small draws a range within the first rows and columns, so that two of them
// often meet.
func small(t *rapid.T, label string) Range {
	r1, c1 := rapid.IntRange(1, 9).Draw(t, label+" r1"), rapid.IntRange(1, 9).Draw(t, label+" c1")
	return Range{r1, c1, rapid.IntRange(r1, 10).Draw(t, label+" r2"), rapid.IntRange(c1, 10).Draw(t, label+" c2")}
}

// cellsIn lists the cells of ranges, each once.
func cellsIn(ranges ...Range) map[Cell]int {
	out := map[Cell]int{}
	for _, r := range ranges {
		for row := r.R1; row <= r.R2; row++ {
			for col := r.C1; col <= r.C2; col++ {
				out[Cell{row, col}]++
			}
		}
	}
	return out
}

func TestNamesReadBack(t *testing.T) {
	for _, c := range []struct {
		col  int
		name string
	}{{1, "A"}, {26, "Z"}, {27, "AA"}, {52, "AZ"}, {702, "ZZ"}, {703, "AAA"}, {MaxCol, "XFD"}} {
		require.Equal(t, c.name, ColumnName(c.col))
	}
	rapid.Check(t, func(t *rapid.T) {
		at := Cell{rapid.IntRange(1, MaxRow).Draw(t, "row"), rapid.IntRange(1, MaxCol).Draw(t, "col")}
		name := Name(at.Row, at.Col)
		require.Equal(t, name, string(AppendName(nil, at.Row, at.Col)))
		for _, s := range []string{name, strings.ToLower(name), " " + name + " "} {
			got, err := ParseCell(s)
			require.NoError(t, err)
			require.Equal(t, at, got)
		}
		abs := ParseEnd("$" + ColumnName(at.Col) + "$" + strings.TrimLeft(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
		require.Equal(t, End{CellEnd, at.Row, at.Col, true, true}, abs)
		require.Equal(t, abs, ParseEnd(abs.String()))
	})
}

func TestTextsThatAreNoReferences(t *testing.T) {
	for _, s := range []string{"", "$", "A0", "A01", "XFE1", "A1048577", "AAAA1", "1A", "A$", "$$A1", "A1B", "A-1", "é1"} {
		require.Equal(t, End{}, ParseEnd(s), s)
		_, err := ParseCell(s)
		require.Error(t, err, s)
	}
	for s, want := range map[string]Range{"B2": {2, 2, 2, 2}, "C3:A1": {1, 1, 3, 3}, "b:a": {1, 1, MaxRow, 2}, "9:3": {3, 1, 9, MaxCol}, "A1:B": {}, "A:3": {}} {
		require.Equal(t, want, ParseAttr(s), s)
	}
}

func TestRangesBehaveAsSetsOfCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := small(t, "a"), small(t, "b")
		inA, inB := cellsIn(a), cellsIn(b)
		meets, inside := false, true
		for c := range inA {
			meets = meets || inB[c] > 0
			inside = inside && inB[c] > 0
			require.True(t, a.Has(c.Row, c.Col))
		}
		require.Equal(t, meets, a.Meets(b))
		require.Equal(t, inside, a.Inside(b))
		require.Equal(t, a, ParseAttr(a.String()))
		require.Equal(t, []Range{a, b}, ParseList(FormatList([]Range{a, b})))

		left, hit := Subtract([]Range{a}, []Range{b})
		require.Equal(t, meets, hit)
		want := map[Cell]int{}
		for c := range inA {
			if inB[c] == 0 {
				want[c] = 1 // in one of the pieces, not in two
			}
		}
		require.Equal(t, want, cellsIn(left...))
	})
}

func TestSetHoldsWhatWasAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Set
		have := map[Cell]int{}
		base := rapid.SampledFrom([]int{0, 60, 4090, MaxRow - 10}).Draw(t, "base") // at the borders of words and chunks
		draw := func(label string) Range {
			r := small(t, label)
			r.R1 += base
			r.R2 += base
			return r
		}
		for range rapid.IntRange(0, 5).Draw(t, "ranges") {
			r := draw("added")
			grew := false
			for c := range cellsIn(r) {
				grew = grew || have[c] == 0
				have[c]++
			}
			require.Equal(t, grew, s.AddRange(r))
		}
		q := draw("asked")
		meets := false
		for c := range cellsIn(q) {
			require.Equal(t, have[c] > 0, s.Has(c.Row, c.Col))
			meets = meets || have[c] > 0
		}
		require.Equal(t, meets, s.Meets(q))
		inRow := false
		for c, n := range have {
			inRow = inRow || c.Row == q.R1 && n > 0
		}
		require.Equal(t, inRow, s.HasRow(q.R1))
		require.Equal(t, len(have) == 0, s.Empty())
		one := Set{}
		one.Add(q.R1, q.C1)
		both := s.Union(&one)
		require.True(t, both.Has(q.R1, q.C1))
		for c := range have {
			require.True(t, both.Has(c.Row, c.Col))
		}
	})
}

// TestShiftsMoveRowsAsAListDoes compares a Shift with a list of rows from which
// elements are really removed, or into which they are inserted.
func TestShiftsMoveRowsAsAListDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Shift{Cols: rapid.Bool().Draw(t, "columns"), At: rapid.IntRange(1, 20).Draw(t, "at"), Count: rapid.IntRange(-5, 5).Filter(func(n int) bool { return n != 0 }).Draw(t, "count")}
		list := make([]int, 40)
		for i := range list {
			list[i] = i + 1
		}
		if s.Count > 0 {
			list = slices.Insert(list, s.At-1, make([]int, s.Count)...)
		} else {
			list = slices.Delete(list, s.At-1, s.At-1-s.Count)
		}
		for i := 1; i <= 20; i++ {
			now, ok := s.Index(i)
			require.Equal(t, slices.Index(list, i) >= 0, ok)
			if ok {
				require.Equal(t, slices.Index(list, i)+1, now)
			}
		}
		from := rapid.IntRange(1, 20).Draw(t, "from")
		to := rapid.IntRange(from, 20).Draw(t, "to")
		var left []int
		for i, old := range list {
			if old >= from && old <= to {
				left = append(left, i+1)
			}
		}
		a, b, ok := s.Span(from, to)
		require.Equal(t, len(left) > 0, ok)
		if ok {
			require.Equal(t, []int{left[0], left[len(left)-1]}, []int{a, b})
		}
		r := Range{from, 3, to, 4}
		if s.Cols {
			r = Range{3, from, 4, to}
		}
		require.Equal(t, !ok, s.Range(r).Empty())
		require.Equal(t, !ok, s.Swallows(r))
		require.Equal(t, ok && b-a != to-from, s.Splits(r))
	})
}
