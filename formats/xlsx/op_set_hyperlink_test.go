package xlsx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Links, their relationships, merged cells and filters.
func TestLinkMergeAndFilterParts(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "set_hyperlink puts a link in place of one and takes its relationship", in: ruledBook(t),
			ops: `{"op":"set_hyperlink","sheet":"S1","cell":"A2","url":"https://y.example/?a=1&b=2","style":{"font_bold":true}}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!A2"},
			swap: map[string][]string{
				stylesXML: {
					`<fonts count="1">`, `<fonts count="2">` + calibri,
					calibri + `</fonts>`, `<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>`,
					`<cellXfs count="2">`, `<cellXfs count="3">`,
					`</cellXfs>`, `<xf numFmtId="0" fillId="0" borderId="0" fontId="1" applyFont="1"/></cellXfs>`,
				},
				sheet1Rels: {
					linkTo("rId1", "https://x.example/a"), ``,
					`</Relationships>`, linkTo("rId3", "https://y.example/?a=1&amp;b=2") + `</Relationships>`,
				},
				sheet1: {
					`<c r="A2" t="inlineStr">`, `<c s="2" r="A2" t="inlineStr">`,
					`<hyperlink ref="A2" r:id="rId1"/>`, ``,
					`</hyperlinks>`, `<hyperlink ref="A2" r:id="rId3"/></hyperlinks>`,
				},
			},
		},
		{
			name: "set_hyperlink over several links", in: ruledBook(t),
			ops: `{"op":"set_hyperlink","sheet":"S1","range":"A2:A5","location":"#S2!$A$1:B2"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!A2:A5"},
			swap: map[string][]string{
				stylesXML: {
					`<fonts count="1"><font><sz val="11"/>`, `<fonts count="2">` + calibri + `<font><u/><sz val="11"/><color rgb="FF0563C1"/>`,
					`<cellXfs count="2">`, `<cellXfs count="3">`,
					`</cellXfs>`, `<xf numFmtId="0" fillId="0" borderId="0" fontId="1" applyFont="1"/></cellXfs>`,
				},
				sheet1Rels: {
					linkTo("rId1", "https://x.example/a") + linkTo("rId2", "mailto:a@x.example"), ``,
				},
				sheet1: {
					`<c r="A2" t="inlineStr">`, `<c s="2" r="A2" t="inlineStr">`,
					`<c r="A3" t="inlineStr">`, `<c s="2" r="A3" t="inlineStr">`,
					`<c r="A4" t="inlineStr">`, `<c s="2" r="A4" t="inlineStr">`,
					`<c r="A5" t="inlineStr">`, `<c s="2" r="A5" t="inlineStr">`,
					`<hyperlink ref="A2" r:id="rId1"/><hyperlink ref="A3:A4" r:id="rId2" tooltip="both"/><hyperlink ref="A5" location="S2!A1"/>`, `<hyperlink ref="A2:A5" location="&apos;S2&apos;!$A$1:B2"/>`,
				},
			},
		},
		{
			name: "set_hyperlink adds https to www", in: ruledBook(t),
			ops: `{"op":"set_hyperlink","sheet":"S2","cell":"B1","url":" www.x.example/ä#part "}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!B1"},
			swap: map[string][]string{
				stylesXML: {
					`<fonts count="1"><font><sz val="11"/>`, `<fonts count="2">` + calibri + `<font><u/><sz val="11"/><color rgb="FF0563C1"/>`,
					`<cellXfs count="2">`, `<cellXfs count="3">`,
					`</cellXfs>`, `<xf numFmtId="0" fillId="0" borderId="0" fontId="1" applyFont="1"/></cellXfs>`,
				},
				sheet2Rels: {"", relsHead + linkTo("rId1", "https://www.x.example/%C3%A4") + `</Relationships>`},
				sheet2: {
					`<sheetData/>`, `<sheetData><row r="1"><c r="B1" s="2"/></row></sheetData><hyperlinks><hyperlink ref="B1" r:id="rId1" location="part"/></hyperlinks>`,
				},
			},
		},
		{
			name: "set_hyperlink to a place in the file, as an address", in: ruledBook(t),
			ops: `{"op":"set_hyperlink","sheet":"S2","cell":"B1","url":"#'S1'!A1","text":"up"}`,
			rep: formats.OpReport{Hits: 1, Cells: 1, Made: "S2!B1"},
			swap: map[string][]string{
				stylesXML: {
					`<fonts count="1"><font><sz val="11"/>`, `<fonts count="2">` + calibri + `<font><u/><sz val="11"/><color rgb="FF0563C1"/>`,
					`<cellXfs count="2">`, `<cellXfs count="3">`,
					`</cellXfs>`, `<xf numFmtId="0" fillId="0" borderId="0" fontId="1" applyFont="1"/></cellXfs>`,
				},
				sheet2: {
					`<sheetData/>`, `<sheetData><row r="1"><c r="B1" s="2" t="inlineStr"><is><t>up</t></is></c></row></sheetData><hyperlinks><hyperlink ref="B1" location="&apos;S1&apos;!A1"/></hyperlinks>`,
				},
			},
		},
		{
			name: "set_hyperlink to a name", in: ruledBook(t),
			ops: `{"op":"set_hyperlink","sheet":"S2","cell":"B1","location":"Somewhere"}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!B1"},
			swap: map[string][]string{
				stylesXML: {
					`<fonts count="1"><font><sz val="11"/>`, `<fonts count="2">` + calibri + `<font><u/><sz val="11"/><color rgb="FF0563C1"/>`,
					`<cellXfs count="2">`, `<cellXfs count="3">`,
					`</cellXfs>`, `<xf numFmtId="0" fillId="0" borderId="0" fontId="1" applyFont="1"/></cellXfs>`,
				},
				sheet2: {
					`<sheetData/>`, `<sheetData><row r="1"><c r="B1" s="2"/></row></sheetData><hyperlinks><hyperlink ref="B1" location="Somewhere"/></hyperlinks>`,
				},
			},
		},
		{
			name: "set_hyperlink removes the links of a block", in: ruledBook(t),
			ops: `{"op":"set_hyperlink","sheet":"S1","range":"A1:B4","url":""}`,
			rep: formats.OpReport{Hits: 2},
			swap: map[string][]string{
				sheet1Rels: {
					linkTo("rId1", "https://x.example/a") + linkTo("rId2", "mailto:a@x.example"), ``,
				},
				sheet1: {
					`<hyperlink ref="A2" r:id="rId1"/><hyperlink ref="A3:A4" r:id="rId2" tooltip="both"/>`, ``,
				},
			},
		},
		{
			name: "set_hyperlink with cell and range", in: ruledBook(t),
			ops: `{"op":"set_hyperlink","sheet":"S1","cell":"B1","range":"B1:B4","url":"tel:+123"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!B1", Ignored: []formats.Ignored{{Name: "range"}}},
			swap: map[string][]string{
				stylesXML: {
					`<fonts count="1"><font><sz val="11"/>`, `<fonts count="2">` + calibri + `<font><u/><sz val="11"/><color rgb="FF0563C1"/>`,
					`<cellXfs count="2">`, `<cellXfs count="3">`,
					`</cellXfs>`, `<xf numFmtId="0" fillId="0" borderId="0" fontId="1" applyFont="1"/></cellXfs>`,
				},
				sheet1Rels: {
					`</Relationships>`, linkTo("rId3", "tel:+123") + `</Relationships>`,
				},
				sheet1: {
					`<c r="B1" t="inlineStr">`, `<c s="2" r="B1" t="inlineStr">`,
					`</hyperlinks>`, `<hyperlink ref="B1" r:id="rId3"/></hyperlinks>`,
				},
			},
		},
		{
			name: "set_hyperlink in a sheet with a prefix", in: prefixed(t, prefixedRows),
			ops: `{"op":"set_hyperlink","sheet":"S1","cell":"A1","url":"ftp://x.example/"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!A1"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/styles.xml", "spreadsheetml.styles+xml") + `</Types>`,
				},
				bookRels: {
					`</Relationships>`, relTo("rId2", "styles", "styles.xml") + `</Relationships>`,
				},
				stylesXML: {"", xmlDecl +
					`<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="2"><font>` +
					`<sz val="11"/><color theme="1"/><name val="Calibri"/><family val="2"/><scheme val="minor"/></font><font>` +
					`<u/><sz val="11"/><color rgb="FF0563C1"/><name val="Calibri"/><family val="2"/><scheme val="minor"/></font>` +
					`</fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/>` +
					`</fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
					`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2">` +
					`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fillId="0" borderId="0" xfId="0" fontId="1" applyFont="1"/>` +
					`</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles><dxfs count="0"/>` +
					`<tableStyles count="0" defaultTableStyle="TableStyleMedium2" defaultPivotStyle="PivotStyleLight16"/></styleSheet>`},
				sheet1Rels: {"", relsHead + linkTo("rId1", "ftp://x.example/") + `</Relationships>`},
				sheet1: {
					`<x:c r="A1">`, `<x:c s="1" r="A1">`,
					`</x:worksheet>`, `<x:hyperlinks><x:hyperlink ref="A1" rel:id="rId1"/></x:hyperlinks></x:worksheet>`,
				},
			},
		},
		{
			name: "merge_cells of several blocks in a sheet with merged cells", in: ruledBook(t),
			ops: `{"op":"merge_cells","sheet":"S1","range":"G1:H1,G3:G5"}`,
			rep: formats.OpReport{Hits: 2, Made: "S1!G3:G5"},
			swap: map[string][]string{
				sheet1: {
					`<mergeCells count="2">`, `<mergeCells count="4">`,
					`</mergeCells>`, `<mergeCell ref="G1:H1"/><mergeCell ref="G3:G5"/></mergeCells>`,
				},
			},
		},
		{
			name: "merge_cells hides values and formulas", in: ruledBook(t),
			ops: `{"op":"merge_cells","sheet":"S1","range":"A2:B5"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!A2:B5", Warnings: []string{"merging A2:B5 hides the values of B2, A3, B3, A4, B4, A5, B5"}},
			swap: map[string][]string{
				sheet1: {
					`<mergeCells count="2">`, `<mergeCells count="3">`,
					`</mergeCells>`, `<mergeCell ref="A2:B5"/></mergeCells>`,
				},
			},
		},
		{
			name: "merge_cells tells of the first eight cells",
			ops: `{"op":"set_range","sheet":"S2","start":"D1","values":[[1,2,3,4],[1,2,3,4],[1,2,3,4]]},` +
				`{"op":"merge_cells","sheet":"S2","range":"D1:G3"}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!D1:G3", Warnings: []string{"merging D1:G3 hides the values of E1, F1, G1, D2, E2, F2, G2, D3 and 3 more"}},
			swap: map[string][]string{
				sheet2: {
					`</row>`, `<c r="D1"><v>1</v></c><c r="E1"><v>2</v></c><c r="F1"><v>3</v></c><c r="G1"><v>4</v></c></row>`,
					`</sheetData>`, `<row r="2"><c r="D2"><v>1</v></c><c r="E2"><v>2</v></c><c r="F2"><v>3</v></c><c r="G2"><v>4</v></c></row><row r="3"><c r="D3"><v>1</v></c><c r="E3"><v>2</v></c><c r="F3"><v>3</v></c><c r="G3"><v>4</v></c></row></sheetData>`,
					`</worksheet>`, `<mergeCells count="1"><mergeCell ref="D1:G3"/></mergeCells></worksheet>`,
				},
			},
		},
		{
			name: "merge_cells in a sheet with a prefix", in: prefixed(t, prefixedRows),
			ops: `{"op":"merge_cells","sheet":"S1","range":"B1:C2"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!B1:C2"},
			swap: map[string][]string{
				sheet1: {
					`</x:worksheet>`, `<x:mergeCells count="1"><x:mergeCell ref="B1:C2"/></x:mergeCells></x:worksheet>`,
				},
			},
		},
		{
			name: "unmerge_cells leaves the other one", in: ruledBook(t),
			ops: `{"op":"unmerge_cells","sheet":"S1","range":"E3:F4,A1"}`,
			rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{
				sheet1: {
					`<mergeCells count="2"><mergeCell ref="D2:E3"/>`, `<mergeCells count="1">`,
				},
			},
		},
		{
			name: "autofilter moves and tells of its criteria", in: ruledBook(t),
			ops: `{"op":"autofilter","sheet":"S1","range":"A1:A5"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!A1:A5", Warnings: []string{"the filter had criteria; rows it had hidden stay hidden"}},
			swap: map[string][]string{
				bookPart: {
					`'S1'!$A$1:$B$5`, `'S1'!$A$1:$A$5`,
				},
				sheet1: {
					`<autoFilter ref="A1:B5"><filterColumn colId="0"><filters><filter val="a"/></filters></filterColumn></autoFilter>`, `<autoFilter ref="A1:A5"/>`,
				},
			},
		},
		{
			name: "autofilter that is there already", in: ruledBook(t),
			ops: `{"op":"autofilter","sheet":"S1","range":"A1:B5"}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"A1:B5 has this filter already"}},
		},
		{
			name: "autofilter removed", in: ruledBook(t),
			ops: `{"op":"autofilter","sheet":"S1","remove":true}`,
			rep: formats.OpReport{Hits: 1, Warnings: []string{"the filter had criteria; rows it had hidden stay hidden"}},
			swap: map[string][]string{
				bookPart: {
					`<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">'S1'!$A$1:$B$5</definedName></definedNames>`, ``,
				},
				sheet1: {
					`<autoFilter ref="A1:B5"><filterColumn colId="0"><filters><filter val="a"/></filters></filterColumn></autoFilter>`, ``,
				},
			},
		},
		{
			name: "autofilter of columns with values of the same call", in: ruledBook(t),
			ops: `{"op":"set_range","sheet":"S2","start":"B3","values":[["a","b"],[1,2]]},` +
				`{"op":"autofilter","sheet":"S2","range":"B:C"}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!B3:C4"},
			swap: map[string][]string{
				bookPart: {
					`</definedNames>`, `<definedName name="_xlnm._FilterDatabase" localSheetId="1" hidden="1">'S2'!$B$3:$C$4</definedName></definedNames>`,
				},
				sheet2: {
					`<sheetData/>`, `<sheetData><row r="3"><c r="B3" t="inlineStr"><is><t>a</t></is></c><c r="C3" t="inlineStr"><is><t>b</t></is></c></row><row r="4"><c r="B4"><v>1</v></c><c r="C4"><v>2</v></c></row></sheetData><autoFilter ref="B3:C4"/>`,
				},
			},
		},
	})
}

func TestLinkMergeAndFilterRefuse(t *testing.T) {
	runRefusals(t, ruledBook(t), []refusal{
		{`{"op":"set_hyperlink","sheet":"S1","cell":"A3","url":"https://y.example"}`, formats.CodeInvalid, "A3 is a part of the link over A3:A4; give that range"},
		{`{"op":"set_hyperlink","sheet":"S1","cell":"A4","url":""}`, formats.CodeInvalid, "A4 is a part of the link over A3:A4; give that range"},
		{`{"op":"set_hyperlink","sheet":"S9","cell":"A4","url":""}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"set_hyperlink","sheet":"S1","cell":"A0","url":""}`, formats.CodeInvalid, "A0"},
		{`{"op":"set_hyperlink","sheet":"S1","cell":"B1","url":"file:///etc/passwd"}`, formats.CodeInvalid, "links to file: addresses are not allowed; use http, https, mailto, ftp or tel"},
		{`{"op":"set_hyperlink","sheet":"S1","cell":"B1","url":"http://[x"}`, formats.CodeInvalid, "is no address"},
		{`{"op":"set_hyperlink","sheet":"S1","cell":"B1","url":"https://x.example","text":"` + strings.Repeat("x", 32768) + `"}`, formats.CodeInvalid, "32768 characters"},
		{`{"op":"set_hyperlink","sheet":"S1","cell":"B1","url":"https://x.example","style":{"font_color":"reddish"}}`, formats.CodeInvalid, "reddish"},
		{`{"op":"merge_cells","sheet":"S1","range":"D2:D3"}`, formats.CodeInvalid, "D2:D3 overlaps the merged cell D2:E3; unmerge that first"},
		{`{"op":"merge_cells","sheet":"S1","range":"G1:H1,H1:H2"}`, formats.CodeInvalid, "H1:H2 overlaps the merged cell G1:H1; unmerge that first"},
		{`{"op":"merge_cells","sheet":"S1","range":"G1:H1,J1"}`, formats.CodeInvalid, "J1 is a single cell; a merge needs two or more"},
	})
	runRefusals(t, tabledBook(t), []refusal{
		{`{"op":"merge_cells","sheet":"S1","range":"A1:B2"}`, formats.CodeInvalid, "A1:B2 overlaps the table Fruit (B2:D5); cells of a table cannot be merged"},
		{`{"op":"autofilter","sheet":"S1","range":"A1:B2"}`, formats.CodeInvalid, "A1:B2 overlaps the table Fruit (B2:D5), which has a filter of its own"},
		{`{"op":"autofilter","sheet":"S2","range":"G:H"}`, formats.CodeInvalid, "G:H is empty; a filter needs a header row and values"},
		{`{"op":"autofilter","sheet":"S2","range":"A0"}`, formats.CodeInvalid, "A0"},
	})
	array := raw(t, nil, `<sheetData><row r="1"><c r="A1"><f t="array" ref="A1:A2">B1:B2</f><v>1</v></c></row></sheetData>`)
	runRefusals(t, array, []refusal{{`{"op":"merge_cells","sheet":"S1","range":"A2:B3"}`, formats.CodeInvalid, "A2:B3 overlaps the array formula in A1:A2, which cannot be merged"}})
}

// An independent reader reads the links after their cells have moved.
func TestLinksReadBack(t *testing.T) {
	out, _ := apply(t, ruledBook(t), `[{"op":"set_hyperlink","sheet":"S2","cell":"B2","url":"https://x.example/?q=a b&c#d","text":"go","tooltip":"t"},{"op":"set_hyperlink","sheet":"S2","cell":"C2","location":"s1!A5"},
		{"op":"insert_rows","sheet":"S2","row":1},{"op":"insert_rows","sheet":"S1","row":2},{"op":"delete_columns","sheet":"S2","column":"A"},{"op":"rename_sheet","sheet":"S1","new_name":"One"}]`)
	f := excel(t, out)
	link := func(sheet, cell string) string {
		_, target, err := f.GetCellHyperLink(sheet, cell)
		require.NoError(t, err)
		return target
	}
	require.Equal(t, "https://x.example/?q=a b&c", link("S2", "A3"))
	require.Contains(t, part(t, out, sheet2), `location="d" tooltip="t"`)
	require.Equal(t, "One!A6", link("S2", "B3"))
	require.Equal(t, "https://x.example/a", link("One", "A3"))
	require.Equal(t, "mailto:a@x.example", link("One", "A4"))
	require.Equal(t, "S2!A2", link("One", "A6"))
}

// What is merged and taken apart, or filtered and not any more, is as it was.
func TestMergeAndFilterThereAndBack(t *testing.T) {
	in := ruledBook(t)
	for _, r := range []string{"F1:G1", "A1:B5", "F1:F9,H2:J3"} {
		out, _ := apply(t, in, `[{"op":"merge_cells","sheet":"S1","range":"`+r+`"},{"op":"unmerge_cells","sheet":"S1","range":"`+r+`"}]`)
		formatstest.SameParts(t, in, out)
	}
	out, _ := apply(t, in, `[{"op":"autofilter","sheet":"S2","range":"A1:B5"},{"op":"autofilter","sheet":"S2","remove":true}]`)
	formatstest.SameParts(t, in, out)
	out, _ = apply(t, in, `[{"op":"set_hyperlink","sheet":"S2","cell":"A1","url":"https://y.example"},{"op":"set_hyperlink","sheet":"S2","cell":"A1","url":""},{"op":"clear_range","sheet":"S2","range":"A1","what":"all"}]`)
	require.Equal(t, strings.Replace(part(t, in, sheet2), "<sheetData/>", `<sheetData><row r="1"></row></sheetData>`, 1), part(t, out, sheet2))
}
