package pivot

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/numfmt"
)

// The functions are those of their definitions, also for numbers far from zero.
func TestFunctions(t *testing.T) {
	list := []float64{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}
	a := &total{}
	for _, v := range list {
		a.add(Value{Kind: Number, Num: v})
	}
	a.add(Value{Kind: Text, Text: "x"})
	a.add(Value{Kind: Blank})
	for f, want := range map[Function]float64{"sum": 4e9 + 40, "count": 5, "countNums": 4, "average": 1e9 + 10, "min": 1e9 + 4, "max": 1e9 + 16, "var": 30, "varp": 22.5, "stdDev": math.Sqrt(30), "stdDevp": math.Sqrt(22.5)} {
		require.InDelta(t, want, a.value(f).Num, 1e-6, f)
	}
	require.Equal(t, Value{Kind: Blank}, (&total{}).value("sum"))
	one := &total{}
	one.add(Value{Kind: Number, Num: 3})
	require.Equal(t, "#DIV/0!", one.value("stdDev").Text)
	one.add(Value{Kind: Error, Text: "#N/A"})
	require.Equal(t, "#N/A", one.value("sum").Text)
	require.Equal(t, 2.0, one.value("count").Num)
	tenths := &total{}
	for range 10 {
		tenths.add(Value{Kind: Number, Num: .1})
	}
	require.Equal(t, 1.0, tenths.value("sum").Num)
}

// Values at the edges of groups belong to the group that begins with them.
func TestGroups(t *testing.T) {
	d, err := NewData([]string{"N", "D"}, 4, false)
	require.NoError(t, err)
	for i, s := range []string{"2023-12-31", "2024-01-01", "2024-02-29", "2025-03-31T23:59:59"} {
		v, ok := numfmt.ISOSerial(s, false)
		require.True(t, ok)
		require.NoError(t, d.Set(i, 1, Value{Kind: Date, Num: v}))
		require.NoError(t, d.Set(i, 0, Value{Kind: Number, Num: float64(10 * i)}))
	}
	group := func(g *Group, col int) (out []string) {
		require.NoError(t, g.Fit(NewField("F", col), d.Columns[col], false))
		for i := range 4 {
			out = append(out, g.Labels[g.Of(d.Columns[col].At(i))].Text)
		}
		return out
	}
	dates := func(by string) []string { return group(&Group{By: by, AutoStart: true, AutoEnd: true}, 1) }
	require.Equal(t, []string{"2023", "2024", "2024", "2025"}, dates("years"))
	require.Equal(t, []string{"Qtr4", "Qtr1", "Qtr1", "Qtr1"}, dates("quarters"))
	require.Equal(t, []string{"Dec", "Jan", "Feb", "Mar"}, dates("months"))
	require.Equal(t, []string{"31-Dec", "1-Jan", "29-Feb", "31-Mar"}, dates("days"))
	require.Equal(t, []string{"<10", "10-19", "20-29", "30-39"}, group(&Group{By: "range", Start: 10, Interval: 10, AutoEnd: true}, 0))
	require.Equal(t, []string{"0-9", "10-19", ">20", ">20"}, group(&Group{By: "range", End: 19, Interval: 10, AutoStart: true}, 0))
	require.ErrorContains(t, (&Group{By: "range", Interval: 1e-6, AutoEnd: true, AutoStart: true}).Fit(NewField("F", 0), d.Columns[0], false), "choose a larger step")
	require.ErrorContains(t, (&Group{By: "months"}).Fit(NewField("F", 0), d.Columns[0], false), `record 1 has "0", which is no date`)
}

// Items are in the order of numbers, lists of months and the alphabet; blank is last.
func TestOrder(t *testing.T) {
	entries := []Value{{Kind: Blank}, {Kind: Text, Text: "b"}, {Kind: Text, Text: "Apr"}, {Kind: Bool, Num: 1}, {Kind: Text, Text: "A"}, {Kind: Text, Text: "jan"}, {Kind: Number, Num: 10}, {Kind: Number, Num: 9}, {Kind: Error, Text: "#N/A"}}
	order := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	sortEntries(order, entries)
	var got []string
	for _, i := range order {
		got = append(got, entries[i].Label(false))
	}
	require.Equal(t, "9 10 jan Apr A b TRUE #N/A (blank)", strings.Join(got, " "))
}

// What is not calculated here is refused with its reason.
func TestUnsupported(t *testing.T) {
	for doc, want := range map[string]string{
		`<pivotCacheDefinition><cacheSource type="external"/></pivotCacheDefinition>`:                                                                                            "source outside the cells",
		`<pivotCacheDefinition><cacheSource type="worksheet"><worksheetSource ref="A1:B2" id="rId2"/></cacheSource></pivotCacheDefinition>`:                                      "another workbook",
		`<pivotCacheDefinition><cacheFields><cacheField name="X"><fieldGroup base="0"><discretePr/></fieldGroup></cacheField></cacheFields></pivotCacheDefinition>`:              "grouped by hand",
		`<pivotCacheDefinition><cacheFields><cacheField name="X"><fieldGroup base="0"><rangePr groupBy="hours"/></fieldGroup></cacheField></cacheFields></pivotCacheDefinition>`: "by hours",
	} {
		_, err := ReadCache(t.Context(), []byte(doc), false)
		require.ErrorContains(t, err, want)
	}
	c, err := ReadCache(t.Context(), []byte(`<pivotCacheDefinition><cacheFields><cacheField name="X"/></cacheFields></pivotCacheDefinition>`), false)
	require.NoError(t, err)
	for doc, want := range map[string]string{
		`<filters><filter fld="0" type="unknown"/></filters>`:                     `the filter "unknown"`,
		`<pivotFields><pivotField axis="axisRow" sumSubtotal="1"/></pivotFields>`: "functions of their own",
		`<dataFields><dataField fld="0" showDataAs="guess"/></dataFields>`:        "as guess",
		`<dataFields><dataField fld="7"/></dataFields>`:                           "not there",
		`<rowFields><field x="9"/></rowFields>`:                                   "not there",
	} {
		_, err := ReadTable(t.Context(), []byte("<pivotTableDefinition>"+doc+"</pivotTableDefinition>"), c)
		require.ErrorContains(t, err, want, doc)
	}
}
