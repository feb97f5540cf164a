package xlsx

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

func TestOperationHasASchema(t *testing.T) { // W-44
	zero, names := Format().Editor.Operation()
	require.Subset(t, names, []string{"ensure_sheet", "set_cells", "set_range", "delete_sheet"})
	s, err := jsonschema.ForType(reflect.TypeOf(zero), &jsonschema.ForOptions{})
	require.NoError(t, err)
	js, err := json.Marshal(s)
	require.NoError(t, err)
	require.Contains(t, string(js), `"cells"`)
	for name := range s.Properties {
		require.NotEmpty(t, s.Properties[name].Description, name)
	}
}

func swap(pairs ...string) func(string) string {
	return strings.NewReplacer(pairs...).Replace
}

func TestStrictWorkbooks(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>`)
	strict := swap(sheetml.Namespace, "http://purl.oclc.org/ooxml/spreadsheetml/main", sheetml.RelNamespace, "http://purl.oclc.org/ooxml/officeDocument/relationships")
	for _, name := range []string{"xl/workbook.xml", sheet1, "xl/_rels/workbook.xml.rels", "_rels/.rels"} {
		in = edited(t, in, name, strict)
	}
	out, _ := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"B1","value":"=A1"}]},{"op":"ensure_sheet","sheet":"Two"}]`)
	require.Equal(t, "Sheet: S1\nA1: 1, B1: =A1\n\nSheet: Two", read(t, out, formats.Selector{}))
	require.Contains(t, part(t, out, "xl/worksheets/sheet2.xml"), "http://purl.oclc.org/ooxml/spreadsheetml/main")
	require.NotContains(t, part(t, out, "xl/_rels/workbook.xml.rels"), `"`+book.RelWorksheet+`"`)
}

func TestKindsOfWorkbook(t *testing.T) {
	in := raw(t, nil, `<sheetData/>`)
	macro := edited(t, in, "[Content_Types].xml", swap(book.TypeBook, book.TypeBookMacro))
	out, _ := apply(t, macro, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":1}]}]`)
	require.Contains(t, part(t, out, "[Content_Types].xml"), book.TypeBookMacro)
	_, err := Format().Mapper.Map(context.Background(), src(edited(t, in, "[Content_Types].xml", swap(book.TypeBook, book.TypeBinary))), formats.MapOptions{})
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
	_, err = Format().Mapper.Map(context.Background(), src(edited(t, in, "[Content_Types].xml", swap(book.TypeBook, "application/x-other"))), formats.MapOptions{})
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
}

func TestWarnings(t *testing.T) {
	in := raw(t, nil, `<sheetData/><sheetProtection sheet="1"/><mergeCells count="1"><mergeCell ref="A1:B2"/></mergeCells>`)
	in = edited(t, in, "xl/workbook.xml", swap("<sheets>", `<workbookProtection lockStructure="1"/><sheets>`))
	in = edited(t, in, "_rels/.rels", swap("</Relationships>", `<Relationship Id="s" Type="`+book.RelSignature+`" Target="_xmlsignatures/origin.sigs"/></Relationships>`))
	_, rep := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"B2","value":1}]},{"op":"ensure_sheet","sheet":"Two"}]`)
	all := strings.Join(rep.Warnings, "\n")
	for _, want := range []string{"is protected; it was edited", "structure of the workbook is protected", "lies under the merged cell A1:B2", "signature is not valid"} {
		require.Contains(t, all, want)
	}
}

func TestTheRestOfASheetKeepsItsBytes(t *testing.T) { // sparklines, data bars, drawings, header images
	tail := `<conditionalFormatting sqref="A1"><cfRule type="dataBar" priority="1"><dataBar><cfvo type="min"/><cfvo type="max"/><color rgb="FF638EC6"/></dataBar></cfRule></conditionalFormatting><legacyDrawingHF r:id="rId9"/><extLst><ext uri="{05C60535-1F16-4fd2-B633-F4F36F0B64E0}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:sparklineGroups xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:sparklineGroup><x14:sparklines><x14:sparkline><xm:f>S1!A1:A3</xm:f><xm:sqref>B1</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst>`
	in := raw(t, nil, `<cols><col min="1" max="1" width="9"  style="0"/></cols><sheetData><row r="1" ht='20'   customHeight = "1"><c r = "A1" ><v>1</v></c></row></sheetData>`+tail)
	out, _ := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A2","value":2}]}]`)
	require.Equal(t, strings.Replace(part(t, in, sheet1), `</row></sheetData>`, `</row><row r="2"><c r="A2"><v>2</v></c></row></sheetData>`, 1), part(t, out, sheet1))
}

func TestNewCellsTakeTheStyleOfRowOrColumn(t *testing.T) {
	in := raw(t, nil, `<cols><col min="2" max="3" width="9" style="4"/></cols><sheetData><row r="1" s="7" customFormat="1"><c r="A1"/></row><row r="2" s="7"><c r="A2"/></row></sheetData>`)
	out, _ := apply(t, in, `[{"op":"set_range","sheet":"S1","start":"B1","values":[[1],[2],[3]]}]`)
	x := part(t, out, sheet1)
	require.Contains(t, x, `<c r="B1" s="7"><v>1</v></c>`)
	require.Contains(t, x, `<c r="B2" s="4"><v>2</v></c>`)
	require.Contains(t, x, `<c r="B3" s="4"><v>3</v></c>`)
}

func TestOperationsCompose(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><f>S2!A1</f><v>1</v></c></row></sheetData>`, `<sheetData/>`)
	out, rep := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"B1","value":"=S2!B1"},{"cell":"C1","value":1}]},{"op":"delete_sheet","sheet":"S2"},{"op":"set_cells","sheet":"S2","cells":[{"cell":"A1","value":9}]},{"op":"set_cells","sheet":"S1","cells":[{"cell":"C1","value":"=S2!A1"}]}]`)
	require.Len(t, rep.Ops, 4)
	require.Equal(t, "Sheet: S1\nA1: =#REF!, B1: =#REF!, C1: =S2!A1\n\nSheet: S2\nA1: 9", read(t, out, formats.Selector{}))
}

func TestTranslatedCopyOfASheet(t *testing.T) { // D-11
	in := fixture(t, func(f *excelize.File) {
		f.SetSheetName("Sheet1", "Sales")
		f.SetSheetRow("Sales", "A1", &[]any{"Producto", "Precio"})
		f.SetSheetRow("Sales", "A2", &[]any{"Té", 2.5})
		f.SetCellFormula("Sales", "B3", "SUM(B2:B2)")
	})
	require.Equal(t, "Sheet: Sales\nA1: Producto, B1: Precio", read(t, in, formats.Selector{Sheet: "Sales", Range: "A1:B1"}))
	out, _ := apply(t, in, `[{"op":"set_cells","sheet":"Sales","cells":[{"cell":"A1","value":"Product"},{"cell":"B1","value":"Price"},{"cell":"A2","value":"Tea"}]}]`)
	f := excel(t, out)
	v, err := f.GetCellValue("Sales", "B2")
	require.NoError(t, err)
	require.Equal(t, "2.5", v)
	formula, err := f.GetCellFormula("Sales", "B3")
	require.NoError(t, err)
	require.Equal(t, "SUM(B2:B2)", formula)
	require.Equal(t, "Sheet: Sales\nA1: Product, B1: Price\nA2: Tea, B2: 2.5\nB3: =SUM(B2:B2)", read(t, out, formats.Selector{}))
	formatstest.LibreOfficeOpens(t, formatstest.Write(t, "sales.xlsx", out))
}

func TestThreadedComments(t *testing.T) {
	const rel = "xl/worksheets/_rels/sheet1.xml.rels"
	in := raw(t, map[string]string{"xl/comments1.xml": `<comments xmlns="` + sheetml.Namespace + `"><authors><author/></authors><commentList><comment ref="A1" authorId="0"><text><t>[Threaded comment] Old</t></text></comment></commentList></comments>`}, `<sheetData/>`)
	in = edited(t, in, rel, swap("</Relationships>", `<Relationship Id="t" Type="`+book.RelThreaded+`" Target="../threadedComments/t1.xml"/></Relationships>`))
	in = edited(t, in, "xl/threadedComments/t1.xml", func(string) string {
		return `<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"><threadedComment ref="A1" id="{1}"><text>Why &amp; how</text></threadedComment></ThreadedComments>`
	})
	segs := segments(t, in)
	require.Len(t, segs, 1)
	require.Equal(t, "Why &amp; how", segs["thread:1:1"].Text)
	out := replace(t, in, map[string]string{"thread:1:1": "Warum &amp; wie"})
	require.Contains(t, part(t, out, "xl/threadedComments/t1.xml"), "<text>Warum &amp; wie</text>")
}

func TestCellSet(t *testing.T) {
	var s cellref.Set
	require.False(t, s.Meets(cellref.WholeSheet))
	require.True(t, s.Add(cellref.MaxRow, 3))
	require.False(t, s.Add(cellref.MaxRow, 3))
	require.True(t, s.Meets(cellref.Block(5, 3, cellref.MaxRow, 3)))
	require.False(t, s.Meets(cellref.Block(1, 1, cellref.MaxRow-1, cellref.MaxCol)))
	require.False(t, s.Meets(cellref.Block(1, 4, cellref.MaxRow, 9)))
	s.Add(64, 1)
	require.True(t, s.Meets(cellref.Block(64, 1, 64, 1)))
	require.False(t, s.Meets(cellref.Block(65, 1, 70, 2)))
	u := s.Union(nil)
	require.True(t, u.Has(64, 1) && u.Has(cellref.MaxRow, 3) && !u.Has(1, 1))
}
