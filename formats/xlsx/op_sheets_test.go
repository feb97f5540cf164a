package xlsx

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/sheetml"
)

const (
	emptySheet = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + `<worksheet xmlns="` + sheetml.Namespace + `"><dimension ref="A1"/><sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/><sheetData/></worksheet>`
	sheet3     = "xl/worksheets/sheet3.xml"
	// What a third sheet adds to the parts that list parts.
	typeOfThird = `<Override PartName="/xl/worksheets/sheet3.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`
	relOfThird  = `<Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet3.xml"/></Relationships>`
	dropsOne    = "1 value of a formula that depends on the edit was dropped"
)

func TestSheetOperations(t *testing.T) {
	third := func(swap map[string][]string) map[string][]string {
		swap[typesXML] = []string{"</Types>", typeOfThird}
		swap[bookRels] = []string{"</Relationships>", relOfThird}
		return swap
	}
	runOps(t, []opTest{
		{
			name: "ensure_sheet makes a sheet behind the others", ops: `{"op":"ensure_sheet","sheet":"New & old"}`,
			swap: third(map[string][]string{sheet3: {"", emptySheet}, bookPart: {`</sheets>`, `<sheet name="New &amp; old" sheetId="3" r:id="rId3"/></sheets>`}}),
		},
		{name: "ensure_sheet finds a sheet in any case", ops: `{"op":"ensure_sheet","sheet":"s2"}`, rep: formats.OpReport{Unchanged: true}},
		{
			name: "rename_sheet changes formulas, names and the tab", ops: `{"op":"rename_sheet","sheet":"S1","new_name":"It's new"}`,
			rep: formats.OpReport{Made: "It's new"},
			swap: map[string][]string{
				bookPart: {`<sheet name="S1"`, `<sheet name="It&apos;s new"`, `>S1!$B$4<`, `>'It''s new'!$B$4<`},
				sheet2:   {`S1!B3+1`, `'It''s new'!B3+1`},
			},
		},
		{name: "rename_sheet to the same name", ops: `{"op":"rename_sheet","sheet":"s1","new_name":"S1"}`, rep: formats.OpReport{Made: "S1", Unchanged: true}},
		{
			name: "rename_sheet to another case", ops: `{"op":"rename_sheet","sheet":"S1","new_name":"s1"}`,
			rep:  formats.OpReport{Made: "s1"},
			swap: map[string][]string{bookPart: {`<sheet name="S1"`, `<sheet name="s1"`, `>S1!$B$4<`, `>'s1'!$B$4<`}, sheet2: {`S1!B3+1`, `'s1'!B3+1`}},
		},
		{
			name: "delete_sheet leaves #REF! and takes the names of the sheet along", ops: `{"op":"delete_sheet","sheet":"S1"}`,
			gone:  []string{sheet1},
			warns: []string{"1 formula now refers to nothing (#REF!): S2!A1", dropsOne},
			swap: map[string][]string{
				bookPart: {`<sheet name="S1" sheetId="1" r:id="rId1"/>`, ``, `activeTab="1"`, `activeTab="0"`, `>S1!$B$4<`, `>#REF!<`, `localSheetId="1"`, `localSheetId="0"`, `</workbook>`, calcPr},
				bookRels: {`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>`, ``},
				typesXML: {`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`, ``},
				sheet2:   {`<f>S1!B3+1</f><v>6</v>`, `<f>#REF!+1</f>`},
			},
		},
		{
			name: "delete_sheet of the active one", ops: `{"op":"delete_sheet","sheet":"S2"}`,
			gone: []string{sheet2},
			swap: map[string][]string{
				bookPart: {`<sheet name="S2" sheetId="2" r:id="rId2"/>`, ``, `activeTab="1"`, `activeTab="0"`, `<definedName name="Two" localSheetId="1">S2!$A$1</definedName>`, ``, `</workbook>`, calcPr},
				bookRels: {`<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet2.xml"/>`, ``},
				typesXML: {`<Override PartName="/xl/worksheets/sheet2.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`, ``},
			},
		},
		{
			name: "move_sheet keeps names on their sheets and the active tab", ops: `{"op":"move_sheet","sheet":"S2","position":1}`,
			swap: map[string][]string{bookPart: {
				`<sheet name="S1" sheetId="1" r:id="rId1"/><sheet name="S2" sheetId="2" r:id="rId2"/>`, `<sheet name="S2" sheetId="2" r:id="rId2"/><sheet name="S1" sheetId="1" r:id="rId1"/>`,
				`activeTab="1"`, `activeTab="0"`, `localSheetId="1"`, `localSheetId="0"`,
			}},
		},
		{
			name: "move_sheet to where it is", ops: `{"op":"move_sheet","sheet":"S2","position":2}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{`the sheet "S2" is at position 2 already; nothing was changed`}},
		},
		{
			name: "hide_sheet leaves the active tab for a visible sheet", ops: `{"op":"hide_sheet","sheet":"S2"}`,
			swap: map[string][]string{bookPart: {`r:id="rId2"/>`, `r:id="rId2" state="hidden"/>`, `activeTab="1"`, `activeTab="0"`}},
		},
		{
			name: "hide_sheet and unhide_sheet", ops: `{"op":"hide_sheet","sheet":"S1"},{"op":"unhide_sheet","sheet":"S1"}`,
			swap: map[string][]string{},
		},
		{
			name: "unhide_sheet of a visible one", ops: `{"op":"unhide_sheet","sheet":"S1"}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{`the sheet "S1" is shown already; nothing was changed`}},
		},
		{
			name: "copy_sheet copies cells, rules and names", ops: `{"op":"copy_sheet","sheet":"S2","new_name":"C"}`,
			rep: formats.OpReport{Made: "C"},
			swap: third(map[string][]string{
				sheet3:   {"", `<worksheet xmlns="` + sheetml.Namespace + `" xmlns:r="` + sheetml.RelNamespace + `"><sheetData><row r="1"><c r="A1"><f>S1!B3+1</f><v>6</v></c><c r="B1"><v>7</v></c></row></sheetData></worksheet>`},
				bookPart: {`</sheets>`, `<sheet name="C" sheetId="3" r:id="rId3"/></sheets>`, `</definedNames>`, `<definedName name="Two" localSheetId="2">'C'!$A$1</definedName></definedNames>`},
			}),
		},
		{
			name: "copy_sheet to the front moves the indexes", ops: `{"op":"copy_sheet","sheet":"S2","position":1}`,
			rep: formats.OpReport{Made: "S2 (2)"},
			swap: third(map[string][]string{
				sheet3:   {"", `<worksheet xmlns="` + sheetml.Namespace + `" xmlns:r="` + sheetml.RelNamespace + `"><sheetData><row r="1"><c r="A1"><f>S1!B3+1</f><v>6</v></c><c r="B1"><v>7</v></c></row></sheetData></worksheet>`},
				bookPart: {`<sheets>`, `<sheets><sheet name="S2 (2)" sheetId="3" r:id="rId3"/>`, `activeTab="1"`, `activeTab="2"`, `<definedName name="Two" localSheetId="1">S2!$A$1</definedName>`, `<definedName name="Two" localSheetId="2">S2!$A$1</definedName><definedName name="Two" localSheetId="0">'S2 (2)'!$A$1</definedName>`},
			}),
		},
	})
}

func TestSheetOperationsRefuse(t *testing.T) {
	long := strings.Repeat("x", 32)
	runRefusals(t, nil, []refusal{
		{`{"op":"ensure_sheet"}`, formats.CodeInvalid, "sheet is required"},
		{`{"op":"ensure_sheet","sheet":"a/b"}`, formats.CodeInvalid, "not allowed"},
		{`{"op":"ensure_sheet","sheet":"` + long + `"}`, formats.CodeInvalid, "it has 32 characters, at most 31"},
		{`{"op":"ensure_sheet","sheet":"'x"}`, formats.CodeInvalid, "apostrophe"},
		{`{"op":"ensure_sheet","sheet":"History"}`, formats.CodeInvalid, "Excel keeps this name"},
		{`{"op":"ensure_sheet","sheet":"a\u0007"}`, formats.CodeInvalid, "control character"},
		{`{"op":"rename_sheet","sheet":"S1"}`, formats.CodeInvalid, "new_name is required"},
		{`{"op":"rename_sheet","sheet":"S1","new_name":"s2"}`, formats.CodeInvalid, `a sheet named "S2" already`},
		{`{"op":"rename_sheet","sheet":"S9","new_name":"x"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"rename_sheet","new_name":"x"}`, formats.CodeInvalid, "sheet is required"},
		{`{"op":"rename_sheet","sheet":"S1","new_name":"a:b"}`, formats.CodeInvalid, "not allowed"},
		{`{"op":"delete_sheet"}`, formats.CodeInvalid, "sheet is required"},
		{`{"op":"delete_sheet","sheet":"S9"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"delete_sheet","sheet":"S1"},{"op":"delete_sheet","sheet":"S2"}`, formats.CodeInvalid, "at least one visible sheet"},
		{`{"op":"hide_sheet","sheet":"S1"},{"op":"hide_sheet","sheet":"S2"}`, formats.CodeInvalid, "at least one visible sheet"},
		{`{"op":"hide_sheet","sheet":"S1"},{"op":"delete_sheet","sheet":"S2"}`, formats.CodeInvalid, "at least one visible sheet"},
		{`{"op":"hide_sheet","sheet":"S9"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"move_sheet","sheet":"S1"}`, formats.CodeInvalid, "position is required"},
		{`{"op":"move_sheet","sheet":"S1","position":0}`, formats.CodeInvalid, "invalid position 0: expected 1 to 2"},
		{`{"op":"move_sheet","sheet":"S1","position":3}`, formats.CodeInvalid, "invalid position 3: expected 1 to 2"},
		{`{"op":"copy_sheet","sheet":"S1","position":4}`, formats.CodeInvalid, "invalid position 4: expected 1 to 3"},
		{`{"op":"copy_sheet","sheet":"S1","new_name":"S2"}`, formats.CodeInvalid, `a sheet named "S2" already`},
		{`{"op":"copy_sheet","sheet":"S9"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"copy_sheet_from","sheet":"S1"}`, formats.CodeInvalid, "path is required"},
		{`{"op":"copy_sheet_from","path":"x.xlsx"}`, formats.CodeInvalid, "sheet is required"},
		{`{"op":"copy_sheet_from","path":"x.xlsx","sheet":"S1"}`, formats.CodeUnsupported, "other files cannot be used here"},
	})
}

// The state of tabs survives edits of the list: whatever is moved, hidden and
// shown, every name stays with its sheet and the active tab is a visible one.
func TestTabsKeepTheirNames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := raw(t, map[string]string{bookPart: `<workbook xmlns="` + sheetml.Namespace + `" xmlns:r="` + sheetml.RelNamespace + `"><bookViews><workbookView/></bookViews><sheets>` +
			`<sheet name="S1" sheetId="1" r:id="rId1"/><sheet name="S2" sheetId="2" r:id="rId2"/><sheet name="S3" sheetId="3" r:id="rId3"/></sheets>` +
			`<definedNames><definedName name="N" localSheetId="0">S1!$A$1</definedName><definedName name="N" localSheetId="1">S2!$A$1</definedName><definedName name="N" localSheetId="2">S3!$A$1</definedName></definedNames></workbook>`},
			`<sheetData/>`, `<sheetData/>`, `<sheetData/>`)
		order, hidden := []string{"S1", "S2", "S3"}, map[string]bool{}
		for range rapid.IntRange(1, 5).Draw(rt, "edits") {
			s := rapid.SampledFrom(order).Draw(rt, "sheet")
			switch kind := rapid.SampledFrom([]string{"move", "hide", "unhide"}).Draw(rt, "kind"); {
			case kind == "move":
				to := rapid.IntRange(1, 3).Draw(rt, "position")
				in, _ = apply(t, in, `[{"op":"move_sheet","sheet":"`+s+`","position":`+string(rune('0'+to))+`}]`)
				order = moved(order, s, to-1)
			case kind == "hide" && len(hidden) < 2:
				in, _ = apply(t, in, `[{"op":"hide_sheet","sheet":"`+s+`"}]`)
				hidden[s] = true
			case kind == "unhide":
				in, _ = apply(t, in, `[{"op":"unhide_sheet","sheet":"`+s+`"}]`)
				delete(hidden, s)
			}
		}
		f := excel(t, in)
		require.Equal(rt, order, f.GetSheetList())
		for _, s := range order {
			visible, err := f.GetSheetVisible(s)
			require.NoError(rt, err)
			require.Equal(rt, !hidden[s], visible, s)
		}
		for _, n := range f.GetDefinedName() {
			require.Equal(rt, n.Scope+"!$A$1", n.RefersTo)
		}
		require.Len(rt, f.GetDefinedName(), 3)
		require.False(rt, hidden[order[f.GetActiveSheetIndex()]], "the active tab is hidden")
	})
}

// moved returns a list with one of its items at another place.
func moved(list []string, item string, to int) []string {
	var rest []string
	for _, s := range list {
		if s != item {
			rest = append(rest, s)
		}
	}
	return append(append(append([]string{}, rest[:to]...), item), rest[to:]...)
}

// A rename and one back leave the bytes that were there, but for the quotes that
// a name such as S1, which could be a cell, gets in formulas.
func TestRenameAndBack(t *testing.T) {
	in := smallBook(t)
	for _, name := range []string{"Other", "With blank", "It's", "2024", "R1C1", "Ünï"} {
		out, _ := apply(t, in, `[{"op":"rename_sheet","sheet":"S1","new_name":"`+name+`"},{"op":"rename_sheet","sheet":"`+name+`","new_name":"S1"}]`)
		for _, name := range []string{sheet2, bookPart} {
			out = edited(t, out, name, swap("'S1'!", "S1!"))
		}
		formatstest.SameParts(t, in, out)
	}
}

// A copied sheet and its deletion leave the parts that were there, but for the
// mark that formulas are to be calculated.
func TestCopySheetAndDelete(t *testing.T) {
	in := smallBook(t)
	out, _ := apply(t, in, `[{"op":"copy_sheet","sheet":"S1","new_name":"C"},{"op":"delete_sheet","sheet":"C"}]`)
	formatstest.SameParts(t, in, out, bookPart)
	require.Equal(t, strings.Replace(part(t, in, bookPart), "</workbook>", calcPr, 1), part(t, out, bookPart))
}
