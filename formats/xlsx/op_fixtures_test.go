package xlsx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/ooxml/chart"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

const (
	xmlDecl   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	comments1 = "xl/comments1.xml"
	vml1      = "xl/drawings/vmlDrawing1.vml"
	table1    = "xl/tables/table1.xml"
	drawing1  = "xl/drawings/drawing1.xml"
	chart1    = "xl/charts/chart1.xml"

	drawing1Rels = "xl/drawings/_rels/drawing1.xml.rels"
	sheet2Rels   = "xl/worksheets/_rels/sheet2.xml.rels"
)

// relatedPart is a part that another one of the workbook leads to.
type relatedPart struct {
	from, id, rel, name, contentType, xml string
}

// related adds parts with their relationships and content types.
func related(t testing.TB, in []byte, parts ...relatedPart) []byte {
	t.Helper()
	ctx := t.Context()
	pkg, err := opc.Open(ctx, src(in))
	require.NoError(t, err)
	ed := pkg.Edit()
	for _, p := range parts {
		ed.Set(p.name, []byte(p.xml))
		require.NoError(t, ed.DeclareType(ctx, p.name, p.contentType))
		id, err := ed.AddRel(ctx, p.from, opc.Relationship{Type: p.rel, Target: p.name})
		require.NoError(t, err)
		require.Equal(t, p.id, id)
	}
	var out writtenBook
	require.NoError(t, ed.Write(ctx, &out))
	return out
}

// writtenBook takes what is written to it.
type writtenBook []byte

func (w *writtenBook) Write(b []byte) (int, error) { *w = append(*w, b...); return len(b), nil }

// ordersBook has a table of orders as Excel writes one: texts, dates, numbers,
// a formula with a value and one without, and a second sheet with a list.
func ordersBook(t testing.TB) []byte {
	return raw(t, map[string]string{
		stylesXML: plainStyles,
		bookPart:  bookXML(`<definedNames><definedName name="Amounts">S1!$C$2:$C$4</definedName></definedNames>`),
	},
		`<dimension ref="A1:D5"/><sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/><sheetData>`+
			`<row r="1" spans="1:4"><c r="A1" t="inlineStr"><is><t>Who</t></is></c><c r="B1" t="inlineStr"><is><t>Month</t></is></c><c r="C1" t="inlineStr"><is><t>Amount</t></is></c><c r="D1" t="inlineStr"><is><t>Double</t></is></c></row>`+
			`<row r="2" spans="1:4"><c r="A2" t="inlineStr"><is><t>Ann &amp; co</t></is></c><c r="B2"><v>1</v></c><c r="C2" s="1"><v>10.5</v></c><c r="D2"><f>C2*2</f><v>21</v></c></row>`+
			`<row r="3" spans="1:4"><c r="A3" t="inlineStr"><is><t>Bob</t></is></c><c r="B3"><v>2</v></c><c r="C3" s="1"><v>20</v></c><c r="D3"><f>C3*2</f><v>40</v></c></row>`+
			`<row r="4" spans="1:4"><c r="A4" t="inlineStr"><is><t>Cleo</t></is></c><c r="B4"><v>3</v></c><c r="C4" s="1"/><c r="D4"><f>C4*2</f></c></row>`+
			`</sheetData><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>`,
		`<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>north</t></is></c><c r="B1"><v>4</v></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>south</t></is></c><c r="B2"><v>6</v></c></row></sheetData>`)
}

// prefixed is a workbook whose first sheet has the elements of the schema behind
// the prefix x, as some writers do.
func prefixed(t testing.TB, rows string) []byte {
	return edited(t, raw(t, nil, ``), sheet1, func(string) string {
		return `<x:worksheet xmlns:x="` + sheetml.Namespace + `" xmlns:rel="` + sheetml.RelNamespace + `">` + rows + `</x:worksheet>`
	})
}

const (
	noteHead = `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout><v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"/>`
	annsNote = `<v:shape id="_x0000_s1025" type="#_x0000_t202"><x:ClientData ObjectType="Note"><x:Anchor>2, 15, 0, 10, 4, 31, 4, 4</x:Anchor><x:Row>1</x:Row><x:Column>1</x:Column></x:ClientData></v:shape>`
	bobsNote = `<v:shape id="_x0000_s1026" type="#_x0000_t202"><x:ClientData ObjectType="Note"><x:Anchor>1, 15, 2, 10, 3, 31, 6, 4</x:Anchor><x:Row>2</x:Row><x:Column>0</x:Column></x:ClientData></v:shape>`
	annsText = `<comment ref="B2" authorId="0"><text><r><rPr><b/></rPr><t>Ann:</t></r><r><t xml:space="preserve"> sure?</t></r></text></comment>`
	bobsText = `<comment ref="A3" authorId="1"><text><t>yes</t></text></comment>`
)

// notedBook has comments in B2 and A3 as Excel writes them.
func notedBook(t testing.TB) []byte {
	in := raw(t, nil, `<sheetData>`+
		`<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>30</v></c></row>`+
		`<row r="3"><c r="A3"><v>2</v></c><c r="B3"><v>10</v></c></row>`+
		`<row r="4"><c r="A4"><v>3</v></c><c r="B4"><v>20</v></c></row>`+
		`</sheetData><legacyDrawing r:id="rId1"/>`)
	return related(t, in,
		relatedPart{sheet1, "rId1", relVML, vml1, typeVML, noteHead + annsNote + bobsNote + `</xml>`},
		relatedPart{sheet1, "rId2", book.RelComments, comments1, typeComments, `<comments xmlns="` + sheetml.Namespace + `"><authors><author>Ann</author><author>Bob &amp; co</author></authors><commentList>` + annsText + bobsText + `</commentList></comments>`},
	)
}

// The XML of parts that list parts.
const (
	relsDefault = `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`
	sheetHead   = `<worksheet xmlns="` + sheetml.Namespace + `" xmlns:r="` + sheetml.RelNamespace + `">`
	calibri     = `<font><sz val="11"/><name val="Calibri"/></font>`
)

// relTo is a relationship to a part.
func relTo(id, kind, target string) string {
	return fmt.Sprintf(`<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`, id, kind, target)
}

// linkTo is a relationship to an address.
func linkTo(id, url string) string {
	return fmt.Sprintf(`<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="%s" TargetMode="External"/>`, id, url)
}

// typeOf is the content type of a part.
func typeOf(part, kind string) string {
	return fmt.Sprintf(`<Override PartName="/%s" ContentType="application/vnd.openxmlformats-officedocument.%s"/>`, part, kind)
}

// The XML of objects as operations write them.
const (
	drawingHead = `<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">`
	newNotes    = `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout>` +
		`<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>`
)

// newNote is the box of a comment.
func newNote(id, height int, anchor string, row, column int) string {
	return fmt.Sprintf(`<v:shape xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel" id="_x0000_s%d" type="#_x0000_t202"`+
		` style="position:absolute;margin-left:60pt;margin-top:2pt;width:130pt;height:%dpt;z-index:1;visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto">`+
		`<v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox>`+
		`<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>%s</x:Anchor><x:AutoFill>False</x:AutoFill><x:Row>%d</x:Row><x:Column>%d</x:Column></x:ClientData></v:shape>`, id, height, anchor, row, column)
}

// newComment is a comment; text is its element.
func newComment(cell string, author int, text string) string {
	return fmt.Sprintf(`<comment ref="%s" authorId="%d"><text><r><rPr><sz val="9"/><color indexed="81"/><rFont val="Tahoma"/><family val="2"/></rPr>%s</r></text></comment>`, cell, author, text)
}

// anchorAt begins an anchored object, in EMU; column and row count from 0.
func anchorAt(column, row, cx, cy int) string {
	return fmt.Sprintf(`<xdr:oneCellAnchor xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">`+
		`<xdr:from><xdr:col>%d</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>%d</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:ext cx="%d" cy="%d"/>`, column, row, cx, cy)
}

// chartFrame ends an anchored chart.
func chartFrame(id int, descr, rel string) string {
	return fmt.Sprintf(`<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="%d" name="Chart %[1]d"%s/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm>`+
		`<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="%s"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:oneCellAnchor>`, id, descr, rel)
}

// chartOf is the part of a chart.
func chartOf(s chart.Spec) string { return chart.XML(s) }

// pictures are the files that operations may name.
func pictures(t testing.TB) map[string][]byte { return map[string][]byte{"logo.png": picture(t)} }

// texts are cells that a chart shows as texts; "" is an empty one.
func texts(formula string, cells ...string) *chart.Data {
	d := &chart.Data{Formula: formula, Count: len(cells)}
	for i, text := range cells {
		if text != "" {
			d.Points = append(d.Points, chart.Point{Index: i, Text: text})
		}
	}
	return d
}

// numbers are cells that a chart shows as numbers.
func numbers(formula, format string, cells ...string) *chart.Data {
	d := texts(formula, cells...)
	d.Numeric, d.Format = true, format
	return d
}

// pictureFrame ends an anchored picture, in EMU.
func pictureFrame(id int, descr, rel string, cx, cy int) string {
	return fmt.Sprintf(`<xdr:pic><xdr:nvPicPr><xdr:cNvPr id="%d" name="Picture %[1]d"%s/><xdr:cNvPicPr><a:picLocks noChangeAspect="1"/></xdr:cNvPicPr></xdr:nvPicPr>`+
		`<xdr:blipFill><a:blip xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill>`+
		`<xdr:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic><xdr:clientData/></xdr:oneCellAnchor>`, id, descr, rel, cx, cy)
}

// ruledBook has rules, validations, links, merged cells and a filter over the
// same cells, as Excel writes them.
func ruledBook(t testing.TB) []byte {
	in := raw(t, map[string]string{
		stylesXML: strings.Replace(plainStyles, `<dxfs count="0"/>`, `<dxfs count="1"><dxf><font><b/></font></dxf></dxfs>`, 1),
		bookPart:  bookXML(`<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">'S1'!$A$1:$B$5</definedName></definedNames>`),
	},
		`<cols><col min="2" max="3" width="12.5" style="1" customWidth="1"/></cols><sheetData>`+
			`<row r="1"><c r="A1" t="inlineStr"><is><t>k</t></is></c><c r="B1" t="inlineStr"><is><t>v</t></is></c></row>`+
			`<row r="2" ht="20" customHeight="1"><c r="A2" t="inlineStr"><is><t>a</t></is></c><c r="B2" s="1"><v>2</v></c></row>`+
			`<row r="3" hidden="1"><c r="A3" t="inlineStr"><is><t>b</t></is></c><c r="B3" s="1"><v>3</v></c></row>`+
			`<row r="4"><c r="A4" t="inlineStr"><is><t>c</t></is></c><c r="B4" s="1"><v>4</v></c></row>`+
			`<row r="5"><c r="A5" t="inlineStr"><is><t>d</t></is></c><c r="B5" s="1"><f>SUM(B2:B4)</f><v>9</v></c></row>`+
			`</sheetData><autoFilter ref="A1:B5"><filterColumn colId="0"><filters><filter val="a"/></filters></filterColumn></autoFilter>`+
			`<mergeCells count="2"><mergeCell ref="D2:E3"/><mergeCell ref="D5:E5"/></mergeCells>`+
			`<conditionalFormatting sqref="B2:B5"><cfRule type="cellIs" dxfId="0" priority="2" operator="greaterThan"><formula>$B$2</formula></cfRule><cfRule type="expression" dxfId="0" priority="7"><formula>B2&gt;A2</formula></cfRule></conditionalFormatting>`+
			`<dataValidations count="2"><dataValidation type="list" allowBlank="1" sqref="A2:A5"><formula1>$D$2:$D$5</formula1></dataValidation><dataValidation type="custom" sqref="B2:B5"><formula1>B2&gt;A$1</formula1></dataValidation></dataValidations>`+
			`<hyperlinks><hyperlink ref="A2" r:id="rId1"/><hyperlink ref="A3:A4" r:id="rId2" tooltip="both"/><hyperlink ref="A5" location="S2!A1"/></hyperlinks>`+
			`<pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>`,
		`<sheetData/>`)
	return edited(t, in, sheet1Rels, func(string) string {
		return relsHead + linkTo("rId1", "https://x.example/a") + linkTo("rId2", "mailto:a@x.example") + `</Relationships>`
	})
}

// tabledBook has a table with a calculated column and a row of totals, as Excel
// writes one, and formulas with its name.
func tabledBook(t testing.TB) []byte {
	in := raw(t, map[string]string{bookPart: bookXML(`<definedNames><definedName name="AllFruit">Fruit[Kilos]</definedName></definedNames>`)},
		`<sheetData>`+
			`<row r="2"><c r="B2" t="inlineStr"><is><t>Kind</t></is></c><c r="C2" t="inlineStr"><is><t>Kilos</t></is></c><c r="D2" t="inlineStr"><is><t>Grams</t></is></c></row>`+
			`<row r="3"><c r="B3" t="inlineStr"><is><t>pear</t></is></c><c r="C3"><v>2</v></c><c r="D3"><f>Fruit[[#This Row],[Kilos]]*1000</f><v>2000</v></c></row>`+
			`<row r="4"><c r="B4" t="inlineStr"><is><t>fig</t></is></c><c r="C4"><v>1</v></c><c r="D4"><f>Fruit[[#This Row],[Kilos]]*1000</f><v>1000</v></c></row>`+
			`<row r="5"><c r="B5" t="inlineStr"><is><t>Total</t></is></c><c r="C5"><f>SUBTOTAL(109,Fruit[Kilos])</f><v>3</v></c><c r="D5"><f>SUBTOTAL(109,Fruit[Grams])</f><v>3000</v></c></row>`+
			`</sheetData><tableParts count="1"><tablePart r:id="rId1"/></tableParts>`,
		`<sheetData><row r="1"><c r="A1"><f>SUM(Fruit[Kilos])</f><v>3</v></c></row></sheetData>`)
	return related(t, in, relatedPart{sheet1, "rId1", book.RelTable, table1, typeTable,
		`<table xmlns="` + sheetml.Namespace + `" id="4" name="Fruit" displayName="Fruit" ref="B2:D5" totalsRowCount="1"><autoFilter ref="B2:D4"/><tableColumns count="3"><tableColumn id="1" name="Kind" totalsRowLabel="Total"/><tableColumn id="2" name="Kilos" totalsRowFunction="sum"/><tableColumn id="3" name="Grams" totalsRowFunction="sum"><calculatedColumnFormula>Fruit[[#This Row],[Kilos]]*1000</calculatedColumnFormula></tableColumn></tableColumns><tableStyleInfo name="TableStyleMedium2" showRowStripes="1"/></table>`})
}

// sources are workbooks that operations may copy from.
func sources(t testing.TB) map[string][]byte {
	return map[string][]byte{"from.xlsx": sourceBook(t), "notes.xlsx": notedBook(t)}
}

// prefixedRows are the rows of prefixed.
const prefixedRows = `<x:sheetData><x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c></x:row><x:row r="2"><x:c r="A2"><x:v>2</x:v></x:c></x:row></x:sheetData>`

// sourceBook is another workbook, whose sheet From has what copy_sheet_from
// takes over and what it does not.
func sourceBook(t testing.TB) []byte {
	in := raw(t, map[string]string{
		stylesXML: `<styleSheet xmlns="` + sheetml.Namespace + `"><numFmts count="1"><numFmt numFmtId="164" formatCode="0.0&quot; kg&quot;"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="14"/><name val="Arial"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>` +
			`<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/><xf numFmtId="164" fontId="1" fillId="0" borderId="0"/><xf numFmtId="14" fontId="0" fillId="0" borderId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0"/></cellXfs><dxfs count="2"><dxf/><dxf><font><i/></font></dxf></dxfs></styleSheet>`,
		sst: `<sst xmlns="` + sheetml.Namespace + `"><si><t>shared &amp; text</t></si><si><r><t>plain </t></r><r><rPr><b/></rPr><t>bold</t></r></si></sst>`,
	}, `<dimension ref="A1:D6"/><sheetViews><sheetView showGridLines="0" tabSelected="1" workbookViewId="0"/></sheetViews><cols><col min="1" max="1" width="30" customWidth="1" style="3"/></cols><sheetData>`+
		`<row r="1" ht="33" customHeight="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t xml:space="preserve"> in line </t></is></c><c r="D1" t="b"><v>1</v></c></row>`+
		`<row r="2" s="3" customFormat="1"><c r="A2" s="1"><v>2.5</v></c><c r="B2" s="2"><v>46000</v></c><c r="C2" t="e"><v>#N/A</v></c><c r="D2" t="str"><v>txt</v></c></row>`+
		`<row r="3"><c r="A3"><f>A2*2+S1!B2</f><v>46005</v></c><c r="B3"><f>S2!A1</f><v>9</v></c><c r="C3" t="str"><f>UPPER(S2!A1)</f><v>X &amp; Y</v></c><c r="D3"><f t="array" ref="D3">SUM(A1:A2)</f><v>2.5</v></c></row>`+
		`<row r="4" hidden="1"><c r="A4"><f t="shared" ref="A4:A5" si="0">A2+$B$2</f><v>1</v></c></row><row r="5"><c r="A5"><f t="shared" si="0"/><v>2</v></c></row><row r="6"><c r="A6" t="d"><v>2026-01-31</v></c></row>`+
		`</sheetData><sheetProtection sheet="1"/><autoFilter ref="A1:B2"/><mergeCells count="1"><mergeCell ref="C5:D6"/></mergeCells>`+
		`<conditionalFormatting sqref="A2:A9"><cfRule type="expression" dxfId="1" priority="1"><formula>S1!A2&gt;1</formula></cfRule><cfRule type="expression" dxfId="1" priority="2"><formula>S2!A1&gt;1</formula></cfRule></conditionalFormatting>`+
		`<conditionalFormatting sqref="B2"><cfRule type="expression" priority="3"><formula>Named&gt;1</formula></cfRule></conditionalFormatting>`+
		`<dataValidations count="2"><dataValidation type="list" sqref="A2"><formula1>S2!$A$1:$A$3</formula1></dataValidation><dataValidation type="whole" operator="greaterThan" sqref="B2"><formula1>$A$2</formula1></dataValidation></dataValidations>`+
		`<hyperlinks><hyperlink ref="A1" location="S1!C5" tooltip="down"/><hyperlink ref="A2" location="S2!A1"/><hyperlink ref="A3" location="Named"/><hyperlink ref="A4" location="B2"/></hyperlinks>`+
		`<pageMargins left="1" right="1" top="1" bottom="1" header="0.5" footer="0.5"/><pageSetup orientation="landscape"/><headerFooter><oddHeader>&amp;Ctop</oddHeader></headerFooter><extLst><ext uri="{x}"/></extLst>`,
		`<sheetData><row r="1"><c r="A1"><v>9</v></c></row></sheetData>`)
	return edited(t, in, bookPart, swap("</sheets>", `</sheets><definedNames><definedName name="Named">S1!$A$2</definedName></definedNames>`))
}

// lineBook has what belongs to rows and columns: sizes, breaks, panes, groups
// and page titles.
func lineBook(t testing.TB) []byte {
	return raw(t, map[string]string{bookPart: bookXML(`<definedNames><definedName name="_xlnm.Print_Area" localSheetId="0">S1!$A$1:$E$6</definedName><definedName name="_xlnm.Print_Titles" localSheetId="0">S1!$A:$B,S1!$1:$2</definedName></definedNames>`)},
		`<sheetViews><sheetView workbookViewId="0"><pane xSplit="1" ySplit="2" topLeftCell="B3" activePane="bottomRight" state="frozen"/><selection pane="topRight"/><selection pane="bottomLeft"/><selection pane="bottomRight" activeCell="C4" sqref="C4:D4"/></sheetView></sheetViews>`+
			`<sheetFormatPr baseColWidth="10" defaultRowHeight="15"/><cols><col min="2" max="3" width="20" customWidth="1"/><col min="5" max="5" width="5" hidden="1" customWidth="1"/></cols><sheetData>`+
			`<row r="1" ht="30" customHeight="1"><c r="A1" t="inlineStr"><is><t>A long heading of a column</t></is></c><c r="B1"><v>1</v></c></row><row r="3" outlineLevel="1"><c r="A3" t="inlineStr"><is><t>x</t></is></c><c r="C3"><v>12345.678</v></c></row><row r="6" ht="5" customHeight="1" hidden="1"/>`+
			`</sheetData><rowBreaks count="2" manualBreakCount="2"><brk id="2" max="16383" man="1"/><brk id="5" max="16383" man="1"/></rowBreaks><colBreaks count="1" manualBreakCount="1"><brk id="3" max="1048575" man="1"/></colBreaks>`,
		`<sheetData/>`)
}
