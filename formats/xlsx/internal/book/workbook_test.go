package book_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// open opens a workbook that is in order.
func open(t testing.TB, b []byte) *book.Workbook {
	t.Helper()
	wb, err := book.Open(context.Background(), xlsxtest.Source(b))
	require.NoError(t, err)
	return wb
}

const bookRels = "xl/_rels/workbook.xml.rels"

// sheetPart is the name of the part of sheet n.
func sheetPart(n string) string { return "xl/worksheets/sheet" + n + ".xml" }

func TestSheetsOfAWorkbook(t *testing.T) {
	b := xlsxtest.Raw(t, map[string]string{
		xlsxtest.Main: xlsxtest.Book(`<sheets>
			<sheet name="One" sheetId="7" r:id="rId1"/><sheet name="Two" sheetId="2" state="hidden" r:id="rId2"/>
			<sheet name="Chart" sheetId="3" state="visible" r:id="rId3"/><sheet name="Dialog" sheetId="4" state="veryHidden" r:id="rId4"/>
			<sheet name="Macro" sheetId="5" r:id="rId5"/><sheet name="Gone" sheetId="6" r:id="rId6"/>
			<sheet name="Again" sheetId="8" r:id="rId1"/><sheet name="Out" sheetId="9" r:id="rId7"/><sheet name="A &amp; B" sheetId="x"/></sheets>`),
		bookRels: xlsxtest.Rels("worksheet worksheets/sheet1.xml", "worksheet worksheets/sheet2.xml", "chartsheet chartsheets/sheet1.xml", "dialogsheet dialogsheets/sheet1.xml",
			"http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet macrosheets/sheet1.xml", "worksheet worksheets/sheet9.xml", "worksheet https://x.example/sheet.xml"),
		"xl/chartsheets/sheet1.xml": "<chartsheet/>", "xl/dialogsheets/sheet1.xml": "<dialogsheet/>", "xl/macrosheets/sheet1.xml": "<macrosheet/>",
	}, "<sheetData/>", "<sheetData/>")
	wb := open(t, b)
	require.Equal(t, []book.SheetInfo{
		{Name: "One", Part: sheetPart("1"), Kind: "worksheet", RelID: "rId1", SheetID: 7},
		{Name: "Two", Part: sheetPart("2"), Kind: "worksheet", State: "hidden", RelID: "rId2", SheetID: 2},
		{Name: "Chart", Part: "xl/chartsheets/sheet1.xml", Kind: "chartsheet", RelID: "rId3", SheetID: 3},
		{Name: "Dialog", Part: "xl/dialogsheets/sheet1.xml", Kind: "dialogsheet", State: "veryHidden", RelID: "rId4", SheetID: 4},
		{Name: "Macro", Part: "xl/macrosheets/sheet1.xml", Kind: "macrosheet", RelID: "rId5", SheetID: 5},
		{Name: "Gone", Kind: "worksheet", RelID: "rId6", SheetID: 6},
		{Name: "Again", Kind: "worksheet", RelID: "rId1", SheetID: 8}, // a part is read for one sheet only
		{Name: "Out", Kind: "worksheet", RelID: "rId7", SheetID: 9},
		{Name: "A & B", Kind: "worksheet"},
	}, wb.Sheets)
	for i, want := range []bool{true, true, false, false, false, false, false, false, false} {
		require.Equal(t, want, wb.Sheets[i].Worksheet(), wb.Sheets[i].Name)
	}
	require.Equal(t, []string{"one", "two", "chart", "dialog", "macro", "gone", "again", "out", "a & b"}, wb.SheetOrder())
}

func TestSettingsOfAWorkbook(t *testing.T) {
	plain := open(t, xlsxtest.Raw(t, nil, "<sheetData/>"))
	require.Equal(t, []bool{false, false, false}, []bool{plain.Date1904, plain.Strict, plain.Locked})
	require.Equal(t, xlsxtest.Main, plain.Main)
	require.Empty(t, plain.Names)

	wb := open(t, xlsxtest.Raw(t, map[string]string{xlsxtest.Main: xlsxtest.Book(`<workbookPr date1904="1"/><workbookProtection lockStructure="true"/><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets>` +
		`<definedNames><definedName name="Rate">S!$A$1</definedName><definedName name="Local" localSheetId="0" hidden="1">"a &amp; b"</definedName><definedName name="Empty"/><definedName name="Odd" localSheetId="x">1</definedName></definedNames>`)}, "<sheetData/>"))
	require.Equal(t, []bool{true, false, true}, []bool{wb.Date1904, wb.Strict, wb.Locked})
	require.Equal(t, []book.DefinedName{{Name: "Rate", Local: -1, Text: "S!$A$1"}, {Name: "Local", Local: 0, Text: `"a & b"`}, {Name: "Empty", Local: -1}, {Name: "Odd", Local: -1, Text: "1"}}, wb.Names)

	strict := xlsxtest.Raw(t, nil, "<sheetData/>")
	for _, part := range []string{xlsxtest.Main, bookRels, "_rels/.rels"} {
		strict = xlsxtest.Edited(t, strict, part, func(s string) string {
			s = strings.ReplaceAll(s, "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://purl.oclc.org/ooxml/spreadsheetml/main")
			return strings.ReplaceAll(s, "http://schemas.openxmlformats.org/officeDocument/2006/relationships", "http://purl.oclc.org/ooxml/officeDocument/relationships")
		})
	}
	wb = open(t, strict)
	require.True(t, wb.Strict)
	require.Equal(t, sheetPart("1"), wb.Sheets[0].Part)
}

func TestFindASheet(t *testing.T) {
	wb := &book.Workbook{Sheets: []book.SheetInfo{{Name: "DATA"}, {Name: "Data"}, {Name: "Größe"}}}
	for name, want := range map[string]int{"DATA": 0, "Data": 1, "data": 0, "GRÖSSE": -1, "GRÖßE": 2, "": -1, "Dat": -1} {
		require.Equal(t, want, wb.Find(name), name)
	}
	err := book.UnknownSheet("X")
	require.EqualError(t, err, "unknown sheet: X")
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))
}

func TestRelatedParts(t *testing.T) {
	b := xlsxtest.Raw(t, map[string]string{
		"xl/a.xml": "<a/>", "xl/b.xml": "<b/>",
		bookRels: xlsxtest.Rels("worksheet worksheets/sheet1.xml", "theme gone.xml", "theme https://x.example/a.xml", "theme a.xml", "theme b.xml"),
	}, "<sheetData/>")
	wb := open(t, b)
	require.Equal(t, "xl/a.xml", wb.RelPart(opc.RelPrefix+"theme"), "the first that is in the file")
	require.Empty(t, wb.RelPart(book.RelStyles))
}

// Files that are no workbook, or are too much of one, are refused with a code.
func TestOpenRefuses(t *testing.T) {
	plain := xlsxtest.Raw(t, nil, "<sheetData/>")
	typed := func(typ string) []byte {
		return xlsxtest.Edited(t, plain, "[Content_Types].xml", func(s string) string { return strings.ReplaceAll(s, book.TypeBook, typ) })
	}
	main := func(xml string) []byte {
		return xlsxtest.Edited(t, plain, xlsxtest.Main, func(string) string { return xml })
	}
	many := func(element string, n int) string {
		var sb strings.Builder
		for i := range n {
			fmt.Fprintf(&sb, element, i)
		}
		return sb.String()
	}
	for name, c := range map[string]struct {
		b    []byte
		code formats.Code
		want string
	}{
		"binary": {typed(book.TypeBinary), formats.CodeUnsupported, "book.xlsx is a binary workbook (xlsb); save it as xlsx first"},
		"text":   {[]byte("no workbook"), formats.CodeCorrupt, "book.xlsx"},
		"cut":    {plain[:len(plain)/2], formats.CodeCorrupt, "book.xlsx"},
		"broken": {main("<workbook><sheets>"), formats.CodeCorrupt, "xl/workbook.xml: "},
		"sheets": {main(xlsxtest.Book("<sheets>" + many(`<sheet name="%d"/>`, 10_002) + "</sheets>")), formats.CodeTooLarge, "the workbook has more than 10000 sheets or 100000 defined names"},
		"names":  {main(xlsxtest.Book("<definedNames>" + many(`<definedName name="%d"/>`, 100_002) + "</definedNames>")), formats.CodeTooLarge, "100000 defined names"},
	} {
		_, err := book.Open(context.Background(), xlsxtest.Source(c.b))
		require.ErrorContains(t, err, c.want, name)
		require.Equal(t, c.code, formats.CodeOf(err), name)
	}
	for _, typ := range []string{book.TypeBookMacro, "application/vnd.ms-excel.addin.macroEnabled.main+xml", "application/vnd.ms-excel.template.macroEnabled.main+xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml"} {
		require.Len(t, open(t, typed(typ)).Sheets, 1, typ)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := book.Open(ctx, xlsxtest.Source(plain))
	require.ErrorIs(t, err, context.Canceled)
}

func TestTypedErrors(t *testing.T) {
	require.NoError(t, book.Typed(nil, "f"))
	own := formats.Errorf(formats.CodeNotFound, "gone")
	for _, err := range []error{own, context.Canceled, context.DeadlineExceeded} {
		require.Equal(t, err, book.Typed(err, "f"))
	}
	err := book.Typed(io.ErrUnexpectedEOF, "f.xlsx")
	require.EqualError(t, err, "f.xlsx is damaged: unexpected EOF")
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	require.True(t, errors.Is(err, io.ErrUnexpectedEOF))
}

// A workbook of another program has what that program says it has.
func TestWorkbookOfASecondProgram(t *testing.T) {
	b := xlsxtest.Fixture(t, func(f *excelize.File) {
		for _, name := range []string{"Größe", "a 'b' & c"} {
			_, err := f.NewSheet(name)
			require.NoError(t, err)
		}
		require.NoError(t, f.SetSheetVisible("Größe", false))
		require.NoError(t, f.SetDefinedName(&excelize.DefinedName{Name: "N", RefersTo: "Sheet1!$A$1", Scope: "Größe"}))
	})
	wb := open(t, b)
	var names []string
	for _, s := range wb.Sheets {
		names = append(names, s.Name)
	}
	require.Equal(t, xlsxtest.Excel(t, b).GetSheetList(), names)
	require.Equal(t, "hidden", wb.Sheets[1].State)
	require.Equal(t, []book.DefinedName{{Name: "N", Local: 1, Text: "Sheet1!$A$1"}}, wb.Names)
}
