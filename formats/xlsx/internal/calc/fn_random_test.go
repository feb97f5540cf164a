package calc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/cellref"
)

// Random functions draw within their bounds; without a source they have no value.
func TestRandom(t *testing.T) {
	opts := Options{Language: "en-US", Random: NewRandom(7)}
	b := sheetOf("3")
	for formula, want := range map[string]string{
		`AND(RAND()>=0,RAND()<1)`:                          `TRUE`,
		`RAND()=RAND()`:                                    `FALSE`,
		`RANDBETWEEN(5,5)`:                                 `5`,
		`RANDBETWEEN(-2.5,-1.5)`:                           `-2`,
		`RANDBETWEEN(2,1)`:                                 `#NUM!`,
		`RANDBETWEEN(1.2,1.8)`:                             `?form`,
		`RANDBETWEEN("x",1)`:                               `#VALUE!`,
		`RANDBETWEEN(0,1E300)`:                             `?form`,
		`RANDARRAY(2,1,4,4,TRUE)`:                          `4`,
		`{=RANDARRAY(2,2,4,4)}`:                            `{4,4;4,4}`,
		`{=ROWS(RANDARRAY(,3))*10+COLUMNS(RANDARRAY(,3))}`: `13`,
		`RANDARRAY(-1)`:                                    `#VALUE!`,
		`RANDARRAY(0)`:                                     `#CALC!`,
		`RANDARRAY(1,1,3,2)`:                               `#VALUE!`,
		`RANDARRAY(1,1,0.5,2,TRUE)`:                        `?form`,
		`RANDARRAY(10000000,10)`:                           `?limit`,
		`{=SUM(--(INT(RANDARRAY(500,1,1,7))<>RANDARRAY(500)))}`: `500`,
	} {
		require.Equal(t, want, shown(t, b, opts, formula), formula)
		if want[0] != '#' && formula[0] != '{' {
			require.Equal(t, "?", shown(t, b, english, formula)[:1], formula)
		}
	}
	counts := map[string]int{}
	for range 600 {
		counts[shown(t, b, opts, "RANDBETWEEN(1,6)")]++
	}
	require.Len(t, counts, 6)
	for _, n := range counts {
		require.Greater(t, n, 60)
	}
}

// A random formula that has a value keeps it, and what reads it is calculated from it; one
// without a value gets one, and is marked.
func TestRandomFormulasKeepTheirValues(t *testing.T) {
	b := sheetOf("2|=RAND()|=B1*A1|=RAND()*0+A1|=D1+1")
	b.store(b.find(At(0, 1, 2)), Num(0.25), stored)
	req := Request{Options: Options{Language: "en", Random: NewRandom(1)}}
	res, err := b.Recalculate(t.Context(), req)
	require.NoError(t, err)
	var got []string
	for _, r := range res.Cells {
		got = append(got, cellref.Name(r.At.Row, r.At.Col)+" "+shownValue(r.New)+map[bool]string{true: " random"}[r.Random])
	}
	require.Equal(t, []string{"C1 0.5", "D1 2 random", "E1 3"}, got)
}
