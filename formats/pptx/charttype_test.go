package pptx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// From every kind to every other: the values stay, and the schema is kept.
func TestSetChartType(t *testing.T) {
	kinds := []string{"bar", "stacked_column", "line", "pie", "area", "doughnut"}
	for _, from := range kinds {
		deck := edit(t, nil, `{"op":"add_slide","title":"A","layout":"title_only"}`, strings.Replace(threeSeries, `"column"`, `"`+from+`"`, 1))
		for _, to := range kinds {
			out, _ := editReport(t, deck, `{"op":"set_chart_type","index":0,"type":"`+to+`"}`)
			bare := strings.TrimPrefix(to, "stacked_")
			require.Equal(t, []string{bare}, mapSlideOf(t, out, 0).Slides[0].Shapes[1].Chart, from)
			require.Contains(t, readSlide(t, out, 0), "Nord: 3, 5\nSüd: 1, 2")
			require.Equal(t, from == to, string(deck) == string(out))
			formatstest.SameParts(t, deck, out, "ppt/charts/chart1.xml")
			formatstest.Validate(t, formatstest.Write(t, from+"_"+to+".pptx", out), "")
			doc := part(t, out, "ppt/charts/chart1.xml")
			require.Equal(t, !(bare == "pie" || bare == "doughnut"), strings.Contains(doc, "<c:catAx>"))
			require.Equal(t, to == "bar", strings.Contains(doc, `<c:orientation val="maxMin"/>`))
			if from != to {
				require.NotEmpty(t, diffOf(t, deck, out).Facts)
			}
		}
	}
}

func TestSetChartTypeErrors(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`, threeSeries)
	_, _, err := tryEdit(deck, `{"op":"set_chart_type","index":0,"type":"spider"}`)
	require.ErrorContains(t, err, "unknown chart type")
	combined := with(t, deck, map[string]func(string) string{"ppt/charts/chart1.xml": replace(t, "</c:barChart>", "</c:barChart><c:lineChart/>")})
	out, rep := editReport(t, combined, `{"op":"set_chart_type","index":0,"type":"line"}`)
	require.Equal(t, []string{"the chart combined 2 kinds; all series are now shown as line on the primary axis"}, rep.Ops[0].Warnings)
	require.Equal(t, 1, strings.Count(part(t, out, "ppt/charts/chart1.xml"), "<c:lineChart"))
}

// Every chart of the real decks changes its type where that can be.
func TestCorpusSetChartType(t *testing.T) {
	campaign.Slow(t)
	done := 0
	chartDecks(t, func(t *testing.T, name string, file []byte) {
		changed := file
		kinds := []string{"line", "bar", "pie", "area", "stacked_column"}
		for i := range mapOf(t, file).SlideCount {
			for _, m := range mapSlideOf(t, file, i).Slides[0].Shapes {
				if m.Kind != kindChart {
					continue
				}
				out, _, err := tryEdit(changed, fmt.Sprintf(`{"op":"set_chart_type","index":%d,"shape_id":%d,"type":%q}`, i, m.ID, kinds[done%len(kinds)]))
				if formats.CodeOf(err) == formats.CodeUnsupported {
					require.Regexp(t, "radar|bubble|scatter|combines", err.Error())
					continue
				}
				require.NoError(t, err, name)
				changed, done = out, done+1
			}
		}
		validate(t, name, changed)
		formatstest.LibreOfficeOpens(t, formatstest.Write(t, "charts.pptx", changed))
		if dir := os.Getenv("ATELIER_KEEP"); dir != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "type_"+filepath.Base(name)), changed, 0o600))
		}
	})
	formatstest.Report(t, "pptx  charts of real decks of another type: %d", done)
	require.Positive(t, done)
}
