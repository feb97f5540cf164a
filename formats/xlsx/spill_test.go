package xlsx

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// A formula that gives several values is stored as Excel does: a dynamic array
// formula with the values of the cells that it fills.
func TestFormulasSpill(t *testing.T) {
	out, rep := applyCalculated(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[["b",3],["a",1],["c",2]]},
		{"op":"set_cells","sheet":"S","cells":[{"cell":"D1","value":"=SORT(A1:A3)"},{"cell":"E1","value":"=B1:B3*2"},{"cell":"F1","value":"=SUM(B1:B3*B1:B3)"},{"cell":"G1","value":"=SUM(E1#)"},{"cell":"H1","value":"=@B1:B3*2"}]}]`)
	require.Equal(t, `<row r="1"><c r="A1" t="inlineStr"><is><t>b</t></is></c><c r="B1"><v>3</v></c><c r="D1" cm="1" t="str"><f t="array" ref="D1:D3">_xlfn._xlws.SORT(A1:A3)</f><v>a</v></c>`+
		`<c r="E1" cm="1"><f t="array" ref="E1:E3">B1:B3*2</f><v>6</v></c><c r="F1" cm="1"><f t="array" ref="F1">SUM(B1:B3*B1:B3)</f><v>14</v></c><c r="G1"><f>SUM(_xlfn.ANCHORARRAY(E1))</f><v>12</v></c><c r="H1"><f>B1:B3*2</f><v>6</v></c></row>`+
		`<row r="2"><c r="A2" t="inlineStr"><is><t>a</t></is></c><c r="B2"><v>1</v></c><c r="D2" t="str"><v>b</v></c><c r="E2"><v>2</v></c></row>`+
		`<row r="3"><c r="A3" t="inlineStr"><is><t>c</t></is></c><c r="B3"><v>2</v></c><c r="D3" t="str"><v>c</v></c><c r="E3"><v>4</v></c></row>`, sheetData(t, out))
	require.Contains(t, rep.Effects, "2 formulas spill: S!D1 into D1:D3, S!E1 into E1:E3")
	require.Contains(t, part(t, out, "xl/metadata.xml"), `<cellMetadata count="1"><bk><rc t="1" v="0"/></bk></cellMetadata>`)
	require.Empty(t, rep.Warnings)
	out, _ = applyCalculated(t, out, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"D1","value":null}]}]`) // LibreOffice 7.4 lacks SORT
	require.Equal(t, "b,3,,,6,14,12,6\na,1,,,2,,,\nc,2,,,4,,,\n", libreCSV(t, out))
}

// The cells that a formula fills follow the size of its result, and what reads them
// follows too. Reads say where the values come from, reviews that they followed.
func TestSpillsFollowTheirSources(t *testing.T) {
	in, _ := applyCalculated(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[["b",3],["a",1],["c",2]]},
		{"op":"set_cells","sheet":"S","cells":[{"cell":"D1","value":"=FILTER(B1:B9,B1:B9>1)"},{"cell":"E1","value":"=SUM(D3:D9)"},{"cell":"E2","value":"=SUM(D1#)"}]}]`)
	require.Equal(t, "Sheet: S\nA1: b, B1: 3, D1: 3, E1: 0\nA2: a, B2: 1, D2: 2, E2: 5\nA3: c, B3: 2\n(array formulas: D1 (=FILTER(B1:B9,B1:B9>1)) spills into D1:D2)", read(t, in, formats.Selector{}))
	require.Contains(t, read(t, in, formats.Selector{Include: []string{formats.IncludeFormulas}}), "D1: =FILTER(B1:B9,B1:B9>1) → 3")

	// It grows, and a formula that read empty cells below it has another value.
	more, rep := applyCalculated(t, in, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"B2","value":7},{"cell":"B5","value":4}]}]`)
	data := sheetData(t, more)
	for _, cell := range []string{`ref="D1:D4"`, `<c r="D2"><v>7</v></c>`, `<c r="D3"><v>2</v></c>`, `<c r="D4"><v>4</v></c>`, `<f>SUM(D3:D9)</f><v>6</v>`, `<v>16</v>`} {
		require.Contains(t, data, cell)
	}
	require.Equal(t, []string{"calculated: S!D3 = 2, S!D4 = 4", "3 dependants changed: S!E1 0 → 6, S!D2 2 → 7, S!E2 5 → 16", "1 formula spills: S!D1 into D1:D4 instead of D1:D2"}, rep.Effects)
	require.Empty(t, rep.Warnings)
	d := diffOf(t, in, more)
	require.Equal(t, []string{"B2 1 → 7", "row 5  → 4"}, itemsOf(d))

	// It shrinks: cells that it does not fill any more are empty.
	less, rep := applyCalculated(t, more, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"B2","value":0},{"cell":"B3","value":0}]}]`)
	require.Contains(t, sheetData(t, less), `ref="D1:D2"`)
	require.NotContains(t, sheetData(t, less), `<c r="D3"><v>`)
	require.Contains(t, rep.Effects, "1 formula spills: S!D1 into D1:D2 instead of D1:D4")
	require.Equal(t, []string{"B2 7 → 0", "B3 2 → 0"}, itemsOf(diffOf(t, more, less)))
}

// itemsOf lists the items of a comparison.
func itemsOf(d *formats.Diff) (out []string) {
	for _, g := range d.Groups {
		for _, it := range g.Items {
			out = append(out, it.At+" "+it.Old+" → "+it.New)
		}
	}
	return out
}

// What is in the way of a result is told, and the formula spills once it is gone.
func TestBlockedSpills(t *testing.T) {
	in, rep := applyCalculated(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[[1,"","x"],[2],[3]]},{"op":"set_cells","sheet":"S","cells":[{"cell":"B3","value":"here"},{"cell":"B1","value":"=A1:A3*2"},{"cell":"D1","value":"=SUM(B1:B2)"}]}]`)
	require.Contains(t, sheetData(t, in), `<c r="B1" cm="1" t="e"><f t="array" ref="B1">A1:A3*2</f><v>#SPILL!</v></c>`)
	require.Contains(t, rep.Warnings, "#SPILL!: S!B1 would fill B1:B3, but cell B3 is in the way; move or clear what is in the way, or write the formula elsewhere")
	free, rep := applyCalculated(t, in, `[{"op":"clear_range","sheet":"S","range":"B3"}]`)
	require.Contains(t, sheetData(t, free), `<f t="array" ref="B1:B3">A1:A3*2</f><v>2</v>`)
	require.Contains(t, sheetData(t, free), `<c r="B3"><v>6</v></c>`)
	require.Contains(t, rep.Effects, "1 formula spills: S!B1 into B1:B3")

	merged, rep := applyCalculated(t, nil, `[{"op":"ensure_sheet","sheet":"S"},{"op":"merge_cells","sheet":"S","range":"B2:C2"},{"op":"set_cells","sheet":"S","cells":[{"cell":"B1","value":"=SEQUENCE(3)"}]}]`)
	require.Contains(t, sheetData(t, merged), `<v>#SPILL!</v>`)
	require.Contains(t, rep.Warnings[len(rep.Warnings)-1], "the merged cell B2:C2 is in the way")
	_, rep = applyCalculated(t, nil, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"XFD1","value":"=SEQUENCE(1,3)"}]}]`)
	require.Contains(t, rep.Warnings[len(rep.Warnings)-1], "the edge of the sheet is in the way")
}

func TestWritingIntoSpills(t *testing.T) {
	in, _ := applyCalculated(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[[1],[2],[3]]},{"op":"set_cells","sheet":"S","cells":[{"cell":"B1","value":"=A1:A3*2"},{"cell":"C1","value":"=SUM(B1:B3)"}]}]`)
	for _, op := range []string{`{"op":"set_cells","sheet":"S","cells":[{"cell":"B2","value":5}]}`, `{"op":"clear_range","sheet":"S","range":"B2:B3"}`, `{"op":"set_cells","sheet":"S","cells":[{"cell":"B3","value":null}]}`} {
		_, _, err := tryApply(t, in, "["+op+"]")
		require.ErrorContains(t, err, `of sheet "S" shows a value of the formula in B1, which spills into B1:B3; write that cell or clear it, or write another one`)
	}
	// The cell of the formula may be written alone: the others are emptied.
	out, rep := applyCalculated(t, in, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"B1","value":5}]}]`)
	require.Equal(t, "1,5,5\n2,,\n3,,\n", libreCSV(t, out))
	require.NotContains(t, sheetData(t, out), `r="B2"><v>`)
	require.Contains(t, rep.Warnings, "1 formula was overwritten or cleared: S!B1")
	cleared, _ := applyCalculated(t, in, `[{"op":"clear_range","sheet":"S","range":"A1:B3"}]`)
	require.NotContains(t, sheetData(t, cleared), "array")
}

// An array formula over several cells has one cell with the formula; the others are
// not written alone.
func TestArrayFormulasOverSeveralCells(t *testing.T) {
	out, rep := applyCalculated(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[[1,"old"],[2,"old"],[3]]},{"op":"set_cells","sheet":"S","cells":[{"cell":"B1:B4","value":"{=A1:A3*2}","style":{"font_bold":true}}]}]`)
	require.Empty(t, rep.Ops[1].Warnings)
	require.Contains(t, sheetData(t, out), `<f t="array" ref="B1:B4">A1:A3*2</f><v>2</v>`)
	require.Equal(t, "1,2\n2,4\n3,6\n,#N/A\n", libreCSV(t, out))
	require.Equal(t, "Sheet: S\nA1: 1, B1: {=A1:A3*2} → 2\nA2: 2, B2: 4\nA3: 3, B3: 6\nB4: #N/A\n(array formulas: B1 fills B1:B4)", read(t, out, formats.Selector{Include: []string{formats.IncludeFormulas}}))
	changed, rep := applyCalculated(t, out, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"A2","value":7}]}]`)
	require.Contains(t, sheetData(t, changed), `<c r="B2" s="1"><v>14</v></c>`)
	require.Equal(t, []string{"1 dependant changed: S!B2 4 → 14"}, rep.Effects)
	require.Equal(t, []string{"A2 2 → 7"}, itemsOf(diffOf(t, out, changed)))
	for ops, want := range map[string]string{
		`{"op":"set_cells","sheet":"S","cells":[{"cell":"B2","value":1}]}`:                                                                       "part of the array formula in B1:B4",
		`{"op":"set_cells","sheet":"S","cells":[{"cell":"D1:D3","value":"{=A1:A3}"},{"cell":"D2","value":1}]}`:                                   "cell D2 of sheet \"S\" is part of the array formula that was written in D1:D3",
		`{"op":"set_cells","sheet":"S","cells":[{"cell":"D1:D3","value":"=A1"}]}`:                                                                "only an array formula {=…} is written over",
		`{"op":"set_cells","sheet":"S","cells":[{"cell":"D1:D3","value":5}]}`:                                                                    "only an array formula {=…} is written over",
		`{"op":"set_cells","sheet":"S","cells":[{"cell":"A1:C100000","value":"{=1}"}]}`:                                                          "more than 100000 cells",
		`{"op":"merge_cells","sheet":"S","range":"D2:E2"},{"op":"set_cells","sheet":"S","cells":[{"cell":"D1:D3","value":"{=A1:A3}"}]}`:          "overlaps the array formula in D1:D3",
		`{"op":"add_table","sheet":"S","range":"F1:G4","name":"T"},{"op":"set_cells","sheet":"S","cells":[{"cell":"G2:G3","value":"{=A1:A2}"}]}`: "the array formula in G2:G3",
	} {
		_, _, err := tryApply(t, out, "["+ops+"]")
		require.ErrorContains(t, err, want, ops)
	}
	whole, _ := applyCalculated(t, out, `[{"op":"set_range","sheet":"S","start":"B1","values":[[1],[2],[3],[4]]}]`)
	require.NotContains(t, sheetData(t, whole), "array")
}

// Array formulas of one cell are sorted and filled, and whole ones are copied, in which
// dynamic ones spill anew.
func TestArraysAreCopiedAndSorted(t *testing.T) {
	in, _ := applyCalculated(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[[3,1],[1,2],[2,3]]},
		{"op":"set_cells","sheet":"S","cells":[{"cell":"C1","value":"=SUM(A1:B1*A1:B1)"},{"cell":"E1","value":"=A1:A3*10"},{"cell":"G1:G3","value":"{=A1:A3*100}"}]}]`)
	out, rep := applyCalculated(t, in, `[{"op":"fill","sheet":"S","range":"C1:C3","direction":"down"},{"op":"copy_range","sheet":"S","range":"E1:G3","target":"E11"}]`)
	require.Empty(t, rep.Warnings)
	require.Contains(t, sheetData(t, out), `<c r="C3" cm="1"><f t="array" ref="C3">SUM(A3:B3*A3:B3)</f><v>13</v></c>`)
	require.Contains(t, sheetData(t, out), `<c r="E11" cm="1"><f t="array" ref="E11:E13">A11:A13*10</f><v>0</v></c>`)
	require.Contains(t, sheetData(t, out), `<c r="G11"><f t="array" ref="G11:G13">A11:A13*100</f><v>0</v></c>`)
	sorted, _ := applyCalculated(t, out, `[{"op":"sort_range","sheet":"S","range":"A1:C3","by":[{"column":"A"}]}]`)
	require.Equal(t, "1,2,5,,10,,100\n2,3,13,,20,,200\n3,1,10,,30,,300\n", strings.Join(strings.SplitAfter(libreCSV(t, sorted), "\n")[:3], ""))
	values, _ := applyCalculated(t, in, `[{"op":"copy_range","sheet":"S","range":"E2:E3","target":"J1"},{"op":"copy_range","sheet":"S","range":"G1:G3","target":"K1","values_only":true}]`)
	require.Contains(t, sheetData(t, values), `<c r="J1"><v>10</v></c><c r="K1"><v>300</v></c>`)
	for _, op := range []string{`{"op":"copy_range","sheet":"S","range":"G2:G3","target":"J1"}`, `{"op":"sort_range","sheet":"S","range":"A1:E3","by":[{"column":"A"}]}`, `{"op":"fill","sheet":"S","range":"G1:H3","direction":"right"}`} {
		_, _, err := tryApply(t, in, "["+op+"]")
		require.ErrorContains(t, err, "cannot be moved or copied in parts", op)
	}
}

// Rows come and go inside a spill, which fills its cells anew; an array formula over
// several cells refuses that.
func TestRowsInsideSpills(t *testing.T) {
	in, _ := applyCalculated(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[[3],[1],[2]]},{"op":"set_cells","sheet":"S","cells":[{"cell":"C1","value":"=A1:A3*10"},{"cell":"D5","value":"=SUM(C1:C3)"}]}]`)
	out, rep := applyCalculated(t, in, `[{"op":"insert_rows","sheet":"S","row":2}]`)
	require.Contains(t, sheetData(t, out), `<f t="array" ref="C1:C4">A1:A4*10</f>`)
	require.Equal(t, "3,,30,\n,,0,\n1,,10,\n2,,20,\n,,,\n,,,60\n", libreCSV(t, out))
	require.Contains(t, rep.Effects, "1 formula spills: S!C1 into C1:C4")
	back, _ := applyCalculated(t, out, `[{"op":"delete_rows","sheet":"S","row":2}]`)
	require.Equal(t, sheetData(t, in), sheetData(t, back))
	gone, _ := applyCalculated(t, in, `[{"op":"delete_rows","sheet":"S","row":1}]`)
	require.Equal(t, "1,,,\n2,,,\n,,,\n,,,0\n", libreCSV(t, gone))
	below, _ := applyCalculated(t, in, `[{"op":"insert_rows","sheet":"S","row":1},{"op":"insert_columns","sheet":"S","column":"B"}]`)
	require.Contains(t, sheetData(t, below), `<f t="array" ref="D2:D4">A2:A4*10</f>`)
}

// A text that a formula fills a cell with is a result: it is translated with the text
// that it comes from, and not replaced.
func TestSpilledTextsAreResults(t *testing.T) {
	in, _ := applyCalculated(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[["Berlin"],["Aachen"]]},{"op":"set_cells","sheet":"S","cells":[{"cell":"C1","value":"=SORT(A1:A2)"}]}]`)
	segs, err := segmenter{}.Segments(t.Context(), src(in), formats.SegmentOptions{})
	require.NoError(t, err)
	require.Len(t, segs, 2)
	var out bytes.Buffer
	require.NoError(t, segmenter{}.Replace(t.Context(), src(in), &out, map[string]string{segs[0].ID: "Zwolle"}, formats.ReplaceOptions{Calculate: true}))
	require.Contains(t, sheetData(t, out.Bytes()), `<c r="C2" t="str"><v>Zwolle</v></c>`)
	replaced, rep := applyCalculated(t, in, `[{"op":"replace_text","search":"Aachen","replace":"Ulm"}]`)
	require.Equal(t, 1, rep.Ops[0].Hits)
	require.Contains(t, sheetData(t, replaced), `<c r="C2" t="str"><v>Ulm</v></c>`)
}
