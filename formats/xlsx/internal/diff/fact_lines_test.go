package diff

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/xlsx/internal/cellref"
)

func TestLineMap(t *testing.T) {
	pairs := func(list ...int) (out []linePair) {
		for i := 0; i < len(list); i += 2 {
			out = append(out, linePair{list[i], list[i+1]})
		}
		return out
	}
	for _, c := range []struct {
		name           string
		pairs          []linePair
		extraA, extraB []int
		added, deleted []lineSpan
		shifts         []cellref.Shift
	}{
		{"the same", pairs(1, 1, 2, 2, 9, 9), nil, nil, nil, nil, nil},
		{"inserted", pairs(1, 1, 2, 4), nil, []int{2, 3}, []lineSpan{{2, 3}}, nil, []cellref.Shift{{At: 2, Count: 2}}},
		{"deleted", pairs(1, 1, 4, 2), []int{2, 3}, nil, nil, []lineSpan{{2, 3}}, []cellref.Shift{{At: 2, Count: -2}}},
		{"inserted where something stands", pairs(1, 1, 5, 6), nil, []int{3}, []lineSpan{{3, 3}}, nil, []cellref.Shift{{At: 3, Count: 1}}},
		{"blank ones inserted last", pairs(1, 1, 5, 6), nil, nil, []lineSpan{{5, 5}}, nil, []cellref.Shift{{At: 5, Count: 1}}},
		{"both", pairs(1, 2, 5, 5), []int{2}, []int{1}, []lineSpan{{1, 1}}, []lineSpan{{2, 2}}, []cellref.Shift{{At: 2, Count: -1}, {At: 1, Count: 1}}},
		{"nothing in common", nil, []int{1, 2}, []int{1}, nil, nil, nil},
		{"against the order", pairs(2, 2, 1, 5, 3, 3), nil, nil, nil, nil, nil},
	} {
		m := newLineMap(false, c.pairs, c.extraA, c.extraB)
		require.Equal(t, c.added, m.added, c.name)
		require.Equal(t, c.deleted, m.deleted, c.name)
		require.Equal(t, c.shifts, m.shifts, c.name)
		require.Equal(t, len(c.shifts) == 0, m.same(), c.name)
	}
}

// Where lines are is known both ways, pairs stay pairs, and the shifts bring each
// line where the map has it.
func TestLineMapBothWays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var pairs []linePair
		var extraA, extraB []int
		a, b := 0, 0
		for range rapid.IntRange(0, 8).Draw(rt, "blocks") {
			for range rapid.IntRange(0, 3).Draw(rt, "old") {
				if a++; rapid.Bool().Draw(rt, "holds") {
					extraA = append(extraA, a)
				}
			}
			for range rapid.IntRange(0, 3).Draw(rt, "new") {
				if b++; rapid.Bool().Draw(rt, "holds") {
					extraB = append(extraB, b)
				}
			}
			for range rapid.IntRange(1, 3).Draw(rt, "same") {
				a, b = a+1, b+1
				pairs = append(pairs, linePair{a, b})
			}
		}
		m := newLineMap(rapid.Bool().Draw(rt, "columns"), pairs, extraA, extraB)
		for _, p := range pairs {
			to, ok := m.to(p.a)
			require.True(rt, ok)
			require.Equal(rt, p.b, to)
		}
		n := 0
		for i := 1; i <= a+5; i++ {
			to, ok := m.to(i)
			at, alive := i, true
			for _, s := range m.shifts {
				if alive {
					at, alive = s.Index(at)
				}
			}
			require.Equal(rt, ok, alive, "old line %d", i)
			if !ok {
				n++
				continue
			}
			require.Equal(rt, to, at, "old line %d", i)
			from, back := m.from(to)
			require.True(rt, back)
			require.Equal(rt, i, from)
		}
		for _, s := range m.deleted {
			n -= s.to - s.from + 1
		}
		require.Zero(rt, n, "the deleted lines")
		for _, s := range m.added {
			for j := s.from; j <= s.to; j++ {
				_, ok := m.from(j)
				require.False(rt, ok, "new line %d", j)
			}
		}
	})
}

func TestEndsOfALineMap(t *testing.T) {
	same := sameLines(true)
	to, ok := same.to(cellref.MaxCol)
	require.Equal(t, []any{cellref.MaxCol, true}, []any{to, ok})
	to, ok = same.to(cellref.MaxCol + 1)
	require.Equal(t, []any{cellref.MaxCol + 1, false}, []any{to, ok})
	_, ok = same.from(cellref.MaxCol + 1)
	require.False(t, ok)
	to, _ = sameLines(false).to(cellref.MaxRow)
	require.Equal(t, cellref.MaxRow, to)
}

func TestRunsThatMove(t *testing.T) {
	m := newLineMap(false, []linePair{{1, 1}, {4, 3}, {5, 7}}, []int{2}, []int{4, 5, 6}) // row 2 went, three came before row 5
	hidden := lineState{hidden: true, style: -1}
	require.Equal(t, []lineRun{{1, 3, hidden}, {7, 7, hidden}}, joinRuns(m.move([]lineRun{{1, 5, hidden}})))
	require.Equal(t, []linePiece{{lineSpan{2, 2}, hidden, plainLine}, {lineSpan{3, 3}, hidden, hidden}, {lineSpan{4, 5}, plainLine, hidden}},
		pieces(sameLines(false), []lineRun{{2, 3, hidden}}, []lineRun{{3, 5, hidden}}))
}

func joinRuns(runs []lineRun) (out []lineRun) {
	for _, r := range runs {
		out = appendRun(out, r.from, r.to, r.lineState)
	}
	return out
}

func TestSpansWithoutMovedLines(t *testing.T) {
	require.Equal(t, []lineSpan{{1, 1}, {3, 4}}, unmoved([]lineSpan{{1, 5}}, map[int]bool{2: true, 5: true}))
	require.Equal(t, []lineSpan{{1, 5}}, unmoved([]lineSpan{{1, 5}}, nil))
	require.Empty(t, unmoved([]lineSpan{{2, 2}}, map[int]bool{2: true}))
}

func TestOnlyRows(t *testing.T) {
	want := onlyRows([]int{3, 4, 9})
	var got []int
	for row := 1; row <= 10; row++ {
		got = append(got, want(row))
	}
	require.Equal(t, []int{0, 0, 1, 1, 0, 0, 0, 0, 1, -1}, got)
}

func TestColumnsOfASheet(t *testing.T) {
	st := func(width string) lineState { return lineState{size: width, style: -1} }
	require.Equal(t, []lineRun{{1, 2, st("9")}, {3, 5, st("8")}}, columnRuns([]byte(`<worksheet><cols><col min="1" max="2" width="9"/><col min="2" max="4" width="8"/><col min="5" max="5" width="8.0"/><col min="7" max="8"/></cols>`)), "of two that overlap the first counts")
	require.Equal(t, []lineRun{{cellref.MaxCol, cellref.MaxCol, st("9")}}, columnRuns([]byte(`<worksheet><cols><col min="16384" max="99999" width="9"/><col min="5" max="4" width="9"/></cols>`)))
	style := stylesOfRuns([]lineRun{{2, 3, lineState{style: 7}}, {5, 5, plainLine}})
	require.Equal(t, []int{0, 7, 7, 0, 0, 0}, []int{style(1), style(2), style(3), style(4), style(5), style(6)})
	require.Equal(t, plainLine, stateAt([]lineRun{{2, 3, st("9")}}, 4))
	require.Equal(t, st("9"), stateAt([]lineRun{{2, 3, st("9")}}, 3))
}
