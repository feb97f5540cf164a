package pptx

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx"
)

const sales = `"categories":["Q1","Q2 & <Q3>","=1+1"],"series":[{"name":"Nord","values":[3,5.5,-1]},{"values":[2,null,"4"]}],"title":"Umsatz & mehr"`

// A chart brings its workbook, so that PowerPoint can edit the data; maps and
// reads know it, and LibreOffice shows it.
func TestAddChart(t *testing.T) {
	campaign.Slow(t)
	deck := edit(t, nil, `{"op":"add_slide","title":"A","layout":"title_only"}`)
	kinds := []string{"bar", "column", "line", "pie", "area", "doughnut", "radar"}
	for _, kind := range []string{"bar", "column", "line", "area"} {
		kinds = append(kinds, "stacked_"+kind)
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			out, rep := editReport(t, deck, fmt.Sprintf(`{"op":"add_chart","index":0,"type":%q,%s,"alt":"Bild","x_title":"Quartal","y_title":"Mio. & mehr"}`, strings.ToUpper(kind), sales))
			require.Equal(t, 6, rep.Ops[0].Cells)
			doc := string(formatstest.Parts(t, out)["ppt/charts/chart1.xml"])
			kind, stacked := strings.CutPrefix(kind, "stacked_")
			require.Equal(t, stacked, strings.Contains(doc, `<c:grouping val="stacked"/>`))
			if kind == "pie" || kind == "doughnut" {
				require.Contains(t, strings.Join(rep.Ops[0].Warnings, "; "), "a "+kind+" has no axes")
				require.Equal(t, kind == "pie", strings.Contains(strings.Join(rep.Ops[0].Warnings, "; "), "a pie shows one series"))
			} else {
				require.Empty(t, rep.Ops[0].Warnings)
				require.Contains(t, doc, ">Quartal<")
				require.Contains(t, doc, ">Mio. &amp; mehr<")
			}
			m := mapSlideOf(t, out, 0).Slides[0].Shapes[1]
			require.Equal(t, []string{kind}, m.Chart)
			require.Equal(t, "Umsatz & mehr", m.Title)
			require.Contains(t, readWith(t, out, 0, "all"), "Nord")

			parts := formatstest.Parts(t, out)
			book := formats.FromBytes("b.xlsx", parts["ppt/embeddings/Microsoft_Excel_Worksheet1.xlsx"])
			text, err := xlsx.Format().Reader.Read(ctx, book, formats.Selector{Sheet: "Sheet1", Include: []string{"formulas"}})
			require.NoError(t, err)
			for _, cell := range []string{"Nord", "Series 2", "Q2 & <Q3>", "5.5", "=1+1"} {
				require.Contains(t, text.Text, cell)
			}
			formatstest.Validate(t, formatstest.Write(t, "book.xlsx", parts["ppt/embeddings/Microsoft_Excel_Worksheet1.xlsx"]), "")
			file := formatstest.Write(t, "chart.pptx", out)
			formatstest.Validate(t, file, "")
			if !testing.Short() {
				formatstest.LibreOfficeOpens(t, file)
			}

			back := edit(t, out, fmt.Sprintf(`{"op":"delete_shape","index":0,"shape_id":%d}`, m.ID))
			formatstest.SameParts(t, deck, back, "[Content_Types].xml", relsOf("ppt/slides/slide1.xml"))
		})
	}
}

// A chart fills an empty placeholder, or stands where it is asked to.
func TestAddChartPlaces(t *testing.T) {
	one := `{"op":"add_chart","index":0,"type":"bar","categories":["a"],"series":[{"values":[1]}]`
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`)
	out := edit(t, deck, one+`}`)
	require.Len(t, mapSlideOf(t, out, 0).Slides[0].Shapes, 2)
	require.Contains(t, part(t, out, slide1), `<p:ph idx="1"`)
	placed := edit(t, deck, one+`,"x":1,"y":2,"width":4,"height":3,"shape_name":"Mein"}`)
	shapes := mapSlideOf(t, placed, 0).Slides[0].Shapes
	last := shapes[len(shapes)-1]
	require.Equal(t, "Mein", last.Name)
	require.Equal(t, []float64{1, 2, 4, 3}, last.Position)
	two := edit(t, placed, one+`,"x":6}`, `{"op":"duplicate_slide","index":0}`)
	validate(t, formatstest.Write(t, "before.pptx", deck), two)
	charts := 0
	for name := range formatstest.Parts(t, two) {
		if strings.HasPrefix(path.Base(name), "Microsoft_Excel_Worksheet") {
			charts++
		}
	}
	require.Equal(t, 4, charts, "each chart has a workbook of its own")
}

func TestAddChartErrors(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`)
	for op, want := range map[string]string{
		`"type":"spider"`:      `unknown chart type "spider"; use column, bar, line, pie, scatter, area, doughnut, bubble, radar, stock, scatter_lines, scatter_smooth or filled_radar, or stacked_ or percent_stacked_ with one of column, bar, line, area`,
		`"type":"stacked_pie"`: `unknown chart type "stacked_pie"; use column, bar, line, pie, scatter, area, doughnut, bubble, radar, stock, scatter_lines, scatter_smooth or filled_radar, or stacked_ or percent_stacked_ with one of column, bar, line, area`,
		`"type":"bubble"`:      "a bubble chart can be made in workbooks only; use scatter",
		`"type":"scatter","categories":["a"],"series":[{"values":[1]}]`: "categories are the x values of a scatter chart and must be numbers",
		`"type":"bar"`:                    `categories is required: the labels, such as ["Q1","Q2"]`,
		`"type":"bar","categories":["a"]`: `series is required, such as [{"name":"Sales","values":[3,5]}]`,
		`"type":"bar","categories":["a","b"],"series":[{"values":[1]}]`:       "series 1 has 1 values for 2 categories; use null where there is none",
		`"type":"bar","categories":["a"],"series":[{"values":["viel"]}]`:      `series: expected a number, got "viel"`,
		`"type":"bar","categories":["a"],"series":[{"values":[1]}],"width":0`: "width must be 0.01 to 100 inches, not 0",
	} {
		_, _, err := tryEdit(deck, `{"op":"add_chart","index":0,`+op+`}`)
		require.EqualError(t, err, "operation 1 (add_chart): "+want)
	}
}
