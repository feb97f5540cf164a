package xlsx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func TestNameOperations(t *testing.T) {
	noNames := func() []byte {
		return raw(t, map[string]string{bookPart: bookXML("")}, `<sheetData><row r="1"><c r="A1"><f>Rate*2</f><v>4</v></c></row></sheetData>`, `<sheetData/>`)
	}
	runOps(t, []opTest{
		{
			name: "define_name adds a name", ops: `{"op":"define_name","name":"Rate","refers_to":"=S2!$B$1"}`,
			rep:  formats.OpReport{Hits: 1, Made: "Rate"},
			swap: map[string][]string{bookPart: {`</definedNames>`, `<definedName name="Rate">S2!$B$1</definedName></definedNames>`}},
		},
		{
			name: "define_name makes the list, and formulas wait", in: noNames(), ops: `{"op":"define_name","name":"Rate","refers_to":"S2!$B$1&\"<\""}`,
			rep: formats.OpReport{Hits: 1, Made: "Rate"}, warns: []string{"1 value of a formula that depends on the edit was dropped (S1!A1)"},
			swap: map[string][]string{
				bookPart: {`</sheets>`, `</sheets><definedNames><definedName name="Rate">S2!$B$1&amp;&quot;&lt;&quot;</definedName></definedNames><calcPr fullCalcOnLoad="1"/>`},
				sheet1:   {`<v>4</v>`, ``},
			},
		},
		{
			name: "define_name changes a name in any case", ops: `{"op":"define_name","name":"TOTAL","refers_to":"S2!$B$1"}`,
			rep:  formats.OpReport{Hits: 1, Made: "TOTAL"},
			swap: map[string][]string{bookPart: {`S1!$B$4`, `S2!$B$1`}},
		},
		{
			name: "define_name for a sheet leaves that of another alone", ops: `{"op":"define_name","name":"Two","refers_to":"S2!$B$1","scope":"S1"}`,
			rep:  formats.OpReport{Hits: 1, Made: "Two"},
			swap: map[string][]string{bookPart: {`</definedNames>`, `<definedName name="Two" localSheetId="0">S2!$B$1</definedName></definedNames>`}},
		},
		{
			name: "define_name with a relative reference", ops: `{"op":"define_name","name":"Near","refers_to":"S2!B1"}`,
			rep:  formats.OpReport{Hits: 1, Made: "Near", Warnings: []string{"the reference has no $ signs, so the name means other cells in each cell it is used in"}},
			swap: map[string][]string{bookPart: {`</definedNames>`, `<definedName name="Near">S2!B1</definedName></definedNames>`}},
		},
		{
			name: "delete_name takes one name", ops: `{"op":"delete_name","name":"total"}`,
			rep: formats.OpReport{Hits: 1}, swap: map[string][]string{bookPart: {`<definedName name="Total">S1!$B$4</definedName>`, ``}},
		},
		{
			name: "delete_name of the last one takes the list", ops: `{"op":"delete_name","name":"Total"},{"op":"delete_name","name":"Two","scope":"S2"}`,
			rep:  formats.OpReport{Hits: 1},
			swap: map[string][]string{bookPart: {`<definedNames><definedName name="Total">S1!$B$4</definedName><definedName name="Two" localSheetId="1">S2!$A$1</definedName></definedNames>`, ``}},
		},
		{
			name: "autofilter sets the filter and its hidden name", ops: `{"op":"autofilter","sheet":"S1","range":"A1:C4"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!A1:C4"},
			swap: map[string][]string{
				sheet1:   {`</sheetData>`, `</sheetData><autoFilter ref="A1:C4"/>`},
				bookPart: {`</definedNames>`, `<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">'S1'!$A$1:$C$4</definedName></definedNames>`},
			},
		},
		{
			name: "autofilter of whole columns takes what they hold", ops: `{"op":"autofilter","sheet":"S1","range":"A:B"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!A1:B4"},
			swap: map[string][]string{
				sheet1:   {`</sheetData>`, `</sheetData><autoFilter ref="A1:B4"/>`},
				bookPart: {`</definedNames>`, `<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">'S1'!$A$1:$B$4</definedName></definedNames>`},
			},
		},
		{
			name: "autofilter twice: the last one counts", ops: `{"op":"autofilter","sheet":"S1","range":"A1:C4"},{"op":"autofilter","sheet":"S1","range":"A1:B4"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!A1:B4"},
			swap: map[string][]string{
				sheet1:   {`</sheetData>`, `</sheetData><autoFilter ref="A1:B4"/>`},
				bookPart: {`</definedNames>`, `<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">'S1'!$A$1:$B$4</definedName></definedNames>`},
			},
		},
		{
			name: "autofilter set and removed", ops: `{"op":"autofilter","sheet":"S1","range":"A1:C4"},{"op":"autofilter","sheet":"S1","remove":true}`,
			rep: formats.OpReport{Hits: 1},
		},
		{
			name: "autofilter remove without a filter", ops: `{"op":"autofilter","sheet":"S1","remove":true}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"the sheet has no filter of its own"}},
		},
	})
}

func TestNameOperationsRefuse(t *testing.T) {
	runRefusals(t, nil, []refusal{
		{`{"op":"define_name","refers_to":"S1!$A$1"}`, formats.CodeInvalid, "name is required"},
		{`{"op":"define_name","name":"x","refers_to":" = "}`, formats.CodeInvalid, "refers_to is required"},
		{`{"op":"define_name","name":"R","refers_to":"S1!$A$1"}`, formats.CodeInvalid, "invalid name R"},
		{`{"op":"define_name","name":"1x","refers_to":"S1!$A$1"}`, formats.CodeInvalid, "begins with a letter"},
		{`{"op":"define_name","name":"a b","refers_to":"S1!$A$1"}`, formats.CodeInvalid, "begins with a letter"},
		{`{"op":"define_name","name":"XFD1","refers_to":"S1!$A$1"}`, formats.CodeInvalid, "looks like a cell"},
		{`{"op":"define_name","name":"R1C1","refers_to":"S1!$A$1"}`, formats.CodeInvalid, "looks like a cell"},
		{`{"op":"define_name","name":"_xlnm.Print_Area","refers_to":"S1!$A$1"}`, formats.CodeInvalid, "Excel keeps it for printing"},
		{`{"op":"define_name","name":"x","refers_to":"S9!$A$1"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"define_name","name":"x","refers_to":"S1!$A$1","scope":"S9"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"define_name","name":"x","refers_to":"SUM(S1!$A$1"}`, formats.CodeInvalid, "a bracket is not closed"},
		{`{"op":"define_name","name":"x","refers_to":"S1!$A$1:"}`, formats.CodeInvalid, "an operand of : is missing"},
		{`{"op":"define_name","name":"x","refers_to":"S1!$A$1,"}`, formats.CodeInvalid, "an operand of , is missing"},
		{`{"op":"define_name","name":"x","refers_to":":S1!$A$1"}`, formats.CodeInvalid, "an operand of : is missing"},
		{`{"op":"delete_name","name":"Two"}`, formats.CodeNotFound, "no name Two is defined for the workbook"},
		{`{"op":"delete_name","name":"Total","scope":"S1"}`, formats.CodeNotFound, `no name Total is defined for the sheet "S1"`},
		{`{"op":"autofilter","sheet":"S1"}`, formats.CodeInvalid, "range is required"},
		{`{"op":"autofilter","sheet":"S9","range":"A1:B2"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"autofilter","sheet":"S1","range":"K:L"}`, formats.CodeInvalid, "K:L is empty"},
	})
}

// A name that is defined and deleted leaves the bytes that were there, whatever
// other names there are.
func TestDefineNameAndDelete(t *testing.T) {
	in := smallBook(t)
	for _, name := range []string{"Rate", "Größe", "_x", "a.b", "Two"} {
		for _, scope := range []string{``, `,"scope":"S1"`} {
			out, _ := apply(t, in, `[{"op":"define_name","name":"`+name+`","refers_to":"S1!$A$1"`+scope+`},{"op":"delete_name","name":"`+name+`"`+scope+`}]`)
			formatstest.SameParts(t, in, out)
		}
	}
}

// An index of the active tab that no sheet has stays.
func TestMoveSheetKeepsABadActiveTab(t *testing.T) {
	in := edited(t, smallBook(t), bookPart, swap(`activeTab="1"`, `activeTab="99"`))
	out, _ := apply(t, in, `[{"op":"move_sheet","sheet":"S2","position":1}]`)
	require.Contains(t, part(t, out, bookPart), `activeTab="99"`)
}
