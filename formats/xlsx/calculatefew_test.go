package xlsx

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/calc"
)

// Where few formulas are without a value, the cells that they read give the results that
// all cells give: over the formulas of the corpus, some of whose values are removed.
func TestFewFormulasAreCalculatedAsAll(t *testing.T) {
	few, many, cells := 0, 0, 0
	for _, path := range formatstest.Corpus(t, "xlsx") {
		data := load(t, path)
		if wb, err := open(t.Context(), src(data)); err != nil || len(wb.Sheets) == 0 || len(data) > 1<<20 {
			continue // damaged or large
		}
		for _, step := range []int{1, 2, 7, 50} {
			in := data
			for name, doc := range formatstest.Parts(t, data) {
				if !strings.HasPrefix(name, "xl/worksheets/sheet") || !strings.Contains(string(doc), "<f") {
					continue
				}
				n := 0
				in = edited(t, in, name, func(s string) string {
					return cellXML.ReplaceAllStringFunc(s, func(c string) string {
						if !strings.Contains(c, "<f") {
							return c
						}
						if n++; n%step != 0 {
							return c
						}
						return valueXML.ReplaceAllString(c, "")
					})
				})
			}
			req := calc.Request{Options: calc.Options{Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Random: calc.NewRandom(1)}}
			wb, err := open(t.Context(), src(in))
			require.NoError(t, err)
			got, ok, err := calc.RecalculateFew(t.Context(), wb.Workbook, req)
			require.NoError(t, err)
			if !ok {
				many++
				continue
			}
			few++
			req.Random = calc.NewRandom(1)
			want, err := calc.Recalculate(t.Context(), wb.Workbook, req)
			require.NoError(t, err)
			require.Equal(t, len(want.Cells), len(got.Cells), filepath.Base(path))
			for i, c := range want.Cells {
				a, b := fmt.Sprintf("%v %v %v %v %v", c.At, c.Old, c.New, c.Spill, c.Random), fmt.Sprintf("%v %v %v %v %v", got.Cells[i].At, got.Cells[i].Old, got.Cells[i].New, got.Cells[i].Spill, got.Cells[i].Random)
				if !c.Random {
					require.Equal(t, a, b, filepath.Base(path))
				}
				cells++
			}
			require.Equal(t, want.Arrays, got.Arrays)
		}
	}
	t.Logf("few: %d, not: %d, formulas: %d", few, many, cells)
	require.Greater(t, few, 20)
	require.Greater(t, many, 5)
	require.Greater(t, cells, 200)
}
