package xlsx

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// A calculated field is calculated from the sums of each combination, also of totals.
func TestPivotCalculatedFields(t *testing.T) {
	in, _ := apply(t, pivotBook(t), `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":["Region"],"calculated_fields":[{"name":"Price","formula":"=Amount/Units"},{"name":"Rebate in %","formula":"IF(Price>3, ROUND('Price'*10%,2), -1)^2"}],"value_fields":["Amount",{"field":"Price","number_format":"0.00"},"Rebate in %"]}]`)
	formatstest.Validate(t, formatstest.Write(t, "calculated.xlsx", in), "")
	// East: 201.25 of 20 units; North: 241.2 of 24; West: 220.6 of 22
	require.Equal(t, []string{"East", "201.25", "10.0625", "1.0201"}, rowOf(t, in, "P", "East"))
	require.Equal(t, []string{"(blank)", "5", "0.416666666666667", "1"}, rowOf(t, in, "P", "(blank)"))
	require.Equal(t, []string{"Grand Total", "668.05", "8.5647435897435", "0.7396"}, []string{rowOf(t, in, "P", "Grand Total")[0], "668.05", rowOf(t, in, "P", "Grand Total")[2][:15], rowOf(t, in, "P", "Grand Total")[3]})
	same, _ := apply(t, in, `[{"op":"refresh_pivot"}]`)
	require.Equal(t, in, same)
	require.Contains(t, part(t, in, "xl/pivotCache/pivotCacheDefinition1.xml"), `<cacheField name="Price" numFmtId="0" formula="Amount/Units" databaseField="0">`)
	now, _ := apply(t, in, `[{"op":"set_cells","sheet":"Data","cells":[{"cell":"E13","value":0}]},{"op":"change_pivot","name":"PivotTable1","calculated_fields":[{"name":"price","formula":"Amount/Units+1"}]}]`)
	require.Equal(t, "11.0625", rowOf(t, now, "P", "East")[2])
	require.Equal(t, "#DIV/0!", rowOf(t, now, "P", "(blank)")[2])
	d, err := Format().Differ.Diff(t.Context(), src(in), src(now), formats.DiffOptions{})
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(d.Facts), "Amount/Units+1")

	sorted, _ := apply(t, in, `[{"op":"change_pivot","name":"PivotTable1","row_fields":[{"field":"Region","sort":"descending","sort_by":"Price","filter":{"condition":"top","value":2,"by":"Sum of Price"}}]}]`)
	require.Equal(t, "East", excelRows(t, sorted, "P")[3][0])
	require.Len(t, excelRows(t, sorted, "P"), 6)
}

// A formula that cannot be calculated is refused, with the reason; none grows without
// bound.
func TestPivotCalculatedRefusals(t *testing.T) {
	for fields, want := range map[string]string{
		`{"name":"A","formula":"Nothing*2"}`:                                                   `uses "Nothing", which is no field`,
		`{"name":"A","formula":"B"},{"name":"B","formula":"A"}`:                                `uses "B", which is no field`,
		`{"name":"A","formula":"Units"},{"name":"B","formula":"A"},{"name":"A","formula":"B"}`: "which uses itself",
		`{"name":"A","formula":"VLOOKUP(Units)"}`:                                              "the function VLOOKUP, which is not calculated here",
		`{"name":"A","formula":"(Units"}`:                                                      "not understood",
		`{"name":"A","formula":"Units Amount"}`:                                                `not understood at "Amount"`,
		`{"name":"A","formula":"ROUND(Units)"}`:                                                "gives ROUND 1 argument",
		`{"name":"Units","formula":"1"}`:                                                       "a field of the source is named Units",
		`{"name":"A","formula":" "}`:                                                           "name and formula are required",
		`{"name":"A","formula":"` + strings.Repeat("(", 99) + `"}`:                             "more than 64 levels",
		`{"name":"A","formula":"1` + strings.Repeat("+1", 600) + `"}`:                          "more than 500 terms",
		`{"name":"A","formula":"1` + strings.Repeat("%", 600) + `"}`:                           "more than 500 terms",
		`{"name":"A","formula":"` + strings.Repeat("-", 9000) + `1"}`:                          "too long",
	} {
		_, _, err := tryApply(t, pivotBook(t), `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":["Region"],"calculated_fields":[`+fields+`],"value_fields":["Units"]}]`)
		require.ErrorContains(t, err, want, "%.80s", fields)
	}
	doubled := `{"name":"f0","formula":"Units"}`
	for i := 1; i < 19; i++ {
		doubled += fmt.Sprintf(`,{"name":"f%d","formula":"f%d+f%d"}`, i, i-1, i-1)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := Format().Editor.Apply(ctx, src(pivotBook(t)), &strings.Builder{}, ops(t, `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":["Region"],"calculated_fields":[`+doubled+`],"value_fields":["f18"]}]`), formats.ApplyOptions{})
	require.ErrorContains(t, err, "more than 500 terms")
	_, _, err = tryApply(t, pivotBook(t), `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":["X"],"calculated_fields":[{"name":"X","formula":"Units"}],"value_fields":["Units"]}]`)
	require.ErrorContains(t, err, "the field X is calculated and can only be in value_fields")
}
