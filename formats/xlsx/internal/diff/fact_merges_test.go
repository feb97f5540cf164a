package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/xlsxtest"
)

func merged(t testing.TB, refs string, rows ...string) []byte {
	var sb strings.Builder
	for r := range strings.FieldsSeq(refs) {
		sb.WriteString(`<mergeCell ref="` + r + `"/>`)
	}
	if sb.Len() == 0 {
		return grid(t, rows...)
	}
	return xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...)+`<mergeCells>`+sb.String()+`</mergeCells>`)
}

func TestMergesInWords(t *testing.T) {
	rows := []string{"a|b|c", "d||e", "1|2|3|4|5|6|7|8|9"}
	runPlanted(t, []planted{
		{"added", merged(t, "", rows...), merged(t, "E1:F2", rows...), []string{"merge added S1!E1:F2:  → 4 cells merged"}},
		{"over values", merged(t, "", rows...), merged(t, "A1:B2", rows...), []string{"merge added S1!A1:B2:  → 4 cells merged, covering B1 b, A2 d ⚠ S1!A1:B2: the merge covers B1 b, A2 d"}},
		{"over many", merged(t, "", rows...), merged(t, "A3:I3", rows...), []string{"merge added S1!A3:I3:  → 9 cells merged, covering B3 2, C3 3, D3 4, E3 5, F3 6, G3 7 and 2 more values ⚠ S1!A3:I3: the merge covers B3 2, C3 3, D3 4, E3 5, F3 6, G3 7 and 2 more values"}},
		{"removed", merged(t, "A1:B2 E1:E2", rows...), merged(t, "E1:E2", rows...), []string{"merge removed S1!A1:B2: 4 cells merged → "}},
		{"resized", merged(t, "E1:E2", rows...), merged(t, "E1:F2", rows...), []string{"merge added S1!E1:F2:  → 4 cells merged", "merge removed S1!E1:E2: 2 cells merged → "}},
		{"moved with its rows", merged(t, "B2:C2", "a|1", "b|2", "c|3"), merged(t, "B3:C3", "a|1", "new|0", "b|2", "c|3"), []string{"S1!row 2 added:  → new, 0", "rows added S1!2:2:  → 1 row inserted"}},
	})
	require.Empty(t, told(compare(t, merged(t, "A1:A2 E1:F2", rows...), merged(t, "E1:F2 A1:A2 E1:F2", rows...))), "in another order, and twice")
}

// merges beyond the first 300 are counted.
func TestManyMerges(t *testing.T) {
	refs := ""
	for r := range 310 {
		refs += fmt.Sprintf(" A%d:B%d", r+1, r+1)
	}
	d := told(compare(t, merged(t, "", "1"), merged(t, refs, "1")))
	require.Len(t, d, 301)
	require.Equal(t, "merge added S1:  → 10 more merged blocks", d[300])
	require.Equal(t, "merge removed S1: 10 more merged blocks → ", told(compare(t, merged(t, refs, "1"), merged(t, "", "1")))[300])
}
