package diff

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/cellref"
)

func TestRegionsInWords(t *testing.T) {
	for want, cells := range map[string][]string{
		"B2":           {"B2"},
		"B2:D2":        {"B2", "C2", "D2"},
		"B2:C4":        {"B2", "C2", "B3", "C3", "B4", "C4"},
		"B2, D2":       {"B2", "D2"},
		"B2:B3, D2:D3": {"B2", "D2", "B3", "D3"},
		"B2:C2, B3":    {"B2", "C2", "B3"},
		"B2, B4":       {"B2", "B4"},
	} {
		g := &region{}
		for _, c := range cells {
			at := cellref.ParseAttr(c)
			g.add(at.R1, at.C1, at.R1%2 == 0)
		}
		require.Equal(t, want, g.String())
		require.Equal(t, len(cells), g.cells)
	}
	g := &region{}
	for r := range 20 {
		g.add(2*r+1, 1, false)
	}
	require.Equal(t, "A1, A3, A5, A7, A9, A11, A13, A15, A17, A19, A21, A23 and 8 more blocks", g.String())
	require.Equal(t, []int{20, 0}, []int{g.cells, g.held})
	for r := range 2100 {
		g.add(2*r+101, 1, true)
	}
	g.commit()
	require.Len(t, g.rects, maxRegion)
	require.Equal(t, 120, g.lost)
	require.Equal(t, 2100, g.held)
}

// The blocks of a region are its cells, each once; joining them changes nothing.
func TestBlocksOfRegions(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		want := map[cellref.Cell]bool{}
		g := &region{}
		for r := 1; r <= 12; r++ {
			for c := 1; c <= 9; c++ {
				if rnd.IntN(3) > 0 {
					g.add(r, c, true)
					want[cellref.At(r, c)] = true
				}
			}
		}
		check := func() {
			got := map[cellref.Cell]bool{}
			for _, b := range g.blocks() {
				for r := b.R1; r <= b.R2; r++ {
					for c := b.C1; c <= b.C2; c++ {
						require.False(t, got[cellref.At(r, c)], "twice")
						got[cellref.At(r, c)] = true
					}
				}
			}
			require.Equal(t, want, got)
		}
		check()
		n := len(g.rects)
		g.join()
		check()
		require.LessOrEqual(t, len(g.rects), n)
	}
}

func TestJoinedBlocks(t *testing.T) {
	for want, list := range map[string]string{"A1:B2": "A1:B1 A2:B2", "A1:C1": "C1 A1 B1", "A1:B2, D1": "D1 A2:B2 A1:B1", "A1, B2": "B2 A1", "A1:B1, A2:C2": "A2:C2 A1:B1"} {
		g := &region{rects: cellref.ParseList(list)}
		g.join()
		require.Equal(t, want, g.String(), list)
	}
	require.Equal(t, "C:E", lineSpan{3, 5}.String(true))
	require.Equal(t, "3:5", lineSpan{3, 5}.String(false))
	require.Equal(t, []string{"1 column", "2 rows"}, []string{countLines(true, 1), countLines(false, 2)})
}
