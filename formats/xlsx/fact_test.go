package xlsx

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/cellref"
)

// told writes what a diff tells, a line for each item and fact.
func told(d *formats.Diff) []string {
	var out []string
	for _, g := range d.Groups {
		for _, it := range g.Items {
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s!%s %s %s → %s %s", g.Name, it.At, it.Change, it.Old, it.New, strings.Join(it.Notes, "; "))))
		}
	}
	for _, f := range d.Facts {
		s := fmt.Sprintf("%s %s %s: %s → %s", f.Kind, f.Change, f.At, f.Old, f.New)
		if f.Warning != "" {
			s += " ⚠ " + f.Warning
		}
		out = append(out, s)
	}
	return out
}

func salesBook(t testing.TB) []byte {
	return load(t, filepath.Join(formatstest.Root(t), "testdata", "documents", "sales.xlsx"))
}

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

// RV-03: what each operation does is told in words, and nothing of it in parts
// that cannot be told.
func TestRV03EveryOperationIsTold(t *testing.T) {
	cases := []struct {
		ops  string // the one that is tested comes last
		want []string
	}{
		{`{"op":"ensure_sheet","sheet":"Third"}`, []string{"sheet added Third:  → a sheet of 0 rows"}},
		{`{"op":"set_cells","sheet":"Resumen","cells":[{"cell":"A15","value":"neu"}]}`, []string{"Resumen!row 15 added  → neu"}},
		{`{"op":"set_range","sheet":"Sales","start":"L5","values":[["=E5*2"],["=E6*2"],["=E7*2"]]}`, []string{"Sales!L5:L7 added  → =E5*2…"}},
		{`{"op":"delete_sheet","sheet":"Resumen"}`, []string{"sheet removed Resumen: a sheet of 10 rows →  ⚠ lost: the sheet Resumen", "chart removed Resumen!F2:N18: bar chart “Importe neto por familia”, 1 series of Resumen!$C$4:$C$8 →  ⚠ Resumen!F2:N18: lost: bar chart"}},
		{`{"op":"set_column_widths","sheet":"Sales","columns":[{"column":"B","width":0}]}`, []string{"column_width changed Sales!B:B: width 12 → width 0 ⚠ Sales!B:B: width 0, so nothing of it is seen, 1 with content"}},
		{`{"op":"set_row_heights","sheet":"Sales","rows":[{"row":7,"height":40}]}`, []string{"row_height changed Sales!7:7: height default → height 40"}},
		{`{"op":"set_sheet_view","sheet":"Sales","zoom":75,"gridlines":false}`, []string{"view added Sales:  → zoom 75%"}},
		{`{"op":"set_page_setup","sheet":"Sales","orientation":"portrait","repeat":{"columns":"A:B"},"footer":{"left":"x"},"breaks":{"after_rows":[9]}}`, []string{"page_setup changed Sales: orientation landscape → orientation portrait", "repeated on each page: ", "footer changed Sales: odd footer “", "page break below row 9"}},
		{`{"op":"freeze_panes","sheet":"Sales","row":2,"column":1}`, []string{"view changed Sales: frozen: 4 rows and 1 column → frozen: 2 rows and 1 column"}},
		{`{"op":"set_style","sheet":"Sales","range":"D5:D16","style":{"number_format":";;;"}}`, []string{"format changed Sales!D5:D16: number format dd/mm/yyyy → number format ;;; ⚠ Sales!D5:D16: values can no longer be seen: number format ;;; shows nothing"}},
		{`{"op":"set_style","sheet":"Resumen","range":"A3:B3","style":{"fill_color":"FFFFFF"}}`, []string{"format changed Resumen!A3:B3: fill 2E7D6B → fill white ⚠ Resumen!A3:B3: values can no longer be seen: text is white on white"}},
		{`{"op":"merge_cells","sheet":"Resumen","range":"A10:C11"}`, []string{"merge added Resumen!A10:C11:  → 6 cells merged, covering C10 4,240.80 €, A11 Situación, C11 Objetivo cumplido ⚠ Resumen!A10:C11: the merge covers C10"}},
		{`{"op":"unmerge_cells","sheet":"Sales","range":"A1:J1"}`, []string{"merge removed Sales!A1:J1: 10 cells merged → "}},
		{`{"op":"autofilter","sheet":"Resumen","range":"A3:D8"}`, []string{"filter added Resumen!A3:D8:  → filter buttons"}},
		{`{"op":"filter_rows","sheet":"Sales","criteria":[{"column":"C","operator":"begins_with","value":"Exp"},{"column":"I","operator":">","value":1000}]}`, []string{"filter: column 3 = Exp*, column 9 > 1000", "rows hidden"}},
		{`{"op":"set_hyperlink","sheet":"Sales","cell":"L1","url":"https://x.example","text":"x"}`, []string{"link added Sales!L1:  → link to https://x.example ⚠ new external hyperlink: https://x.example", "format changed Sales!L1: "}},
		{`{"op":"add_table","sheet":"Resumen","range":"A3:D8","name":"Familias","table_style":"TableStyleMedium2"}`, []string{"table added Resumen!A3:D8:  → table Familias, style TableStyleMedium2, columns Familia, Unidades, Importe neto, Porcentaje"}},
		{`{"op":"add_image","sheet":"Sales","cell":"L2","path":"p.png","alt":"a dot"}`, []string{"picture added Sales!L2", "PNG picture of 70 bytes, described “a dot”"}},
		{`{"op":"add_chart","sheet":"Sales","cell":"L2","type":"column","range":"A4:B8","title":"Neu"}`, []string{"chart added Sales!L2:  → bar chart “Neu”, 1 series of 'Sales'!$B$5:$B$8"}},
		{`{"op":"change_chart","sheet":"Resumen","chart":"1","title":"Neu","legend":"top","y_axis":{"max":9000},"colors":["C00000"]}`, []string{"→ title \"Neu\"", "→ legend at the top", "→ y axis ends at 9000", "colour C00000"}},
		{`{"op":"delete_chart","sheet":"Resumen","chart":"1"}`, []string{"chart removed Resumen!F2:N18: ", "⚠ Resumen!F2:N18: lost: "}},
		{`{"op":"conditional_format","sheet":"Sales","range":"E5:E16","rule":{"type":"cell","operator":">","value":100}}`, []string{"conditional_format added Sales!E5:E16:  → cell > 100 → "}},
		{`{"op":"data_validation","sheet":"Sales","range":"L5:L9","type":"list","list":["a","b"]}`, []string{`validation added Sales!L5:L9:  → list "a,b"`}},
		{`{"op":"add_comment","sheet":"Sales","cell":"B6","text":"bitte","author":"Ana"}`, []string{"comment added Sales!B6:  → Ana: bitte"}},
		{`{"op":"delete_comment","sheet":"Sales","cell":"G14"}`, []string{"comment removed Sales!G14: ", "⚠ Sales!G14: lost: a comment"}},
		{`{"op":"copy_styles","source":"Resumen!A3","sheet":"Sales","range":"L5:M6"}`, []string{"format changed Sales!L5:M6: ", "fill 2E7D6B"}},
		{`{"op":"copy_sheet_from","path":"other.xlsx","sheet":"Sheet1","new_name":"Other"}`, []string{"sheet added Other:  → a sheet of 1 row", "Other!row 1 added  → hello"}},
		{`{"op":"insert_rows","sheet":"Sales","row":5,"count":2}`, []string{"rows added Sales!5:6:  → 2 blank rows inserted"}},
		{`{"op":"delete_rows","sheet":"Sales","row":5,"count":3}`, []string{"rows removed Sales!5:7: 3 rows deleted → ", "Sales!row 5 removed Aceite de oliva", "calculated_value removed Resumen!B4:D8, C10:C11: 17 calculated values dropped"}},
		{`{"op":"insert_columns","sheet":"Sales","column":"D"}`, []string{"columns added Sales!D:D:  → 1 column inserted", "Sales!column D added  → Column1"}},
		{`{"op":"move_rows","sheet":"Sales","row":6,"to":12}`, []string{"Sales!row 11 moved"}},
		{`{"op":"move_columns","sheet":"Sales","column":"E","to":"H"}`, []string{"Sales!column E removed Unidades", "Sales!column G added  → Unidades", "columns added Sales!G:G", "columns removed Sales!E:E"}},
		{`{"op":"delete_columns","sheet":"Resumen","column":"C"}`, []string{"columns removed Resumen!C:C: 1 column deleted → ", "Resumen!column C removed Importe neto", "chart changed Resumen!E2:M18: ", "Resumen!C4:C8 modified =C4/SUM(Ventas_Total)… → =#REF!/SUM(Ventas_Total)…"}},
		{`{"op":"rename_sheet","sheet":"Sales","new_name":"Ventas 2"}`, []string{"sheet changed Ventas 2: named Sales → named Ventas 2"}},
		{`{"op":"copy_sheet","sheet":"Sales","new_name":"Copy"}`, []string{"sheet added Copy: ", "table added Copy!A4:J16: ", "comment added Copy!G14: "}},
		{`{"op":"move_sheet","sheet":"Resumen","position":1}`, []string{"sheet moved Sales: position 1 → position 2"}},
		{`{"op":"hide_sheet","sheet":"Resumen"}`, []string{`hidden_sheet added Resumen:  → hidden ⚠ the sheet "Resumen" is hidden now`}},
		{`{"op":"hide_sheet","sheet":"Resumen"},{"op":"unhide_sheet","sheet":"Resumen"}`, []string{`hidden_sheet removed Resumen: hidden → `}},
		{`{"op":"hide_rows","sheet":"Sales","row":6,"count":2}`, []string{"hidden_rows added Sales!6:7:  → 2 rows hidden, 2 with content ⚠ Sales!6:7: 2 rows hidden now, 2 with content"}},
		{`{"op":"hide_columns","sheet":"Sales","column":"C"}`, []string{"hidden_columns added Sales!C:C:  → 1 column hidden, 1 with content ⚠ Sales!C:C: 1 column hidden now, 1 with content"}},
		{`{"op":"group_rows","sheet":"Sales","row":6,"count":3,"summary":"above"}`, []string{"outline changed Sales!6:8: no group → group level 1"}},
		{`{"op":"group_columns","sheet":"Sales","column":"C"},{"op":"group_columns","sheet":"Sales","column":"C","action":"collapse"}`, []string{"hidden_columns added Sales!C:C", "outline changed Sales!D:D: no group → no group, collapsed"}},
		{`{"op":"protect_sheet","sheet":"Sales","allow":["sort"]}`, []string{"protection added Sales:  → the sheet is protected, allowing sort"}},
		{`{"op":"protect_workbook"}`, []string{"protection added workbook:  → protected: structure"}},
		{`{"op":"add_comment","sheet":"Sales","cell":"B6","text":"a","author":"Ana","thread":true},{"op":"resolve_comment","sheet":"Sales","cell":"B6"}`, []string{"comment changed Sales!B6: Ana: a → Ana: a (resolved)"}},
		{`{"op":"clear_range","sheet":"Sales","range":"J5:J16"}`, []string{"Sales!J5 removed Etiqueta nueva"}},
		{`{"op":"copy_range","sheet":"Sales","range":"E5:E7","target":"L5"}`, []string{"Sales!L5 added  → 420", "format changed Sales!L5:L7: "}},
		{`{"op":"fill","sheet":"Resumen","range":"D4:D12","direction":"down"}`, []string{"Resumen!D10:D11 added  → =C10/SUM(Ventas_Total)…", "format changed Resumen!D9"}},
		{`{"op":"sort_range","sheet":"Resumen","range":"A4:D8","by":[{"column":"A","descending":true}]}`, []string{"Resumen!row 8 moved"}},
		{`{"op":"replace_text","sheet":"Sales","search":"Norte","replace":"Nord"}`, []string{"Sales!C5 modified Norte → Nord"}},
		{`{"op":"define_name","name":"Rate","refers_to":"Sales!$A$1"}`, []string{"name added Rate:  → =Sales!$A$1"}},
		{`{"op":"define_name","name":"Rate","refers_to":"Sales!$A$1"},{"op":"delete_name","name":"Rate"}`, []string{"name removed Rate: =Sales!$A$1 → "}},
		{`{"op":"add_pivot","source":"TablaVentas","sheet":"P","row_fields":["Zona"],"value_fields":["Unidades"]}`, []string{"pivot_table added P!A3:B", "pivot table PivotTable1 of TablaVentas, rows: Zona; values: sum of Unidades"}},
		{`{"op":"add_pivot","source":"TablaVentas","sheet":"P","row_fields":["Zona"],"value_fields":["Unidades"]},{"op":"change_pivot","name":"PivotTable1","row_fields":["Familia"]}`, []string{"pivot_table changed P!A3:B", "rows: Zona; values: sum of Unidades → pivot table PivotTable1 of TablaVentas, rows: Familia; values: sum of Unidades"}},
		{`{"op":"add_pivot","source":"TablaVentas","sheet":"P","row_fields":["Zona"],"value_fields":["Unidades"]},{"op":"set_cells","sheet":"Sales","cells":[{"cell":"E5","value":1000000}]},{"op":"refresh_pivot"}`, []string{"P!B6 modified 994 → 1,000,574", "pivot_table changed P!A3:B8"}},
		{`{"op":"add_pivot","source":"TablaVentas","sheet":"P","row_fields":["Zona"],"value_fields":["Unidades"]},{"op":"delete_pivot","name":"PivotTable1"}`, []string{"pivot_table removed P!A3:B", "lost: pivot table PivotTable1"}},
		{`{"op":"set_sparklines","sheet":"Sales","range":"M5:M7","source":"E5:F7","type":"column"}`, []string{"chart added Sales!M5:M7", "column sparklines of Sales!E5:F7"}},
		{`{"op":"set_cells","sheet":"Sales","cells":[{"cell":"L5","value":"=1+1"}]},{"op":"recalculate"}`, []string{"calculated_value added Sales!L5:  → 2"}},
	}
	dir := t.TempDir()
	pixel, err := base64.StdEncoding.DecodeString(onePixel)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.png"), pixel, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other.xlsx"), fixture(t, func(f *excelize.File) { require.NoError(t, f.SetCellValue("Sheet1", "A1", "hello")) }), 0o600))
	_, all := editor{}.Operation()
	var done []string
	for _, c := range cases {
		list := ops(t, "["+c.ops+"]")
		last, err := operations.Decode(list[len(list)-1])
		require.NoError(t, err)
		done = append(done, last.Name)
		t.Run(last.Name, func(t *testing.T) {
			before := salesBook(t)
			if len(list) > 1 { // what leads up to it is no part of the change
				before = applyIn(t, before, dir, list[:len(list)-1])
			}
			after := applyIn(t, before, dir, list[len(list)-1:])
			d := diffOf(t, before, after)
			all := strings.Join(told(d), "\n")
			for _, w := range c.want {
				require.Contains(t, all, w, all)
			}
			require.NotContains(t, all, "cannot be told", all)
			back := diffOf(t, after, before)
			require.NotEmpty(t, told(back))
			require.NotContains(t, strings.Join(told(back), "\n"), "cannot be told")
		})
	}
	for _, op := range all {
		require.Contains(t, done, op, "an operation that no review is tested with")
	}
}

// RV-03: hidden columns and rows and a merge beside one changed cell are told
// (they read "1 cell in 1 sheet").
func TestRV03HiddenBesideACell(t *testing.T) {
	a := salesBook(t)
	b, _ := apply(t, a, `[{"op":"hide_columns","sheet":"Sales","column":"C"},{"op":"hide_rows","sheet":"Sales","row":6,"count":2},{"op":"merge_cells","sheet":"Resumen","range":"A10:C11"},{"op":"set_cells","sheet":"Sales","cells":[{"cell":"L12","value":"neu"}]}]`)
	d := diffOf(t, a, b)
	require.Equal(t, "1 cell in 1 sheet, rows hidden, columns hidden, merge added", d.Summary)
	require.Len(t, d.Warnings, 3)
	again := diffOf(t, a, b)
	require.Equal(t, d.Facts, again.Facts, "ids depend on the contents only")
}

// RV-03: thousands of hidden rows are one fact (they read "1 defined name").
func TestRV03ManyHiddenRows(t *testing.T) {
	a := fixture(t, func(f *excelize.File) {
		w, err := f.NewStreamWriter("Sheet1")
		require.NoError(t, err)
		for r := 1; r <= 4000; r++ {
			require.NoError(t, w.SetRow(cellref.Name(r, 1), []any{r}))
		}
		require.NoError(t, w.Flush())
	})
	b, _ := apply(t, a, `[{"op":"hide_rows","sheet":"Sheet1","row":2,"count":3465}]`)
	d := diffOf(t, a, b)
	require.Equal(t, []string{"hidden_rows added Sheet1!2:3466:  → 3465 rows hidden, 3465 with content ⚠ Sheet1!2:3466: 3465 rows hidden now, 3465 with content"}, told(d))
}

// RV-03: what an operation can put back is marked so, and it does put it back.
func TestRV03Revertible(t *testing.T) {
	for _, c := range []struct{ do, undo string }{
		{`{"op":"hide_rows","sheet":"Sales","row":6,"count":2}`, `{"op":"hide_rows","sheet":"Sales","row":6,"count":2,"hidden":false}`},
		{`{"op":"hide_columns","sheet":"Sales","column":"C"}`, `{"op":"hide_columns","sheet":"Sales","column":"C","hidden":false}`},
		{`{"op":"merge_cells","sheet":"Resumen","range":"A10:C11"}`, `{"op":"unmerge_cells","sheet":"Resumen","range":"A10:C11"}`},
		{`{"op":"unmerge_cells","sheet":"Sales","range":"A1:J1"}`, `{"op":"merge_cells","sheet":"Sales","range":"A1:J1"}`},
		{`{"op":"insert_rows","sheet":"Sales","row":5,"count":2}`, `{"op":"delete_rows","sheet":"Sales","row":5,"count":2}`},
		{`{"op":"rename_sheet","sheet":"Sales","new_name":"V"}`, `{"op":"rename_sheet","sheet":"V","new_name":"Sales"}`},
	} {
		a := salesBook(t)
		b, _ := apply(t, a, "["+c.do+"]")
		d := diffOf(t, a, b)
		require.True(t, slices.ContainsFunc(d.Facts, func(f formats.Fact) bool { return f.Revertible }), c.do)
		back, _ := apply(t, b, "["+c.undo+"]")
		for _, f := range diffOf(t, a, back).Facts {
			require.False(t, f.Revertible, "%s: %+v", c.undo, f)
		}
	}
}

// RV-03: in inserted rows and columns nothing else counts as changed, on real
// documents too.
func TestRV03InsertedLines(t *testing.T) {
	a := salesBook(t)
	b, _ := apply(t, a, `[{"op":"insert_columns","sheet":"Sales","column":"D"},{"op":"set_cells","sheet":"Sales","cells":[{"cell":"D6","value":"mitte"}]},{"op":"insert_rows","sheet":"Resumen","row":5}]`)
	d := diffOf(t, a, b)
	lines := told(d)
	require.Contains(t, lines, "columns added Sales!D:D:  → 1 column inserted")
	require.Contains(t, lines, "rows added Resumen!5:5:  → 1 blank row inserted")
	require.Contains(t, strings.Join(lines, "\n"), "Sales!column D added  → ")
	for _, f := range d.Facts {
		require.NotContains(t, []string{formats.FactMerge, formats.FactCondFormat, formats.FactValidation, formats.FactName, formats.FactChart, formats.FactComment, formats.FactPart}, f.Kind, "%+v", f)
	}
	require.LessOrEqual(t, len(lines), 9, strings.Join(lines, "\n"))
}

// RV-03: a formula that only came to another row with the same result is a
// change all the same, when no row came or went.
func TestRV03FormulaWithTheSameResult(t *testing.T) {
	book := func(f2 string) []byte {
		return raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>5</v></c></row><row r="2"><c r="A2"><v>5</v></c><c r="B2"><f>`+f2+`</f><v>5</v></c></row></sheetData>`)
	}
	d := diffOf(t, book("A1"), book("A2"))
	require.Equal(t, []string{"S1!B2 modified =A1 → =A2"}, told(d))
}

// RV-03: results that changed or are gone are told where the formulas did not
// change.
func TestRV03Values(t *testing.T) {
	book := func(v string) []byte {
		return raw(t, nil, `<sheetData><row r="1"><c r="A1"><f>NOW()</f>`+v+`</c></row></sheetData>`)
	}
	require.Equal(t, []string{"calculated_value changed S1!A1: 1 → 2"}, told(diffOf(t, book("<v>1</v>"), book("<v>2</v>"))))
	require.Equal(t, []string{"calculated_value removed S1!A1: 1 calculated value dropped; programs calculate them when they open the file → "}, told(diffOf(t, book("<v>1</v>"), book(""))))
	require.Equal(t, []string{"calculated_value added S1!A1:  → 2"}, told(diffOf(t, book(""), book("<v>2</v>"))))
}

// RV-03: parts that no operation makes are told too.
func TestRV03OtherSettings(t *testing.T) {
	sheet := `<sheetData><row r="1"><c r="A1"><v>5</v></c></row></sheetData>`
	for _, c := range []struct{ head, tail, want string }{
		{`<sheetPr><tabColor rgb="FFFF0000"/></sheetPr>`, "", "sheet added S1:  → tab colour red"},
		{`<sheetViews><sheetView showGridLines="0" zoomScale="85" workbookViewId="0"/></sheetViews>`, "", "view added S1:  → grid lines are not shown\nview added S1:  → zoom 85%"},
		{`<sheetFormatPr defaultRowHeight="15" zeroHeight="1"/>`, "", "⚠ S1: all rows without a height of their own are hidden"},
		{"", `<sheetProtection sheet="1"/>`, "protection added S1:  → the sheet is protected"},
		{"", `<pageMargins left="1" right="1" top="1" bottom="1" header="0" footer="0"/>`, "page_setup added S1:  → margin left 1"},
		{"", `<pageSetup orientation="landscape" fitToHeight="0"/>`, "page_setup added S1:  → orientation landscape"},
		{"", `<headerFooter><oddHeader>&amp;CDraft</oddHeader></headerFooter>`, "header added S1:  → odd header “&CDraft”"},
		{"", `<rowBreaks count="1"><brk id="5" man="1"/></rowBreaks>`, "page_setup added S1:  → page break below row 5"},
		{"", `<scenarios><scenario name="x"/></scenarios>`, "part added sheet S1:  → scenarios ⚠ sheet S1: changed in a way that cannot be told here: scenarios"},
		{`<cols><col min="2" max="3" width="9" hidden="1" outlineLevel="1" customWidth="1"/></cols>`, "", "hidden_columns added S1!B:C:  → 2 columns hidden"},
	} {
		a, b := raw(t, nil, sheet), raw(t, nil, c.head+sheet+c.tail)
		got := strings.Join(told(diffOf(t, a, b)), "\n")
		require.Contains(t, got, c.want)
		back := strings.Join(told(diffOf(t, b, a)), "\n")
		require.NotEmpty(t, back)
	}
}

func applyIn(t testing.TB, in []byte, dir string, list []json.RawMessage) []byte {
	t.Helper()
	var out strings.Builder
	_, err := Format().Editor.Apply(context.Background(), src(in), &out, list, formats.ApplyOptions{Open: func(_ context.Context, name string) (formats.SourceCloser, error) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		return openedBytes{formats.FromBytes(name, b)}, err
	}})
	require.NoError(t, err)
	return []byte(out.String())
}

type openedBytes struct{ formats.Source }

func (openedBytes) Close() error { return nil }
