package formats_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// RV-01: the summary names what changed beside the texts; warnings come first and
// are said once; what does not fit is counted.
func TestRV01FactsOfADiff(t *testing.T) {
	d := &formats.Diff{}
	d.SetFacts([]formats.Fact{
		{ID: "1", Kind: formats.FactMerge, Change: formats.Added, At: "Sales!A1:C1"},
		{ID: "2", Kind: formats.FactHiddenRows, Change: formats.Added, At: "Sales!5:6", Warning: "Sales!5:6: hidden"},
		{ID: "3", Kind: formats.FactHiddenRows, Change: formats.Added, At: "Sales!9:9", Warning: "Sales!9:9: hidden"},
		{ID: "4", Kind: formats.FactChart, Change: formats.Removed, At: "Sales!E2", Warning: "Sales!5:6: hidden"},
	}, []string{"1 cell in 1 sheet", ""}, 3)
	require.Equal(t, "1 cell in 1 sheet, 2 blocks of rows hidden, chart removed, merge added", d.Summary)
	require.Equal(t, []string{"Sales!5:6: hidden", "Sales!9:9: hidden"}, d.Warnings)
	require.Equal(t, 1, d.FactsOmitted)
	require.Equal(t, []string{"2", "3", "4"}, []string{d.Facts[0].ID, d.Facts[1].ID, d.Facts[2].ID})

	d = &formats.Diff{}
	var many []formats.Fact
	for i := range 80 {
		many = append(many, formats.Fact{Kind: formats.FactLink, Change: formats.Added, Warning: fmt.Sprintf("link %d", i)})
	}
	d.SetFacts(many, nil, 1000)
	require.Equal(t, "80 links added", d.Summary)
	require.Len(t, d.Warnings, formats.MaxWarnings+1)
	require.Equal(t, "and 30 more", d.Warnings[formats.MaxWarnings])

	d = &formats.Diff{}
	d.SetFacts(nil, nil, 10)
	require.Equal(t, "the content is the same; it is stored in another way", d.Summary)
	require.NotNil(t, d.Facts, "an empty list in JSON")
}

func TestFactWord(t *testing.T) {
	require.Equal(t, "rows shown again", formats.FactWord(formats.FactHiddenRows, formats.Removed, 1))
	require.Equal(t, "3 conditional formats changed", formats.FactWord(formats.FactCondFormat, formats.Changed, 3))
	require.Equal(t, "row height changed", formats.FactWord(formats.FactRowHeight, formats.Changed, 1))
	noun, verb := formats.Fact{Kind: formats.FactHiddenSlide, Change: formats.Added}.Words()
	require.Equal(t, "slide hidden", noun+" "+verb)
}
