package builtin

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// a workbook that is made to take much time does not take it from a review.
func TestX18DiffOfBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("compares large workbooks: left out with -short")
	}
	good := goodPackage(".xlsx")
	for _, b := range bombs {
		if !strings.HasSuffix(b.name, ".xlsx") {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			bad := formats.FromBytes(b.name, b.build(t))
			from := time.Now()
			d, err := set.Kind(formats.KindXlsx).Differ.Diff(context.Background(), formats.FromBytes("good.xlsx", good), bad, formats.DiffOptions{})
			took := time.Since(from)
			if err != nil {
				require.NotEmpty(t, formats.CodeOf(err), "%v", err)
			} else {
				require.NotEmpty(t, d.Summary)
			}
			require.Less(t, took, 30*time.Second)
			t.Logf("%s: %v", took, err)
		})
	}
}
