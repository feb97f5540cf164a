package reader

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// draw puts the cells of a picture into islands: a letter is a text, a digit a
// number, a dot nothing.
func draw(rows ...string) *Islands {
	g := &Islands{}
	for r, row := range rows {
		drawRow(g, r+1, row)
	}
	return g
}

func drawRow(g *Islands, r int, row string) {
	for c, v := range row {
		if v == '.' {
			continue
		}
		g.move(r)
		var h *HeadCell
		if g.wants(c + 1) {
			h = &HeadCell{Col: c + 1, Text: string(v), Label: v > '9'}
		}
		g.Add(r, c+1, h)
	}
}

// regions writes "A1:B3 label=x head=2:a,b cells=5" for each island.
func regions(t testing.TB, g *Islands) (out []string) {
	t.Helper()
	list, omitted := g.Finish()
	require.Zero(t, omitted)
	for _, a := range list {
		m := a.region()
		s := fmt.Sprintf("%s %d", m.Range, a.Cells)
		if m.Label != "" {
			s += " label=" + m.Label
		}
		if m.HeaderRow > 0 {
			s += fmt.Sprintf(" head=%d:%s", m.HeaderRow, strings.Join(m.Headers, ","))
		}
		out = append(out, s)
	}
	return out
}

func TestIslandsOfPictures(t *testing.T) {
	for name, c := range map[string]struct{ rows, want []string }{
		"none":                  {[]string{"..."}, nil},
		"a table":               {[]string{"abc", "123"}, []string{"A1:C2 6 head=1:a,b,c"}},
		"two tables beside":     {[]string{"ab.cd", "12.34"}, []string{"A1:B2 4 head=1:a,b", "D1:E2 4 head=1:c,d"}},
		"two tables below":      {[]string{"ab", "12", "..", "cd", "34"}, []string{"A1:B2 4 head=1:a,b", "A4:B5 4 head=4:c,d"}},
		"corners touch":         {[]string{"ab..", "12..", "..cd", "..34"}, []string{"A1:D4 8 head=1:a,b"}},
		"corners do not":        {[]string{"ab...", "12...", "...cd", "...34"}, []string{"A1:B2 4 head=1:a,b", "D3:E4 4 head=3:c,d"}},
		"a title":               {[]string{"t..", "abc", "123"}, []string{"A1:C3 7 label=t head=2:a,b,c"}},
		"two titles":            {[]string{"t..", "u..", "abc", "123"}, []string{"A1:C4 8 label=t head=3:a,b,c"}},
		"numbers only":          {[]string{"12", "34"}, []string{"A1:B2 4"}},
		"a number in the head":  {[]string{"a1", "23"}, []string{"A1:B2 4"}},
		"a head of few":         {[]string{"a....", "bc...", "12345"}, []string{"A1:E3 8 label=a"}},
		"one column":            {[]string{"a", "1", "2"}, []string{"A1:A3 3"}},
		"one cell":              {[]string{"a"}, []string{"A1 1 label=a"}},
		"one row":               {[]string{"abc"}, []string{"A1:C1 3"}},
		"a gap in the head":     {[]string{"ab.d", "1234"}, []string{"A1:D2 7 head=1:a,b,d"}},
		"joined from below":     {[]string{"ab.cd", "12.34", "55555"}, []string{"A1:E3 13 head=1:a,b,c,d"}},
		"wider from row to row": {[]string{"..a..", ".bcd.", "12345"}, []string{"A1:E3 9 label=a head=2:b,c,d"}},
		"a ring":                {[]string{"aaaaa", "a...a", "a.1.a", "a...a", "aaaaa"}, []string{"A1:E5 17 head=1:a,a,a,a,a"}},
	} {
		require.Equal(t, c.want, regions(t, draw(c.rows...)), name)
	}
}

// Cells and rows against the order, as odd files have them.
func TestIslandsAgainstTheOrder(t *testing.T) {
	g := &Islands{}
	for _, at := range [][2]int{{1, 3}, {1, 1}, {1, 2}, {5, 1}, {4, 1}} {
		g.Add(at[0], at[1], nil)
	}
	list, _ := g.Finish()
	require.Len(t, list, 3)
	require.Equal(t, []string{"A1:C1", "A4", "A5"}, []string{list[0].String(), list[1].String(), list[2].String()})
	require.Equal(t, 3, list[0].Cells)
}

// Of the heads only the first cells are kept; the others are counted.
func TestHeadsOfAWideIsland(t *testing.T) {
	g := draw(strings.Repeat("a", 200), strings.Repeat("1", 200))
	list, _ := g.Finish()
	m := list[0].region()
	require.Equal(t, 1, m.HeaderRow)
	require.Len(t, m.Headers, maxHeads)
	require.Equal(t, 200-maxHeads, m.HeadersOmitted)
}

// the largest islands are kept, and the others counted.
func TestManyIslands(t *testing.T) {
	g := &Islands{}
	n := 0
	for r := 1; r <= 1000; r += 2 {
		g.Add(r, 1, nil)
		if r%5 == 0 {
			g.Add(r, 2, nil)
		}
		n++
	}
	list, omitted := g.Finish()
	require.Len(t, list, MaxIslands)
	require.Equal(t, n-MaxIslands, omitted)
	large := 0
	for _, a := range list {
		large += a.Cells - 1
	}
	require.Equal(t, 100, large, "all of the larger ones")
	require.Less(t, list[0].R1, list[1].R1)
}

// Rows taken in as runs give the islands that their cells give.
func TestIslandsOfRuns(t *testing.T) {
	asRuns := 0
	rapid.Check(t, func(rt *rapid.T) {
		line := rapid.StringOfN(rapid.SampledFrom([]rune("aaa1..")), 1, 8, -1)
		forms := rapid.SliceOfN(line, 1, 3).Draw(rt, "forms")
		got, want, r := &Islands{}, &Islands{}, 0
		for _, row := range rapid.SliceOfN(rapid.SampledFrom(forms), 1, 25).Draw(rt, "rows") {
			r += rapid.SampledFrom([]int{1, 1, 1, 1, 1, 1, 2, 0}).Draw(rt, "step") // rows may lack, or come twice
			var runs []colRun
			for c, v := range row {
				if n := len(runs) - 1; v != '.' && n >= 0 && runs[n].c2 == c {
					runs[n].c2, runs[n].cells = c+1, runs[n].cells+1
				} else if v != '.' {
					runs = append(runs, colRun{c + 1, c + 1, 1})
				}
			}
			drawRow(want, r+1, row)
			if len(runs) == 0 {
				continue
			}
			if got.addRuns(r+1, runs) {
				asRuns++
			} else {
				drawRow(got, r+1, row)
			}
		}
		require.Equal(rt, regions(t, want), regions(t, got))
	})
	require.Positive(t, asRuns)
}
