package pptx

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

func TestSetChartOptions(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A","layout":"title_only"}`, threeSeries)
	set := func(file []byte, members string) (string, []byte, formats.OpReport) {
		t.Helper()
		out, rep := editReport(t, file, `{"op":"set_chart_options","index":0,`+members+`}`)
		formatstest.SameParts(t, file, out, "ppt/charts/chart1.xml")
		validate(t, formatstest.Write(t, "before.pptx", deck), out)
		return part(t, out, "ppt/charts/chart1.xml"), out, rep.Ops[0]
	}
	doc, out, rep := set(deck, `"title":"Neu & <gut>\nzweite","x_title":"Quartal","y_title":"Mio.","y_min":0,"y_max":8.5,"number_format":"0.0 \"€\"","legend":"right","data_labels":"value"`)
	require.Empty(t, rep.Warnings)
	require.Equal(t, "Neu & <gut> zweite", mapSlideOf(t, out, 0).Slides[0].Shapes[1].Title)
	for _, want := range []string{`<c:max val="8.5"/><c:min val="0"/>`, `<c:legendPos val="r"/>`, `<c:numFmt formatCode="0.0 &quot;€&quot;" sourceLinked="0"/>`, `<c:showVal val="1"/>`, `rot="-5400000"`, ">Quartal<", ">Mio.<"} {
		require.Contains(t, doc, want)
	}
	require.Contains(t, doc, `b="0"><a:solidFill><a:srgbClr val="595959"/></a:solidFill></a:rPr><a:t>zweite</a:t>`, "the looks of the title stay")
	var told []string
	for _, f := range diffOf(t, deck, out).Facts {
		told = append(told, said(f))
	}
	require.Contains(t, fmt.Sprint(told), "title “Umsatz” → title “Neu & <gut> zweite”")

	doc, out, _ = set(out, `"title":"","x_title":"","y_auto":true,"legend":"none","data_labels":"none"`)
	for _, gone := range []string{"<c:max", "<c:min v", "<c:legend>", `showVal val="1"`, "Quartal", "zweite"} {
		require.NotContains(t, doc, gone)
	}
	require.Contains(t, doc, `<c:autoTitleDeleted val="1"/>`)
	_, _, rep = set(out, `"data_labels":"percent"`)
	require.Equal(t, []string{"only pie and doughnut charts show percentages in labels; in this chart the labels are empty or show values"}, rep.Warnings)

	for op, want := range map[string]string{
		`"values":1`:          "nothing to set: give title, x_title, y_title, y_min, y_max, y_auto, number_format, legend, data_labels, axes, colors, series_options or another member",
		`"legend":"middle"`:   `legend must be none, bottom, top, left, right or top_right, not "middle"`,
		`"data_labels":"all"`: `data_labels must be none, value, percent, category or series, or several with commas, not "all"`,
		`"y_min":3,"y_max":3`: "the value axis cannot begin at 3 and end at 3",
	} {
		_, _, err := tryEdit(deck, `{"op":"set_chart_options","index":0,`+op+`}`)
		require.EqualError(t, err, "operation 1 (set_chart_options): "+want)
	}
	pie := edit(t, nil, `{"op":"add_slide","title":"A"}`, `{"op":"add_chart","index":0,"type":"pie","categories":["a"],"series":[{"values":[1]}],"x":1}`)
	_, _, err := tryEdit(pie, `{"op":"set_chart_options","index":0,"y_min":3}`)
	require.ErrorContains(t, err, "the chart has no axes")
}

// Every chart of the real decks takes the options; other parts stay.
func TestCorpusSetChartOptions(t *testing.T) {
	campaign.Slow(t)
	done := 0
	chartDecks(t, func(t *testing.T, name string, file []byte) {
		changed := file
		for i := range mapOf(t, file).SlideCount {
			for _, m := range mapSlideOf(t, file, i).Slides[0].Shapes {
				if m.Kind != kindChart {
					continue
				}
				at := fmt.Sprintf(`{"op":"set_chart_options","index":%d,"shape_id":%d,`, i, m.ID)
				out, _, err := tryEdit(changed, at+`"title":"Neuer Titel","legend":"top","data_labels":"value","number_format":"0.00"}`)
				require.NoError(t, err, name)
				if axes, _, err := tryEdit(out, at+`"x_title":"Unten","y_title":"Links","y_min":-1,"y_max":20}`); err == nil {
					out = axes
				} else {
					require.ErrorContains(t, err, "the chart has no axes")
				}
				require.Contains(t, readSlide(t, out, i), "[Chart: Neuer Titel")
				changed, done = out, done+1
			}
		}
		var except []string
		for n := range formatstest.Parts(t, changed) {
			if filepath.Dir(n) == "ppt/charts" {
				except = append(except, n)
			}
		}
		formatstest.SameParts(t, file, changed, except...)
		validate(t, name, changed)
		out := formatstest.Write(t, "charts.pptx", changed)
		formatstest.LibreOfficeOpens(t, out)
		if dir := os.Getenv("ATELIER_KEEP"); dir != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), changed, 0o600))
		}
	})
	formatstest.Report(t, "pptx  charts of real decks with new options: %d", done)
	require.Positive(t, done)
}
