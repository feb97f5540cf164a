package xlsx

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/calc"
	"atelier/formats/xlsx/internal/cellref"
)

// What is found in order is what a search finds, also of cells that come out of order or
// twice.
func TestResultsInOrderAreThoseOfASearch(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 1))
	for range 300 {
		var s sheetResults
		var cells []cellref.Cell
		for row := 1; row <= 12; row++ {
			for col := 1; col <= 6; col++ {
				cells = append(cells, cellref.At(row, col))
				if rnd.IntN(4) > 0 {
					continue
				}
				s = append(s, calc.Result{At: calc.At(0, row, col), New: calc.Num(float64(row*100 + col))})
			}
		}
		from := rnd.IntN(len(cells))
		asked := cells[from:]
		for range rnd.IntN(4) {
			asked = append(asked[:len(asked):len(asked)], cells[rnd.IntN(len(cells))], cells[from], cells[len(cells)-1])
		}
		if rnd.IntN(4) == 0 {
			asked = append([]cellref.Cell(nil), asked...)
			rnd.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
		}
		next := s.inOrder()
		for _, at := range asked {
			require.Equal(t, s.at(at), next(at), "%v", at)
		}
	}
}
