package reader

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// selectBook has the sheets "S1" with a table, "It's", a chart sheet and "S4",
// and names.
func selectBook(t testing.TB) reading {
	return opened(t, xlsxtest.Raw(t, map[string]string{
		"xl/tables/table1.xml":      `<table displayName="Sales" ref="B2:C6" totalsRowCount="1"><tableColumns><tableColumn name="Who"/><tableColumn name="n"/></tableColumns></table>`,
		"xl/chartsheets/sheet1.xml": "<chartsheet/>",
		xlsxtest.Main: xlsxtest.Book(`<sheets><sheet name="Plot" sheetId="9" r:id="rId9"/><sheet name="S1" sheetId="1" r:id="rId1"/><sheet name="It's" sheetId="2" r:id="rId2"/><sheet name="S4" sheetId="4" r:id="rId3"/></sheets><definedNames>` +
			`<definedName name="Block">'It''s'!$A$1:$B$2</definedName><definedName name="Two">S1!$A$1, S4!$C:$C</definedName><definedName name="Rate">0.5</definedName>` +
			`<definedName name="Here" localSheetId="3">$D$4</definedName><definedName name="Same">S1!$A$1</definedName><definedName name="Same" localSheetId="3">S4!$B$1</definedName>` +
			`<definedName name="Span">S1:S4!$A$1</definedName><definedName name="Gone">Nowhere!$A$1</definedName><definedName name="Calc">SUM(S1!$A$1)</definedName><definedName name="Tall">(S1!$2:$3)</definedName></definedNames>`),
		"xl/_rels/workbook.xml.rels": xlsxtest.Rels("worksheet worksheets/sheet1.xml", "worksheet worksheets/sheet2.xml", "worksheet worksheets/sheet3.xml", "a x", "a x", "a x", "a x", "a x", "chartsheet chartsheets/sheet1.xml"),
	}, "<sheetData/>", "<sheetData/>", "<sheetData/>"))
}

func TestSelectedRanges(t *testing.T) { // W-35, W-37
	wb := selectBook(t)
	for _, c := range []struct{ sheet, rng, want string }{
		{"", "", "Plot! S1! It's! S4!"},
		{"s1", "", "S1!"},
		{"", " ", "Plot! S1! It's! S4!"},
		{"", "B2", "S1!B2"}, // of the first worksheet
		{"S4", "B2", "S4!B2"},
		{"", "S4!b2:a1", "S4!A1:B2"},
		{"s4", "S4!A1", "S4!A1"},
		{"", "'It''s'!$C$3", "It's!C3"},
		{"", "A:C", "S1!A1:C1048576"},
		{"", "3:9", "S1!A3:XFD9"},
		{"", "A1,S4!B2 , C3", "S1!A1 S4!B2 S1!C3"},
		{"", "sales", "S1!B2:C6"},
		{"S4", "Sales[n]", "S1!C2:C6"},
		{"", "Sales[[#Data],[Who]],A1", "S1!B3:B5 S1!A1"},
		{"", "Sales[#Totals]", "S1!B6:C6"},
		{"", "Block", "It's!A1:B2"},
		{"", "TWO", "S1!A1 S4!C1:C1048576"},
		{"", "Here", "S4!D4"},
		{"", "Same", "S1!A1"},
		{"S4", "Same", "S4!B1"}, // the sheet's own name counts first
		{"", "Tall", "S1!A2:XFD3"},
		{"", "B7-", "S1!B7:XFD1048576+ It's!A1:XFD1048576+ S4!A1:XFD1048576+"},
		{"S1", "B7-", "S1!B7:XFD1048576+"},
		{"", "S4!C2-", "S4!C2:XFD1048576+"},
	} {
		picks, err := wb.selected(context.Background(), formats.Selector{Sheet: c.sheet, Range: c.rng})
		require.NoError(t, err, c.rng)
		var got []string
		for _, p := range picks {
			s := p.sheet.Name + "!"
			if p.ranged {
				s += p.block.String()
			}
			if p.onward {
				s += "+"
			}
			got = append(got, s)
		}
		require.Equal(t, c.want, strings.Join(got, " "), "%s %s", c.sheet, c.rng)
	}
	for _, name := range []string{"Sales", "Block"} {
		picks, err := wb.selected(context.Background(), formats.Selector{Range: name})
		require.NoError(t, err)
		require.True(t, picks[0].whole, "what stands below is no part of it")
	}
}

func TestSelectionsThatAreRefused(t *testing.T) {
	wb := selectBook(t)
	for _, c := range []struct {
		sheet, rng string
		code       formats.Code
		want       string
	}{
		{"No", "", formats.CodeNotFound, "unknown sheet: No"},
		{"", "No!A1", formats.CodeNotFound, "unknown sheet: No"},
		{"S1", "S4!A1", formats.CodeInvalid, "the range S4!A1 is on another sheet than the sheet asked for, S1; give one of them"},
		{"", "Sales[Nobody]", formats.CodeNotFound, "the table Sales has no column Nobody; it has Who, n"},
		{"", "Rate", formats.CodeInvalid, "the name Rate is not a range of cells: it stands for 0.5"},
		{"", "Span", formats.CodeInvalid, "the name Span is not a range of cells"},
		{"", "Gone", formats.CodeInvalid, "the name Gone is not a range of cells"},
		{"", "Calc", formats.CodeInvalid, "the name Calc is not a range of cells"},
		{"", "Nothing", formats.CodeInvalid, ", the name of a table such as Table1 or Table1[Column], or a defined name"},
		{"", "A1,", formats.CodeInvalid, "the name of a table"},
		{"", "A1:", formats.CodeInvalid, "the name of a table"},
		{"", "XFE1-", formats.CodeInvalid, "XFE1 is beyond the last cell of a sheet"},
		{"", "A1048577-", formats.CodeInvalid, "A1048577 is beyond the last cell of a sheet"},
		{"", "A0-", formats.CodeInvalid, "beyond the last cell"},
		{"", strings.Repeat("A1,", 50) + "A1", formats.CodeInvalid, "51 ranges at once; at most 50 are read, ask for the rest afterwards"},
		{"", strings.Repeat("Two,", 25) + "Two", formats.CodeInvalid, "more than 50 ranges at once"},
	} {
		_, err := wb.selected(context.Background(), formats.Selector{Sheet: c.sheet, Range: c.rng})
		require.ErrorContains(t, err, c.want, c.rng)
		require.Equal(t, c.code, formats.CodeOf(err), c.rng)
	}
	picks, err := wb.selected(context.Background(), formats.Selector{Range: strings.Repeat("A1,", 49) + "A1"})
	require.NoError(t, err)
	require.Len(t, picks, 50)
}

func TestSplitRanges(t *testing.T) {
	for s, want := range map[string][]string{
		"A1":             {"A1"},
		"A1,B2":          {"A1", "B2"},
		"'a,b'!A1,C1":    {"'a,b'!A1", "C1"},
		"T[[a],[b]],C1":  {"T[[a],[b]]", "C1"},
		"T[it''s],'x'!A": {"T[it''s]", "'x'!A"},
		",":              {"", ""},
	} {
		require.Equal(t, want, splitRanges(s), s)
	}
}
