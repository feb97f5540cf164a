package calc

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The values of before are those of a map that keeps the first of each place.
func TestFormersAreTheFirstOfEachPlace(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	for range 200 {
		var f formers
		want := map[Place]Value{}
		var all []Place
		for sheet := range 2 {
			for row := 1; row <= 6; row++ {
				for col := 1; col <= 4; col++ {
					at := At(sheet, row, col)
					if all = append(all, at); rnd.IntN(3) == 0 {
						want[at] = Num(float64(rnd.IntN(9)))
						f.first = append(f.first, former{at, want[at]})
					}
				}
			}
		}
		for range rnd.IntN(20) {
			at, v := all[rnd.IntN(len(all))], Num(float64(10+rnd.IntN(9)))
			if f.note(at, v); want[at].kind == Empty {
				want[at] = v
			}
		}
		require.Equal(t, len(want), f.len())
		next := f.inOrder()
		for _, at := range all {
			old, has := want[at]
			v, ok := f.of(at)
			require.Equal(t, has, ok)
			require.Equal(t, old, v)
			if v, ok = next(at); ok {
				require.Equal(t, old, v)
			}
			require.Equal(t, has, ok)
		}
	}
}
