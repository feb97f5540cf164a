package xlsx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// Each formula of the table reads what it read before, where a move leaves it.
func TestMovesOfFormulas(t *testing.T) {
	for _, c := range []struct{ op, was, now string }{
		{`"op":"move_columns","column":"B","to":"E"`, "B1+C1*D1+E1", "D1+B1*C1+E1"},
		{`"op":"move_columns","column":"D","count":2,"to":1`, "A1+D1+$E$2+F1", "C1+A1+$B$2+F1"},
		{`"op":"move_columns","column":"B","to":"E"`, "SUM(A1:D1)", "SUM(A1:D1)"}, // all stay together
		{`"op":"move_columns","column":"B","to":"E"`, "SUM(B1:D1)", "SUM(B1:D1)"}, // in another order
		{`"op":"move_columns","column":"B","to":"H"`, "SUM(A1:D1)", "SUM(A1:C1)"}, // one leaves
		{`"op":"move_columns","column":"H","to":"B"`, "SUM(A1:D1)", "SUM(A1:E1)"}, // one comes
		{`"op":"move_columns","column":"B","to":"H"`, "SUM(B1:B9)", "SUM(G1:G9)"}, // it moves along
		{`"op":"move_columns","column":"B","to":"H"`, "SUM(B:B)+SUM(3:4)+SUM(A1:XFD1)", "SUM(G:G)+SUM(3:4)+SUM(A1:XFD1)"},
		{`"op":"move_rows","row":9,"to":3`, "SUM(A1:A10)+A9", "SUM(A1:A10)+A3"},
		{`"op":"move_rows","row":10,"to":3`, "SUM(A1:A10)", "SUM(A1:A10)"},
		{`"op":"move_rows","row":10,"to":20`, "SUM(A1:A10)", "SUM(A1:A9)"},
		{`"op":"move_rows","range":"3:4","to":20`, "SUM(A3:A4)-A20", "SUM(A18:A19)-A20"},
		{`"op":"move_rows","row":3,"to":20`, "S1!A3&OTHER!A3", "S1!A19&OTHER!A3"},
	} {
		in := raw(t, nil, `<sheetData><row r="40"><c r="Z40"><f>`+c.was+`</f><v>1</v></c></row></sheetData>`)
		out, _ := apply(t, in, `[{`+c.op+`,"sheet":"S1"}]`)
		require.Equal(t, "="+c.now, formulasOf(t, out)["S1!Z40"], "%s: %s", c.op, c.was)
	}
}

// moveRefs holds what a sheet has around its rows.
const movable = `<dimension ref="A1:E4"/><sheetViews><sheetView workbookViewId="0"><pane xSplit="1" topLeftCell="B1" activePane="topRight" state="frozen"/><selection pane="topRight" activeCell="C2" sqref="C2"/></sheetView></sheetViews><cols><col min="1" max="1" width="30" customWidth="1"/><col min="2" max="3" width="11" customWidth="1"/><col min="5" max="5" width="5" hidden="1" customWidth="1"/></cols>` +
	`<sheetData><row r="1" spans="1:5"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>b</t></is></c><c r="C1" t="inlineStr"><is><t>c</t></is></c><c r="D1" t="inlineStr"><is><t>d</t></is></c></row>` +
	`<row r="2" ht="30" customHeight="1"><c r="A2"><v>1</v></c><c r="B2"><f t="shared" ref="B2:C3" si="0">A2*2</f><v>2</v></c><c r="C2"><f t="shared" si="0"/><v>4</v></c><c r="E2"><f>SUM(A2:C2)</f><v>7</v></c></row>` +
	`<row r="3"><c r="A3"><v>5</v></c><c r="B3"><f t="shared" si="0"/><v>10</v></c><c r="C3"><f t="shared" si="0"/><v>20</v></c></row></sheetData>` +
	`<autoFilter ref="A1:D3"><filterColumn colId="0"><filters><filter val="1"/></filters></filterColumn><filterColumn colId="2"><filters><filter val="4"/></filters></filterColumn></autoFilter><mergeCells count="1"><mergeCell ref="F1:F3"/></mergeCells>` +
	`<conditionalFormatting sqref="A2:C3"><cfRule type="expression" priority="1"><formula>A2&gt;$C$2</formula></cfRule></conditionalFormatting><conditionalFormatting sqref="C2:C3"><cfRule type="expression" priority="2"><formula>C2&gt;B2</formula></cfRule></conditionalFormatting><dataValidations count="1"><dataValidation type="list" sqref="B2:B9"><formula1>$C$2:$C$3</formula1></dataValidation></dataValidations><hyperlinks><hyperlink ref="C1" location="S1!B2" display="x"/></hyperlinks>`

func movableBook(t testing.TB) []byte {
	return raw(t, map[string]string{
		comments1: `<comments xmlns="` + sheetml.Namespace + `"><authors><author>x</author></authors><commentList><comment ref="C2" authorId="0"><text><t>note</t></text></comment></commentList></comments>`,
		bookPart:  bookXML(`<definedNames><definedName name="Cs">S1!$C$2:$C$3</definedName></definedNames>`),
	}, movable, `<sheetData><row r="1"><c r="A1"><f>S1!C2</f><v>4</v></c></row></sheetData>`)
}

func TestMoveColumns(t *testing.T) {
	in := movableBook(t)
	out, rep := apply(t, in, `[{"op":"move_columns","sheet":"S1","column":"C","to":"A"}]`)
	require.Equal(t, "S1!A:A", rep.Ops[0].Made)
	require.Equal(t, 1, rep.Ops[0].Hits)
	got := part(t, out, sheet1)
	for _, want := range []string{
		`<col width="11" customWidth="1" min="1" max="1"/><col width="30" customWidth="1" min="2" max="2"/><col width="11" customWidth="1" min="3" max="3"/><col width="5" hidden="1" customWidth="1" min="5" max="5"/>`,
		`<row r="1"><c r="A1" t="inlineStr"><is><t>c</t></is></c><c r="B1" t="inlineStr"><is><t>a</t></is></c><c r="C1" t="inlineStr"><is><t>b</t></is></c><c r="D1"`,
		`<row r="2" ht="30" customHeight="1"><c r="A2"><f>C2*2</f><v>4</v></c><c r="B2"><v>1</v></c><c r="C2"><f>B2*2</f><v>2</v></c><c r="E2"><f>SUM(A2:C2)</f></c></row>`,
		`<autoFilter ref="A1:D3"><filterColumn colId="0"><filters><filter val="4"/></filters></filterColumn><filterColumn colId="1"><filters><filter val="1"/></filters></filterColumn></autoFilter>`,
		`<conditionalFormatting sqref="A2:C3"><cfRule type="expression" priority="1"><formula>A2&gt;$A$2</formula>`,
		`<conditionalFormatting sqref="A2:A3"><cfRule type="expression" priority="2"><formula>A2&gt;C2</formula>`,
		`sqref="C2:C9"><formula1>$A$2:$A$3</formula1>`, `<hyperlink ref="A1" location="S1!C2"`, `xSplit="1"`, `activeCell="C2"`,
	} {
		require.Contains(t, got, want)
	}
	require.Contains(t, part(t, out, sheet2), `<f>S1!A2</f><v>4</v>`)
	require.Contains(t, part(t, out, bookPart), `S1!$A$2:$A$3`)
	require.Contains(t, part(t, out, comments1), `ref="A2"`)
	valid(t, out, in)

	back, _ := apply(t, out, `[{"op":"move_columns","sheet":"S1","column":"A","to":"D"}]`)
	require.Equal(t, formulasOf(t, in), formulasOf(t, back))
	for _, tail := range []string{`<autoFilter`, `<conditionalFormatting`} {
		require.Equal(t, part(t, in, sheet1)[strings.Index(part(t, in, sheet1), tail):], part(t, back, sheet1)[strings.Index(part(t, back, sheet1), tail):])
	}
	require.Equal(t, part(t, in, comments1), part(t, back, comments1))

	// A rule on several columns, of which one leaves, stays with its cells.
	out, rep = apply(t, in, `[{"op":"autofilter","sheet":"S1","remove":true},{"op":"move_columns","sheet":"S1","column":"B","to":"H"}]`)
	require.Contains(t, part(t, out, sheet1), `<conditionalFormatting sqref="A2:B3 G2:G3">`)
	require.Contains(t, rep.Ops[1].Warnings, "1 formula reads more or fewer cells than before, since a part of what they read moved: S1!D2")
	back, _ = apply(t, out, `[{"op":"move_columns","sheet":"S1","column":"G","to":"B"}]`)
	require.Contains(t, part(t, back, sheet1), `<conditionalFormatting sqref="A2:C3">`)
	require.Equal(t, formulasOf(t, in), formulasOf(t, back))
}

func TestMoveRows(t *testing.T) {
	in := movableBook(t)
	out, rep := apply(t, in, `[{"op":"move_rows","sheet":"S1","row":2,"to":4}]`)
	require.Equal(t, "S1!3:3", rep.Ops[0].Made)
	got := part(t, out, sheet1)
	require.Contains(t, got, `<row r="2"><c r="A2"><v>5</v></c><c r="B2"><f>A2*2</f><v>10</v></c><c r="C2"><f>B2*2</f><v>20</v></c></row><row r="3" ht="30" customHeight="1"><c r="A3"><v>1</v></c><c r="B3"><f>A3*2</f>`)
	require.Contains(t, part(t, out, sheet2), `<f>S1!C3</f>`)
	require.Contains(t, part(t, out, comments1), `ref="C3"`)
	valid(t, out, in)
	for _, to := range []string{`2,"count":2,"to":1048576`, `1,"count":3,"to":9`} {
		apply(t, movableBook(t), `[{"op":"unmerge_cells","sheet":"S1","range":"F1:F3"},{"op":"move_rows","sheet":"S1","row":`+to+`}]`)
	}
	same, rep := apply(t, in, `[{"op":"move_rows","sheet":"S1","row":2,"to":3}]`)
	require.Equal(t, in, same)
	require.Equal(t, []string{`2:2 of sheet "S1" is there already; nothing was changed`}, rep.Ops[0].Warnings)
}

func TestMovesThatAreRefused(t *testing.T) {
	runRefusals(t, movableBook(t), []refusal{
		{`{"op":"move_rows","sheet":"S1","row":2}`, formats.CodeInvalid, "to is required"},
		{`{"op":"move_rows","sheet":"S1","row":2,"to":"x9"}`, formats.CodeInvalid, "invalid to"},
		{`{"op":"move_rows","sheet":"S1","row":2,"to":0}`, formats.CodeInvalid, "invalid to: 0"},
		{`{"op":"move_columns","sheet":"S1","column":"B","to":16385}`, formats.CodeInvalid, "invalid to"},
		{`{"op":"move_columns","sheet":"S1","to":"A"}`, formats.CodeInvalid, "column is required"},
		{`{"op":"move_columns","sheet":"S1","range":"B,D","to":"A"}`, formats.CodeInvalid, "only neighbours move together"},
		{`{"op":"move_rows","sheet":"S1","row":1,"to":3}`, formats.CodeInvalid, "tear apart the merged cells F1:F3"},
		{`{"op":"move_rows","sheet":"S1","row":9,"to":2}`, formats.CodeInvalid, "tear apart the merged cells F1:F3"},
		{`{"op":"move_columns","sheet":"S1","column":"B","to":"H"}`, formats.CodeInvalid, "tear apart the filter of A1:D3"},
	})
	array := raw(t, nil, `<sheetData><row r="1"><c r="A1"><f t="array" ref="A1:B3">C1:D3</f><v>1</v></c></row></sheetData>`)
	runRefusals(t, array, []refusal{{`{"op":"move_rows","sheet":"S1","row":2,"to":9}`, formats.CodeInvalid, "tear apart the array formula in A1:B3"}})
	table := raw(t, map[string]string{table1: tableXML}, `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row><row r="2"><c r="A2"><v>1</v></c><c r="B2"><f>T[[#This Row],[a]]*A3</f></c></row></sheetData>`)
	runRefusals(t, table, []refusal{
		{`{"op":"move_rows","sheet":"S1","row":1,"to":9}`, formats.CodeInvalid, "the header and the totals of the table T (A1:B3) stay"},
		{`{"op":"move_rows","sheet":"S1","range":"2:3","to":9}`, formats.CodeInvalid, "all data rows of the table T (A1:B3)"},
		{`{"op":"move_columns","sheet":"S1","column":"A","to":"D"}`, formats.CodeInvalid, "into or out of the table T (A1:B3)"},
		{`{"op":"move_columns","sheet":"S1","column":"H","to":"B"}`, formats.CodeInvalid, "into or out of the table T (A1:B3)"},
	})
	out, _ := apply(t, table, `[{"op":"move_columns","sheet":"S1","column":"B","to":"A"}]`)
	require.Contains(t, part(t, out, table1), `<tableColumns count="2"><tableColumn id="2" name="b"/><tableColumn id="1" name="a"/></tableColumns>`)
	require.Contains(t, part(t, out, sheet1), `<f>T[[#This Row],[a]]*B3</f>`)
	valid(t, out, table)
	back, _ := apply(t, out, `[{"op":"move_columns","sheet":"S1","column":"B","to":1}]`)
	require.Equal(t, part(t, table, table1), part(t, back, table1))
	require.Equal(t, formulasOf(t, table), formulasOf(t, back))
}

// A move and the move back leave every formula, unless a range lost cells.
func TestMoveAndBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := randomBook(t, rapid.Int64().Draw(rt, "seed"))
		sh := cellref.Shift{Cols: rapid.Bool().Draw(rt, "columns"), At: rapid.IntRange(1, 12).Draw(rt, "at"), Count: rapid.IntRange(1, 4).Draw(rt, "n"), To: rapid.IntRange(1, 14).Draw(rt, "to")}
		if sh.To >= sh.At && sh.To <= sh.At+sh.Count {
			return
		}
		op := func(sh cellref.Shift) string {
			if sh.Cols {
				return fmt.Sprintf(`{"op":"move_columns","sheet":"Sheet1","column":%d,"count":%d,"to":%d}`, sh.At, sh.Count, sh.To)
			}
			return fmt.Sprintf(`{"op":"move_rows","sheet":"Sheet1","row":%d,"count":%d,"to":%d}`, sh.At, sh.Count, sh.To)
		}
		out, rep, err := tryApply(t, in, "["+op(sh)+"]")
		require.NoError(rt, err)
		back, _, err := tryApply(t, out, "["+op(sh.Inverse())+"]")
		require.NoError(rt, err)
		want, got := formulasOf(t, in), formulasOf(t, back)
		require.Len(rt, got, len(want))
		if len(rep.Ops[0].Warnings) == 0 {
			require.Equal(rt, want, got)
		}
	})
}

func TestLibreOfficeCalculatesTheSameAfterMoves(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		for r := 1; r <= 10; r++ {
			require.NoError(t, f.SetCellValue("Sheet1", cellref.Name(r, 1), r*r))
			require.NoError(t, f.SetCellFormula("Sheet1", cellref.Name(r, 2), fmt.Sprintf("A%d*$A$10+MATCH(A%d,$A$1:$A$10,0)", r, r)))
		}
		require.NoError(t, f.SetCellFormula("Sheet1", "C1", "SUM(B1:B10)+MAX(A1:B10)"))
	})
	value := func(b []byte, cell string) string {
		made := formatstest.LibreOffice(t, formatstest.Write(t, "calc.xlsx", b), "xlsx")
		v, err := excel(t, load(t, made)).GetCellValue("Sheet1", cell)
		require.NoError(t, err)
		return v
	}
	out, _ := apply(t, in, `[{"op":"move_columns","sheet":"Sheet1","column":"B","to":"A"},{"op":"move_columns","sheet":"Sheet1","column":"C","to":"A"}]`)
	require.Equal(t, value(in, "C1"), value(out, "A1"))
	require.Equal(t, value(in, "B7"), value(out, "B7"))
}
