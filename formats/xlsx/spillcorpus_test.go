package xlsx

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
)

// A formula that spills changes its sheet, the workbook part and the metadata only, the
// result is valid, and clearing it leaves the cells as they were.
func TestSpillsOverTheCorpus(t *testing.T) {
	done := 0
	for _, path := range formatstest.Corpus(t, "xlsx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			in := load(t, path)
			wb, err := open(t.Context(), src(in))
			if err != nil || len(in) > 1<<20 {
				t.Skip(err)
			}
			i := 0
			for i < len(wb.Sheets) && !wb.Sheets[i].Worksheet() {
				i++
			}
			if i == len(wb.Sheets) {
				t.Skip("it has no worksheet")
			}
			name := jsonString(wb.Sheets[i].Name)
			out, rep := applyCalculated(t, in, `[{"op":"set_cells","sheet":`+name+`,"cells":[{"cell":"ZX2","value":"=SEQUENCE(4)&\"x\""},{"cell":"ZZ3","value":"=ZX2:ZX5=\"2x\""}]}]`)
			require.Contains(t, strings.Join(rep.Effects, "\n"), "spill: "+wb.Sheets[i].Name+"!ZX2 into ZX2:ZX5, "+wb.Sheets[i].Name+"!ZZ3 into ZZ3:ZZ6")
			require.Contains(t, read(t, out, formats.Selector{Sheet: wb.Sheets[i].Name, Range: "ZX2:ZZ6"}), "ZX5: 4x, ZZ5: FALSE")
			except := []string{wb.Main, "xl/metadata.xml", "xl/_rels/workbook.xml.rels", "[Content_Types].xml", "xl/calcChain.xml"}
			for _, s := range wb.Sheets {
				except = append(except, s.Part)
			}
			formatstest.SameParts(t, in, out, except...)
			formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), path)
			back, _ := applyCalculated(t, out, `[{"op":"clear_range","sheet":`+name+`,"range":"ZX2:ZZ6"}]`)
			require.Empty(t, itemsOf(diffOf(t, in, back)))
			done++
		})
	}
	require.NotZero(t, done)
}

// Programs stored the formulas of the corpus as ordinary ones, since they take and give
// one value: written again, they stay so.
func TestOrdinaryFormulasStayOrdinary(t *testing.T) {
	total := 0
	for _, path := range formatstest.Corpus(t, "xlsx") {
		wb, err := open(t.Context(), src(load(t, path)))
		if err != nil {
			continue
		}
		p := newPlan(wb, false)
		for _, s := range wb.Sheets {
			if !s.Worksheet() {
				continue
			}
			require.NoError(t, wb.EachFormula(t.Context(), s, func(fc book.FormulaCell) error {
				total++
				if fc.Spill.Empty() {
					require.False(t, p.needsArray(fc.Text), fc.Text)
				}
				return nil
			}))
		}
	}
	require.Greater(t, total, 1000)
}
