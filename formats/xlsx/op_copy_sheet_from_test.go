package xlsx

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
)

// What comes with a sheet of another workbook, and what is told of the rest.
func TestCopySheetFromParts(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "copy_sheet_from takes values, formats, sizes, rules and links that mean something here", in: ordersBook(t), files: sources(t),
			ops: `{"op":"copy_sheet_from","path":"from.xlsx","sheet":"s1","new_name":"It's"}`,
			rep: formats.OpReport{Hits: 1, Cells: 15, Made: "It's", Warnings: []string{`the sheet "S1" is protected; its copy is not`, `not copied with the sheet "S1": its filter`, `not copied with the sheet "S1": newer features such as sparklines and slicers`, "copied as values, since they refer to other sheets, names or tables: 3 formulas", `not copied with the sheet "S1": 3 rules or validations that refer to other sheets, names or tables`, `shown in the copy, though hidden in "S1": 1 row`, `not copied with the sheet "S1": the link in A3, which leads to Named in that workbook`}},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/worksheets/sheet3.xml", "spreadsheetml.worksheet+xml") + `</Types>`,
				},
				bookRels: {
					`</Relationships>`, relTo("rId4", "worksheet", "worksheets/sheet3.xml") + `</Relationships>`,
				},
				stylesXML: {
					`<fonts count="1">`, `<numFmts count="1"><numFmt numFmtId="164" formatCode="0.0&quot; kg&quot;"/></numFmts><fonts count="2">`,
					`</fonts>`, `<font><b/><sz val="14"/><name val="Arial"/></font></fonts>`,
					`<cellXfs count="2">`, `<cellXfs count="5">`,
					`</cellXfs>`, `<xf numFmtId="0" fontId="1" fillId="0" borderId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1" applyProtection="1">` +
						`</xf><xf numFmtId="164" fontId="1" fillId="0" borderId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1" applyProtection="1">` +
						`</xf><xf numFmtId="14" fontId="0" fillId="0" borderId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1" applyProtection="1">` +
						`</xf></cellXfs>`,
					`<dxfs count="0"/>`, `<dxfs count="1"><dxf><font><i/></font></dxf></dxfs>`,
				},
				bookPart: {
					`</sheets>`, `<sheet name="It&apos;s" sheetId="3" r:id="rId4"/></sheets>`,
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet3: {"", xmlDecl +
					`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:D6"/>` +
					`<sheetViews><sheetView showGridLines="0" workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/>` +
					`<cols><col width="30" customWidth="1" style="2" min="1" max="1"/></cols><sheetData><row r="1" ht="33" customHeight="1">` +
					`<c r="A1" t="inlineStr"><is><t>shared &amp; text</t></is></c><c r="B1" t="inlineStr"><is><r><t xml:space="preserve">plain </t>` +
					`</r><r><rPr><b/></rPr><t>bold</t></r></is></c><c r="C1" t="inlineStr"><is><t xml:space="preserve"> in line </t>` +
					`</is></c><c r="D1" t="b"><v>1</v></c></row><row r="2" s="2" customFormat="1"><c r="A2" s="3"><v>2.5</v>` +
					`</c><c r="B2" s="4"><v>46000</v></c><c r="C2" s="2"><f>#N/A</f></c><c r="D2" s="2" t="inlineStr"><is>` +
					`<t>txt</t></is></c></row><row r="3"><c r="A3"><f>A2*2+B2</f></c><c r="B3"><v>9</v></c><c r="C3" t="inlineStr">` +
					`<is><t>X &amp; Y</t></is></c><c r="D3"><v>2.5</v></c></row><row r="4"><c r="A4"><f>A2+$B$2</f></c></row>` +
					`<row r="5"><c r="A5"><f>A3+$B$2</f></c></row><row r="6"><c r="A6"><v>46053</v></c></row></sheetData><mergeCells count="1">` +
					`<mergeCell ref="C5:D6"/></mergeCells><conditionalFormatting sqref="A2:A9"><cfRule type="expression" dxfId="0" priority="1">` +
					`<formula>A2&gt;1</formula></cfRule></conditionalFormatting><dataValidations count="1"><dataValidation type="whole" operator="greaterThan" sqref="B2">` +
					`<formula1>$A$2</formula1></dataValidation></dataValidations><hyperlinks><hyperlink ref="A1" location="&apos;It&apos;&apos;s&apos;!C5" tooltip="down"/>` +
					`<hyperlink ref="A2" location="S2!A1"/><hyperlink ref="A4" location="B2"/></hyperlinks><pageMargins left="1" right="1" top="1" bottom="1" header="0.5" footer="0.5"/>` +
					`<pageSetup orientation="landscape"/><headerFooter><oddHeader>&amp;Ctop</oddHeader></headerFooter></worksheet>`},
			},
		},
		{
			name: "copy_sheet_from with comments", files: sources(t),
			ops: `{"op":"copy_sheet_from","path":"notes.xlsx","sheet":"S1","new_name":"N"}`,
			rep: formats.OpReport{Hits: 1, Cells: 6, Made: "N"},
			swap: map[string][]string{
				typesXML: {
					relsDefault, `<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>` + relsDefault,
					`</Types>`, typeOf("xl/comments1.xml", "spreadsheetml.comments+xml") +
						typeOf("xl/worksheets/sheet3.xml", "spreadsheetml.worksheet+xml") +
						`</Types>`,
				},
				bookRels: {
					`</Relationships>`, relTo("rId3", "worksheet", "worksheets/sheet3.xml") + `</Relationships>`,
				},
				comments1: {"", xmlDecl +
					`<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>Ann</author><author>Bob &amp; co</author></authors><commentList>` +
					newComment("B2", 0, `<t>sure?</t>`) +
					newComment("A3", 1, `<t>yes</t>`) +
					`</commentList></comments>`},
				vml1: {"", newNotes +
					newNote(1025, 60, "2, 15, 0, 10, 4, 31, 4, 4", 1, 1) +
					newNote(1026, 60, "1, 15, 1, 10, 3, 31, 5, 4", 2, 0) +
					`</xml>`},
				bookPart: {
					`</sheets>`, `<sheet name="N" sheetId="3" r:id="rId3"/></sheets>`,
				},
				"xl/worksheets/_rels/sheet3.xml.rels": {"", relsHead +
					relTo("rId1", "comments", "../comments1.xml") +
					relTo("rId2", "vmlDrawing", "../drawings/vmlDrawing1.vml") +
					`</Relationships>`},
				sheet3: {"", xmlDecl +
					`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A2:B4"/>` +
					`<sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/><sheetData>` +
					`<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>30</v></c></row><row r="3"><c r="A3"><v>2</v></c><c r="B3">` +
					`<v>10</v></c></row><row r="4"><c r="A4"><v>3</v></c><c r="B4"><v>20</v></c></row></sheetData><legacyDrawing xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId2"/>` +
					`</worksheet>`},
			},
		},
	})
}

func TestCopySheetFromRefuses(t *testing.T) {
	files := map[string][]byte{"from.xlsx": sourceBook(t), "pivot.xlsx": rich(t), "bad.xlsx": []byte("PK"), "wrong.xlsx": edited(t, smallBook(t), sheet1, swap("<v>3</v>", "<v>three</v>"))}
	for _, r := range []refusal{
		{`{"op":"copy_sheet_from","path":"from.xlsx","sheet":"S9"}`, formats.CodeNotFound, "unknown sheet: S9 (in from.xlsx)"},
		{`{"op":"copy_sheet_from","path":"from.xlsx","sheet":"S1"}`, formats.CodeInvalid, `there is a sheet "S1" already; give new_name`},
		{`{"op":"copy_sheet_from","path":"from.xlsx","sheet":"S1","new_name":"a/b"}`, formats.CodeInvalid, "not allowed"},
		{`{"op":"copy_sheet_from","path":"no.xlsx","sheet":"S1"}`, formats.CodeNotFound, "file not found: no.xlsx"},
		{`{"op":"copy_sheet_from","path":"pivot.xlsx","sheet":"Piv"}`, formats.CodeUnsupported, `the sheet "Piv" has a pivot table, which cannot be copied to another workbook; copy its values with set_range`},
		{`{"op":"copy_sheet_from","path":"bad.xlsx","sheet":"S1"}`, formats.CodeCorrupt, "bad.xlsx"},
		{`{"op":"copy_sheet_from","path":"wrong.xlsx","sheet":"S1","new_name":"W"}`, formats.CodeCorrupt, "cell B2: three is no number"},
		{`{"op":"copy_styles","path":"no.xlsx","source":"S1!A1","sheet":"S1","range":"A1"}`, formats.CodeNotFound, "file not found: no.xlsx"},
		{`{"op":"copy_styles","path":"from.xlsx","source":"S1!A0","sheet":"S1","range":"A1"}`, formats.CodeInvalid, "A0"},
		{`{"op":"copy_styles","path":"from.xlsx","source":"S1!A1:B2","sheet":"S1","range":"C:C"}`, formats.CodeTooLarge, "the formats differ too often to be copied at once; copy fewer rows"},
	} {
		out, _, err := applyWith(t, smallBook(t), files, "["+r.op+"]")
		require.ErrorContains(t, err, r.want, r.op)
		require.Equal(t, r.code, formats.CodeOf(err), r.op)
		require.Empty(t, out, r.op)
	}
}

// Dates keep their day in a workbook with the other calendar.
func TestCopySheetFromMovesDatesBetweenCalendars(t *testing.T) {
	from1904 := swap("<bookViews>", `<workbookPr date1904="1"/><bookViews>`)
	in, source := edited(t, smallBook(t), bookPart, from1904), sourceBook(t)
	copied := func(in, source []byte) (string, string) {
		out, _, err := applyWith(t, in, map[string][]byte{"from.xlsx": source}, `[{"op":"copy_sheet_from","path":"from.xlsx","sheet":"S1","new_name":"N"}]`)
		require.NoError(t, err)
		date, err := excel(t, out).GetCellValue("N", "B2", excelize.Options{RawCellValue: true})
		require.NoError(t, err)
		number, err := excel(t, out).GetCellValue("N", "A2", excelize.Options{RawCellValue: true})
		require.NoError(t, err)
		return date, number
	}
	date, number := copied(in, source)
	require.Equal(t, []string{"44538", "2.5"}, []string{date, number})
	source = edited(t, source, bookPart, swap("<sheets>", `<workbookPr date1904="1"/><sheets>`))
	date, _ = copied(smallBook(t), source)
	require.Equal(t, "47462", date)
	date, _ = copied(in, source)
	require.Equal(t, "46000", date)
}

// A thread with replies becomes one comment with all of them, which is told.
func TestCopySheetFromKeepsReplies(t *testing.T) {
	source := related(t, notedBook(t), relatedPart{sheet1, "rId3", book.RelThreaded, "xl/threadedComments/threadedComment1.xml", "application/vnd.ms-excel.threadedcomments+xml",
		`<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"><threadedComment ref="B2" id="{1}"><text>sure?</text></threadedComment><threadedComment ref="B2" id="{2}" parentId="{1}"><text>yes</text></threadedComment></ThreadedComments>`})
	out, rep, err := applyWith(t, smallBook(t), map[string][]byte{"n.xlsx": source}, `[{"op":"copy_sheet_from","path":"n.xlsx","sheet":"S1","new_name":"N"}]`)
	require.NoError(t, err)
	require.Equal(t, []string{"1 comment thread became one comment with all replies in it"}, rep.Ops[0].Warnings)
	got, err := excel(t, out).GetComments("N")
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, "B2", got[0].Cell)
	require.Regexp(t, "(?s)^sure\\?.*yes$", got[0].Paragraph[0].Text)
}

// Tables and pictures that stay behind are told.
func TestCopySheetFromTellsOfObjects(t *testing.T) {
	out, rep, err := applyWith(t, smallBook(t), map[string][]byte{"r.xlsx": rich(t)}, `[{"op":"copy_sheet_from","path":"r.xlsx","sheet":"Use","new_name":"U"},{"op":"copy_sheet_from","path":"r.xlsx","sheet":"Data"}]`)
	require.NoError(t, err)
	require.Equal(t, []string{
		`not copied with the sheet "Use": its pictures, charts and shapes`, `not copied with the sheet "Use": the frame of its tables (their cells are copied)`,
		`not copied with the sheet "Use": newer features such as sparklines and slicers`, "copied as values, since they refer to other sheets, names or tables: 4 formulas",
		`not copied with the sheet "Use": 1 rule or validation that refers to other sheets, names or tables`, `not copied with the sheet "Use": the link in C1, which leads to Data!A5 in that workbook`,
	}, rep.Ops[0].Warnings)
	require.Equal(t, []string{`not copied with the sheet "Data": its pictures, charts and shapes`}, rep.Ops[1].Warnings)
	require.Equal(t, []string{"S1", "S2", "U", "Data"}, excel(t, out).GetSheetList())
	valid(t, out, nil)
}
