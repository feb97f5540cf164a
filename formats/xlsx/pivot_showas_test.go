package xlsx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// Values that LibreOffice cannot show: of parents, running percentages and ranks. A
// refresh reads them back, and changes no byte.
func TestPivotShowAs(t *testing.T) {
	rows := func(value string) (out []string) {
		made, _ := apply(t, pivotBook(t), `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":[{"field":"Region","show":["East","West"]},"Product"],"value_fields":[{"field":"Units","number_format":"General",`+value+`}]}]`)
		same, _ := apply(t, made, `[{"op":"refresh_pivot"}]`)
		require.Equal(t, made, same, value)
		for _, r := range excelRows(t, made, "P")[3:] {
			out = append(out, strings.Join(r, " "))
		}
		return out
	}
	// East: Apple 8, Fig 9, Pear 3; West: Apple 4, Fig 7, Pear 11
	require.Equal(t, []string{"East 0.476190476190476", "Apple 0.4", "Fig 0.45", "Pear 0.15", "West 0.523809523809524", "Apple 0.181818181818182", "Fig 0.318181818181818", "Pear 0.5", "Grand Total 1"}, rows(`"show_as":"percent_of_parent_row"`))
	require.Equal(t, []string{"East 1", "Apple 0.4", "Fig 0.45", "Pear 0.15", "West 1", "Apple 0.181818181818182", "Fig 0.318181818181818", "Pear 0.5", "Grand Total"}, rows(`"show_as":"percent_of_parent","base_field":"Region"`))
	require.Equal(t, []string{"East", "Apple 2", "Fig 1", "Pear 3", "West", "Apple 3", "Fig 2", "Pear 1", "Grand Total"}, rows(`"show_as":"rank_descending"`))
	require.Equal(t, []string{"East 1", "Apple 2", "Fig 2", "Pear 1", "West 2", "Apple 1", "Fig 1", "Pear 2", "Grand Total"}, rows(`"show_as":"rank_ascending","base_field":"Region"`))
	require.Equal(t, []string{"East", "Apple 0.4", "Fig 0.85", "Pear 1", "West", "Apple 0.181818181818182", "Fig 0.5", "Pear 1", "Grand Total"}, rows(`"show_as":"percent_of_running_total"`))
	require.Equal(t, []string{"East", "Apple", "Fig 1", "Pear -6", "West", "Apple", "Fig 3", "Pear 4", "Grand Total"}, rows(`"show_as":"difference","base_item":"previous"`))
	require.Equal(t, []string{"East", "Apple", "Fig", "Pear", "West 2", "Apple -4", "Fig -2", "Pear 8", "Grand Total"}, rows(`"show_as":"difference","base_field":"Region","base_item":"East"`))
}

// A table that is changed keeps the item that its values are shown in relation to.
func TestPivotBaseItemStays(t *testing.T) {
	in, _ := apply(t, pivotBook(t), `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":["Product"],"value_fields":[{"field":"Units","show_as":"difference","base_item":"Fig"}]}]`)
	out, _ := apply(t, in, `[{"op":"change_pivot","name":"PivotTable1","row_fields":[{"field":"Product","sort":"descending"}]}]`)
	require.Equal(t, []string{"Pear", "4"}, rowOf(t, out, "P", "Pear"))
	require.Equal(t, []string{"Fig"}, rowOf(t, out, "P", "Fig"))
	require.Contains(t, read(t, out, formats.Selector{Sheet: "P", Include: []string{"pivots"}}), "values: sum of Units, shown as difference from Product Fig")
	ranked, _ := apply(t, out, `[{"op":"change_pivot","name":"PivotTable1","value_fields":[{"field":"Units","show_as":"rank_ascending"}]}]`)
	d, err := Format().Differ.Diff(t.Context(), src(out), src(ranked), formats.DiffOptions{})
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(d.Facts), "shown as rank, smallest first, in Product")
	_, _, err = tryApply(t, in, `[{"op":"change_pivot","name":"PivotTable1","row_fields":["Region"]}]`)
	require.ErrorContains(t, err, "is shown in relation to the field Product")
	for value, want := range map[string]string{
		`"show_as":"difference"`:                                          "base_item is required: an item of Product, previous or next",
		`"show_as":"difference","base_item":"Plum"`:                       "the field Product has no item Plum",
		`"show_as":"difference","base_field":"Region","base_item":"West"`: "a field of the rows or columns is needed",
		`"show_as":"running_total","base_item":"Fig"`:                     "base_item is for difference, percent and percent_difference only",
		`"show_as":"percent_of_total","base_field":"Product"`:             "base_field and base_item are for show_as such as difference",
		`"show_as":"sideways"`:                                            "unknown show_as sideways; use percent_of_total, percent_of_row",
	} {
		_, _, err := tryApply(t, pivotBook(t), `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":["Product"],"value_fields":[{"field":"Units",`+value+`}]}]`)
		require.ErrorContains(t, err, want, value)
		require.NotEmpty(t, formats.CodeOf(err))
	}
	for _, words := range []string{"% of grand total", "percent of row total", "% Difference From", "Running Total In", "rank largest to smallest", "% of", "percentOfParentCol", "Difference From"} {
		_, err := showAsOf(words)
		require.NoError(t, err, words)
	}
}
