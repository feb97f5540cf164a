package pptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// chartDeck returns a deck whose only slide shows the given chart.
func chartDeck(t testing.TB, xml string) []byte {
	return with(t, deckOf1(t), map[string]func(string) string{"ppt/charts/c.xml": always(xml)})
}

// chartLine returns the line of the read that names the chart.
func chartLine(t testing.TB, file []byte) string {
	for _, l := range strings.Split(readSlide(t, file, 0), "\n") {
		if strings.HasPrefix(l, "[Chart: ") {
			return l
		}
	}
	return ""
}

func inChart(inner string) string {
	return `<c:chartSpace xmlns:c="` + nsC + `" xmlns:a="` + nsA + `"><c:chart>` + inner + `</c:chart></c:chartSpace>`
}

// Titles and names come from rich text, cells or literals; a chart without a
// title is called by its shape.
func TestChartLabels(t *testing.T) {
	str := func(local string, values ...string) string {
		var sb strings.Builder
		for i, v := range values {
			fmt.Fprintf(&sb, `<c:pt idx="%d"><c:v>%s</c:v></c:pt>`, i, v)
		}
		return `<c:` + local + `>` + sb.String() + `</c:` + local + `>`
	}
	for _, tc := range []struct{ xml, want string }{
		{inChart(`<c:plotArea/>`), "[Chart: Diagramm 8]"},
		{inChart(`<c:title/><c:plotArea><c:pieChart/></c:plotArea>`), "[Chart: Diagramm 8]"},
		{inChart(`<c:title><c:tx><c:strRef><c:f>A1</c:f>` + str("strCache", "Aus der &amp; Zelle") + `</c:strRef></c:tx></c:title><c:plotArea/>`), "[Chart: Aus der & Zelle]"},
		{inChart(`<c:plotArea><c:lineChart><c:ser><c:tx><c:v>Frei</c:v></c:tx><c:cat>` + str("strLit", "x", "y") + `</c:cat></c:ser></c:lineChart></c:plotArea>`), "[Chart: Diagramm 8; series Frei; categories x, y]"},
		{inChart(`<c:plotArea><c:ser><c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>` + str("x", "1")[5:len(str("x", "1"))-6] + `</c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat></c:ser></c:plotArea>`), "[Chart: Diagramm 8; categories 1]"},
		{inChart(`<c:plotArea><c:ser><c:cat><c:numRef>` + str("numCache", "2023", "2024") + `</c:numRef></c:cat></c:ser></c:plotArea>`), "[Chart: Diagramm 8; categories 2023, 2024]"},
		{`<x/>`, "[Chart: Diagramm 8]"},
	} {
		require.Equal(t, tc.want, chartLine(t, chartDeck(t, tc.xml)), tc.xml)
	}
	missing := with(t, deckOf1(t), map[string]func(string) string{relsOf(slide1): replace(t, "/ppt/charts/c.xml", "/ppt/charts/none.xml")})
	require.Equal(t, "[Chart: Diagramm 8]", chartLine(t, missing))
}

// A long list of categories is cut and the rest counted.
func TestChartLabelsAreBounded(t *testing.T) {
	var pts strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&pts, `<c:pt idx="%d"><c:v>K%d</c:v></c:pt>`, i, i)
	}
	line := chartLine(t, chartDeck(t, inChart(`<c:plotArea><c:ser><c:cat><c:strLit>`+pts.String()+`</c:strLit></c:cat></c:ser></c:plotArea>`)))
	require.Contains(t, line, "K49, … 950 more]")
	require.NotContains(t, line, "K50")
}

func TestChartTypes(t *testing.T) {
	for in, want := range map[string][]string{
		`<c:bar3DChart><c:barDir val="bar"/></c:bar3DChart>`: {"bar"},
		`<c:barChart/>`:                {"column"},
		`<c:pieChart/><c:pieChart/>`:   {"pie"},
		`<c:areaChart/><c:lineChart/>`: {"area", "line"},
		`<c:ofPieChart/>`:              {"ofPie"},
		`<c:catAx/>`:                   nil,
	} {
		require.Equal(t, want, mapOf(t, chartDeck(t, inChart(`<c:plotArea>`+in+`</c:plotArea>`))).Slides[0].Shapes[6].Chart, in)
	}
}
