package xlsx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Each test here is a way in which the nearest products lose content.

// One cell edit elsewhere loses text boxes, sparklines, 2010 data bars, header
// images, rich text, form buttons and every cached formula value.
func TestPeerOneCellEditFlattensTheWorkbook(t *testing.T) {
	tail := `<conditionalFormatting sqref="B1:B3"><cfRule type="dataBar" priority="1"><dataBar><cfvo type="min"/><cfvo type="max"/><color rgb="FF638EC6"/></dataBar><extLst><ext uri="{B025F937-C7B1-47D3-B67F-A62EFF666E3E}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:id>{00000000-0000-0000-0000-000000000001}</x14:id></ext></extLst></cfRule></conditionalFormatting>` +
		`<drawing r:id="rId9"/><legacyDrawing r:id="rId8"/><legacyDrawingHF r:id="rId7"/><controls><control shapeId="1" r:id="rId6" name="Button 1"/></controls>` +
		`<extLst><ext uri="{05C60535-1F16-4fd2-B633-F4F36F0B64E0}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:sparklineGroups xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:sparklineGroup><x14:sparklines><x14:sparkline><xm:f>S1!B1:B3</xm:f><xm:sqref>D1</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst>`
	rich := `<c r="C1" t="inlineStr"><is><r><rPr><b/></rPr><t>bold</t></r><r><t xml:space="preserve"> plain</t></r></is></c>`
	in := raw(t, map[string]string{
		"xl/drawings/drawing1.xml":      `<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"><xdr:sp>box</xdr:sp></xdr:wsDr>`,
		"xl/drawings/vmlDrawing1.vml":   `<xml><v:shape xmlns:v="urn:schemas-microsoft-com:vml" id="button"/></xml>`,
		"xl/drawings/vmlDrawingHF1.vml": `<xml><v:shape xmlns:v="urn:schemas-microsoft-com:vml" id="LH"/></xml>`,
		"xl/ctrlProps/ctrlProp1.xml":    `<formControlPr objectType="Button"/>`,
	}, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c>`+rich+`</row><row r="2"><c r="A2"><f>B1*2</f><v>4</v></c><c r="B2"><v>5</v></c></row><row r="3"><c r="A3"><f>A1+1</f><v>2</v></c></row></sheetData>`+tail)
	out, _ := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":7}]}]`)
	formatstest.SameParts(t, in, out, "xl/worksheets/sheet1.xml", "xl/workbook.xml")
	sheet := part(t, out, "xl/worksheets/sheet1.xml")
	require.Contains(t, sheet, tail, "what stands behind the cells keeps its bytes")
	require.Contains(t, sheet, rich, "rich text stays rich")
	require.Contains(t, sheet, `<c r="A2"><f>B1*2</f><v>4</v></c>`, "a value that does not depend on the cell stays known")
	require.Contains(t, sheet, `<c r="A3"><f>A1+1</f></c>`, "one that does is not shown stale")
	require.Contains(t, part(t, out, "xl/workbook.xml"), `fullCalcOnLoad="1"`)
}

func TestPeerWritesNumbersAsText(t *testing.T) {
	out, _ := apply(t, nil, `[{"op":"set_range","sheet":"A","start":"A1","values":[[1.5,"1.5",true,"007",null,-2e3]]}]`)
	sheet := part(t, out, "xl/worksheets/sheet1.xml")
	require.Contains(t, sheet, `<v>1.5</v>`)
	require.Contains(t, sheet, `<c r="C1" t="b"><v>1</v></c>`)
	require.Equal(t, "Sheet: A\nA1: 1.5, B1: 1.5, C1: TRUE, D1: 007, F1: -2000", read(t, out, formats.Selector{}))
	require.Equal(t, 2, strings.Count(sheet, "<v>")-1, "numbers are numbers, texts are texts")
}
