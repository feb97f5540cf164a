package xlsx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// TR-02: what charts, extended charts and the drawings of diagrams repeat has no
// segment and follows; a slicer's caption and every tooltip have one.
func TestTR02SharedPartsFollow(t *testing.T) {
	const (
		spaces  = ` xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:c15="http://schemas.microsoft.com/office/drawing/2012/chart" xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram"`
		office  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
		para    = `<a:p><a:r><a:t>Boss</a:t></a:r></a:p>`
		rels    = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		drawing = "xl/drawings/drawing1.xml"
	)
	rel := func(id, kind, target string) string {
		return `<Relationship Id="` + id + `" Type="` + kind + `" Target="` + target + `"/>`
	}
	in := raw(t, map[string]string{
		"xl/worksheets/_rels/sheet1.xml.rels": rels + rel("r1", office+"drawing", "../drawings/drawing1.xml") + rel("r2", "http://schemas.microsoft.com/office/2007/relationships/slicer", "../slicers/slicer1.xml") + `</Relationships>`,
		// The drawing of the diagram is named before its data.
		"xl/drawings/_rels/drawing1.xml.rels": rels + rel("r1", "http://schemas.microsoft.com/office/2007/relationships/diagramDrawing", "../diagrams/drawing1.xml") + rel("r2", office+"diagramData", "../diagrams/data1.xml") + rel("r3", office+"chart", "../charts/chart1.xml") + rel("r4", "http://schemas.microsoft.com/office/2014/relationships/chartEx", "../charts/chartEx1.xml") + `</Relationships>`,
		drawing:                               `<xdr:wsDr` + spaces + `><xdr:sp><xdr:cNvPr descr='A dog'><a:hlinkMouseOver tooltip="Look"/></xdr:cNvPr></xdr:sp></xdr:wsDr>`,
		"xl/diagrams/drawing1.xml":            `<dsp:drawing` + spaces + `>` + para + `</dsp:drawing>`,
		"xl/diagrams/data1.xml":               `<dgm:dataModel` + spaces + `>` + para + `</dgm:dataModel>`,
		"xl/charts/chart1.xml":                `<c:chartSpace` + spaces + `><c:ser><c:tx><c:strRef><c:f>S1!$A$9</c:f></c:strRef></c:tx><c15:datalabelsRange><c15:f>S1!$A$1</c15:f><c15:dlblRangeCache><c:pt idx="0"><c:v>Best</c:v></c:pt></c15:dlblRangeCache></c15:datalabelsRange></c:ser></c:chartSpace>`,
		"xl/charts/chartEx1.xml":              `<cx:chartSpace` + spaces + `><cx:strDim type="cat"><cx:f>_xlchart.v1.0</cx:f><cx:lvl><cx:pt idx="0">Best</cx:pt><cx:pt idx="1">Worst</cx:pt></cx:lvl></cx:strDim></cx:chartSpace>`,
		"xl/slicers/slicer1.xml":              `<slicers><slicer name="n" caption="Region"/></slicers>`,
	}, `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Best</t></is></c></row></sheetData>`)
	formatstest.SameWhenUnchanged(t, segmenter{}, src(in), formats.SegmentOptions{})
	got := map[string]string{}
	for id, s := range segments(t, in) {
		got[id] = s.Place + ": " + s.Text
	}
	require.Equal(t, map[string]string{
		"cell:1:A1":                "S1!A1: Best",
		"diagrams/data1.xml:1":     "S1, smartart: Boss",
		"drawings/drawing1.xml:a1": "S1, alt text: A dog",
		"drawings/drawing1.xml:a2": "S1, tooltip: Look",
		"charts/chartEx1.xml:v2":   "S1, chart: Worst",
		"slicers/slicer1.xml:a1":   "S1, slicer: Region",
	}, got)
	require.Equal(t, 255, segments(t, in)["slicers/slicer1.xml:a1"].MaxLength)

	out := translated(t, in, formats.ReplaceOptions{Language: "es"}, map[string]string{"Best": "Mejor", "Boss": "Jefa", "A dog": "L'ós", "Look": "Mira", "Worst": "Peor", "Region": "Región"})
	require.Contains(t, part(t, out, "xl/charts/chart1.xml"), `<c:v>Mejor</c:v>`)
	require.Contains(t, part(t, out, "xl/charts/chartEx1.xml"), `<cx:pt idx="0">Mejor</cx:pt><cx:pt idx="1">Peor</cx:pt>`)
	require.Contains(t, part(t, out, drawing), `descr='L&apos;ós'><a:hlinkMouseOver tooltip="Mira"/>`)
	require.Contains(t, part(t, out, "xl/slicers/slicer1.xml"), `caption="Región"`)
	for _, name := range []string{"drawing1", "data1"} {
		require.Contains(t, part(t, out, "xl/diagrams/"+name+".xml"), `<a:rPr lang="es`)
		require.Contains(t, part(t, out, "xl/diagrams/"+name+".xml"), "Jefa")
	}
	alone := translated(t, in, formats.ReplaceOptions{}, map[string]string{"Boss": "Jefa"})
	require.True(t, strings.Contains(part(t, alone, "xl/diagrams/drawing1.xml"), "Jefa"))
	formatstest.SameParts(t, in, alone, "xl/diagrams/drawing1.xml", "xl/diagrams/data1.xml")
}
