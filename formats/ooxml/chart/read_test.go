package chart

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What XML writes, Read returns.
func TestReadWritten(t *testing.T) {
	labels := Data{Formula: "S!$A$2:$A$4", Count: 3, Points: []Point{{0, "a & <b>"}, {1, "x, y"}, {2, "c"}}}
	values := Data{Formula: "S!$B$2:$B$4", Numeric: true, Format: "0.0%", Count: 3, Points: []Point{{0, "0.5"}, {2, "-1"}}}
	for _, kind := range Kinds {
		labels.Numeric = false
		spec := Spec{Kind: kind, Title: "T & t", XTitle: "across", YTitle: "up", Stacked: kind == "bar", Series: []Series{
			{Name: "<n>", Categories: &labels, Values: values},
			{NameRef: &Data{Formula: "S!$C$1", Count: 1, Points: []Point{{0, "second"}}}, Categories: &labels, Values: values},
		}}
		c, err := Read(t.Context(), []byte(XML(spec)))
		require.NoError(t, err)
		want := kind
		if kind == "bar" {
			want = "stacked bar"
		}
		require.Equal(t, []string{want}, c.Kinds)
		require.Equal(t, "T & t", c.Title)
		switch {
		case spec.withoutAxes():
			require.Empty(t, c.Axes)
		case kind == "bar":
			require.Equal(t, []Axis{{"vertical", "across"}, {"horizontal", "up"}}, c.Axes)
		default:
			require.Equal(t, []Axis{{"horizontal", "across"}, {"vertical", "up"}}, c.Axes)
		}
		require.Equal(t, []Plotted{
			{Kind: want, Name: "<n>", Categories: labels, Values: values},
			{Kind: want, Name: "second", NameRef: "S!$C$1", Categories: labels, Values: values},
		}, c.Series)
	}
}

func TestText(t *testing.T) {
	labels := Data{Formula: "S!$A$2:$A$4", Count: 3, Points: []Point{{0, "north"}, {1, "x, y"}, {2, "c"}}}
	values := Data{Formula: "S!$B$2:$B$4", Numeric: true, Format: "0.0%", Count: 3, Points: []Point{{0, "0.5"}, {2, "-1"}}}
	c, err := Read(t.Context(), []byte(XML(Spec{Kind: "column", Title: "Sales", XTitle: "Region", Series: []Series{{Name: "n", Categories: &labels, Values: values}, {Name: "m", Categories: &labels, Values: values}}})))
	require.NoError(t, err)
	number := func(v float64, format string, _ bool) string { return fmt.Sprintf("%g in %s", v, format) }
	require.Equal(t, `column chart "Sales", 2 series; horizontal axis "Region"
categories S!$A$2:$A$4: north, "x, y", c
series "n", S!$B$2:$B$4: 0.5 in 0.0%, (empty), -1 in 0.0%
series "m", S!$B$2:$B$4: 0.5 in 0.0%, (empty), -1 in 0.0%
legend at the bottom`, c.Text(number))
	require.Contains(t, c.Text(nil), `series "n", S!$B$2:$B$4: 0.5, (empty), -1`)
}

const chartHead = `<c:chartSpace xmlns:c="` + Namespace + `" xmlns:a="` + nsA + `">`

// A combined chart with a second axis, levels of labels, a title of a cell, what
// other programs add and literal values.
func TestReadCombined(t *testing.T) {
	c, err := Read(t.Context(), []byte(chartHead+`<c:date1904/><c:pivotSource><c:name>[b.xlsx]S!P1</c:name></c:pivotSource><c:chart>
<c:title><c:tx><c:strRef><c:f>S!$A$1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>Of a
 cell</c:v></c:pt></c:strCache></c:strRef></c:tx></c:title><c:plotArea>
<c:bar3DChart><c:barDir val="col"/><c:grouping val="percentStacked"/><c:ser><c:cat><c:multiLvlStrRef><c:f>S!$A$2:$B$4</c:f><c:multiLvlStrCache><c:ptCount val="3"/>
<c:lvl><c:pt idx="0"><c:v>Q1</c:v></c:pt><c:pt idx="1"><c:v>Q2</c:v></c:pt><c:pt idx="2"><c:v>Q1</c:v></c:pt></c:lvl><c:lvl><c:pt idx="0"><c:v>2023</c:v></c:pt><c:pt idx="2"><c:v>2024</c:v></c:pt></c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat>
<c:val><c:numLit><c:ptCount val="3"/><c:pt idx="1"><c:v>7</c:v></c:pt></c:numLit></c:val><c:extLst><c:ext><c:ser/><c:val><c:numLit><c:pt idx="0"><c:v>1</c:v></c:pt></c:numLit></c:val></c:ext></c:extLst></c:ser><c:axId val="1"/><c:axId val="2"/></c:bar3DChart>
<c:lineChart><c:ser><c:tx><c:v>rate</c:v></c:tx></c:ser><c:axId val="3"/><c:axId val="4"/></c:lineChart>
<c:catAx><c:axPos val="b"/></c:catAx><c:valAx><c:axPos val="l"/><c:title><c:tx><c:rich><a:p><a:r><a:t>EU</a:t></a:r><a:r><a:t>R </a:t></a:r><a:br/><a:r><a:t>k</a:t></a:r></a:p></c:rich></c:tx></c:title></c:valAx>
<c:valAx><c:axPos val="r"/><c:title><c:tx><c:rich><a:p><a:r><a:t>%</a:t></a:r></a:p></c:rich></c:tx></c:title></c:valAx><c:valAx><c:delete val="1"/><c:title><c:tx><c:v>gone</c:v></c:tx></c:title></c:valAx></c:plotArea></c:chart></c:chartSpace>`))
	require.NoError(t, err)
	require.True(t, c.Date1904)
	require.Equal(t, `3-D 100% stacked column and line chart "Of a cell", 2 series, of pivot table [b.xlsx]S!P1; vertical axis "EUR k"; second vertical axis "%"
categories S!$A$2:$B$4: 2023 / Q1, 2023 / Q2, 2024 / Q1
series (3-D 100% stacked column): (empty), 7, (empty)
series "rate" (line, second axis): (no values are stored in the chart)`, c.Text(nil))
}

// A title without text is the name of the only series, unless it is deleted.
func TestAutoTitle(t *testing.T) {
	for deleted, want := range map[string]string{"0": "only", "1": ""} {
		c, err := Read(t.Context(), []byte(chartHead+`<c:chart><c:title><c:overlay/></c:title><c:autoTitleDeleted val="`+deleted+`"/><c:plotArea><c:pieChart><c:ser><c:tx><c:v>only</c:v></c:tx></c:ser></c:pieChart></c:plotArea></c:chart></c:chartSpace>`))
		require.NoError(t, err)
		require.Equal(t, want, c.Title)
	}
}

func TestReadExtended(t *testing.T) {
	c, err := Read(t.Context(), []byte(`<cx:chartSpace xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" xmlns:a="`+nsA+`"><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:f>S!$A$2:$A$3</cx:f><cx:lvl ptCount="2"><cx:pt idx="0">start</cx:pt><cx:pt idx="1">end</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val"><cx:f>S!$B$2:$B$3</cx:f><cx:lvl ptCount="2" formatCode="0.0"><cx:pt idx="0">3</cx:pt><cx:pt idx="1">4</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData>
<cx:chart><cx:title><cx:tx><cx:txData><cx:v>Flow</cx:v></cx:txData></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion><cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:f>S!$B$1</cx:f><cx:v>cash</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion><cx:axis id="0"><cx:catScaling/></cx:axis><cx:axis id="1"><cx:valScaling/><cx:title><cx:tx><cx:rich><a:p><a:r><a:t>EUR</a:t></a:r></a:p></cx:rich></cx:tx></cx:title></cx:axis></cx:plotArea></cx:chart></cx:chartSpace>`))
	require.NoError(t, err)
	require.Equal(t, `waterfall chart "Flow", 1 series; value axis "EUR"
categories S!$A$2:$A$3: start, end
series "cash" (S!$B$1), S!$B$2:$B$3: 3, 4`, c.Text(nil))
}

// A chart of a million points, a million series or huge numbers is bounded.
func TestReadBombs(t *testing.T) {
	points := func(n int) string {
		var sb strings.Builder
		for i := range n {
			fmt.Fprintf(&sb, `<c:pt idx="%d"><c:v>%d</c:v></c:pt>`, i, i)
		}
		return sb.String()
	}
	list := `<c:val><c:numRef><c:f>A</c:f><c:numCache><c:ptCount val="1000000"/>` + points(1_000_000) + `</c:numCache></c:numRef></c:val>`
	c, err := Read(t.Context(), []byte(chartHead+`<c:chart><c:plotArea><c:lineChart><c:ser>`+list+`</c:ser></c:lineChart></c:plotArea></c:chart></c:chartSpace>`))
	require.NoError(t, err)
	require.Len(t, c.Series[0].Values.Points, MaxPoints)
	require.True(t, strings.HasSuffix(c.Text(nil), "98, 99, … 999900 more"))
	require.Less(t, len(c.Text(nil)), 1000)

	many := strings.Repeat(`<c:ser><c:tx><c:v>`+strings.Repeat("x", 5000)+`</c:v></c:tx></c:ser>`, 10_000)
	c, err = Read(t.Context(), []byte(chartHead+`<c:chart><c:plotArea><c:lineChart>`+many+`</c:lineChart></c:plotArea></c:chart></c:chartSpace>`))
	require.NoError(t, err)
	require.Equal(t, 10_000-MaxSeries, c.SeriesOmitted)
	require.Less(t, len(c.Text(nil)), MaxSeries*500)

	c, err = Read(t.Context(), []byte(chartHead+`<c:chart><c:plotArea><c:lineChart><c:ser><c:val><c:numLit><c:ptCount val="4000000000"/><c:pt idx="3999999999"><c:v>1</c:v></c:pt><c:pt idx="-1"/><c:pt idx="1"><c:v>5</c:v></c:pt></c:numLit></c:val></c:ser></c:lineChart></c:plotArea></c:chart></c:chartSpace>`))
	require.NoError(t, err)
	require.Equal(t, []Point{{1, "5"}}, c.Series[0].Values.Points)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Read(ctx, []byte(chartHead+`<c:chart><c:plotArea><c:lineChart><c:ser>`+list+`</c:ser></c:lineChart></c:plotArea></c:chart></c:chartSpace>`))
	require.ErrorIs(t, err, context.Canceled)
}

func TestReadNoChart(t *testing.T) {
	for _, doc := range []string{"", "<a/>", `<worksheet xmlns="x"/>`} {
		_, err := Read(t.Context(), []byte(doc))
		require.ErrorIs(t, err, ErrNoChart, doc)
	}
	for _, doc := range []string{chartHead, chartHead + "<c:chart></c:chartSpace>", "<"} {
		_, err := Read(t.Context(), []byte(doc))
		require.Error(t, err, doc)
		require.NotErrorIs(t, err, ErrNoChart)
	}
}
