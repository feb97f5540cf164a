package pptx

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx"
	"atelier/internal/campaign"
)

const threeSeries = `{"op":"add_chart","index":0,"type":"column","categories":["Q1","Q2"],"series":[{"name":"Nord","values":[3,5]},{"name":"Süd","values":[1,2]}],"title":"Umsatz","x":1,"y":1,"width":6,"height":4}`

// chartBookText returns the cells of the workbook of a chart.
func chartBookText(t testing.TB, file []byte, book, sheet string) string {
	t.Helper()
	parts := formatstest.Parts(t, file)
	text, err := xlsx.Format().Reader.Read(ctx, formats.FromBytes("b.xlsx", parts["ppt/embeddings/"+book]), formats.Selector{Sheet: sheet})
	require.NoError(t, err)
	return text.Text
}

// The chart and its workbook get the same data, the looks stay, and the review
// tells the values.
func TestSetChartData(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A","layout":"title_only"}`, threeSeries)
	for _, tc := range []struct {
		op, read, book string
		warnings       []string
	}{
		{`"series":[{"name":"Nord","values":[4,null]},{"name":"Süd"}]`, "column chart; Nord: 4, (empty)\nSüd: 1, 2",
			"Sheet: Sheet1\nB1: Nord, C1: Süd\nA2: Q1, B2: 4, C2: 1\nA3: Q2, C3: 2", nil},
		{`"categories":["Q3","<Q4>"]`, "column chart; Nord: 3, 5\nSüd: 1, 2",
			"Sheet: Sheet1\nB1: Nord, C1: Süd\nA2: Q3, B2: 3, C2: 1\nA3: <Q4>, B3: 5, C3: 2", nil},
		{`"categories":["a","b","c"],"series":[{"name":"nord","values":[1,2,3]},{"name":"Süd","values":[4,5,6]},{"name":"West","values":[7,8,9]}]`, "column chart; Nord: 1, 2, 3\nSüd: 4, 5, 6\nWest: 7, 8, 9",
			"Sheet: Sheet1\nB1: Nord, C1: Süd, D1: West\nA2: a, B2: 1, C2: 4, D2: 7\nA3: b, B3: 2, C3: 5, D3: 8\nA4: c, B4: 3, C4: 6, D4: 9", nil},
		{`"series":[{"name":"Süd"}]`, "column chart; Süd: 1, 2",
			"Sheet: Sheet1\nB1: Süd\nA2: Q1, B2: 1\nA3: Q2, B3: 2", []string{`the series "Nord" is not in the list and was removed`}},
		{`"categories":["Q1"],"series":[{"name":"Ost","values":[9]},{"name":"Süd","values":[8]}]`, "column chart; Ost: 9\nSüd: 8",
			"Sheet: Sheet1\nB1: Ost, C1: Süd\nA2: Q1, B2: 9, C2: 8", []string{`the series "Nord" became "Ost" and kept its looks`}},
	} {
		out, rep := editReport(t, deck, `{"op":"set_chart_data","index":0,`+tc.op+`}`)
		require.Equal(t, tc.warnings, rep.Ops[0].Warnings, tc.op)
		require.Contains(t, readSlide(t, out, 0), "\n"+tc.read, tc.op)
		require.Equal(t, tc.book, chartBookText(t, out, "Microsoft_Excel_Worksheet1.xlsx", "Sheet1"), tc.op)
		formatstest.SameParts(t, deck, out, "ppt/charts/chart1.xml", "ppt/embeddings/Microsoft_Excel_Worksheet1.xlsx")
		validate(t, formatstest.Write(t, "before.pptx", deck), out)
		require.NotEmpty(t, diffOf(t, deck, out).Facts)
	}
	out := edit(t, deck, `{"op":"set_chart_data","index":0,"series":[{"name":"Nord","values":[3,5]},{"name":"Süd","values":[1,2]}]}`)
	formatstest.SameParts(t, deck, out, "ppt/embeddings/Microsoft_Excel_Worksheet1.xlsx")
}

// A new series takes the next accent colour and a number of its own.
func TestSetChartDataNewSeries(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`, threeSeries,
		`{"op":"set_chart_data","index":0,"series":[{"name":"Nord"},{"name":"Süd"},{"name":"West","values":[7,8]}]}`)
	doc := part(t, deck, "ppt/charts/chart1.xml")
	require.Contains(t, doc, `<c:ser><c:idx val="2"/><c:order val="2"/><c:tx><c:strRef><c:f>Sheet1!$D$1</c:f>`)
	require.Equal(t, 1, strings.Count(doc, `<a:schemeClr val="accent3"/>`))
}

// Where the workbook has no room, or is laid out in another way, the data are in
// a new sheet and nothing is covered; a chart without a workbook gets one.
func TestSetChartDataElsewhere(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`, threeSeries)
	rows := with(t, deck, map[string]func(string) string{"ppt/charts/chart1.xml": replace(t, "Sheet1!$B$2:$B$3", "Sheet1!$B$2:$C$2")})
	out, rep := editReport(t, rows, `{"op":"set_chart_data","index":0,"series":[{"name":"Nord","values":[4,6]},{"name":"Süd"}]}`)
	require.Equal(t, []string{`the cells of the chart's data could not take the new data; they are in the new sheet "Chart data" of its workbook`}, rep.Ops[0].Warnings)
	require.Equal(t, "Sheet: Chart data\nB1: Nord, C1: Süd\nA2: Q1, B2: 4, C2: 1\nA3: Q2, B3: 6, C3: 2", chartBookText(t, out, "Microsoft_Excel_Worksheet1.xlsx", "Chart data"))
	require.Contains(t, part(t, out, "ppt/charts/chart1.xml"), "<c:f>'Chart data'!$C$2:$C$3</c:f>")
	require.Equal(t, chartBookText(t, deck, "Microsoft_Excel_Worksheet1.xlsx", "Sheet1"), chartBookText(t, out, "Microsoft_Excel_Worksheet1.xlsx", "Sheet1"))
	validate(t, formatstest.Write(t, "before.pptx", deck), out)

	bare := with(t, deck, map[string]func(string) string{"ppt/charts/chart1.xml": replace(t, `<c:externalData r:id="rId1"><c:autoUpdate val="0"/></c:externalData>`, "")})
	out, rep = editReport(t, bare, `{"op":"set_chart_data","index":0,"categories":["x"],"series":[{"name":"Nord","values":[4]},{"name":"Süd","values":[5]}]}`)
	require.Equal(t, []string{"the chart had no workbook with its data and got one"}, rep.Ops[0].Warnings)
	require.Equal(t, "Sheet: Sheet1\nB1: Nord, C1: Süd\nA2: x, B2: 4, C2: 5", chartBookText(t, out, "Microsoft_Excel_Worksheet2.xlsx", "Sheet1"))
	require.Contains(t, readSlide(t, out, 0), "Nord: 4\nSüd: 5")
}

func TestSetChartDataErrors(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`, threeSeries)
	for op, want := range map[string]string{
		`"shape_id":2`: `the shape "Title 1" is no chart but a title`,
		`"title":"x"`:  `categories or series is required, such as "series":[{"name":"Sales","values":[3,5]}]`,
		`"series":[{"name":"Nord","values":[1]}]`:                  "series 1 has 1 values for 2 categories; use null where there is none, and categories to change the labels",
		`"categories":["a"]`:                                       `the chart has 2 categories and shall have 1: give the values of the series "Nord" too`,
		`"series":[{"name":"Nord"},{"name":"Süd"},{"name":"Neu"}]`: `the chart has no series "Neu"; give its values`,
		`"series":[{"name":"Nord"},{"name":"Neu"}]`:                `the chart has no series "Neu"; give its values`,
	} {
		_, _, err := tryEdit(deck, `{"op":"set_chart_data","index":0,`+op+`}`)
		require.EqualError(t, err, "operation 1 (set_chart_data): "+want, op)
	}
	linked := with(t, deck, map[string]func(string) string{"ppt/charts/_rels/chart1.xml.rels": func(s string) string {
		return strings.NewReplacer(`Target="../embeddings/Microsoft_Excel_Worksheet1.xlsx"`, `Target="file:///C:/b.xlsx" TargetMode="External"`).Replace(s)
	}})
	_, _, err := tryEdit(linked, `{"op":"set_chart_data","index":0,"series":[{"name":"Nord","values":[1,2]}]}`)
	require.ErrorContains(t, err, "the data of the chart are in the linked file \"file:///C:/b.xlsx\"")
}

// chartDecks calls fn for the real decks that have charts.
func chartDecks(t *testing.T, fn func(t *testing.T, path string, file []byte)) {
	for _, name := range formatstest.Corpus(t, "pptx") {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		if bytes.Contains(file, []byte("ppt/charts/chart")) {
			t.Run(path.Base(name), func(t *testing.T) { fn(t, name, file) })
		}
	}
}

// Every chart of the real decks takes new values, one more category and one more
// series: the workbook has what the chart stores, and other parts stay.
func TestCorpusSetChartData(t *testing.T) {
	campaign.Slow(t)
	done := 0
	chartDecks(t, func(t *testing.T, name string, file []byte) {
		changed := file
		for i := range mapOf(t, file).SlideCount {
			for _, m := range mapSlideOf(t, file, i).Slides[0].Shapes {
				if m.Kind != kindChart {
					continue
				}
				at := fmt.Sprintf(`{"op":"set_chart_data","index":%d,"shape_id":%d,`, i, m.ID)
				more := at + `"categories":["1","2","3","4","5","6","7"],"series":[{"name":"Eins","values":[1,2,3,4,5,6,7.5]},{"name":"Zwei","values":[1,null,3,4,5,6,7]},{"name":"Drei","values":[7,6,5,4,3,2,1]},{"name":"Vier","values":[1,1,1,1,1,1,1]}]}`
				out, _, err := tryEdit(changed, more)
				if formats.CodeOf(err) == formats.CodeUnsupported {
					require.Regexp(t, "bubble|linked|has no sheets", err.Error(), name)
					continue
				}
				require.NoError(t, err, name)
				require.Contains(t, readSlide(t, out, i), "Vier: ", "%s %d", name, i)
				changed, done = out, done+1
			}
		}
		if string(changed) == string(file) {
			return
		}
		var except []string
		for n := range formatstest.Parts(t, changed) {
			if dir := path.Dir(n); dir == "ppt/charts" || dir == "ppt/embeddings" || dir == "ppt/charts/_rels" || strings.HasSuffix(n, "[Content_Types].xml") {
				except = append(except, n)
			}
		}
		formatstest.SameParts(t, file, changed, except...)
		validate(t, name, changed)
		f := formatstest.Write(t, "charts.pptx", changed)
		formatstest.LibreOfficeOpens(t, f)
		py, err := exec.Command("/usr/bin/python3", "-c", sameAsCells, f).CombinedOutput()
		require.NoError(t, err, "%s: %s", name, py)
		require.Contains(t, string(py), "Vier 1 1 1 1 1 1 1\n")
	})
	formatstest.Report(t, "pptx  charts of real decks with new data: %d", done)
	require.Positive(t, done)
}

// sameAsCells fails where a chart of a deck, but a bubble chart, stores other
// texts than the cells have that it refers to, as openpyxl reads them. It prints
// the series.
const sameAsCells = `
import sys, io, zipfile, posixpath, openpyxl, re, datetime
from openpyxl.utils.datetime import to_excel
import xml.etree.ElementTree as ET
C = '{http://schemas.openxmlformats.org/drawingml/2006/chart}'
z = zipfile.ZipFile(sys.argv[1])
for name in z.namelist():
    if not re.fullmatch('ppt/charts/chart[^/]*xml', name): continue
    root = ET.fromstring(z.read(name))
    if root.find('.//' + C + 'bubbleChart') is not None: continue
    rels = ET.fromstring(z.read(name.replace('charts/', 'charts/_rels/') + '.rels'))
    book = [r.get('Target') for r in rels if r.get('Type').endswith('/package')][0]
    book = openpyxl.load_workbook(io.BytesIO(z.read(posixpath.normpath(posixpath.join('ppt/charts', book)))))
    for ser in root.iter(C + 'ser'):
        for what in ('tx', 'cat', 'val', 'xVal', 'yVal'):
            f = ser.find(C + what + '//' + C + 'f')
            if f is None: continue
            sheet, cells = f.text.replace("'", '').replace('$', '').rsplit('!', 1)
            cells = book[sheet][cells]
            cells = [r[0].value for r in cells] if isinstance(cells, tuple) else [cells.value]
            cells = [to_excel(v) if isinstance(v, datetime.datetime) else v for v in cells]
            have = [None] * int(ser.find(C + what + '//' + C + 'ptCount').get('val'))
            for pt in ser.findall(C + what + '//' + C + 'pt'): have[int(pt.get('idx'))] = pt.find(C + 'v').text
            same = lambda a, b: a == b or a is not None and b is not None and (str(a) == b or float(a) == float(b))
            assert len(have) == len(cells) and all(map(same, cells, have)), (name, f.text, have, cells)
            if what == 'tx': print(have[0], end='')
            if what in ('val', 'yVal'): print('', *have)
`
