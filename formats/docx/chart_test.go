package docx

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/chart"
	"atelier/formats/xlsx"
)

const chart1Part = "word/charts/chart1.xml"

// salesChart is an operation that adds a chart.
const salesChart = `{"op":"add_chart","type":"column","categories":["Q1","Q2","Q3"],"series":[{"name":"North","values":[3,5.5,-1]},{"name":"South","values":[2,null,4]}],"title":"Sales & more","y_title":"EUR","alt":"sales","legend":"right","data_labels":"value"}`

func withSalesChart(t testing.TB, more ...string) (formats.Source, formats.Report) {
	src, rep := edited(t, nil, append([]string{`{"op":"append_paragraph","text":"Before"}`, salesChart, `{"op":"append_paragraph","text":"After"}`}, more...)...)
	return src, rep
}

func partsOf(t testing.TB, src formats.Source) map[string][]byte {
	b, err := formats.ReadAll(src, 1<<30)
	require.NoError(t, err)
	return formatstest.Parts(t, b)
}

// A chart has the paragraph, the part and the workbook that Word expects; reads tell
// what it shows, and LibreOffice draws it.
func TestAddChart(t *testing.T) {
	src, rep := withSalesChart(t)
	require.Equal(t, 6, rep.Ops[1].Cells)
	require.Empty(t, rep.Ops[1].Warnings)
	parts := partsOf(t, src)
	doc := string(parts[chart1Part])
	for _, want := range []string{"Sales &amp; more", ">EUR<", `<c:legendPos val="r"/>`, `<c:showVal val="1"/>`, `<c:f>Sheet1!$B$2:$B$4</c:f>`, `<c:externalData r:id="rId1">`} {
		require.Contains(t, doc, want)
	}
	book := parts["word/embeddings/Microsoft_Excel_Worksheet1.xlsx"]
	text, err := xlsx.Format().Reader.Read(t.Context(), formats.FromBytes("b.xlsx", book), formats.Selector{})
	require.NoError(t, err)
	require.Contains(t, text.Text, "5.5")
	file := filepath.Join(t.TempDir(), "chart.docx")
	b, err := formats.ReadAll(src, 1<<30)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, b, 0o600))
	formatstest.Validate(t, file, "")
	read, err := Format().Reader.Read(t.Context(), src, formats.Selector{AsShown: true})
	require.NoError(t, err)
	require.Contains(t, read.Text, `column chart "Sales & more"`)
	require.Contains(t, read.Text, "3, 5.5, -1")
	if dir := os.Getenv("DOCX_CHART"); dir != "" {
		require.NoError(t, os.WriteFile(dir, b, 0o600))
	}
	if !testing.Short() {
		formatstest.LibreOfficeOpens(t, file)
	}
}

// Data go into the part and the workbook, options into the part; the text stays.
func TestChangeChart(t *testing.T) {
	src, _ := withSalesChart(t)
	before := partsOf(t, src)
	out, rep := edited(t, src, `{"op":"change_chart","chart":"Sales & more","categories":["a","b"],"series":[{"name":"North","values":[7,8]},{"name":"East","values":[9,10]}]}`)
	require.Equal(t, []string{`the series "South" became "East" and kept its looks`}, rep.Ops[0].Warnings)
	parts := partsOf(t, out)
	require.Contains(t, string(parts[chart1Part]), `<c:f>Sheet1!$C$2:$C$3</c:f>`)
	require.Equal(t, string(before["word/document.xml"]), string(parts["word/document.xml"]))
	text, err := xlsx.Format().Reader.Read(t.Context(), formats.FromBytes("b.xlsx", parts["word/embeddings/Microsoft_Excel_Worksheet1.xlsx"]), formats.Selector{})
	require.NoError(t, err)
	require.Contains(t, text.Text, "East")
	require.NotContains(t, text.Text, "South")

	out, _ = edited(t, src, `{"op":"change_chart","chart":"1","type":"line","title":"New","legend":"none","series_options":[{"series":"South","color":"C00000","trend_line":"linear"}],"width":4,"height":2}`)
	parts = partsOf(t, out)
	for _, want := range []string{"<c:lineChart>", ">New<", "C00000", `<c:trendlineType val="linear"/>`} {
		require.Contains(t, string(parts[chart1Part]), want)
	}
	require.Contains(t, string(parts["word/document.xml"]), `<wp:extent cx="3657600" cy="1828800"/>`)
	d, err := Format().Differ.Diff(t.Context(), src, out, formats.DiffOptions{})
	require.NoError(t, err)
	var told []string
	for _, f := range d.Facts {
		told = append(told, f.Old+" → "+f.New)
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{`title "Sales & more" → title "New"`, "legend on the right → ", `series "South": linear trend line`, "shown as column → shown as line"} {
		require.Contains(t, all, want)
	}
}

// A chart that is deleted leaves the document as it was before it was added.
func TestDeleteChart(t *testing.T) {
	plain, _ := edited(t, nil, `{"op":"append_paragraph","text":"Before"}`, `{"op":"append_paragraph","text":"After"}`)
	src, _ := withSalesChart(t)
	out, _ := edited(t, src, `{"op":"delete_chart","chart":"1"}`)
	for _, c := range []struct {
		before, after formats.Source
		change        formats.Change
	}{{plain, src, formats.Added}, {src, out, formats.Removed}} {
		found := 0
		for _, f := range diff(t, c.before, c.after).Facts {
			if f.Kind == formats.FactChart {
				require.Equal(t, c.change, f.Change)
				require.Contains(t, f.Old+f.New, "bar chart “Sales & more”, 2 series of Sheet1!$B$2:$B$4")
				found++
			}
		}
		require.Equal(t, 1, found, "the settings of a chart that is new or gone are not told beside it")
	}
	was, now := partsOf(t, plain), partsOf(t, out)
	require.Len(t, now, len(was))
	for name, doc := range was {
		if name != "[Content_Types].xml" { // the default type of xlsx files stays
			require.Equal(t, string(doc), string(now[name]), name)
		}
	}
	tracked, _, err := applyWith(t, src, formats.ApplyOptions{TrackChanges: true}, `{"op":"delete_chart","chart":"1"}`)
	require.NoError(t, err)
	parts := formatstest.Parts(t, tracked)
	require.Contains(t, string(parts["word/document.xml"]), "<w:del ")
	require.Contains(t, parts, chart1Part)
	formatstest.Validate(t, formatstest.Write(t, "tracked.docx", tracked), "")
}

func TestChartErrors(t *testing.T) {
	src, _ := withSalesChart(t)
	plain, _ := edited(t, nil, `{"op":"append_paragraph","text":"Before"}`)
	for op, want := range map[string]string{
		`{"op":"change_chart","title":"x"}`:                                                                                 "chart is required",
		`{"op":"change_chart","chart":"Nope","title":"x"}`:                                                                  `there is no chart "Nope"; there are 1 (Chart 1, “Sales & more”)`,
		`{"op":"change_chart","chart":"1"}`:                                                                                 "nothing to change",
		`{"op":"change_chart","chart":"1","series":[{"name":"North","values":[1]}]}`:                                        "series 1 has 1 values for 3 categories",
		`{"op":"add_chart","type":"bubble","categories":["a"],"series":[{"values":[1]}]}`:                                   "workbooks only",
		`{"op":"add_chart","type":"column","categories":["a"],"series":[{"values":[1]}],"series_options":[{"series":"X"}]}`: `no series "X"`,
	} {
		_, _, err := apply(t, src, op)
		require.ErrorContains(t, err, want, op)
	}
	_, _, err := apply(t, plain, `{"op":"delete_chart","chart":"1"}`)
	require.ErrorContains(t, err, "has no charts")
}

// Charts of real documents take options and are deleted; the rest stays.
func TestCorpusCharts(t *testing.T) {
	done := 0
	for _, name := range formatstest.Corpus(t, "docx") {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		src := formats.FromBytes(name, file)
		e, err := begin(t.Context(), src)
		if err != nil {
			continue
		}
		list, err := e.chartsIn(t.Context())
		if err != nil || len(list) == 0 {
			continue
		}
		out, _, err := apply(t, src, `{"op":"change_chart","chart":"1","title":"New title","legend":"top"}`)
		require.NoError(t, err, name)
		formatstest.SameParts(t, file, out, list[0].target)
		formatstest.Validate(t, formatstest.Write(t, "c.docx", out), name)
		c, err := chart.Read(context.Background(), formatstest.Parts(t, out)[list[0].target])
		require.NoError(t, err)
		require.Equal(t, "New title", c.Title)
		out, _, err = apply(t, src, `{"op":"delete_chart","chart":"1"}`)
		require.NoError(t, err, name)
		require.NotContains(t, formatstest.Parts(t, out), list[0].target)
		formatstest.Validate(t, formatstest.Write(t, "d.docx", out), name)
		done++
	}
	formatstest.Report(t, "docx  charts of real documents changed and deleted: %d", done)
	require.Positive(t, done)
}

// Charts of headers are found, changed and deleted as those of the body are; a deleted one
// leaves no part behind.
func TestChartsOfHeaders(t *testing.T) {
	header := []string{`{"op":"append_paragraph","text":"Body"}`, `{"op":"set_header","text":"Top"}`}
	before, _ := edited(t, nil, header...)
	src, rep := edited(t, before, strings.Replace(salesChart, `"op":"add_chart"`, `"op":"add_chart","at":"h0.p0"`, 1), salesChart)
	require.Equal(t, "h0.p1", rep.Ops[0].Made)
	src, _ = edited(t, src, `{"op":"change_chart","chart":"2","title":"In the header","categories":["a","b"],"series":[{"name":"n","values":[7,8]}]}`)
	var changed string
	for name, doc := range partsOf(t, src) {
		if strings.HasPrefix(name, "word/charts/chart") && strings.Contains(string(doc), "In the header") {
			changed = string(doc)
		}
	}
	require.Contains(t, changed, "<c:v>8</c:v>")
	src, _ = edited(t, src, `{"op":"delete_chart","chart":"In the header"}`)
	parts := partsOf(t, src)
	n := 0
	for name := range parts {
		if strings.HasPrefix(name, "word/charts/chart") {
			n++
		}
		if strings.HasPrefix(name, "word/header") {
			require.Equal(t, string(partsOf(t, before)[name]), string(parts[name]), "the header is as before")
		}
	}
	require.Equal(t, 1, n)
	src, _ = edited(t, src, `{"op":"delete_chart","chart":"1"}`)
	require.NotContains(t, partsOf(t, src), chart1Part)
}
