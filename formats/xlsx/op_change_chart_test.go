package xlsx

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/chart"
	"atelier/internal/need"
)

// chartBook has numbers for every kind of chart on the sheet D.
func chartBook(t testing.TB) []byte {
	out, _ := apply(t, nil, `[{"op":"set_range","sheet":"D","start":"A1","values":[["Month","North","South","Share","Size"],["Jan",120,100,0.25,3],["Feb",135,98,0.27,5],["Mar",128,110,0.31,4],["Apr",150,115,0.29,8],["May",160,119,0.35,6]]}]`)
	return out
}

func withChart(t testing.TB, typ, rng, more string) []byte {
	out, _ := apply(t, chartBook(t), fmt.Sprintf(`[{"op":"add_chart","sheet":"D","cell":"G2","type":%q,"range":%q,"title":"Sales"%s}]`, typ, rng, more))
	return out
}

// changed applies change_chart to the only chart; every result is valid and reads
// as a chart.
func changed(t testing.TB, in []byte, members string) ([]byte, formats.OpReport) {
	t.Helper()
	out, rep := apply(t, in, `[{"op":"change_chart","chart":"1",`+members+`}]`)
	formatstest.Validate(t, formatstest.Write(t, "changed.xlsx", out), formatstest.Write(t, "before.xlsx", in))
	_, err := chart.Read(t.Context(), []byte(part(t, out, chart1)))
	require.NoError(t, err)
	for name, doc := range formatstest.Parts(t, in) {
		if name != chart1 && name != drawing1 && name != "xl/drawings/drawing1.xml" {
			require.Equal(t, string(doc), part(t, out, name), name)
		}
	}
	return out, rep.Ops[0]
}

// Each option sets what it names.
func TestChangeChartOptions(t *testing.T) {
	for _, o := range []struct {
		typ, rng, members string
		has, not          []string
		warns             []string
	}{
		{"column", "A1:C6", `"title":"New & <b>\nline","x_title":"Month","y_title":"EUR"`, []string{">New &amp; &lt;b&gt;<", ">line<", ">Month<", `rot="-5400000"`}, []string{">Sales<"}, nil},
		{"column", "A1:C6", `"title":""`, []string{`<c:autoTitleDeleted val="1"/>`}, []string{">Sales<"}, nil},
		{"column", "A1:C6", `"legend":"right"`, []string{`<c:legendPos val="r"/>`}, nil, nil},
		{"column", "A1:C6", `"legend":"none"`, nil, []string{"<c:legend>"}, nil},
		{"column", "A1:C6", `"data_labels":"value","label_position":"outside_end","number_format":"0.0 \"k\""`, []string{`<c:dLblPos val="outEnd"/>`, `<c:showVal val="1"/>`, `formatCode="0.0 &quot;k&quot;" sourceLinked="0"`}, nil, nil},
		{"pie", "A1:B6", `"data_labels":"category, percent","label_position":"best_fit","colors":["C00000","accent3"]`, []string{`<c:dLblPos val="bestFit"/>`, `<c:showCatName val="1"/>`, `<c:showPercent val="1"/>`, `<a:srgbClr val="C00000"/>`}, nil, nil},
		{"column", "A1:C6", `"y_axis":{"min":50,"max":200,"unit":25,"number_format":"#,##0","log":0,"reversed":true,"gridlines":false}`, []string{`<c:orientation val="maxMin"/><c:max val="200"/><c:min val="50"/>`, `<c:majorUnit val="25"/>`, `formatCode="#,##0"`}, []string{"majorGridlines"}, nil},
		{"column", "A1:C6", `"y_axis":{"log":10},"x_axis":{"hidden":true,"gridlines":true}`, []string{`<c:logBase val="10"/>`, `<c:delete val="1"/>`}, nil, nil},
		{"column", "A1:C6", `"y_min":0,"y_max":400`, []string{`<c:max val="400"/><c:min val="0"/>`}, nil, nil},
		{"column", "A1:C6", `"gap":30,"overlap":-20`, []string{`<c:gapWidth val="30"/><c:overlap val="-20"/>`}, []string{`gapWidth val="80"`}, nil},
		{"doughnut", "A1:B6", `"hole":70`, []string{`<c:holeSize val="70"/>`}, nil, nil},
		{"line", "A1:C6", `"smooth":true,"markers":"diamond"`, []string{`<c:smooth val="1"/>`, `<c:symbol val="diamond"/>`}, []string{`smooth val="0"`, "circle"}, nil},
		{"column", "A1:C6", `"smooth":true`, nil, []string{"smooth"}, []string{"only lines are smooth"}},
		{"column", "A1:C6", `"colors":["00B050","FFC000","000000"]`, []string{`<a:srgbClr val="00B050"/>`, `<a:srgbClr val="FFC000"/>`}, []string{"accent1", "accent2"}, []string{"the chart has 2 series"}},
		{"line", "A1:C6", `"series_options":[{"series":"south","color":"#7030a0","line_width":4}]`, []string{`<a:ln w="50800" cap="rnd"><a:solidFill><a:srgbClr val="7030A0"/>`, "accent1"}, nil, nil},
		{"column", "A1:C6", `"series_options":[{"series":"1","points":[{"point":2,"color":"FF0000"},{"point":1,"color":"accent6"}]}]`, []string{`<c:dPt><c:idx val="0"/>`, `<c:dPt><c:idx val="1"/>`}, nil, nil},
		{"scatter", "A1:C6", `"series_options":[{"series":"North","trend_line":{"type":"polynomial","order":3,"equation":true,"r_squared":true,"forward":2,"name":"Fit"}},{"series":"South","trend_line":"moving_average"}]`, []string{`<c:trendlineType val="poly"/><c:order val="3"/><c:forward val="2"/><c:dispRSqr val="1"/><c:dispEq val="1"/>`, `<c:name>Fit</c:name>`, `<c:trendlineType val="movingAvg"/><c:period val="2"/>`}, nil, nil},
		{"column", "A1:D6", `"series_options":[{"series":"Share","type":"line","axis":"secondary"}],"y2_axis":{"title":"Share","number_format":"0%","max":1}`, []string{"<c:lineChart>", `<c:crosses val="max"/>`, `formatCode="0%"`, `<c:max val="1"/>`, ">Share<"}, nil, nil},
		{"column", "A1:C6", `"type":"percent_stacked_bar"`, []string{`<c:barDir val="bar"/><c:grouping val="percentStacked"/>`, `<c:overlap val="100"/>`}, nil, nil},
		{"column", "A1:C6", `"type":"pie"`, []string{"<c:pieChart>"}, []string{"catAx", "valAx"}, []string{"a pie shows one series"}},
		{"pie", "A1:B6", `"type":"line"`, []string{"<c:lineChart>", "<c:catAx>", "<c:valAx>"}, []string{"dPt"}, []string{"the labels of the slices were removed"}},
		{"line", "A1:C6", `"type":"scatter_lines"`, []string{"<c:scatterChart>", "<c:xVal>", "<c:yVal>"}, []string{"<c:cat>", "<c:catAx>", "lblOffset"}, []string{"the categories are texts"}},
		{"scatter", "B1:C6", `"type":"line"`, []string{"<c:lineChart>", "<c:cat>", "<c:val>", "<c:catAx>"}, []string{"xVal"}, nil},
		{"line", "A1:D6", `"type":"stock"`, []string{"<c:stockChart>", "<c:hiLowLines>"}, nil, nil},
		{"column", "A1:C6", `"range":"A1:B4"`, []string{`'D'!$B$2:$B$4`}, []string{`$C$2`}, []string{`the series "South" is not among the new ones and was removed`}},
		{"column", "A1:B6", `"range":"A1:D6"`, []string{`'D'!$D$2:$D$6`, "accent3", `<c:idx val="2"/>`}, nil, nil},
		{"column", "A1:C6", `"series":[{"name":"South"},{"name":"=D1","values":"D2:D6","categories":"A2:A6"}]`, []string{`'D'!$C$2:$C$6`, `'D'!$D$2:$D$6`}, nil, []string{`the series "North" became "Share" and kept its looks`}},
		{"column", "A1:C6", `"cell":"B20","width":5,"height":2.5,"alt":"A \"chart\""`, []string{">Sales<"}, nil, nil},
	} {
		in := withChart(t, o.typ, o.rng, "")
		out, rep := changed(t, in, o.members)
		doc := part(t, out, chart1)
		for _, h := range o.has {
			require.Contains(t, doc, h, o.members)
		}
		for _, n := range o.not {
			require.NotContains(t, doc, n, o.members)
		}
		require.Len(t, rep.Warnings, len(o.warns), "%s: %q", o.members, rep.Warnings)
		for i, w := range o.warns {
			require.Contains(t, rep.Warnings[i], w)
		}
		again, _ := changed(t, out, strings.ReplaceAll(o.members, `"range":"A1:D6"`, `"range":"A1:D6"`))
		require.Equal(t, doc, part(t, again, chart1), "a second time changes nothing: %s", o.members)
	}
}

// The place changes in the drawing, the chart stays.
func TestChangeChartPlace(t *testing.T) {
	in := withChart(t, "column", "A1:C6", "")
	out, _ := changed(t, in, `"cell":"B20","width":5,"height":2.5,"alt":"A <chart>"`)
	require.Contains(t, part(t, out, drawing1), `<xdr:col>1</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>19</xdr:row>`)
	require.Contains(t, part(t, out, drawing1), `<xdr:ext cx="4572000" cy="2286000"/>`)
	require.Contains(t, part(t, out, drawing1), `descr="A &lt;chart&gt;"`)
	two := bytes.ReplaceAll([]byte(part(t, in, drawing1)), []byte("oneCellAnchor"), []byte("twoCellAnchor"))
	two = regexp.MustCompile(`<xdr:ext cx="5486400" cy="3200400"/>`).ReplaceAll(two, []byte(`<xdr:to><xdr:col>12</xdr:col><xdr:colOff>5</xdr:colOff><xdr:row>20</xdr:row><xdr:rowOff>7</xdr:rowOff></xdr:to>`))
	two = bytes.Replace(two, []byte("<xdr:twoCellAnchor "), []byte(`<xdr:twoCellAnchor editAs="absolute" `), 1)
	book := rezip(t, in, map[string]string{drawing1: string(two)})
	out, _ = changed(t, book, `"cell":"A30"`)
	require.Contains(t, part(t, out, drawing1), `<xdr:to><xdr:col>6</xdr:col><xdr:colOff>5</xdr:colOff><xdr:row>48</xdr:row><xdr:rowOff>7</xdr:rowOff></xdr:to>`)
	out, rep := changed(t, book, `"width":4,"height":2`)
	require.Contains(t, part(t, out, drawing1), `</xdr:oneCellAnchor>`)
	require.NotContains(t, part(t, out, drawing1), "editAs")
	require.Equal(t, []string{"the chart keeps this size when rows and columns change theirs"}, rep.Notes)
	_, _, err := tryApply(t, book, `[{"op":"change_chart","chart":"1","width":4}]`)
	require.ErrorContains(t, err, "give width and height together")
}

func rezip(t testing.TB, in []byte, parts map[string]string) []byte {
	z, err := zip.NewReader(bytes.NewReader(in), int64(len(in)))
	require.NoError(t, err)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		b, err := io.ReadAll(r)
		require.NoError(t, err)
		if s, ok := parts[f.Name]; ok {
			b = []byte(s)
		}
		to, err := w.Create(f.Name)
		require.NoError(t, err)
		_, err = to.Write(b)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// A chart that is deleted leaves the workbook as it was before it was added.
func TestDeleteChart(t *testing.T) {
	in := chartBook(t)
	with := withChart(t, "line", "A1:C6", "")
	out, rep := apply(t, with, `[{"op":"delete_chart","chart":"Sales"}]`)
	require.Equal(t, 1, rep.Ops[0].Hits)
	require.Equal(t, formatstest.Parts(t, in), formatstest.Parts(t, out))
	two, _ := apply(t, with, `[{"op":"add_chart","sheet":"D","cell":"G30","type":"pie","range":"A1:B6","title":"Two"}]`)
	out, _ = apply(t, two, `[{"op":"delete_chart","chart":"2","sheet":"D"}]`)
	require.Equal(t, formatstest.Parts(t, with), formatstest.Parts(t, out))
	out, rep = apply(t, two, `[{"op":"delete_chart","all":true}]`)
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.Equal(t, formatstest.Parts(t, in), formatstest.Parts(t, out))
}

func TestChangeChartRefuses(t *testing.T) {
	in := withChart(t, "column", "A1:C6", "")
	two, _ := apply(t, in, `[{"op":"add_chart","sheet":"D","cell":"G30","type":"pie","range":"A1:B6","title":"Sales"}]`)
	op := func(members string) string { return `{"op":"change_chart","chart":"Sales",` + members + `}` }
	runRefusals(t, in, []refusal{
		{`{"op":"change_chart","title":"x"}`, formats.CodeInvalid, "chart is required"},
		{`{"op":"change_chart","chart":"Nope","title":"x"}`, formats.CodeNotFound, "there is no chart Nope; there are 1 on D (Chart 2, “Sales”)"},
		{`{"op":"change_chart","chart":"1","sheet":"X","title":"x"}`, formats.CodeNotFound, "unknown sheet: X"},
		{`{"op":"change_chart","chart":"Sales"}`, formats.CodeInvalid, "nothing to change"},
		{op(`"type":"cube"`), formats.CodeInvalid, `unknown chart type "cube"`},
		{op(`"type":"stock"`), formats.CodeInvalid, "three or four series, not 2"},
		{op(`"type":"bubble"`), formats.CodeInvalid, "needs the sizes"},
		{op(`"legend":"middle"`), formats.CodeInvalid, "legend must be none"},
		{op(`"data_labels":"all"`), formats.CodeInvalid, "data_labels must be none"},
		{op(`"data_labels":"value","label_position":"above"`), formats.CodeInvalid, "cannot be at above"},
		{op(`"y_axis":{"min":5,"max":5}`), formats.CodeInvalid, "cannot begin at 5 and end at 5"},
		{op(`"y_axis":{"log":1}`), formats.CodeInvalid, "must be the base"},
		{op(`"y_axis":{"unit":0}`), formats.CodeInvalid, "must be more than 0"},
		{op(`"x_axis":{"min":1}`), formats.CodeInvalid, "has labels"},
		{op(`"y2_axis":{"min":1}`), formats.CodeInvalid, "no secondary axis"},
		{op(`"colors":["reddish"]`), formats.CodeInvalid, "the colour \"reddish\" is none"},
		{op(`"gap":501`), formats.CodeInvalid, "from 0 to 500"},
		{op(`"series_options":[{"series":"West","color":"FF0000"}]`), formats.CodeNotFound, `no series "West"; it has "North", "South"`},
		{op(`"series_options":[{"series":"North","type":"pie"}]`), formats.CodeUnsupported, "cannot be in one chart"},
		{op(`"series_options":[{"series":"1","axis":"secondary"},{"series":"2","axis":"secondary"}]`), formats.CodeInvalid, "must stay on the primary axis"},
		{op(`"series_options":[{"series":"1","axis":"third"}]`), formats.CodeInvalid, "primary or secondary"},
		{op(`"series_options":[{"series":"1","trend_line":"cubic"}]`), formats.CodeInvalid, "type of a trend_line"},
		{op(`"series_options":[{"series":"1","trend_line":{"type":"polynomial","order":9}}]`), formats.CodeInvalid, "from 2 to 6"},
		{op(`"series":[]`), formats.CodeInvalid, "series is empty"},
		{op(`"series":[{"name":"West"}]`), formats.CodeInvalid, "no series West; give its values"},
		{op(`"markers":"heart"`), formats.CodeInvalid, "markers must be one of"},
	})
	runRefusals(t, two, []refusal{{op(`"title":"x"`), formats.CodeInvalid, `2 charts are Sales: 1 on D (Chart 2, “Sales”), 2 on D (Chart 3, “Sales”)`}})
	runRefusals(t, chartBook(t), []refusal{{op(`"title":"x"`), formats.CodeNotFound, "the workbook has no charts"}})
}

// everyKind are charts of all kinds with options, as one call.
func everyKind() string {
	var ops []string
	for i, o := range []string{
		`"type":"column","range":"A1:C6","legend":"right","data_labels":"value"`, `"type":"stacked_column","range":"A1:C6"`, `"type":"percent_stacked_bar","range":"A1:C6"`,
		`"type":"line","range":"A1:C6","smooth":true`, `"type":"stacked_area","range":"A1:C6"`, `"type":"pie","range":"A1:B6","data_labels":"category,percent"`, `"type":"doughnut","range":"A1:B6","hole":40`,
		`"type":"scatter","range":"B1:C6","series_options":[{"series":"South","trend_line":{"type":"linear","equation":true,"r_squared":true}}]`, `"type":"scatter_lines","range":"B1:C6"`, `"type":"scatter_smooth","range":"B1:C6"`,
		`"type":"bubble","series":[{"name":"=E1","categories":"B2:B6","values":"C2:C6","sizes":"E2:E6"}]`, `"type":"radar","range":"A1:C6"`, `"type":"filled_radar","range":"A1:C6"`, `"type":"stock","range":"A1:D6"`,
		`"type":"column","range":"A1:D6","series_options":[{"series":"Share","type":"line","axis":"secondary"}],"y2_axis":{"number_format":"0%","title":"Share"}`,
	} {
		ops = append(ops, fmt.Sprintf(`{"op":"add_chart","sheet":"D","cell":"%c%d","width":5,"height":3,"title":"C%d",%s}`, "GOW"[i%3], 2+16*(i/3), i+1, o))
	}
	ops = append(ops, `{"op":"set_page_setup","sheet":"D","fit":{"across":1,"down":1}}`)
	return "[" + strings.Join(ops, ",") + "]"
}

// libreKinds are the chart classes that LibreOffice finds in what everyKind makes, with
// those of series that differ.
var libreKinds = []string{"bar", "bar", "bar", "line", "area", "circle", "ring circle", "scatter", "scatter", "scatter", "bubble", "radar", "filled-radar", "stock", "bar line"}

// Charts of all kinds are valid, and LibreOffice and openpyxl read them as what
// they are.
func TestEveryKindOfChart(t *testing.T) {
	out, rep := apply(t, chartBook(t), everyKind())
	for _, o := range rep.Ops {
		require.Empty(t, o.Warnings)
	}
	file := formatstest.Write(t, "kinds.xlsx", out)
	formatstest.Validate(t, file, "")
	if dir := os.Getenv("XLSX_CHARTS"); dir != "" {
		require.NoError(t, os.WriteFile(dir, out, 0o600))
	}
	peer := need.Program(t, "/usr/bin/python3", "python3-openpyxl")
	raw, err := exec.CommandContext(t.Context(), peer, "-W", "ignore", "-c", `
import json, sys, openpyxl
ws = openpyxl.load_workbook(sys.argv[1])['D']
print(json.dumps([[type(c).__name__] + [type(x).__name__ for x in c._charts[1:]] for c in ws._charts]))`, file).Output()
	require.NoError(t, err)
	var kinds [][]string
	require.NoError(t, json.Unmarshal(raw, &kinds))
	require.Len(t, kinds, 15)
	require.Equal(t, []string{"BarChart", "LineChart"}, kinds[14])
	if testing.Short() {
		t.Skip("LibreOffice is slow: left out with -short")
	}
	ods, err := os.ReadFile(formatstest.LibreOffice(t, file, "ods"))
	require.NoError(t, err)
	var found []string
	trends := 0
	for i := 1; i <= 15; i++ {
		doc := string(formatstest.Parts(t, ods)[fmt.Sprintf("Object %d/content.xml", i)])
		class := regexp.MustCompile(`<chart:chart [^>]*chart:class="chart:([\w-]+)"`).FindStringSubmatch(doc)
		require.NotNil(t, class)
		kind := class[1]
		for _, m := range regexp.MustCompile(`<chart:series [^>]*chart:class="chart:([\w-]+)"`).FindAllStringSubmatch(doc, -1) {
			if m[1] != class[1] {
				kind += " " + m[1]
			}
		}
		found = append(found, kind)
		trends += strings.Count(doc, "<chart:regression-curve")
	}
	require.ElementsMatch(t, libreKinds, found)
	require.Equal(t, 1, trends)
}

// The charts of real workbooks take options and are deleted; other parts keep
// their bytes and no schema error comes.
func TestCorpusChangeChart(t *testing.T) {
	done := 0
	for _, name := range formatstest.Corpus(t, "xlsx") {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		if _, err := zip.NewReader(bytes.NewReader(file), int64(len(file))); err != nil {
			continue // encrypted
		}
		var target string
		for p := range formatstest.Parts(t, file) {
			if strings.HasPrefix(p, "xl/charts/chart") && strings.HasSuffix(p, ".xml") {
				target = p
			}
		}
		if target == "" {
			continue
		}
		m, err := open(t.Context(), src(file))
		require.NoError(t, err)
		e := &structure{wb: m, ed: m.Package.Edit()}
		for i, s := range m.Sheets {
			list, err := e.chartsOf(t.Context(), i)
			require.NoError(t, err, name)
			for _, c := range list {
				at := fmt.Sprintf(`"sheet":%q,"chart":"%d"`, s.Name, c.number)
				out, _, err := tryApply(t, file, `[{"op":"change_chart",`+at+`,"title":"New","legend":"top","data_labels":"value","colors":["C00000"]}]`)
				require.NoError(t, err, name)
				formatstest.SameParts(t, file, out, c.part)
				formatstest.Validate(t, formatstest.Write(t, "c.xlsx", out), name)
				if s.Worksheet() {
					out, _, err = tryApply(t, file, `[{"op":"delete_chart",`+at+`}]`)
					require.NoError(t, err, name)
					require.NotContains(t, formatstest.Parts(t, out), c.part)
					formatstest.Validate(t, formatstest.Write(t, "d.xlsx", out), name)
				}
				done++
			}
		}
	}
	formatstest.Report(t, "xlsx  charts of real workbooks changed and deleted: %d", done)
	require.Greater(t, done, 5)
}
