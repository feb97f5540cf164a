package chart

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/lenient"
)

func listOf(ref string, values ...string) Data {
	d := Data{Formula: ref, Numeric: true, Count: len(values)}
	for i, v := range values {
		if v != "" {
			d.Points = append(d.Points, Point{i, v})
		}
	}
	return d
}

// Columns and bars whose values are close together begin at 0, all others where
// programs begin them.
func TestColumnsBeginAtZero(t *testing.T) {
	const zero = `<c:min val="0"/>`
	for _, c := range []struct {
		spec Spec
		want bool
	}{
		{Spec{Kind: "column", Series: []Series{{Values: listOf("S!$A$1:$A$3", "98", "99", "100")}}}, true},
		{Spec{Kind: "bar", Series: []Series{{Values: listOf("S!$A$1:$A$1", "7")}}}, true},
		{Spec{Kind: "column", Series: []Series{{Values: listOf("S!$A$1:$A$3", "10", "99", "100")}}}, false},
		{Spec{Kind: "column", Series: []Series{{Values: listOf("S!$A$1:$A$3", "98", "-99", "100")}}}, false},
		{Spec{Kind: "column", Series: []Series{{Values: listOf("S!$A$1:$A$2", "0", "0")}}}, false},
		{Spec{Kind: "line", Series: []Series{{Values: listOf("S!$A$1:$A$3", "98", "99", "100")}}}, false},
		{Spec{Kind: "column", Stacked: true, Series: []Series{{Values: listOf("S!$A$1:$A$2", "98", "99")}, {Values: listOf("S!$B$1:$B$2", "98", "99")}}}, false},
		{Spec{Kind: "column", Stacked: true, Series: []Series{{Values: listOf("S!$A$1:$A$2", "98", "99")}, {Values: listOf("S!$B$1:$B$2", "1", "2")}}}, true},
		{Spec{Kind: "column", Stacked: true, Percent: true, Series: []Series{{Values: listOf("S!$A$1:$A$2", "98", "99")}}}, false},
	} {
		require.Equal(t, c.want, strings.Contains(XML(c.spec), zero), "%+v", c.spec)
	}
}

// Of an extended chart only the title changes; the rest keeps its bytes.
func TestEditExtended(t *testing.T) {
	const rest = `<cx:plotArea><cx:plotAreaRegion><cx:series layoutId="waterfall" uniqueId="{1}"><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea>`
	doc := func(title string) string {
		return `<cx:chartSpace xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex"><cx:chartData/><cx:chart>` + title + rest + `</cx:chart></cx:chartSpace>`
	}
	title := "A <b>"
	out, warnings, err := Edit(t.Context(), []byte(doc("")), Change{Title: &title})
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Contains(t, string(out), rest)
	c, err := Read(t.Context(), out)
	require.NoError(t, err)
	require.Equal(t, "A <b>", c.Title)
	require.Equal(t, []string{"waterfall"}, c.Kinds)
	none := ""
	back, _, err := Edit(t.Context(), out, Change{Title: &none})
	require.NoError(t, err)
	require.Equal(t, doc(""), string(back))
	_, _, err = Edit(t.Context(), []byte(doc("")), Change{Options: Options{Legend: "top"}})
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
	require.ErrorContains(t, err, "only its title can be changed")
}

// Charts of real files take options and give them back; what an option does not
// concern keeps its bytes, so that a change and its inverse give the same part.
func TestEditRealCharts(t *testing.T) {
	done, kinds := 0, 0
	for _, kind := range []string{"xlsx", "docx", "pptx"} {
		for _, f := range formatstest.Corpus(t, kind) {
			eachChart(t, f, func(name string, doc []byte) {
				if strings.Contains(name, "chartEx") {
					return
				}
				done++
				red := SeriesOptions{Series: "1", Color: "C00000", DataLabels: "value", TrendLine: &TrendLine{Type: "linear"}}
				title := "New"
				out, _, err := Edit(t.Context(), doc, Change{Title: &title, Options: Options{Legend: "top", SeriesOptions: []SeriesOptions{red}}})
				if err != nil {
					require.Contains(t, []formats.Code{formats.CodeUnsupported, formats.CodeNotFound, formats.CodeInvalid}, formats.CodeOf(err), "%s %s %v", f, name, err)
				} else {
					c, err := Read(t.Context(), out)
					require.NoError(t, err)
					require.Equal(t, "New", c.Title)
				}
				// A grid line of its own comes and goes.
				on, off := lenient.Bool(true), lenient.Bool(false)
				none, _, err := Edit(t.Context(), doc, Change{Options: Options{XAxis: &AxisOptions{Gridlines: &off}}})
				if err != nil {
					return
				}
				with, _, err := Edit(t.Context(), none, Change{Options: Options{XAxis: &AxisOptions{Gridlines: &on}}})
				require.NoError(t, err)
				again, _, err := Edit(t.Context(), with, Change{Options: Options{XAxis: &AxisOptions{Gridlines: &off}}})
				require.NoError(t, err)
				require.Equal(t, string(none), strings.Replace(string(again), ` xmlns:a="`+nsA+`"`, "", strings.Count(string(again), ` xmlns:a="`)-strings.Count(string(none), ` xmlns:a="`)), "%s %s", f, name)
				for _, to := range []string{"line", "bar", "stacked_area", "pie", "scatter_lines", "radar"} {
					if out, _, err := Edit(t.Context(), doc, Change{Type: to}); err == nil {
						c, err := Read(t.Context(), out)
						require.NoError(t, err)
						require.Len(t, c.Kinds, 1, "%s %s %s", f, name, to)
						kinds++
					} else {
						require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err), "%s %s %v", f, name, err)
					}
				}
			})
		}
	}
	formatstest.Report(t, "charts of real files edited: %d, shown as another kind: %d", done, kinds)
	require.Greater(t, done, 20)
	require.Greater(t, kinds, 60)
}

// A large chart is edited in seconds at most, and a cancelled context ends the edit.
func TestEditIsBounded(t *testing.T) {
	var sb strings.Builder
	sb.WriteString(`<c:chartSpace xmlns:c="` + Namespace + `" xmlns:a="` + nsA + `"><c:chart><c:plotArea>`)
	for i := range 90 {
		sb.WriteString(`<c:barChart><c:barDir val="col"/>`)
		for k := range 50 {
			fmt.Fprintf(&sb, `<c:ser><c:idx val="%d"/><c:order val="%[1]d"/><c:val><c:numLit><c:ptCount val="1"/><c:pt idx="0"><c:v>1</c:v></c:pt></c:numLit></c:val></c:ser>`, i*50+k)
		}
		fmt.Fprintf(&sb, `<c:axId val="%d"/><c:axId val="%d"/></c:barChart>`, 2*i+1, 2*i+2)
	}
	for i := range 180 {
		fmt.Fprintf(&sb, `<c:valAx><c:axId val="%d"/></c:valAx>`, i+1)
	}
	sb.WriteString(`</c:plotArea></c:chart></c:chartSpace>`)
	colors := make([]string, maxOptions)
	options := make([]SeriesOptions, maxOptions)
	for i := range colors {
		colors[i], options[i] = "C00000", SeriesOptions{Series: lenient.Text(fmt.Sprint(i + 1)), Axis: "secondary", Markers: "x", DataLabels: "value"}
	}
	start := time.Now()
	_, _, err := Edit(t.Context(), []byte(sb.String()), Change{Type: "line", Options: Options{Colors: colors, SeriesOptions: options, DataLabels: "value"}})
	require.NoError(t, err)
	_, err = Settings(t.Context(), []byte(sb.String()), true)
	require.NoError(t, err)
	require.Less(t, time.Since(start), 60*time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = Edit(ctx, []byte(sb.String()), Change{Type: "line"})
	require.ErrorIs(t, err, context.Canceled)
	_, _, err = Edit(t.Context(), []byte(sb.String()), Change{Options: Options{Colors: append(colors, "C00000")}})
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err))
}
