package xlsx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/ooxml/chart"
)

// Charts come into the drawing of their sheet with what their cells hold.
func TestAddChartParts(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "add_chart makes the drawing and takes names, labels and values from a range", in: ordersBook(t),
			ops: `{"op":"add_chart","sheet":"S1","cell":"F2","type":"column","range":"A1:C4"}`,
			rep: formats.OpReport{Hits: 1, Made: "Chart 2 S1!F2"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + typeOf("xl/charts/chart1.xml", "drawingml.chart+xml") + `</Types>`,
				},
				chart1: {"", chartOf(chart.Spec{Kind: `column`, Series: []chart.Series{
					{NameRef: texts(`'S1'!$B$1`, `Month`), Categories: texts(`'S1'!$A$2:$A$4`, `Ann & co`, `Bob`, `Cleo`), Values: *numbers(`'S1'!$B$2:$B$4`, ``, `1`, `2`, `3`)},
					{NameRef: texts(`'S1'!$C$1`, `Amount`), Categories: texts(`'S1'!$A$2:$A$4`, `Ann & co`, `Bob`, `Cleo`), Values: *numbers(`'S1'!$C$2:$C$4`, `0.00`, `10.5`, `20`, ``)},
				}})},
				drawing1Rels: {"", relsHead + relTo("rId1", "chart", "../charts/chart1.xml") + `</Relationships>`},
				drawing1:     {"", xmlDecl + drawingHead + anchorAt(5, 1, 5486400, 3200400) + chartFrame(2, ``, "rId1") + `</xdr:wsDr>`},
				sheet1Rels:   {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet1: {
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
		{
			name: "add_chart of a range without names, in a size and with an alternative text", in: ordersBook(t),
			ops: `{"op":"add_chart","sheet":"S2","cell":"C1","type":"pie","range":"A1:B2","width":2,"height":1.5,"alt":"a \"pie\" <1>"}`,
			rep: formats.OpReport{Hits: 1, Made: "Chart 2 S2!C1"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + typeOf("xl/charts/chart1.xml", "drawingml.chart+xml") + `</Types>`,
				},
				chart1:       {"", chartOf(chart.Spec{Kind: `pie`, Series: []chart.Series{{Categories: texts(`'S2'!$A$1:$A$2`, `north`, `south`), Values: *numbers(`'S2'!$B$1:$B$2`, ``, `4`, `6`)}}})},
				drawing1Rels: {"", relsHead + relTo("rId1", "chart", "../charts/chart1.xml") + `</Relationships>`},
				drawing1: {"", xmlDecl +
					drawingHead +
					anchorAt(2, 0, 1828800, 1371600) +
					chartFrame(2, ` descr="a &quot;pie&quot; &lt;1&gt;"`, "rId1") +
					`</xdr:wsDr>`},
				sheet2Rels: {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet2: {
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
		{
			name: "add_chart of series on another sheet, with titles", in: ordersBook(t),
			ops: `{"op":"add_chart","sheet":"S2","cell":"A5","type":"stacked_bar","series":[{"name":"All & more","values":"S1!C2:C4","categories":"S1!A2:A4"},{"name":"=B1","values":"$B$1:$B$2"}],"title":"Two <lines>\nof it","x_title":"Who","y_title":"€"}`,
			rep: formats.OpReport{Hits: 1, Made: "Chart 2 S2!A5"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + typeOf("xl/charts/chart1.xml", "drawingml.chart+xml") + `</Types>`,
				},
				chart1: {"", chartOf(chart.Spec{Kind: `bar`, Stacked: true, Title: "Two <lines>\nof it", XTitle: `Who`, YTitle: `€`, Series: []chart.Series{
					{Name: `All & more`, Categories: texts(`'S1'!$A$2:$A$4`, `Ann & co`, `Bob`, `Cleo`), Values: *numbers(`'S1'!$C$2:$C$4`, `0.00`, `10.5`, `20`, ``)},
					{NameRef: texts(`'S2'!$B$1`, `4`), Values: *numbers(`'S2'!$B$1:$B$2`, ``, `4`, `6`)},
				}})},
				drawing1Rels: {"", relsHead + relTo("rId1", "chart", "../charts/chart1.xml") + `</Relationships>`},
				drawing1:     {"", xmlDecl + drawingHead + anchorAt(0, 4, 5486400, 3200400) + chartFrame(2, ``, "rId1") + `</xdr:wsDr>`},
				sheet2Rels:   {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet2: {
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
		{
			name: "add_chart of formulas without a value", in: ordersBook(t),
			ops: `{"op":"add_chart","sheet":"S1","cell":"F2","type":"line","series":[{"values":"D2:D4"}]}`,
			rep: formats.OpReport{Hits: 1, Made: "Chart 2 S1!F2", Warnings: []string{"series 1: the formulas in D4 have no values yet, so the chart shows them once they are calculated: when the file is opened, or by recalculate"}},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + typeOf("xl/charts/chart1.xml", "drawingml.chart+xml") + `</Types>`,
				},
				chart1:       {"", chartOf(chart.Spec{Kind: `line`, Series: []chart.Series{{Values: *numbers(`'S1'!$D$2:$D$4`, ``, `21`, `40`, ``)}}})},
				drawing1Rels: {"", relsHead + relTo("rId1", "chart", "../charts/chart1.xml") + `</Relationships>`},
				drawing1:     {"", xmlDecl + drawingHead + anchorAt(5, 1, 5486400, 3200400) + chartFrame(2, ``, "rId1") + `</xdr:wsDr>`},
				sheet1Rels:   {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet1: {
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
		{
			name: "add_chart of texts has nothing to draw", in: ordersBook(t),
			ops: `{"op":"add_chart","sheet":"S1","cell":"F2","type":"scatter","series":[{"values":"A2:A4","categories":"B2:B4"}]}`,
			rep: formats.OpReport{Hits: 1, Made: "Chart 2 S1!F2", Warnings: []string{"series 1: there are no numbers in 'S1'!$A$2:$A$4"}},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + typeOf("xl/charts/chart1.xml", "drawingml.chart+xml") + `</Types>`,
				},
				chart1:       {"", chartOf(chart.Spec{Kind: `scatter`, Series: []chart.Series{{Categories: numbers(`'S1'!$B$2:$B$4`, ``, `1`, `2`, `3`), Values: *numbers(`'S1'!$A$2:$A$4`, ``, ``, ``, ``)}}})},
				drawing1Rels: {"", relsHead + relTo("rId1", "chart", "../charts/chart1.xml") + `</Relationships>`},
				drawing1:     {"", xmlDecl + drawingHead + anchorAt(5, 1, 5486400, 3200400) + chartFrame(2, ``, "rId1") + `</xdr:wsDr>`},
				sheet1Rels:   {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet1: {
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
		{
			name: "add_chart of whole columns takes what they hold", in: ordersBook(t),
			ops: `{"op":"add_chart","sheet":"S2","cell":"D1","type":"area","range":"A:B"}`,
			rep: formats.OpReport{Hits: 1, Made: "Chart 2 S2!D1"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + typeOf("xl/charts/chart1.xml", "drawingml.chart+xml") + `</Types>`,
				},
				chart1:       {"", chartOf(chart.Spec{Kind: `area`, Series: []chart.Series{{Categories: texts(`'S2'!$A$1:$A$2`, `north`, `south`), Values: *numbers(`'S2'!$B$1:$B$2`, ``, `4`, `6`)}}})},
				drawing1Rels: {"", relsHead + relTo("rId1", "chart", "../charts/chart1.xml") + `</Relationships>`},
				drawing1:     {"", xmlDecl + drawingHead + anchorAt(3, 0, 5486400, 3200400) + chartFrame(2, ``, "rId1") + `</xdr:wsDr>`},
				sheet2Rels:   {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet2: {
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
		{
			name: "add_chart shows what earlier operations of the call wrote", in: ordersBook(t),
			ops: `{"op":"set_range","sheet":"S2","start":"A1","values":[["k","v"],["a",7]]},` +
				`{"op":"add_chart","sheet":"S2","cell":"D1","type":"doughnut","range":"A1:B2"}`,
			rep: formats.OpReport{Hits: 1, Made: "Chart 2 S2!D1"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + typeOf("xl/charts/chart1.xml", "drawingml.chart+xml") + `</Types>`,
				},
				chart1:       {"", chartOf(chart.Spec{Kind: `doughnut`, Series: []chart.Series{{NameRef: texts(`'S2'!$B$1`, `v`), Categories: texts(`'S2'!$A$2`, `a`), Values: *numbers(`'S2'!$B$2`, ``, `7`)}}})},
				drawing1Rels: {"", relsHead + relTo("rId1", "chart", "../charts/chart1.xml") + `</Relationships>`},
				drawing1:     {"", xmlDecl + drawingHead + anchorAt(3, 0, 5486400, 3200400) + chartFrame(2, ``, "rId1") + `</xdr:wsDr>`},
				sheet2Rels:   {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet2: {
					`north`, `k`,
					`<c r="B1"><v>4</v>`, `<c r="B1" t="inlineStr"><is><t>v</t></is>`,
					`south`, `a`,
					`<v>6`, `<v>7`,
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
		{
			name: "add_chart twice: the second one joins the drawing", in: ordersBook(t),
			ops: `{"op":"add_chart","sheet":"S2","cell":"D1","type":"pie","range":"A1:B2"},` +
				`{"op":"add_chart","sheet":"S2","cell":"D20","type":"stacked_line","range":"B1:B2"}`,
			rep: formats.OpReport{Hits: 1, Made: "Chart 3 S2!D20"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") +
						typeOf("xl/charts/chart1.xml", "drawingml.chart+xml") +
						typeOf("xl/charts/chart2.xml", "drawingml.chart+xml") +
						`</Types>`,
				},
				chart1:                 {"", chartOf(chart.Spec{Kind: `pie`, Series: []chart.Series{{Categories: texts(`'S2'!$A$1:$A$2`, `north`, `south`), Values: *numbers(`'S2'!$B$1:$B$2`, ``, `4`, `6`)}}})},
				"xl/charts/chart2.xml": {"", chartOf(chart.Spec{Kind: `line`, Stacked: true, Series: []chart.Series{{Values: *numbers(`'S2'!$B$1:$B$2`, ``, `4`, `6`)}}})},
				drawing1Rels:           {"", relsHead + relTo("rId1", "chart", "../charts/chart1.xml") + relTo("rId2", "chart", "../charts/chart2.xml") + `</Relationships>`},
				drawing1: {"", xmlDecl +
					drawingHead +
					anchorAt(3, 0, 5486400, 3200400) +
					chartFrame(2, ``, "rId1") +
					anchorAt(3, 19, 5486400, 3200400) +
					chartFrame(3, ``, "rId2") +
					`</xdr:wsDr>`},
				sheet2Rels: {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet2: {
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
		{
			name: "add_chart of a pie with two series, and a range beside them", in: ordersBook(t),
			ops: `{"op":"add_chart","sheet":"S2","cell":"D1","type":"pie","range":"A1:B2","series":[{"values":"B1"},{"values":"B2"}]}`,
			rep: formats.OpReport{Hits: 1, Made: "Chart 2 S2!D1", Warnings: []string{"a pie shows one series; only the first of 2 is seen, use doughnut or column for all"}, Ignored: []formats.Ignored{{Name: "range"}}},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + typeOf("xl/charts/chart1.xml", "drawingml.chart+xml") + `</Types>`,
				},
				chart1:       {"", chartOf(chart.Spec{Kind: `pie`, Series: []chart.Series{{Values: *numbers(`'S2'!$B$1`, ``, `4`)}, {Values: *numbers(`'S2'!$B$2`, ``, `6`)}}})},
				drawing1Rels: {"", relsHead + relTo("rId1", "chart", "../charts/chart1.xml") + `</Relationships>`},
				drawing1:     {"", xmlDecl + drawingHead + anchorAt(3, 0, 5486400, 3200400) + chartFrame(2, ``, "rId1") + `</xdr:wsDr>`},
				sheet2Rels:   {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet2: {
					`</worksheet>`, `<drawing r:id="rId1"/></worksheet>`,
				},
			},
		},
		{
			name: "add_chart on a sheet with a prefix", in: prefixed(t, prefixedRows),
			ops: `{"op":"add_chart","sheet":"S1","cell":"B2","type":"column","range":"A1:A2"}`,
			rep: formats.OpReport{Hits: 1, Made: "Chart 2 S1!B2"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/drawings/drawing1.xml", "drawing+xml") + typeOf("xl/charts/chart1.xml", "drawingml.chart+xml") + `</Types>`,
				},
				chart1:       {"", chartOf(chart.Spec{Kind: `column`, Series: []chart.Series{{Values: *numbers(`'S1'!$A$1:$A$2`, ``, `1`, `2`)}}})},
				drawing1Rels: {"", relsHead + relTo("rId1", "chart", "../charts/chart1.xml") + `</Relationships>`},
				drawing1:     {"", xmlDecl + drawingHead + anchorAt(1, 1, 5486400, 3200400) + chartFrame(2, ``, "rId1") + `</xdr:wsDr>`},
				sheet1Rels:   {"", relsHead + relTo("rId1", "drawing", "../drawings/drawing1.xml") + `</Relationships>`},
				sheet1: {
					`</x:worksheet>`, `<x:drawing rel:id="rId1"/></x:worksheet>`,
				},
			},
		},
	})
}

func TestAddChartRefuses(t *testing.T) {
	long := `"values":"S1!A1:A40000"`
	runRefusals(t, ordersBook(t), []refusal{
		{`{"op":"add_chart","sheet":"S1","cell":"F2","range":"A1:B2"}`, formats.CodeInvalid, `unknown chart type ""; use column, bar, line, pie, scatter, area, doughnut, bubble, radar, stock, scatter_lines`},
		{`{"op":"add_chart","sheet":"S1","cell":"F2","type":"stacked_scatter","range":"A1:B2"}`, formats.CodeInvalid, `unknown chart type "stacked_scatter"`},
		{`{"op":"add_chart","sheet":"S1","cell":"F0","type":"bar","range":"A1:B2"}`, formats.CodeInvalid, "F0"},
		{`{"op":"add_chart","sheet":"S9","cell":"F1","type":"bar","range":"A1:B2"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"add_chart","sheet":"S1","cell":"F2","type":"bar","range":"A1:D1"}`, formats.CodeInvalid, "the range A1:D1 has no row of values"},
		{`{"op":"add_chart","sheet":"S1","cell":"F2","type":"bar","range":"H:I"}`, formats.CodeInvalid, "is empty"},
		{`{"op":"add_chart","sheet":"S1","cell":"F2","type":"bar","range":"B1:B32002"}`, formats.CodeTooLarge, "the range B1:B32002 has 32001 rows; a series shows at most 32000"},
		{`{"op":"add_chart","sheet":"S1","cell":"F2","type":"bar","range":"A1:IW9"}`, formats.CodeInvalid, "the chart would have 256 series; the limit is 255"},
		{`{"op":"add_chart","sheet":"S1","cell":"F2","type":"bar","range":"A1:XFC600"}`, formats.CodeTooLarge, "too many for a chart"},
		{`{"op":"add_chart","sheet":"S1","cell":"F2","type":"bar","series":[{"values":"B2:B4"},{"name":"x"}]}`, formats.CodeInvalid, "series 2: values is required, such as B2:B9"},
		{`{"op":"add_chart","sheet":"S1","cell":"F2","type":"bar","series":[{` + long + `}]}`, formats.CodeTooLarge, "series 1: A1:A40000 has 40000 values; a series shows at most 32000"},
		{`{"op":"add_chart","sheet":"S1","cell":"F2","type":"bar","series":[{"values":"B2:B4","categories":"S9!A1"}]}`, formats.CodeNotFound, "series 1: unknown sheet: S9"},
		{`{"op":"add_chart","sheet":"S1","cell":"F2","type":"bar","series":[{"values":"B2:B4","name":"=S9!A1"}]}`, formats.CodeNotFound, "series 1: unknown sheet: S9"},
		{`{"op":"add_chart","sheet":"S1","cell":"F2","type":"bar","range":"A1:B2","height":100.5}`, formats.CodeInvalid, "invalid height 100.5: expected more than 0 and at most 100 inches"},
		{`{"op":"add_chart","sheet":"S1","cell":"F2","type":"bar","range":"A1:B2","width":0}`, formats.CodeInvalid, "invalid width 0"},
	})
}

// An independent reader reads what the chart shows, after its cells have moved
// too.
func TestAddedChartFollowsItsCells(t *testing.T) {
	out, _ := apply(t, ordersBook(t), `[{"op":"add_chart","sheet":"S2","cell":"D5","type":"line","range":"S1!A1:C4"},
		{"op":"insert_rows","sheet":"S1","row":3},{"op":"delete_columns","sheet":"S1","column":"B"},{"op":"rename_sheet","sheet":"S1","new_name":"Or ders"},{"op":"insert_columns","sheet":"S2","column":"A"}]`)
	xml := part(t, out, chart1)
	for _, want := range []string{`<c:f>'Or ders'!$A$2:$A$5</c:f>`, `<c:f>'Or ders'!$B$1</c:f>`, `<c:f>'Or ders'!$B$2:$B$5</c:f>`, `<c:tx><c:strRef><c:f>'Or ders'!#REF!</c:f>`, `<c:val><c:numRef><c:f>'Or ders'!#REF!</c:f>`} {
		require.Contains(t, xml, want)
	}
	require.NotContains(t, xml, "S1")
	require.Contains(t, part(t, out, drawing1), `<xdr:col>4</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>4</xdr:row>`)
	require.Equal(t, []string{"Or ders", "S2"}, excel(t, out).GetSheetList())
}
